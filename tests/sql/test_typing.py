"""Output columns of every form of query: names by each dialect's rules, types where they are known, reasons where not."""

from __future__ import annotations

import re

import pytest
import sqlglot

from dagster_contracts.contract.types import Type, parse_type
from dagster_contracts.sql.binder import Binder
from dagster_contracts.sql.dialect_types import DIALECTS
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.typing import QueryError, TypedColumn, UnknownOutputError, infer_types

INTEGERS = {
    "duckdb": "Int64",
    "postgres": "Int64",
    "snowflake": "Decimal(38,0)",
    "bigquery": "Int64",
    "databricks": "Int64",
}


def relation(table: str, /, **columns: str | None) -> Relation:
    types = {column: None if of is None else parse_type(of) for column, of in columns.items()}
    return Relation(table, tuple(Column(column, of, None) for column, of in types.items()))


def tables(dialect: str) -> dict[str, Relation]:
    """Two tables with one name in common, and one of which a type is not known."""
    fold = str.upper if dialect == "snowflake" else str
    number = INTEGERS[dialect]
    known = [
        relation("a", id=number, name="String", day="Date"),
        relation("b", id=number, name="String", flag="Boolean"),
        relation("raw.dim", id=number, kind="String", odd=None),
    ]
    return {
        fold(one.name): Relation(fold(one.name), tuple(Column(fold(c.name), c.type, None) for c in one.columns))
        for one in known
    }


def infer(sql: str, dialect: str = "postgres") -> tuple[TypedColumn, ...]:
    query = sqlglot.parse_one(sql, dialect=dialect)
    return infer_types(query, dialect=dialect, tables=tables(dialect), binder=Binder(), sql=sql)


def shown(sql: str, dialect: str = "postgres") -> str:
    return ", ".join(f"{column.name} {column.type or '?'}" for column in infer(sql, dialect))


def lower(sql: str, dialect: str) -> str:
    """What is shown, of every dialect alike: a decimal of Snowflake's that is an integer is `Int64`."""
    return (
        re.sub(r"Decimal\(38,0\)", "Int64", shown(sql, dialect))
        .replace("ID", "id")
        .replace("NAME", "name")
        .replace("DAY ", "day ")
        .replace("FLAG", "flag")
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM a", "id Int64, name String, day Date"),
        ("SELECT x.*, y.flag FROM a AS x JOIN b AS y ON x.id = y.id", "id Int64, name String, day Date, flag Boolean"),
        ("SELECT * FROM (SELECT id, day FROM a) AS t", "id Int64, day Date"),
        ("WITH t AS (SELECT id FROM a) SELECT * FROM t", "id Int64"),
        ("WITH t(id) AS (SELECT name FROM a), u AS (SELECT * FROM t) SELECT * FROM u", "id String"),
        ("WITH a AS (SELECT name FROM a) SELECT * FROM a", "name String"),
        ("SELECT id FROM a UNION ALL SELECT id FROM b", "id Int64"),
        ("SELECT id FROM a EXCEPT DISTINCT SELECT id FROM b", "id Int64"),
        ("SELECT id FROM a INTERSECT DISTINCT SELECT id FROM b", "id Int64"),
        ("(SELECT id FROM a) UNION ALL (SELECT id FROM b) ORDER BY id LIMIT 1", "id Int64"),
        ("SELECT a.id FROM a, b WHERE a.id = b.id", "id Int64"),
        ("SELECT DISTINCT name FROM a ORDER BY name", "name String"),
        ("SELECT id AS name, name AS id FROM a", "name Int64, id String"),
        ("SELECT (SELECT MAX(day) FROM a) AS day FROM b", "day Date"),
        ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id AND flag)", "id Int64"),
        ("SELECT t.id FROM a AS t WHERE t.id IN (SELECT id FROM b)", "id Int64"),
        ("SELECT name FROM a GROUP BY name HAVING COUNT(*) > 1", "name String"),
        ("SELECT dim.id, kind AS name FROM raw.dim", "id Int64, name String"),
        ("SELECT raw.dim.id FROM raw.dim", "id Int64"),
        ("SELECT CASE WHEN flag THEN name END AS name, flag FROM b", "name String, flag Boolean"),
        ("SELECT FIRST_VALUE(name) OVER (PARTITION BY id ORDER BY day) AS name FROM a", "name String"),
    ],
)
def test_the_same_query_has_the_same_columns_in_every_dialect(dialect: str, sql: str, columns: str):
    assert lower(sql, dialect) == columns


@pytest.mark.parametrize(
    ("dialect", "sql", "columns"),
    [
        ("postgres", 'SELECT Id, "name" AS "Name", NAME AS Other FROM a', "id Int64, Name String, other String"),
        ("snowflake", 'SELECT Id, name AS "name" FROM a', "ID Decimal(38,0), name String"),
        ("bigquery", "SELECT ID, Name AS nAME FROM a", "ID Int64, nAME String"),
        ("databricks", "SELECT ID, Name AS nAME FROM a", "ID Int64, nAME String"),
        ("duckdb", "SELECT ID, Name AS nAME FROM a", "id Int64, nAME String"),
    ],
)
def test_names_are_folded_as_the_dialect_folds_them(dialect: str, sql: str, columns: str):
    assert shown(sql, dialect) == columns


@pytest.mark.parametrize(
    ("dialect", "columns"),
    [
        ("duckdb", "day Date, id Int64, name String, flag Boolean"),
        ("postgres", "id Int64, day Date, name String, flag Boolean"),
        ("snowflake", "id Int64, day Date, name String, flag Boolean"),
        ("bigquery", "id Int64, day Date, name String, flag Boolean"),
        ("databricks", "id Int64, day Date, name String, flag Boolean"),
    ],
)
def test_what_a_join_is_by_comes_once_and_where_the_dialect_puts_it(dialect: str, columns: str):
    assert lower("SELECT * FROM (SELECT day, id FROM a) AS x JOIN b USING (id)", dialect) == columns
    natural = "SELECT * FROM (SELECT day, id FROM a) AS x NATURAL JOIN (SELECT id, name, flag FROM b) AS y"
    assert lower(natural, dialect) == columns


def test_a_third_table_keeps_its_own_column_of_a_joined_name():
    found = shown("SELECT * FROM a JOIN (SELECT id, flag FROM b) AS b USING (id) CROSS JOIN (SELECT id FROM b) AS c")
    assert found == "id Int64, name String, day Date, flag Boolean, id Int64"


@pytest.mark.parametrize(
    ("dialect", "sql", "columns"),
    [
        ("duckdb", "SELECT * EXCLUDE (day) RENAME (id AS key) FROM a", "key Int64, name String"),
        ("duckdb", "SELECT * REPLACE (id > 1 AS id) FROM b", "id Boolean, name String, flag Boolean"),
        ("bigquery", "SELECT * EXCEPT (day) REPLACE (id > 1 AS id) FROM a", "id Boolean, name String"),
        ("snowflake", "SELECT * EXCLUDE day RENAME id AS key FROM a", "KEY Decimal(38,0), NAME String"),
        ("databricks", "SELECT x.* EXCEPT (day, name) FROM a AS x", "id Int64"),
        ("duckdb", "FROM a SELECT id", "id Int64"),
        ("duckdb", "FROM a", "id Int64, name String, day Date"),
        ("duckdb", "SELECT COLUMNS('n.*') FROM a", "name String"),
        ("duckdb", "SELECT id FROM a UNION ALL BY NAME SELECT flag FROM b", "id Int64, flag Boolean"),
        ("snowflake", "SELECT id FROM a UNION ALL BY NAME SELECT flag FROM b", "ID Decimal(38,0), FLAG Boolean"),
        ("bigquery", "SELECT id, flag FROM b UNION ALL BY NAME SELECT flag, id FROM b", "id Int64, flag Boolean"),
        ("duckdb", "SELECT id + 1 AS next, next * 2 AS more FROM a", "next Int64, more Int64"),
        ("databricks", "SELECT id + 1 AS next, next * 2 AS more FROM a", "next Int64, more Int64"),
        (
            "snowflake",
            "SELECT name AS label, label || 'x' AS loud FROM a WHERE label > 'a'",
            "LABEL String, LOUD String",
        ),
        ("postgres", "VALUES (1, 'a'), (2, NULL)", "column1 Int32, column2 String"),
        ("databricks", "SELECT * FROM VALUES (1, 'a'), (2, NULL) AS t(n, s)", "n Int32, s String"),
        ("snowflake", "SELECT * FROM (VALUES (1, 'a')) AS t", "COLUMN1 Decimal(1,0), COLUMN2 String"),
        ("bigquery", "SELECT s.x FROM (SELECT STRUCT(1 AS x) AS s)", "x Int64"),
        ("databricks", "SELECT s.* FROM (SELECT named_struct('x', 1, 'y', 'a') AS s)", "x Int32, y String"),
        ("bigquery", "SELECT n FROM UNNEST([1, 2]) AS n", "n Int64"),
        ("bigquery", "SELECT * FROM UNNEST([STRUCT(1 AS x, 'a' AS y)])", "x Int64, y String"),
        ("databricks", "SELECT posexplode(array('a')), 1 AS one", "pos Int32, col String, one Int32"),
        ("databricks", "SELECT explode(map('k', 1)) AS (k, v)", "k String, v Int32"),
        # The digits of a literal beside a decimal are the warehouse's, with a suffix, too (Spark: decimal(14,6)).
        ("databricks", "SELECT CAST(id AS DECIMAL(10, 2)) / 10L AS x FROM a", "x Decimal"),
        # Its default decides what a literal with a point is (ZetaSQL: NUMERIC).
        ("bigquery", "SELECT LAG(1e3, 1, NUMERIC '1') OVER (ORDER BY id) AS x FROM a", "x ?"),
        ("databricks", "SELECT k, v FROM a LATERAL VIEW explode(map('k', 1)) m AS k, v", "k String, v Int32"),
        # Without the binder, which is not asked where something that is read has no type.
        ("duckdb", "SELECT 1e3 AS x, odd FROM raw.dim", "x Float64, odd ?"),
        ("duckdb", f"SELECT {2**63 - 1} AS x, {2**63} AS y, odd FROM raw.dim", "x Int64, y Int128, odd ?"),
        ("duckdb", f"SELECT {2**127 - 1} AS x, {2**127} AS y, odd FROM raw.dim", "x Int128, y ?, odd ?"),
        ("duckdb", f"SELECT {10**38}.5 AS x, odd FROM raw.dim", "x Float64, odd ?"),
        # A column of no known type is in the way of those alone that may mean it.
        ("duckdb", "SELECT id + 1 AS x, length(kind) AS n FROM raw.dim AS d", "x Int64, n Int64"),
        ("duckdb", "SELECT count(*) AS n, max(id) + 1 AS x FROM raw.dim", "n Int64, x Int64"),
        ("duckdb", "SELECT id + 1 AS x FROM raw.dim WHERE odd IS NULL", "x ?"),
        ("duckdb", "SELECT id + 1 AS x, * FROM raw.dim", "x ?, id Int64, kind String, odd ?"),
        ("duckdb", "SELECT id + 1 AS x, d FROM raw.dim AS d", "x ?, d ?"),
        ("duckdb", "SELECT id + 1 AS x, c FROM raw.dim AS d(id, kind, c)", "x ?, c ?"),
        ("duckdb", "SELECT a.id + 1 AS x FROM a NATURAL JOIN raw.dim", "x ?"),
    ],
)
def test_each_dialects_own_forms(dialect: str, sql: str, columns: str):
    assert shown(sql, dialect) == columns


@pytest.mark.parametrize(
    ("dialect", "sql", "code", "wrong"),
    [
        ("postgres", "SELECT nmae FROM a", "unknown-column", "nmae"),
        ("bigquery", "SELECT a.nmae FROM a", "unknown-column", "nmae"),
        ("duckdb", "SELECT id, nmae FROM a", "unknown-column", "nmae"),
        ("duckdb", "SELECT t.nmae FROM a AS t", "unknown-column", "nmae"),
        ("snowflake", "SELECT id FROM a WHERE nmae = 'x'", "unknown-column", "nmae"),
        ("databricks", "SELECT a.id FROM a JOIN b ON a.id = b.nmae", "unknown-column", "nmae"),
        ("postgres", "SELECT id FROM a GROUP BY nmae", "unknown-column", "nmae"),
        ("postgres", "SELECT id FROM a ORDER BY nmae", "unknown-column", "nmae"),
        ("postgres", "WITH t AS (SELECT nmae FROM a) SELECT 1 AS one FROM t", "unknown-column", "nmae"),
        ("postgres", "SELECT id + 1 AS nxt, nxt * 2 AS more FROM a", "unknown-column", "nxt"),
        ("postgres", "SELECT z.id FROM a", "unknown-relation", "id"),
        ("duckdb", "SELECT id FROM a, b", "ambiguous-column", None),
        ("postgres", "SELECT id FROM a, b", "ambiguous-column", "id"),
        ("bigquery", "SELECT id FROM a JOIN b ON TRUE", "ambiguous-column", "id"),
        ("postgres", "SELECT id FROM a UNION SELECT id, name FROM b", "column-count", None),
        ("snowflake", "SELECT * EXCLUDE (nmae) FROM a", "unknown-column", None),
        ("duckdb", "SELECT name - 1 AS x FROM a", "type-error", None),
    ],
)
def test_a_wrong_query_is_told_with_its_place(dialect: str, sql: str, code: str, wrong: str | None):
    with pytest.raises(QueryError) as caught:
        infer(sql, dialect)
    assert caught.value.code == code
    if wrong is not None:
        assert caught.value.position is not None
        assert sql[slice(*caught.value.position)] == wrong


@pytest.mark.parametrize("dialect", DIALECTS)
class TestUndeclaredSources:
    def test_columns_keep_their_names_and_say_why_their_types_are_not_known(self, dialect: str):
        columns = infer(
            "SELECT x.id, y.other, COUNT(*) AS n FROM a AS x JOIN nowhere AS y ON TRUE GROUP BY 1, 2", dialect
        )
        assert [column.name.lower() for column in columns] == ["id", "other", "n"]
        known, other, count = columns
        assert known.type == parse_type(INTEGERS[dialect])
        assert other.type is None
        assert "nowhere is not declared" in " ".join(other.reasons).lower()
        assert count.type == Type("Decimal" if dialect == "snowflake" else "Int64")

    def test_a_star_over_one_is_not_known(self, dialect: str):
        with pytest.raises(UnknownOutputError, match=re.compile("nowhere is not declared", re.IGNORECASE)):
            infer("SELECT * FROM a, nowhere", dialect)

    def test_a_star_over_what_is_known_beside_it_is(self, dialect: str):
        assert lower("SELECT a.* FROM a, nowhere", dialect) == "id Int64, name String, day Date"

    def test_a_column_that_it_may_have_is_no_error(self, dialect: str):
        (column,) = infer("SELECT anything FROM a, nowhere", dialect)
        assert column.type is None

    def test_nothing_that_depends_on_it_has_a_type(self, dialect: str):
        sql = "WITH t AS (SELECT x AS y FROM nowhere) SELECT y, COALESCE(y, 1) AS z, -y AS m, (SELECT MAX(y) FROM t) AS s FROM t"
        assert {column.type for column in infer(sql, dialect)} == {None}

    def test_an_unknown_type_of_a_declared_column_spreads_no_further_than_to_what_reads_it(self, dialect: str):
        identifier, odd, both = infer("SELECT id, odd, COALESCE(odd, kind) AS both_ FROM raw.dim", dialect)
        assert identifier.type == parse_type(INTEGERS[dialect])
        assert odd.type is None
        assert both.type is None
        assert any("odd" in reason.lower() for reason in odd.reasons)


def test_a_function_that_duckdb_does_not_know_keeps_the_names_and_the_other_types():
    identifier, found = infer("SELECT id, unheard_of(name) AS x FROM a", "duckdb")
    assert (identifier.name, identifier.type) == ("id", Type("Int64"))
    assert (found.name, found.type) == ("x", None)
    assert any("unheard_of" in reason for reason in found.reasons)


def test_an_untyped_null_has_no_type_of_its_own_where_the_dialect_gives_it_none():
    assert shown("SELECT NULL AS x", "duckdb") == "x ?"
    assert shown("SELECT NULL AS x", "databricks") == "x ?"
    assert shown("SELECT NULL AS x", "postgres") == "x String"
    assert shown("SELECT NULL AS x", "bigquery") == "x Int64"
    assert shown("SELECT NULL AS x UNION ALL SELECT day FROM a", "postgres") == "x Date"


def test_s3_branches_of_a_union_of_different_integers_are_the_wider_one():
    sql = "SELECT id::INTEGER AS n FROM a UNION ALL SELECT id FROM b"
    assert shown(sql, "duckdb") == "n Int64"
    assert shown(sql, "postgres") == "n Int64"


def test_a_recursion_keeps_the_first_branchs_types_or_none():
    sql = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + {} FROM t WHERE n < 3) SELECT n FROM t"
    assert shown(sql.format("1"), "postgres") == "n Int32"
    assert shown(sql.format("id FROM a, t) SELECT n FROM t --"), "postgres") == "n ?"


def test_duckdbs_opinion_of_another_family_makes_a_type_unknown():
    (column,) = infer("SELECT day - day AS days FROM a", "databricks")
    assert column.type is None
    assert "DuckDB's binder" in column.reasons[0]


def test_one_binder_serves_projects_in_which_a_table_changes():
    binder = Binder()
    for of in ("Int64", "String", "Int64"):
        query = sqlglot.parse_one("SELECT x FROM t", dialect="duckdb")
        (column,) = infer_types(
            query, dialect="duckdb", tables={"t": relation("t", x=of)}, binder=binder, sql=query.sql()
        )
        assert column.type == Type(of)
    (gone,) = infer_types(sqlglot.parse_one("SELECT x FROM t"), dialect="duckdb", tables={}, binder=binder)
    assert gone.type is None


def test_bigquerys_parameterized_decimals_have_no_digits_that_a_query_keeps():
    known = {"t": relation("t", cut="Decimal(10,2)", plain="Decimal(38,9)", big="Decimal(76,38)", n="Int64")}
    sql = (
        "SELECT cut, cut + n AS a, SUM(cut) OVER () AS b, COALESCE(cut, plain) AS c, cut * plain AS d, plain + n AS e, "
    )
    sql += "plain + big AS f, CAST(n AS NUMERIC(5, 1)) AS g FROM t"
    query = sqlglot.parse_one(sql, dialect="bigquery")
    columns = infer_types(query, dialect="bigquery", tables=known, binder=Binder(), sql=sql)
    assert {column.name: str(column.type) for column in columns} == {
        **dict.fromkeys(["cut", "a", "b", "c", "d", "g"], "Decimal"),
        "e": "Decimal(38,9)",
        "f": "Decimal(76,38)",
    }
    assert all(column.reasons for column in columns if column.type == Type("Decimal"))
