SELECT
  quantity::TINYINT AS tiny,
  quantity::UTINYINT AS unsigned_tiny,
  line_no::SMALLINT + 1 AS small_plus,
  order_id::UINTEGER AS unsigned_order,
  quantity::FLOAT AS float_quantity,
  quantity::HUGEINT AS huge,
  note::BLOB AS raw_note,
  gen_random_uuid() AS uuid,
  TIME '12:00:00' AS noon,
  INTERVAL 3 DAY AS three_days
FROM order_items
