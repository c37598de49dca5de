"""Which columns are proved never NULL, which can be NULL, why, and what is not known."""

from pathlib import Path

import pytest
import sqlglot
from tests.sql.null_suite import models, sources
from tests.sql.provable import ALL, CUSTOMERS, ORDERS, TABLES, Case, relation, table

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.nullability import NullColumn, infer_nullability
from dagster_contracts.sql.relation import Column, Relation

DOCS = Path(__file__).parent.parent.parent / "docs" / "sql-nullability.md"


def infer(sql: str, dialect: str = "duckdb", tables: dict[str, Relation] | None = None) -> tuple[NullColumn, ...]:
    query = sqlglot.parse_one(sql, read=dialect)
    before = query.sql(dialect=dialect)
    columns = infer_nullability(query, dialect=dialect, tables=TABLES if tables is None else tables, text=sql)
    assert query.sql(dialect=dialect) == before
    return columns


def nullable(sql: str, dialect: str = "duckdb", tables: dict[str, Relation] | None = None) -> list[bool | None]:
    return [column.nullable for column in infer(sql, dialect, tables)]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.sql[:70])
def test_what_can_be_proved(case: Case):
    assert nullable(case.sql) == list(case.nullable)


def test_the_docs_have_the_table_of_what_can_be_proved():
    assert table() in DOCS.read_text()


def test_every_column_that_is_not_proved_says_why():
    for case in ALL:
        for column in infer(case.sql):
            assert bool(column.reasons) == (column.nullable is not False), case.sql


TRULY_NOT_NULL = 0.95


def test_the_suite_is_proved_almost_wholly_and_never_wrongly():
    proved, truly, wrong, alarms = 0, 0, [], []
    tables = {dialect: sources(dialect) for dialect in ("duckdb", "postgres", "snowflake", "bigquery", "databricks")}
    for model in models():
        columns = infer_nullability(model.query, dialect=model.dialect, tables=tables[model.dialect], text=model.text)
        assert len(columns) == len(model.nullable), model.name
        for column, truth in zip(columns, model.nullable, strict=True):
            assert truth is not None, f"{model.name}.{column.name} has no `nullable` in its expectations"
            truly += not truth
            proved += truth is False and column.nullable is False
            wrong += [f"{model.name}.{column.name}"] if truth and column.nullable is False else []
            alarms += [f"{model.name}.{column.name}"] if not truth and column.nullable else []
    assert wrong == []
    assert alarms == []
    assert proved / truly >= TRULY_NOT_NULL, f"{proved} of {truly}"


def reasons(sql: str, dialect: str = "duckdb", tables: dict[str, Relation] | None = None) -> tuple[str, ...]:
    return infer(sql, dialect, tables)[-1].reasons


def test_a_reason_names_the_join_and_its_line():
    sql = "SELECT c.name\nFROM orders o\nJOIN customers d ON d.key = o.id\nLEFT JOIN customers c\n  ON c.key = o.customer_id"
    assert reasons(sql) == ("c.name can be NULL after LEFT JOIN at line 4",)


def test_a_reason_finds_the_line_of_a_join_with_a_subquery():
    sql = "SELECT s.k\nFROM orders o\nLEFT JOIN (\n  SELECT key AS k\n  FROM customers) s ON s.k = o.id"
    assert reasons(sql) == ("s.k can be NULL after LEFT JOIN at line 3",)


def test_reasons_follow_a_column_through_ctes_outermost_first():
    sql = "WITH a AS (SELECT nullif(code, '') AS x FROM orders), b AS (SELECT x AS y FROM a) SELECT upper(y) FROM b"
    assert reasons(sql) == (
        "b.y can be NULL",
        "a.x can be NULL",
        "nullif(code) is NULL where both are equal",
    )


def test_reasons_go_on_with_those_of_the_model_that_is_read():
    upstream = Relation(
        "m", (Column("x", Type("Int64"), nullable=True, reasons=("c.x can be NULL after LEFT JOIN at line 9",)),)
    )
    assert reasons("SELECT x FROM m", tables={"m": upstream}) == (
        "m.x can be NULL",
        "c.x can be NULL after LEFT JOIN at line 9",
    )


def test_what_is_not_known_upstream_stays_not_known():
    upstream = Relation("m", (Column("x", Type("Int64"), nullable=None, reasons=("f() is not known",)),))
    (column,) = infer("SELECT x + 1 AS y FROM m", tables={"m": upstream})
    assert (column.nullable, column.reasons) == (
        None,
        ("it is not known whether m.x can be NULL", "f() is not known"),
    )


def test_an_undeclared_source_makes_what_depends_on_it_not_known_and_nothing_else():
    columns = infer("SELECT o.id, e.x, coalesce(e.x, o.id), e.x IS NULL FROM orders o JOIN elsewhere e ON e.k = o.id")
    assert [column.nullable for column in columns] == [False, None, False, False]
    assert columns[1].reasons == ("it is not known whether e.x can be NULL", "elsewhere is not declared")


def test_a_star_over_an_undeclared_source_is_one_column_of_which_nothing_is_known():
    assert infer("SELECT * FROM orders, elsewhere") == (NullColumn("*", None, ("elsewhere is not declared",)),)


def test_the_position_is_that_of_the_select_item():
    sql = "SELECT id, coalesce(note, 'x') AS n, o.amount FROM orders o"
    assert [sql[slice(*column.position)] for column in infer(sql) if column.position] == [
        "id",
        "coalesce(note, 'x') AS n",
        "o.amount",
    ]


def test_columns_of_a_star_have_the_position_of_the_star():
    sql = "SELECT 1 AS one, c.* FROM customers c"
    assert [sql[slice(*column.position)] for column in infer(sql) if column.position] == ["1 AS one", *["c.*"] * 4]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT ID, Code AS C FROM orders", ["ID", "C"]),
        ("SELECT * RENAME (id AS nr) FROM (SELECT id, code FROM orders)", ["nr", "code"]),
        ("SELECT * FROM (SELECT 1 AS a, 2 AS k) JOIN (SELECT 2 AS k, 3 AS b) USING (k)", ["a", "k", "b"]),
        ("SELECT * FROM (VALUES (1, 2))", ["col0", "col1"]),
        ("SELECT COLUMNS('^c') FROM orders", ["customer_id", "code"]),
        ("SELECT id, count(*) FROM orders GROUP BY id", ["id", "column 2"]),
    ],
)
def test_names(sql: str, names: list[str]):
    assert [column.name for column in infer(sql)] == names


@pytest.mark.parametrize(
    ("dialect", "sql", "names"),
    [
        ("postgres", 'SELECT ID, "Code", x AS Y FROM t', ["id", "Code", "y"]),
        ("snowflake", 'SELECT id, "Code", x AS y FROM t', ["ID", "Code", "Y"]),
        ("bigquery", "SELECT Id, `Code`, x AS Y FROM t", ["Id", "Code", "Y"]),
        ("databricks", "SELECT Id, `Code`, x AS Y FROM t", ["Id", "Code", "Y"]),
        (
            "postgres",
            "SELECT * FROM (SELECT 1 AS a, 2 AS k) q JOIN (SELECT 2 AS k, 3 AS b) r USING (k)",
            ["k", "a", "b"],
        ),
    ],
)
def test_names_as_each_dialect_folds_them(dialect: str, sql: str, names: list[str]):
    fold = {"postgres": str.lower, "snowflake": str.upper}.get(dialect, str)
    columns = [Column(fold("id"), Type("Int64"), nullable=False), Column("Code", Type("Int64"), nullable=False)]
    t = Relation(fold("t"), (*columns, Column(fold("x"), Type("Int64"), nullable=False)))
    found = infer(sql, dialect, {t.name: t})
    assert [(column.name, column.nullable) for column in found] == [(name, False) for name in names]


NUMBERS = {"t": relation("t", i="Int64", n="Int64", m="Decimal", s="String", o="String?", d="Date", v="Variant")}


@pytest.mark.parametrize(
    ("sql", "answers"),
    [
        ("SELECT i / n FROM t", {"postgres": False, "bigquery": False, "databricks": None}),
        ("SELECT i / 2 FROM t", {"postgres": False, "bigquery": False, "databricks": False}),
        ("SELECT i % n FROM t", {"postgres": False, "databricks": None}),
        ("SELECT m * m FROM t", {"postgres": False, "databricks": None}),
        ("SELECT concat(s, o) FROM t", {"postgres": False, "bigquery": True, "databricks": True}),
        ("SELECT greatest(s, o) FROM t", {"postgres": False, "bigquery": True, "databricks": False}),
        ("SELECT s || o FROM t", {"postgres": True, "bigquery": True, "databricks": True}),
        ("SELECT CAST(s AS INT) FROM t", {"postgres": False, "databricks": None}),
        ("SELECT extract(MONTH FROM d) FROM t", {"postgres": None, "bigquery": False, "databricks": False}),
        ("SELECT extract(YEAR FROM d) FROM t", {"postgres": False, "bigquery": False, "databricks": False}),
        ("SELECT s = 'a' FROM t", {"postgres": False, "bigquery": False}),
        ("SELECT array_agg(i) FROM t", {"postgres": True, "bigquery": True, "databricks": False}),
        ("SELECT sum(i) FROM t GROUP BY s", {"postgres": False, "bigquery": False, "databricks": False}),
        # Spark's own way to ask for subtotals, which leave the keys out.
        ("SELECT s FROM t GROUP BY s WITH ROLLUP", {"databricks": True}),
        ("SELECT i FROM t GROUP BY s, i WITH CUBE", {"databricks": True}),
        ("SELECT upper(s) FROM t GROUP BY s WITH ROLLUP", {"databricks": True}),
        ("SELECT s, sum(i) FROM t GROUP BY ALL WITH ROLLUP", {"databricks": True}),
        ("SELECT s FROM t GROUP BY s GROUPING SETS ((s), ())", {"databricks": True}),
        ("SELECT count(*) FROM t GROUP BY s WITH ROLLUP", {"databricks": False}),
        # Of lengths that it does not have, Spark's hash is NULL.
        ("SELECT sha2(s, i) FROM t", {"databricks": True}),
        ("SELECT sha2(s, 100) FROM t", {"databricks": True}),
        ("SELECT sha2(s, 256) FROM t", {"databricks": False}),
        # Where all are NULL, IGNORE NULLS leaves none, and an array of none may be NULL.
        ("SELECT array_agg(o IGNORE NULLS) FROM t GROUP BY s", {"bigquery": None, "databricks": False}),
        ("SELECT array_agg(o IGNORE NULLS) OVER (PARTITION BY s) FROM t", {"bigquery": None, "databricks": False}),
        ("SELECT array_agg(s IGNORE NULLS) FROM t GROUP BY i", {"bigquery": False}),
    ],
)
def test_what_differs_from_dialect_to_dialect(sql: str, answers: dict[str, bool | None]):
    assert {dialect: nullable(sql, dialect, NUMBERS)[0] for dialect in answers} == answers


SNOWFLAKE = {"T": Relation("T", tuple(Column(c.name.upper(), c.type, c.nullable) for c in NUMBERS["t"].columns))}


@pytest.mark.parametrize(
    ("sql", "answer"),
    [
        ("SELECT i / n FROM t", False),
        ("SELECT concat(s, o) FROM t", True),
        ("SELECT greatest(s, o) FROM t", True),
        ("SELECT listagg(s) FROM t", False),
        ("SELECT v::INT FROM t", True),
        ("SELECT v:a FROM t", True),
        ("SELECT v + 1 FROM t", None),
        ("SELECT zeroifnull(i), nvl(o, 'x'), iff(i > 1, s, 'x'), div0(i, n) FROM t", False),
        ("SELECT try_to_number(s) FROM t", True),
        ("SELECT regexp_substr(s, 'a') FROM t", True),
        ("SELECT split_part(s, ',', 1) FROM t", False),
    ],
)
def test_snowflake(sql: str, answer: bool | None):
    assert set(nullable(sql, "snowflake", SNOWFLAKE)) == {answer}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT note FROM orders CONNECT BY id = 1",
        "SELECT * FROM orders NATURAL JOIN elsewhere",
        "SELECT unnest(doc) FROM orders",
        "WITH RECURSIVE n AS (SELECT i FROM n UNION ALL SELECT 1) SELECT i FROM n",
        "SELECT * LIKE 'a%' FROM orders",
        "SELECT COLUMNS(c -> c LIKE 'i%') FROM orders",
        "SELECT * REPLACE (1 AS) FROM orders",
        "SELECT * RENAME (id AS) FROM orders",
    ],
)
def test_what_is_not_supported_is_not_known(sql: str):
    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except sqlglot.ParseError:
        pytest.skip("this sqlglot does not read it")
    assert {column.nullable for column in infer_nullability(query, dialect="duckdb", tables=TABLES)} == {None}


def test_an_unknown_dialect_is_not_known():
    assert nullable("SELECT 1 AS a", "mysql") == [None]


def test_an_outer_query_is_seen_by_a_subquery_and_not_the_other_way_round():
    sql = "SELECT key FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.parent AND c.parent > 1)"
    assert nullable(sql) == [False]
    assert nullable(sql.replace("SELECT key", "SELECT parent", 1)) == [True]


def test_a_column_that_two_relations_have_is_not_known():
    assert nullable("SELECT key FROM customers a, customers b") == [None]


def test_a_column_hides_an_alias_and_an_alias_stands_for_its_item():
    assert nullable(
        "SELECT nullif(id, 1) AS id2, id2 + 1 AS x, coalesce(note, 'a') AS note, upper(note) AS y FROM orders"
    ) == [
        True,
        True,
        False,
        True,
    ]


def test_having_on_a_name_that_is_a_column_and_an_alias_proves_nothing():
    sql = "SELECT nullif(max(code), 'a') AS note FROM orders GROUP BY note HAVING note IS NOT NULL"
    assert nullable(sql) == [True]


def test_a_volatile_expression_is_not_the_same_twice():
    assert nullable("SELECT nullif(random(), 0.5) FROM orders WHERE nullif(random(), 0.5) IS NOT NULL") == [True]


def test_what_filters_after_a_window_says_nothing_about_what_the_window_saw():
    sql = "SELECT first_value(note) OVER (ORDER BY id) AS f FROM orders QUALIFY note IS NOT NULL"
    assert nullable(sql) == [True]
    assert nullable("SELECT sum(amount), max(note) FROM orders GROUP BY note HAVING note > 'a'") == [False, True]


def test_the_same_model_read_in_all_dialects_gives_no_crash():
    for case in ALL:
        for dialect in ("postgres", "snowflake", "bigquery", "databricks"):
            try:
                query = sqlglot.parse_one(case.sql, read=dialect)
            except sqlglot.ParseError:
                continue
            infer_nullability(query, dialect=dialect, tables={"orders": ORDERS, "customers": CUSTOMERS})


@pytest.mark.parametrize(
    ("sql", "answers"),
    [
        # What is known of an expression before GROUP BY says nothing about it in the subtotals.
        ("SELECT upper(code) FROM orders WHERE upper(code) IS NOT NULL GROUP BY ROLLUP (code)", [True]),
        # The same words in another SELECT are another expression.
        (
            "SELECT (SELECT sum(1) FROM customers) FROM orders GROUP BY code HAVING sum(1) IS NOT NULL",
            [True],
        ),
        # A list is searched, and may hold NULLs.
        ("SELECT note FROM orders WHERE code NOT IN [note]", [True]),
        # A text that is split at NULL is not NULL.
        ("SELECT note FROM orders WHERE string_split(code, note) IS NOT NULL", [True]),
        # A default can be infinite where the value cannot.
        ("SELECT month(lag(current_date, 1, DATE 'infinity') OVER (ORDER BY id)) FROM orders", [None]),
        # A real row of one side says that the join's condition holds, not that a subtotal has its key.
        (
            (
                "SELECT o.customer_id FROM orders o LEFT JOIN customers c ON c.key = o.customer_id "
                "GROUP BY c.name, ROLLUP (o.customer_id) HAVING c.name IS NOT NULL"
            ),
            [True],
        ),
        # Between infinite dates there is none.
        ("SELECT avg(day) FROM orders GROUP BY code", [None]),
        # Rows are compared in ways of their own: NULL equals NULL in them.
        ("SELECT note FROM orders WHERE (note, 1) IN ((NULL, 1))", [True]),
    ],
)
def test_what_must_not_be_proved(sql: str, answers: list[bool | None]):
    assert nullable(sql) == answers
