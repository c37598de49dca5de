SELECT e.kind, t.tag, upper(t.tag) AS loud
FROM events AS e, LATERAL (SELECT UNNEST(e.tags) AS tag) AS t
WHERE e.user_id IS NOT NULL
