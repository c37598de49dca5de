-- Flights of each day and airport, cancelled ones included.
SELECT
    make_date(year, month, day) AS date,
    origin,
    count(*) AS flights,
    count(*) - count(dep_time) AS cancelled,
    avg(dep_delay) AS mean_dep_delay
FROM flights
GROUP BY year, month, day, origin
