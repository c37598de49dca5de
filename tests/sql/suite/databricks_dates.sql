SELECT
  id,
  to_date(ordered_at) AS day,
  date_add(to_date(ordered_at), 7) AS next_week,
  datediff(shipped_at, ordered_at) AS took,
  year(ordered_at) AS year,
  date_format(ordered_at, 'yyyy-MM') AS label,
  current_timestamp() AS seen_at,
  current_date() AS today,
  last_day(ordered_at) AS month_end,
  unix_timestamp() AS seconds
FROM orders
