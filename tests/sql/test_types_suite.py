"""Names and types of the suite's models: expected by hand from each product's documentation, and asked of DuckDB itself."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from tests.sql.null_suite import SUITE, sources

from dagster_contracts.contract.types import Type, parse_type
from dagster_contracts.sql.binder import Binder
from dagster_contracts.sql.dialect_types import DIALECTS, spelled_type
from dagster_contracts.sql.typing import TypedColumn, UnknownOutputError, infer_types


@dataclass(frozen=True)
class Expected:
    """One model and what its columns are."""

    name: str
    dialect: str
    sql: str
    columns: tuple[tuple[str, Type], ...]

    def inferred(self) -> tuple[TypedColumn, ...]:
        query = sqlglot.parse_one(self.sql, dialect=self.dialect)
        return infer_types(query, dialect=self.dialect, tables=sources(self.dialect), binder=Binder(), sql=self.sql)


def models() -> list[Expected]:
    found = []
    for path in sorted(SUITE.glob("*.expected.toml")):
        expected = tomllib.loads(path.read_text())
        name = path.name.removesuffix(".expected.toml")
        columns = tuple((column["name"], parse_type(column["type"])) for column in expected["columns"])
        found.append(Expected(name, expected["dialect"], (SUITE / f"{name}.sql").read_text(), columns))
    return found


MODELS = models()


def is_right(expected: Type, found: TypedColumn) -> bool:
    """Whether a type is the expected one; a decimal whose digits are said not to be known is right for any decimal."""
    open_digits = found.type == Type("Decimal") and found.reasons and expected.name == "Decimal"
    return found.type == expected or bool(open_digits)


def test_the_suite_is_as_wide_as_it_claims():
    assert len(MODELS) >= 60
    assert sum(len(model.columns) for model in MODELS) >= 300
    by_dialect = {dialect: sum(model.dialect == dialect for model in MODELS) for dialect in DIALECTS}
    assert by_dialect["duckdb"] >= 25
    assert min(by_dialect.values()) >= 8


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_name_is_right_and_no_type_is_wrong(model: Expected):
    found = model.inferred()
    assert [column.name for column in found] == [name for name, _ in model.columns]
    for (name, expected), column in zip(model.columns, found, strict=True):
        assert column.type is None or is_right(expected, column), f"{name}: {expected}, not {column.type}"
        assert column.type is not None or column.reasons, f"{name} is not known, and nothing says why"


def test_all_but_a_few_types_are_known():
    others = [model for model in MODELS if model.dialect != "duckdb"]
    pairs = [pair for model in others for pair in zip(model.columns, model.inferred(), strict=True)]
    known = [is_right(expected, column) for (_, expected), column in pairs if column.type is not None]
    assert all(known)
    assert len(known) >= 0.97 * len(pairs)


@pytest.mark.parametrize(
    "model", [model for model in MODELS if model.dialect == "duckdb"], ids=lambda model: model.name
)
def test_duckdb_itself_describes_the_same(model: Expected):
    connection = duckdb.connect()
    connection.execute((SUITE / "sources.sql").read_text())
    described = connection.execute(f"DESCRIBE {model.sql}").fetchall()
    found = model.inferred()
    assert [(column.name, column.type) for column in found] == [
        (name, spelled_type(spelled, "duckdb")) for name, spelled, *_ in described
    ]


@pytest.mark.parametrize(
    "model", [model for model in MODELS if model.dialect == "duckdb"], ids=lambda model: model.name
)
def test_without_the_binder_nothing_is_wrong_either(model: Expected):
    """An undeclared source that nothing needs keeps the binder out; what is still said must be what the binder says."""
    sql = f"{model.sql.rstrip().rstrip(';')}"
    query = sqlglot.parse_one(sql, dialect="duckdb")
    alone = sqlglot.parse_one("SELECT * FROM model CROSS JOIN (SELECT 1 AS one FROM undeclared) AS u", dialect="duckdb")
    alone.find(exp.From).set("this", query.subquery("model"))
    try:
        found = infer_types(alone, dialect="duckdb", tables=sources("duckdb"), binder=Binder())
    except UnknownOutputError:
        return
    for (name, expected), column in zip(model.columns, found, strict=False):
        assert column.type is None or column.type == expected, f"{name}: {expected}, not {column.type}"
