"""What each form of a source's declaration says of its columns."""

import json
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagster_contracts.sql.config import parse_config
from dagster_contracts.sql.sources import Sources, read_sources

SHAPE = tuple[str, str | None, bool | None]


def sources(folder: Path, config: str, **files: str) -> Sources:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    (folder / "models").mkdir(exist_ok=True)
    parsed, problems = parse_config(config, folder / "contracts.toml")
    assert problems == ()
    return read_sources(parsed)


def columns(found: Sources, table: str) -> list[SHAPE]:
    assert found.findings == ()
    return [
        (one.name, None if one.type is None else str(one.type), one.nullable) for one in found.tables[table].columns
    ]


def test_ddl_of_duckdb(tmp_path: Path):
    found = sources(
        tmp_path,
        '[[sources]]\nsql = "s.sql"',
        s__sql="""
CREATE SCHEMA raw;
CREATE TABLE raw.orders (
  id BIGINT PRIMARY KEY,
  "Customer Id" INTEGER NOT NULL,
  amount DECIMAL(10,2),
  tags VARCHAR[],
  place STRUCT(x DOUBLE, y DOUBLE) NULL,
  kind ENUM ('a', 'b'),
  at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL
);
CREATE OR REPLACE TABLE b (i INTEGER, j INTEGER, k INTEGER, PRIMARY KEY (i, j));
""",
    )
    assert columns(found, "raw.orders") == [
        ("id", "Int64", False),
        ("Customer Id", "Int32", False),
        ("amount", "Decimal(10,2)", True),
        ("tags", "Array<String>", True),
        ("place", "Struct<x: Float64, y: Float64>", True),
        ("kind", None, True),
        ("at", "Timestamp", False),
    ]
    assert columns(found, "b") == [("i", "Int32", False), ("j", "Int32", False), ("k", "Int32", True)]
    (kind,) = [one for one in found.tables["raw.orders"].columns if one.name == "kind"]
    assert "contracts have no name for" in kind.type_reasons[0]
    span = found.tables["raw.orders"].columns[2].span
    assert (span.file, span.line, span.column) == ("s.sql", 6, 3)


@pytest.mark.parametrize(
    ("dialect", "ddl", "expected"),
    [
        ("postgres", 'CREATE TABLE T (Id SERIAL, "Name" TEXT, n NUMERIC(5))', [("id", "Int32", False), ("Name", "String", True), ("n", "Decimal(5,0)", True)]),
        ("snowflake", 'CREATE TABLE t (id INT NOT NULL, "name" VARCHAR(10), v VARIANT)', [("ID", "Decimal(38,0)", False), ("name", "String", True), ("V", "Variant", True)]),
        ("bigquery", "CREATE TABLE t (id INT64 NOT NULL, xs ARRAY<STRING>, n NUMERIC)", [("id", "Int64", False), ("xs", "Array<String>", True), ("n", "Decimal(38,9)", True)]),
        ("databricks", "CREATE TABLE t (id BIGINT NOT NULL, at TIMESTAMP, m MAP<STRING, INT>)", [("id", "Int64", False), ("at", "Timestamp", True), ("m", "Map<String, Int32>", True)]),
        # a primary key that nothing enforces proves nothing
        ("bigquery", "CREATE TABLE t (id INT64, PRIMARY KEY (id) NOT ENFORCED)", [("id", "Int64", None)]),
        ("snowflake", "CREATE TABLE t (id INT PRIMARY KEY)", [("ID", "Decimal(38,0)", None)]),
    ],
)  # fmt: skip
def test_ddl_of_other_dialects(tmp_path: Path, dialect: str, ddl: str, expected: list[SHAPE]):
    found = sources(tmp_path, f'dialect = "{dialect}"\n[[sources]]\nsql = "s.sql"', s__sql=ddl)
    (table,) = found.tables
    assert columns(found, table) == expected


def test_what_ddl_says_is_what_duckdb_makes_of_it(tmp_path: Path):
    spelled = """TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT REAL DOUBLE DECIMAL NUMERIC(4,1)
        VARCHAR VARCHAR(3) TEXT BLOB DATE TIME TIMESTAMP TIMESTAMPTZ INTERVAL UUID JSON BOOLEAN BIGINT[] BIGINT[][]
        MAP(INTEGER,VARCHAR) STRUCT(a·INTEGER,b·VARCHAR[]) INT2 INT4 INT8 FLOAT4 FLOAT8 STRING BYTEA DATETIME BOOL CHAR"""
    types = [one.replace("·", " ") for one in spelled.split()]
    ddl = f"CREATE TABLE t ({', '.join(f'c{at} {of}' for at, of in enumerate(types))})"
    with duckdb.connect() as connection:
        connection.execute(ddl)
        made = [row[1] for row in connection.execute("DESCRIBE t").fetchall()]
    again = f"CREATE TABLE t ({', '.join(f'c{at} {of}' for at, of in enumerate(made))})"
    one = columns(sources(tmp_path, '[[sources]]\nsql = "s.sql"', s__sql=ddl), "t")
    assert one == columns(sources(tmp_path, '[[sources]]\nsql = "s.sql"', s__sql=again), "t")
    assert all(of is not None for _, of, _ in one)


def test_timestamps_of_other_units_are_none_that_contracts_can_name(tmp_path: Path):
    ddl = "CREATE TABLE t (a TIMESTAMP(3), b TIMESTAMP(6), c TIMESTAMP(9), d TIMESTAMP_S, e TIMESTAMP)"
    found = columns(sources(tmp_path, '[[sources]]\nsql = "s.sql"', s__sql=ddl), "t")
    assert [of for _, of, _ in found] == [None, "TimestampNtz", None, None, "TimestampNtz"]


@pytest.mark.parametrize(
    ("dialect", "first", "second", "twice"),
    [
        ("duckdb", "raw.orders", "raw.Orders", True),
        ("postgres", "raw.orders", "raw.Orders", False),
        ("duckdb", "raw.orders", "orders", False),
    ],
)
def test_a_table_that_is_declared_twice_is_a_finding(
    tmp_path: Path, dialect: str, first: str, second: str, twice: bool
):
    entry = '[[sources]]\nname = "{}"\n[[sources.columns]]\nname = "id"\n'
    found = sources(tmp_path, f'dialect = "{dialect}"\n{entry.format(first)}{entry.format(second)}')
    assert [one.code for one in found.findings] == (["E005"] if twice else [])
    assert len(found.tables) == (1 if twice else 2)


def test_a_name_that_two_tables_of_dbt_go_by_says_nothing_of_either(tmp_path: Path):
    text = """
sources:
  - name: raw
    tables:
      - {name: orders, identifier: orders_v2, columns: [{name: a}]}
      - {name: orders_v2, identifier: orders_v3, columns: [{name: b}]}
"""
    found = sources(tmp_path, '[[sources]]\ndbt = "s.yml"', s__yml=text)
    assert found.findings == ()
    assert set(found.tables) == {"raw.orders", "raw.orders_v3"}


def test_columns_in_the_configuration(tmp_path: Path):
    config = """
[[sources]]
name = "raw.orders"
[[sources.columns]]
name = "id"
type = "BIGINT"
nullable = false
[[sources.columns]]
name = "note"
type = "String"
nullable = true
[[sources.columns]]
name = "rest"
"""
    found = sources(tmp_path, config)
    assert columns(found, "raw.orders") == [("id", "Int64", False), ("note", "String", True), ("rest", None, None)]
    rest = found.tables["raw.orders"].columns[2]
    assert rest.reasons == ("raw.orders.rest: its source does not say whether it can be NULL",)
    assert rest.type_reasons == ("raw.orders.rest: its source does not say its type",)


def test_a_parquet_file(tmp_path: Path):
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("at", pa.timestamp("us", tz="UTC")),
            pa.field("place", pa.struct([pa.field("x", pa.float64(), nullable=False)])),
            pa.field("last", pa.decimal128(9, 2), nullable=False),
        ]
    )
    pq.write_table(schema.empty_table(), tmp_path / "a[1].parquet")
    found = sources(tmp_path, '[[sources]]\nname = "p"\nparquet = "a[1].parquet"')
    assert columns(found, "p") == [
        ("id", "Int64", False),
        ("at", "Timestamp", True),
        ("place", "Struct<x: Float64>", True),
        ("last", "Decimal(9,2)", False),
    ]


def test_a_parquet_file_of_which_the_configuration_says_more(tmp_path: Path):
    pl.DataFrame({"id": [1], "note": ["a"]}).write_parquet(tmp_path / "a.parquet")
    config = '[[sources]]\nname = "p"\nparquet = "a.parquet"\n[[sources.columns]]\nname = "{}"\nnullable = false'
    assert columns(sources(tmp_path, config.format("ID")), "p") == [("id", "Int64", False), ("note", "String", True)]
    found = sources(tmp_path, config.format("idd"))
    assert found.tables == {}
    assert found.findings[0].code == "E009"
    assert "Did you mean 'id'?" in found.findings[0].message


def test_a_class(tmp_path: Path):
    module = """
import dataframely as dy
import dagster_contracts as dc
class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
    any_int = dy.Integer(nullable=False)
    note = dy.String(nullable=True)
    at = dy.Datetime(time_zone="UTC", nullable=False)
class Rows(dc.Schema):
    id: int
    note: str | None
"""
    config = '[[sources]]\nname = "o"\nclass = "{0}:Orders"\n[[sources]]\nname = "r"\nclass = "{0}:Rows"'
    found = sources(tmp_path, config.format("shop_contracts_a"), shop_contracts_a__py=module)
    assert columns(found, "o") == [
        ("id", "Int64", False),
        ("any_int", None, False),  # any integer may be in it
        ("note", "String", True),
        ("at", "Timestamp", False),
    ]
    assert columns(found, "r") == [("id", "Int64", False), ("note", "String", True)]


MANIFEST = {
    "sources": {
        "source.shop.raw.orders": {
            "name": "orders",
            "source_name": "raw",
            "database": "lake",
            "schema": "landing",
            "identifier": "orders_v2",
            "columns": {
                "id": {"name": "id", "data_type": "bigint", "constraints": [{"type": "not_null"}]},
                "a": {"name": "a", "data_type": "integer"},
                "b": {"name": "b", "data_type": None},
                "c": {"name": "c", "data_type": "nonsense"},
                "d": {"name": "d", "data_type": "date"},
            },
        }
    },
    "nodes": {
        "test.1": {"test_metadata": {"name": "not_null"}, "column_name": "a", "config": {"severity": "ERROR"}, "depends_on": {"nodes": ["source.shop.raw.orders"]}},
        "test.2": {"test_metadata": {"name": "not_null"}, "column_name": "b", "config": {"severity": "warn"}, "depends_on": {"nodes": ["source.shop.raw.orders"]}},
        "test.3": {"test_metadata": {"name": "not_null"}, "column_name": "d", "config": {"where": "d > 1"}, "depends_on": {"nodes": ["source.shop.raw.orders"]}},
        "test.4": {"test_metadata": {"name": "unique"}, "column_name": "c", "config": {}, "depends_on": {"nodes": ["source.shop.raw.orders"]}},
    },
}  # fmt: skip


def test_a_manifest_of_dbt(tmp_path: Path):
    found = sources(tmp_path, '[[sources]]\ndbt = "manifest.json"', manifest__json=json.dumps(MANIFEST))
    assert set(found.tables) == {"landing.orders_v2", "raw.orders_v2", "raw.orders", "lake.landing.orders_v2"}
    assert columns(found, "lake.landing.orders_v2") == [
        ("id", "Int64", False),
        ("a", "Int32", False),
        ("b", None, None),  # its test only warns
        ("c", None, None),
        ("d", "Date", None),  # its test looks at some rows
    ]


def test_sources_in_yaml(tmp_path: Path):
    text = """
version: 2
sources:
  - name: raw
    tables:
      - name: orders
        columns:
          - {name: id, data_type: bigint, data_tests: [not_null, unique]}
          - {name: a, data_type: integer, tests: [{not_null: {config: {severity: warn}}}]}
          - {name: b, tests: [{not_null: {config: {where: "b > 0"}}}]}
          - {name: c, tests: [{not_null: null}]}
"""
    found = sources(tmp_path, '[[sources]]\ndbt = "s.yml"', s__yml=text)
    assert columns(found, "raw.orders") == [
        ("id", "Int64", False),
        ("a", "Int32", None),
        ("b", None, None),
        ("c", None, False),
    ]


def test_a_snapshot(tmp_path: Path):
    text = """
[[tables]]
name = "main.orders"
[[tables.columns]]
name = "id"
type = "BIGINT"
nullable = false
[[tables.columns]]
name = "kind"
type = "ENUM('a', 'b')"
nullable = true
"""
    found = sources(tmp_path, '[[sources]]\nsnapshot = "s.toml"', s__toml=text)
    assert columns(found, "main.orders") == [("id", "Int64", False), ("kind", None, True)]


def test_a_source_that_cannot_be_read_leaves_the_others(tmp_path: Path):
    config = '[[sources]]\nsql = "none.sql"\n[[sources]]\nname = "x"\n[[sources.columns]]\nname = "id"'
    found = sources(tmp_path, config)
    assert [one.code for one in found.findings] == ["E009"]
    assert set(found.tables) == {"x"}
