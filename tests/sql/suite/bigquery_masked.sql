SELECT * EXCEPT (email, segment) REPLACE (UPPER(name) AS name) FROM customers
