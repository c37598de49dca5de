-- The tables of sources.sql, as bigquery declares them.
CREATE TABLE customers (
  id INT64 NOT NULL,
  name STRING NOT NULL,
  email STRING,
  country STRING NOT NULL,
  segment STRING,
  created_at DATETIME NOT NULL,
  birth_date DATE,
  referrer_id INT64,
  is_active BOOL NOT NULL
);

CREATE TABLE orders (
  id INT64 NOT NULL,
  customer_id INT64 NOT NULL,
  status STRING NOT NULL,
  amount NUMERIC NOT NULL,
  discount NUMERIC,
  ordered_at DATETIME NOT NULL,
  shipped_at DATETIME,
  coupon STRING
);

CREATE TABLE order_items (
  order_id INT64 NOT NULL,
  line_no INT64 NOT NULL,
  product_id INT64 NOT NULL,
  quantity INT64 NOT NULL,
  unit_price NUMERIC NOT NULL,
  note STRING
);

CREATE TABLE products (
  id INT64 NOT NULL,
  name STRING NOT NULL,
  category STRING,
  price FLOAT64 NOT NULL,
  weight FLOAT64
);

CREATE TABLE payments (
  id INT64 NOT NULL,
  order_id INT64 NOT NULL,
  method STRING NOT NULL,
  paid NUMERIC NOT NULL,
  fee NUMERIC,
  paid_at TIMESTAMP
);

CREATE TABLE events (
  user_id INT64,
  kind STRING NOT NULL,
  happened_at TIMESTAMP NOT NULL,
  payload JSON,
  value FLOAT64,
  tags ARRAY<STRING>
);

CREATE TABLE calendar (
  day DATE NOT NULL,
  week INT64 NOT NULL,
  is_holiday BOOL NOT NULL
);

CREATE TABLE employees (
  id INT64 NOT NULL,
  manager_id INT64,
  name STRING NOT NULL,
  salary INT64,
  hired DATE NOT NULL
);
