-- The tables of sources.sql, as snowflake declares them.
CREATE TABLE customers (
  id BIGINT NOT NULL,
  name VARCHAR NOT NULL,
  email VARCHAR,
  country VARCHAR NOT NULL,
  segment VARCHAR,
  created_at TIMESTAMP_NTZ NOT NULL,
  birth_date DATE,
  referrer_id BIGINT,
  is_active BOOLEAN NOT NULL
);

CREATE TABLE orders (
  id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  status VARCHAR NOT NULL,
  amount NUMBER(10,2) NOT NULL,
  discount NUMBER(10,2),
  ordered_at TIMESTAMP_NTZ NOT NULL,
  shipped_at TIMESTAMP_NTZ,
  coupon VARCHAR
);

CREATE TABLE order_items (
  order_id BIGINT NOT NULL,
  line_no INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  unit_price NUMBER(10,2) NOT NULL,
  note VARCHAR
);

CREATE TABLE products (
  id INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  category VARCHAR,
  price FLOAT NOT NULL,
  weight FLOAT
);

CREATE TABLE payments (
  id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  method VARCHAR NOT NULL,
  paid NUMBER(12,2) NOT NULL,
  fee NUMBER(8,3),
  paid_at TIMESTAMP_TZ
);

CREATE TABLE events (
  user_id BIGINT,
  kind VARCHAR NOT NULL,
  happened_at TIMESTAMP_TZ NOT NULL,
  payload VARIANT,
  value FLOAT,
  tags ARRAY
);

CREATE TABLE calendar (
  day DATE NOT NULL,
  week INTEGER NOT NULL,
  is_holiday BOOLEAN NOT NULL
);

CREATE TABLE employees (
  id INTEGER NOT NULL,
  manager_id INTEGER,
  name VARCHAR NOT NULL,
  salary INTEGER,
  hired DATE NOT NULL
);
