SELECT e.user_id, tag, position, ARRAY_LENGTH(e.tags) AS tag_count, JSON_VALUE(e.payload, '$.page') AS page
FROM events AS e, UNNEST(e.tags) AS tag WITH OFFSET AS position
