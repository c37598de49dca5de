SELECT e.user_id, f.value::STRING AS tag, f.index AS position, e.payload:page AS page, e.payload:user.id::NUMBER(10,0) AS uid
FROM events e, LATERAL FLATTEN(input => e.tags) f
