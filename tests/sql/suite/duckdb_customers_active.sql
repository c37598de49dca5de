SELECT id, name, email, created_at::DATE AS joined_on
FROM customers
WHERE is_active
