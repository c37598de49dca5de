-- Nobody declared the weather.
SELECT CAST(time_hour AS DATE) AS date, max(temp) AS warmest
FROM weather
GROUP BY ALL
