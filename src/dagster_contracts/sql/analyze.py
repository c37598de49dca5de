"""One model -> what it returns: types and nullability, put together by position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.sql.findings import (
    AMBIGUOUS,
    MISFIT,
    NO_SELECT,
    UNKNOWN_COLUMN,
    UNPARSED,
    broken,
)
from dagster_contracts.sql.nullability import infer_nullability
from dagster_contracts.sql.parse import NotOneSelectError
from dagster_contracts.sql.positions import span_of, start_of
from dagster_contracts.sql.query_error import QueryError, RefusedQueryError, UnknownOutputError
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.select_list import output_place
from dagster_contracts.sql.typing import infer_types
from dagster_contracts.sql.typing.undeclared import Doubts, doubts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from dagster_contracts.diagnostics.finding import Diagnostic, Span
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.nullability import NullColumn
    from dagster_contracts.sql.project import Model

_CODES = {
    "syntax": UNPARSED,
    "unknown-column": UNKNOWN_COLUMN,
    "unknown-relation": UNKNOWN_COLUMN,
    "ambiguous-column": AMBIGUOUS,
}


@dataclass(frozen=True)
class Analysis:
    """What is known of one model.

    Args:
        relation: What it returns; `None` where its columns are not known.
        reasons: Why they are not, outermost first.
        finding: What is wrong with the model itself.
        is_behind: Whether it was not looked at, because the engine refuses it or it reads a model that is wrong.
        place: What the engine refuses.
    """

    relation: Relation | None
    reasons: tuple[str, ...] = ()
    finding: Diagnostic | None = None
    is_behind: bool = False
    place: Span | None = None


def analyze(
    model: Model,
    query: exp.Query,
    tables: Mapping[str, Relation],
    binder: Binder,
    *,
    missing: tuple[str, ...] = (),
    functions: frozenset[str] = frozenset(),
) -> Analysis:
    """Work out what a model returns.

    Args:
        model: The model.
        query: Its parsed query.
        tables: What it reads, by the name that it calls it; what is not known is missing.
        binder: The project's binder.
        missing: Why what it reads is not among the tables, a reason for each that is not.
        functions: The functions that the real database has beside those of the dialect, in small letters.
    """
    sql = model.sql or ""
    try:
        typed = infer_types(query, dialect=model.dialect, tables=tables, binder=binder, sql=sql, functions=functions)
    except QueryError as error:
        return Analysis(None, (f"{model.name} is wrong itself",), query_finding(model, error, tables))
    except RefusedQueryError as error:
        refused = None if error.position is None else span_of(model.path, sql, *error.position)
        return Analysis(None, (*error.reasons, *missing), is_behind=True, place=refused)
    except UnknownOutputError as error:
        return Analysis(None, missing or error.reasons)
    except Exception as error:  # noqa: BLE001  (our own mistake about one model must not hide the others)
        return Analysis(None, (*missing, _failed("columns", error)))
    nulls, why = _nullability(model, query, tables)
    if nulls is not None and len(nulls) != len(typed):
        why = (
            "the check does not follow where NULLs go in a query whose columns are made by PIVOT, UNPIVOT, COLUMNS(…) "
            f"or the like: it finds {len(nulls)} of its {len(typed)} columns"
        )
        nulls = None
    is_whole = model.dialect == "duckdb" and not missing  # no rows of a function that only the real database has
    is_sure = is_whole and not any(column.doubts for read in tables.values() for column in read.columns)
    doubts = Doubts() if is_sure else doubts_of(query, model.dialect, tables)
    columns = []
    for at, column in enumerate(typed):
        null = nulls[at] if nulls is not None else None
        place = null.position if null is not None else None
        columns.append(
            Column(
                name=column.name,
                type=column.type,
                nullable=None if null is None else null.nullable,
                reasons=_because(
                    (why,) if null is None else null.reasons, missing, known=bool(null and null.nullable is not None)
                ),
                type_reasons=_because(column.reasons, missing, known=column.type is not None),
                span=None if place is None else span_of(model.path, sql, *place),
                doubts=doubts.of(column.name, model.dialect),
            )
        )
    return Analysis(Relation(model.name, tuple(columns)))


def _because(reasons: tuple[str, ...], missing: tuple[str, ...], *, known: bool) -> tuple[str, ...]:
    """The reasons for what is not known, with those for tables that are not."""
    return reasons if known else (*reasons, *missing)


def _nullability(
    model: Model, query: exp.Query, tables: Mapping[str, Relation]
) -> tuple[tuple[NullColumn, ...] | None, str]:
    """What is known about NULLs, or why nothing is."""
    try:
        return infer_nullability(query, dialect=model.dialect, tables=tables, text=model.sql), ""
    except Exception as error:  # noqa: BLE001  (as for the columns)
        return None, _failed("NULLs", error)


def _failed(what: str, error: Exception) -> str:
    """Why nothing is known where the check itself failed."""
    if isinstance(error, RecursionError):
        return "the query is nested too deeply to be looked into"
    words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"working out its {what} failed inside of dagster-contracts, which is a mistake to report: {words}"


def query_finding(model: Model, error: QueryError, tables: Mapping[str, Relation]) -> Diagnostic:
    """What is wrong with a model, as a finding with its place and the nearest known name."""
    sql = model.sql or ""
    is_query = not isinstance(error, NotOneSelectError)
    code = _CODES.get(error.code, MISFIT) if is_query else NO_SELECT
    place = error.position or (output_place(sql, model.dialect) if is_query else None)
    span = start_of(model.path) if place is None else span_of(model.path, sql, *place)
    hint = ""
    if code == UNPARSED and ("{{" in sql or "{%" in sql):
        hint = "Templates are not rendered: check the SQL that they become."
    if code == UNKNOWN_COLUMN and error.position is not None:
        name = sql[slice(*error.position)].rpartition(".")[2].strip('"`')
        known = sorted({column for table in tables.values() for column in table.column_names})
        hint = did_you_mean(name, known).strip() if known else ""
    return broken(code, model.name, error.message, source=span, hint=hint)
