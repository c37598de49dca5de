SELECT e.user_id, UNNEST(e.tags) AS tag, len(e.tags) AS tag_count
FROM events AS e
