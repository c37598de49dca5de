-- Nobody declared the weather.
SELECT time_hour, temp AS temperature
FROM weather
