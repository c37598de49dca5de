-- A protected column got another name.
SELECT
    make_date(year, month, day) AS date,
    origin,
    count(*) AS flights,
    count(*) - count(dep_time) AS cancelled,
    avg(dep_delay) AS mean_delay
FROM flights
GROUP BY year, month, day, origin
