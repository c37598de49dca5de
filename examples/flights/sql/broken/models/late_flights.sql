-- A time of day is compared with a number.
SELECT carrier, flight
FROM flights
WHERE dep_time > 1700
