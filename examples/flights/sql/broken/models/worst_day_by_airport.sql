-- What it reads has a column of another name by now.
SELECT
    origin,
    date,
    mean_dep_delay,
    flights
FROM daily_flights
WHERE mean_dep_delay IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY origin ORDER BY mean_dep_delay DESC, date) = 1
