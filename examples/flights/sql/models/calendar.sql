-- Every day of 2013, flights or not.
WITH RECURSIVE days AS (
    SELECT DATE '2013-01-01' AS date
    UNION ALL
    SELECT CAST(date + INTERVAL 1 DAY AS DATE) FROM days WHERE date < DATE '2013-12-31'
)

SELECT
    date,
    CAST(month(date) AS TINYINT) AS month,
    CAST(isodow(date) AS TINYINT) AS weekday,
    isodow(date) > 5 AS is_weekend
FROM days
