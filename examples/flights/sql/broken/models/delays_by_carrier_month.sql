-- A required column was left out.
WITH delays AS (
    SELECT
        month,
        carrier,
        count(*) AS flights,
        count(*) FILTER (WHERE dep_time IS NULL) AS cancelled,
        avg(dep_delay) AS mean_dep_delay,
        coalesce(max(dep_delay), 0) AS worst_dep_delay
    FROM flights
    GROUP BY month, carrier
)

SELECT d.month, carrier, d.* EXCLUDE (month, carrier)
FROM delays AS d
INNER JOIN airlines AS a USING (carrier)
