"""Garbage in every file of a project gives findings, never another error, and nothing held that should not be."""

import random
from functools import partial
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import example, given
from tests.sql.test_project import write

import dagster_contracts as dc
from dagster_contracts.contract.toml import parse_contract
from dagster_contracts.diagnostics.formats import render
from dagster_contracts.sql.config import DIALECTS, parse_config
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.files import File, ProjectFiles
from dagster_contracts.sql.project import read_project

PIECES = st.sampled_from(
    [
        *("[rules]\n", "[[columns]]\n", 'required = ["id"]\n', 'name = "id"\n', 'type = "Int64"\n', "nullable = false\n"),
        *('type = "Decimal(', "[", "]", "{", "}", '"', '"""', "'''", "=", ".", ",", "#", "\n", "\r\n", "\\", "\0", "é", "💥"),
        *("a.b.c = 1\n", "x = 1979-05-27\n", "y = { a = 1 }\n", "z = [[1], [2]]\n", "true", "9" * 30, "[[rules]]\n", "\ufeff"),
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map("".join))


@given(TEXTS, st.sampled_from(DIALECTS))
@example('[[columns]]\nname = "id"\ntype = "' + "Array<" * 500, "duckdb")
@example("a." * 2000 + "b = 1", "duckdb")
def test_a_contract_of_garbage_is_read_or_refused_with_places_in_it(text: str, dialect: str):
    contract, problems = parse_contract(text, partial(read_type, dialect=dialect))
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    places = [one.place for one in (*contract.required, *contract.protected, *contract.columns, *problems)]
    for place in places:
        assert 1 <= place.line <= place.end_line <= len(lines)
        assert 1 <= place.column <= len(lines[place.line - 1]) + 1


@given(TEXTS)
def test_a_configuration_of_garbage_is_read_or_refused(text: str):
    config, _ = parse_config(text, Path("/nowhere/contracts.toml"))
    sidecar = File("models/a.toml", text)
    project = read_project(config, ProjectFiles(models=(File("models/a.sql", "SELECT 1"),), sidecars=(sidecar,)))
    assert len(project.models) == 1


WORDS = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "JOIN",
    "LEFT",
    "ON",
    "USING",
    "WITH",
    "RECURSIVE",
    "AS",
    "UNION",
    "ALL",
    "EXCEPT",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "AND",
    "OR",
    "NOT",
    "NULL",
    "IS",
    "IN",
    "EXISTS",
    "BETWEEN",
    "LIKE",
    "CAST",
    "(",
    ")",
    ",",
    ".",
    "*",
    "+",
    "-",
    "/",
    "%",
    "=",
    "<",
    ">",
    "'",
    '"',
    "`",
    ";",
    "--",
    "/*",
    "*/",
    "[",
    "]",
    "{",
    "}",
    ":",
    "::",
    "->",
    "->>",
    "$1",
    "?",
    "@x",
    "raw.orders",
    "m0",
    "m1",
    "id",
    "amount",
    "name",
    "count(*)",
    "sum(amount)",
    "row_number()",
    "OVER",
    "PARTITION",
    "1",
    "2.5",
    "'a'",
    "DATE",
    "INTERVAL",
    "QUALIFY",
    "PIVOT",
    "UNNEST",
    "LATERAL",
    "VALUES",
    "DISTINCT",
    "EXCLUDE",
    "REPLACE",
    "COLUMNS(*)",
    "LIMIT",
    "range(3)",
    "read_csv('x.csv')",
    "INSERT",
    "INTO",
    "DROP",
    "TABLE",
    "COPY",
    "ATTACH",
    "PRAGMA",
    "CREATE",
    "VIEW",
    "é",
    "💥",
    "\x00",
    "{{ref('x')}}",
]
GOOD = [
    "SELECT",
    "id,",
    "sum(amount)",
    "AS",
    "amount",
    "FROM",
    "raw.orders",
    "LEFT",
    "JOIN",
    "m0",
    "USING",
    "(id)",
    "WHERE",
    "id",
    ">",
    "1",
    "GROUP",
    "BY",
    "id",
]


def garbage(rng: random.Random) -> str:
    """A query with a few words exchanged, or words alone."""
    words = list(GOOD) if rng.random() < 0.6 else []
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(words))
        words[at : at + rng.randint(0, 2)] = rng.choices(WORDS, k=rng.randint(1, 3))
    return " ".join(words)


def test_models_of_garbage_are_findings_and_change_nothing_for_the_others(tmp_path: Path):
    rng = random.Random(5)
    for turn, dialect in enumerate(DIALECTS * 2):
        files = {
            "contracts.toml": f'dialect = "{dialect}"\n[[sources]]\nsql = "sources.sql"',
            "sources.sql": "CREATE TABLE raw.orders (id DECIMAL(9,0) NOT NULL, amount DECIMAL(9,2), name TEXT)"
            if dialect not in ("bigquery", "databricks")
            else "CREATE TABLE raw.orders (id NUMERIC NOT NULL, amount NUMERIC, name STRING)",
            "models/good.sql": "SELECT id FROM raw.orders",
            "contracts/good.contract.toml": '[[columns]]\nname = "id"\nnullable = false',
        }
        for at in range(40):
            files[f"models/m{at}.sql"] = garbage(rng)
            files[f"contracts/m{at}.contract.toml"] = (
                '[rules]\nrequired = ["id"]\n[[columns]]\nname = "id"\nnullable = false'
            )
        report = dc.sql.check(write(tmp_path / str(turn), files))
        counted = report.summary
        assert counted.held + counted.broken + counted.not_verified == 40 * 2 + 1
        assert dc.sql.check(tmp_path / str(turn), select=["good"]).summary.held == 1
        silent = {model.name for model in report.models} - {one.model for one in report.diagnostics}
        assert counted.held >= 2 * len(silent) - 1
        reasons = [reason for one in report.diagnostics for reason in one.reasons]
        assert not [reason for reason in reasons if "mistake to report" in reason]
        assert render(report)
        assert render(report, "json")
