-- What every model of the suite reads. sources.<dialect>.sql declares the same tables for the other dialects.
CREATE TABLE customers (
  id BIGINT NOT NULL,
  name VARCHAR NOT NULL,
  email VARCHAR,
  country VARCHAR NOT NULL,
  segment VARCHAR,
  created_at TIMESTAMP NOT NULL,
  birth_date DATE,
  referrer_id BIGINT,
  is_active BOOLEAN NOT NULL
);

CREATE TABLE orders (
  id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  status VARCHAR NOT NULL,
  amount DECIMAL(10,2) NOT NULL,
  discount DECIMAL(10,2),
  ordered_at TIMESTAMP NOT NULL,
  shipped_at TIMESTAMP,
  coupon VARCHAR
);

CREATE TABLE order_items (
  order_id BIGINT NOT NULL,
  line_no INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  unit_price DECIMAL(10,2) NOT NULL,
  note VARCHAR
);

CREATE TABLE products (
  id INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  category VARCHAR,
  price DOUBLE NOT NULL,
  weight DOUBLE
);

CREATE TABLE payments (
  id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  method VARCHAR NOT NULL,
  paid DECIMAL(12,2) NOT NULL,
  fee DECIMAL(8,3),
  paid_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE events (
  user_id BIGINT,
  kind VARCHAR NOT NULL,
  happened_at TIMESTAMP WITH TIME ZONE NOT NULL,
  payload JSON,
  value DOUBLE,
  tags VARCHAR[]
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
