SELECT count(*), sum(salary), max(hired), 1 + 1, coalesce(min(salary), 0), CASE WHEN count(*) > 1 THEN 'many' END
FROM employees
