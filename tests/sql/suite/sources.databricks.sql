-- The tables of sources.sql, as databricks declares them.
CREATE TABLE customers (
  id BIGINT NOT NULL,
  name STRING NOT NULL,
  email STRING,
  country STRING NOT NULL,
  segment STRING,
  created_at TIMESTAMP_NTZ NOT NULL,
  birth_date DATE,
  referrer_id BIGINT,
  is_active BOOLEAN NOT NULL
);

CREATE TABLE orders (
  id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  status STRING NOT NULL,
  amount DECIMAL(10,2) NOT NULL,
  discount DECIMAL(10,2),
  ordered_at TIMESTAMP_NTZ NOT NULL,
  shipped_at TIMESTAMP_NTZ,
  coupon STRING
);

CREATE TABLE order_items (
  order_id BIGINT NOT NULL,
  line_no INT NOT NULL,
  product_id INT NOT NULL,
  quantity INT NOT NULL,
  unit_price DECIMAL(10,2) NOT NULL,
  note STRING
);

CREATE TABLE products (
  id INT NOT NULL,
  name STRING NOT NULL,
  category STRING,
  price DOUBLE NOT NULL,
  weight DOUBLE
);

CREATE TABLE payments (
  id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  method STRING NOT NULL,
  paid DECIMAL(12,2) NOT NULL,
  fee DECIMAL(8,3),
  paid_at TIMESTAMP
);

CREATE TABLE events (
  user_id BIGINT,
  kind STRING NOT NULL,
  happened_at TIMESTAMP NOT NULL,
  payload STRING,
  value DOUBLE,
  tags ARRAY<STRING>
);

CREATE TABLE calendar (
  day DATE NOT NULL,
  week INT NOT NULL,
  is_holiday BOOLEAN NOT NULL
);

CREATE TABLE employees (
  id INT NOT NULL,
  manager_id INT,
  name STRING NOT NULL,
  salary INT,
  hired DATE NOT NULL
);
