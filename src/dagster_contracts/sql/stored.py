"""Findings, reports and what is known of models, as what JSON can hold and back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dagster_contracts.contract.toml import ContractColumn, ContractFile, Named
from dagster_contracts.contract.toml_places import Place
from dagster_contracts.contract.types import parse_type
from dagster_contracts.diagnostics.finding import (
    Diagnostic,
    Report,
    ReportedColumn,
    ReportedModel,
    Span,
    Summary,
    Witness,
)
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.relation import Column, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dagster_contracts.contract.types import Type


def dump_report(report: Report) -> dict[str, Any]:
    """A report without its texts."""
    summary = report.summary
    return {
        "summary": [summary.held, summary.broken, summary.not_verified],
        "models": [
            [one.name, one.path, one.dialect, [[column.name, column.type, column.nullable] for column in one.columns]]
            for one in report.models
        ],
        "diagnostics": [dump_finding(found) for found in report.diagnostics],
    }


def load_report(stored: Mapping[str, Any], version: str, texts: Mapping[str, str]) -> Report:
    """A report from what was stored of it and the texts of the files as they are."""
    return Report(
        version=version,
        summary=Summary(*stored["summary"]),
        models=tuple(
            ReportedModel(name, path, dialect, tuple(ReportedColumn(*column) for column in columns))
            for name, path, dialect, columns in stored["models"]
        ),
        diagnostics=tuple(load_finding(found) for found in stored["diagnostics"]),
        texts=texts,
    )


def dump_finding(found: Diagnostic) -> dict[str, Any]:
    """One finding."""
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "model": found.model,
        "column": found.column,
        "contract": dump_span(found.contract),
        "source": dump_span(found.source),
        "reasons": list(found.reasons),
        "hint": found.hint,
        "witness": None if found.witness is None else dump_witness(found.witness),
    }


def load_finding(stored: Mapping[str, Any]) -> Diagnostic:
    """One finding."""
    return Diagnostic(
        **{
            **stored,
            "contract": load_span(stored["contract"]),
            "source": load_span(stored["source"]),
            "reasons": tuple(stored["reasons"]),
            "witness": None if stored["witness"] is None else load_witness(stored["witness"]),
        }
    )


def dump_span(span: Span | None) -> list[Any] | None:
    """A span."""
    return None if span is None else [span.file, span.line, span.column, span.end_line, span.end_column]


def load_span(stored: list[Any] | None) -> Span | None:
    """A span."""
    return None if stored is None else Span(*stored)


def dump_contract(contract: ContractFile) -> list[Any]:
    """What a contract promises; types by their texts."""
    return [
        [[one.name, one.place] for one in contract.required],
        [[one.name, one.place] for one in contract.protected],
        contract.no_new_nullable,
        [
            [
                one.name,
                one.place,
                None if one.type is None else str(one.type),
                one.type_text,
                one.type_place,
                one.nullable,
                one.nullable_place,
                one.description,
            ]
            for one in contract.columns
        ],
    ]


def load_contract(stored: list[Any]) -> ContractFile:
    """What a contract promises."""
    required, protected, strict, columns = stored
    return ContractFile(
        required=tuple(Named(name, Place(*place)) for name, place in required),
        protected=tuple(Named(name, Place(*place)) for name, place in protected),
        no_new_nullable=_place(strict),
        columns=tuple(
            ContractColumn(
                name=name,
                place=Place(*place),
                type=None if of is None else _type(of),
                type_text=text,
                type_place=_place(type_place),
                nullable=nullable,
                nullable_place=_place(nullable_place),
                description=description,
            )
            for name, place, of, text, type_place, nullable, nullable_place, description in columns
        ),
    )


def _place(stored: list[int] | None) -> Place | None:
    return None if stored is None else Place(*stored)


def dump_witness(witness: Witness) -> dict[str, Any]:
    """A witness, whose values are what JSON can hold."""
    inputs = {table: [dict(row) for row in rows] for table, rows in witness.inputs.items()}
    return {"inputs": inputs, "output": dict(witness.output)}


def load_witness(stored: Mapping[str, Any]) -> Witness:
    """A witness."""
    return Witness({table: tuple(rows) for table, rows in stored["inputs"].items()}, stored["output"])


_type = lru_cache(maxsize=4096)(parse_type)


def are_faithful(types: Iterable[Type | None]) -> bool:
    """Whether types come back from their texts as they were."""
    return all(of is None or _is_faithful(of) for of in types)


@lru_cache(maxsize=4096)
def _is_faithful(of: Type) -> bool:
    try:
        return parse_type(str(of)) == of
    except UnknownTypeError:
        return False


def dump_relation(relation: Relation) -> list[Any]:
    """What a model returns; types by their texts."""
    return [
        relation.name,
        [
            [
                column.name,
                None if column.type is None else str(column.type),
                column.nullable,
                list(column.reasons),
                list(column.type_reasons),
                list(column.doubts),
                dump_span(column.span),
            ]
            for column in relation.columns
        ],
    ]


def load_relation(stored: list[Any]) -> Relation:
    """What a model returns."""
    name, columns = stored
    return Relation(
        name,
        tuple(
            Column(
                name=column,
                type=None if of is None else _type(of),
                nullable=nullable,
                reasons=tuple(reasons),
                type_reasons=tuple(type_reasons),
                span=load_span(span),
                doubts=tuple(doubts),
            )
            for column, of, nullable, reasons, type_reasons, doubts, span in columns
        ),
    )
