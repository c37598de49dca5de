SELECT e.user_id, t.tag, cardinality(e.tags) AS tag_count, e.tags[1] AS first_tag
FROM events AS e
CROSS JOIN LATERAL unnest(e.tags) AS t(tag)
