SELECT
  o.customer_id,
  named_struct('first', min(o.ordered_at), 'n', count(*)) AS span,
  map('a', 1) AS counts,
  array(1, 2) AS numbers,
  CASE WHEN count(*) > 1 THEN 'many' ELSE 'one' END AS how_many,
  sum(p.fee) AS fees
FROM orders o
LEFT JOIN payments p ON p.order_id = o.id
GROUP BY o.customer_id
