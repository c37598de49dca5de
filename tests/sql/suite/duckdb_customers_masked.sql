SELECT * REPLACE (md5(name) AS name, COALESCE(email, 'none') AS email) FROM customers
