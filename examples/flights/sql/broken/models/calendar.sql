-- Without its cast, the month is as wide as DuckDB makes it.
WITH RECURSIVE days AS (
    SELECT DATE '2013-01-01' AS date
    UNION ALL
    SELECT CAST(date + INTERVAL 1 DAY AS DATE) FROM days WHERE date < DATE '2013-12-31'
)

SELECT
    date,
    month(date) AS month,
    CAST(isodow(date) AS TINYINT) AS weekday,
    isodow(date) > 5 AS is_weekend
FROM days
