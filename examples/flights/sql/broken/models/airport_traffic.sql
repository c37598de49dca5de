-- Without coalesce, an airport that the registry lacks has no name.
WITH touched AS (
    SELECT origin AS faa, 'departure' AS kind, dep_time AS happened FROM flights
    UNION ALL
    SELECT dest, 'arrival', arr_time FROM flights
)

SELECT
    faa,
    a.name,
    count(*) FILTER (WHERE kind = 'departure' AND happened IS NOT NULL) AS departures,
    count(*) FILTER (WHERE kind = 'arrival' AND happened IS NOT NULL) AS arrivals
FROM touched
LEFT JOIN airports AS a USING (faa)
GROUP BY faa, a.name
