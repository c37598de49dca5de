SELECT SUM(amount) AS revenue, COUNT(coupon) AS coupons, MIN(id) AS first_id
FROM orders
