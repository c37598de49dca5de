-- Flights and planes both have a year.
SELECT f.tailnum, year AS built
FROM flights AS f
INNER JOIN planes AS p ON p.tailnum = f.tailnum
