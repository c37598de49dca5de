SELECT * EXCLUDE (email, segment, referrer_id) RENAME (name AS full_name), IFF(is_active, 'yes', 'no') AS active
FROM customers
