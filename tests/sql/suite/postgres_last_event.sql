SELECT c.id, e.kind, e.happened_at, e.payload ->> 'page' AS page, e.payload -> 'cart' AS cart
FROM customers AS c
LEFT JOIN LATERAL (
  SELECT kind, happened_at, payload FROM events WHERE user_id = c.id ORDER BY happened_at DESC LIMIT 1
) AS e ON true
