SELECT
  id,
  ordered_at::date AS day,
  date_trunc('month', ordered_at) AS month,
  shipped_at - ordered_at AS took,
  ordered_at + interval '3 days' AS due,
  ordered_at::date + 7 AS next_week,
  current_date - ordered_at::date AS age,
  extract(year FROM ordered_at) AS year,
  date_part('dow', ordered_at) AS weekday,
  now() AS seen_at,
  to_char(ordered_at, 'YYYY-MM') AS label
FROM orders
