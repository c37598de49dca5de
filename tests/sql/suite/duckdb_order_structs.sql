SELECT
  customer_id,
  list(amount ORDER BY ordered_at) AS amounts,
  {'first': min(id), 'last': max(status)} AS span,
  map(['a'], [1]) AS counts,
  string_agg(status, ', ') AS statuses,
  arg_max(status, amount) AS top_status,
  bool_or(amount > 100) AS any_large
FROM orders
GROUP BY customer_id
