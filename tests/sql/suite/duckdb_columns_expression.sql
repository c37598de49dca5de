SELECT COLUMNS('.*_at'), id FROM orders
