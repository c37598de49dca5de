"""A report that every output is tested with; the files it points into are in it."""

import datetime as dt

from dagster_contracts.diagnostics.finding import (
    Diagnostic,
    Report,
    ReportedColumn,
    ReportedModel,
    Span,
    Summary,
    Witness,
)

SQL = "SELECT\n    f.id,\n\ta.name AS airline\nFROM flights f\nLEFT JOIN airlines a ON true\n"
CONTRACT = '[[columns]]\nname = "airline"\nnullable = false\n'

BROKEN = Diagnostic(
    "E012",
    "error",
    "it can be NULL, and the contract says that it never is",
    "delays",
    "airline",
    contract=Span("contracts/delays.contract.toml", 3, 1, 3, 17),
    source=Span("models/delays.sql", 3, 2, 3, 19),
    reasons=("a.name is on the outer side of a LEFT JOIN", "airlines may have no such row"),
    hint="coalesce(a.name, '?')",
    witness=Witness({"flights": ({"id": 1, "day": dt.date(2013, 1, 2)},), "airlines": ()}, {"id": 1, "airline": None}),
)
UNKNOWN = Diagnostic("I003", "info", "its type is not known", "delays", "x", reasons=("nobody declared raw.x",))
WARNED = Diagnostic(
    "W011", "warning", "100% sure:\nno such model", "a,b:c", contract=Span("contracts/a b.contract.toml", 1, 1, 2, 3)
)

REPORT = Report(
    version="0.1.0",
    summary=Summary(held=3, broken=1, not_verified=1),
    models=(
        ReportedModel(
            "delays",
            "models/delays.sql",
            "duckdb",
            (
                ReportedColumn("id", "Int64", nullable=False),
                ReportedColumn("airline", "String", nullable=True),
                ReportedColumn("x", None, nullable=None),
            ),
        ),
    ),
    diagnostics=(BROKEN, UNKNOWN, WARNED),
    texts={"models/delays.sql": SQL, "contracts/delays.contract.toml": CONTRACT},
)
