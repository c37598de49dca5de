-- The tables of sources.sql, as postgres declares them.
CREATE TABLE customers (
  id BIGINT NOT NULL,
  name text NOT NULL,
  email text,
  country text NOT NULL,
  segment text,
  created_at TIMESTAMP NOT NULL,
  birth_date DATE,
  referrer_id BIGINT,
  is_active BOOLEAN NOT NULL
);

CREATE TABLE orders (
  id BIGINT NOT NULL,
  customer_id BIGINT NOT NULL,
  status text NOT NULL,
  amount numeric(10,2) NOT NULL,
  discount numeric(10,2),
  ordered_at TIMESTAMP NOT NULL,
  shipped_at TIMESTAMP,
  coupon text
);

CREATE TABLE order_items (
  order_id BIGINT NOT NULL,
  line_no INTEGER NOT NULL,
  product_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  unit_price numeric(10,2) NOT NULL,
  note text
);

CREATE TABLE products (
  id INTEGER NOT NULL,
  name text NOT NULL,
  category text,
  price double precision NOT NULL,
  weight double precision
);

CREATE TABLE payments (
  id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  method text NOT NULL,
  paid numeric(12,2) NOT NULL,
  fee numeric(8,3),
  paid_at TIMESTAMP WITH TIME ZONE
);

CREATE TABLE events (
  user_id BIGINT,
  kind text NOT NULL,
  happened_at TIMESTAMP WITH TIME ZONE NOT NULL,
  payload jsonb,
  value double precision,
  tags text[]
);

CREATE TABLE calendar (
  day DATE NOT NULL,
  week INTEGER NOT NULL,
  is_holiday BOOLEAN NOT NULL
);

CREATE TABLE employees (
  id INTEGER NOT NULL,
  manager_id INTEGER,
  name text NOT NULL,
  salary INTEGER,
  hired DATE NOT NULL
);
