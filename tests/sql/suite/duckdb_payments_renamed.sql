SELECT * RENAME (paid AS amount_paid) FROM payments
