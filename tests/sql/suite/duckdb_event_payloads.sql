SELECT
  payload ->> '$.page' AS page,
  payload -> '$.cart' AS cart,
  CAST(payload ->> '$.n' AS INTEGER) AS n,
  date_trunc('hour', happened_at) AS hour,
  date_diff('day', CAST(happened_at AS DATE), DATE '2024-01-01') AS days,
  hash(kind) AS hashed,
  concat(kind, value) AS text,
  kind || '-x' AS kind_x
FROM events
