-- Its contract has a typing error, which must not pass for a promise that is kept.
SELECT carrier, name
FROM airlines
