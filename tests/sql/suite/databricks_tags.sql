SELECT user_id, tag, size(tags) AS tag_count, tags[0] AS first_tag
FROM events
LATERAL VIEW explode(tags) t AS tag
