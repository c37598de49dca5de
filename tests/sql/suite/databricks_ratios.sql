SELECT
  order_id,
  quantity / 2 AS half,
  quantity DIV 2 AS half_floor,
  quantity % 2 AS odd,
  quantity * 2 AS doubled,
  quantity + order_id AS mixed,
  unit_price + unit_price AS twice,
  unit_price * unit_price AS squared,
  quantity * 1.5D AS more,
  CAST(note AS INT) AS note_number,
  length(note) AS letters
FROM order_items
