-- A CASE without its END.
SELECT
    make_date(f.year, f.month, f.day) AS date,
    f.carrier,
    f.flight,
    f.origin,
    f.dest,
    f.dep_time,
    f.dep_delay,
    f.tailnum,
    p.year AS built,
    coalesce(p.manufacturer, 'unknown') AS manufacturer,
    CASE
        WHEN p.seats IS NULL THEN 'unknown'
        WHEN p.seats < 100 THEN 'small'
        WHEN p.seats < 200 THEN 'medium'
        ELSE 'large'
    AS size
FROM flights AS f
LEFT JOIN planes AS p ON p.tailnum = f.tailnum
WHERE f.dep_time IS NOT NULL
