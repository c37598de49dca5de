SELECT code, label
FROM (VALUES ('DE', 'Germany'), ('FR', NULL), ('IT', 'Italy')) AS regions(code, label)
