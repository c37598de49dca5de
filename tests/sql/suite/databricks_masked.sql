SELECT * EXCEPT (email), coalesce(email, 'none') AS email, if(is_active, 1, 0) AS active, concat(name, '!') AS loud
FROM customers
