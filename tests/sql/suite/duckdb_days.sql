WITH RECURSIVE days(day) AS (
  SELECT DATE '2024-01-01'
  UNION ALL
  SELECT CAST(day + INTERVAL 1 DAY AS DATE) FROM days WHERE day < DATE '2024-12-31'
)
SELECT day, EXTRACT(dow FROM day) AS weekday, strftime(day, '%Y-%m') AS month
FROM days
