"""Repairs of models and contracts, each kept only if a new check proves that it helped and broke nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import tomlkit
from sqlglot import exp

from dagster_contracts.contract.types import matches
from dagster_contracts.sql.dialect_types import type_sql
from dagster_contracts.sql.load import load
from dagster_contracts.sql.report import build_report
from dagster_contracts.sql.select_list import find_items

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dagster_contracts.diagnostics.finding import Diagnostic, Report
    from dagster_contracts.sql.load import Loaded

_MODEL_CODES = frozenset({"E010", "E011", "E013"})
_CONTRACT_CODES = frozenset({"E010", "E011", "E012", "E013", "W010"})


@dataclass(frozen=True)
class Fix:
    """One file's new text.

    Args:
        file: Its path, relative to the project.
        text: What it shall say.
        message: What is done, in words.
    """

    file: str
    text: str
    message: str


@dataclass(frozen=True)
class Repairs:
    """What became of a project's findings.

    Args:
        done: What was repaired, in words.
        left: What looks as if it could be repaired and was left alone, and why.
    """

    done: tuple[str, ...]
    left: tuple[str, ...] = ()


def apply_fixes(config: Path, *, contracts: bool = False) -> Repairs:
    """Repair what can be repaired for certain, one finding at a time.

    Args:
        config: The project's configuration.
        contracts: Change contracts to what their models return, instead of the models.

    Returns:
        What was done, and what was left alone.
    """
    done: list[str] = []
    left: list[str] = []
    refused: set[tuple[str, str, str | None]] = set()
    while True:
        loaded = load(config)
        report = build_report(loaded)
        tried = next(_proposals(loaded, report, refused, contracts=contracts), None)
        if tried is None:
            return Repairs(tuple(done), tuple(left))
        finding, fix = tried
        own = None if contracts else _own_function(loaded, finding.model)
        if own is not None:
            where = f"{fix.file}: {finding.code} of {finding.column}"
            left.append(f"{where}: the query calls {own}(), and what that makes of the query's rows cannot be checked")
            refused.add(_key(finding))
            continue
        file = loaded.config.root / fix.file
        before = file.read_bytes()
        file.write_text(fix.text, encoding="utf-8", newline="\r\n" if b"\r\n" in before else "\n")
        if _helps(build_report(load(config)), report, finding):
            done.append(fix.message)
        else:
            file.write_bytes(before)
            refused.add(_key(finding))


def _own_function(loaded: Loaded, name: str) -> str | None:
    """A function that a model calls and that only the project's database has."""
    query = loaded.examined.queries.get(name)
    calls = () if query is None else query.find_all(exp.Func)
    names = {call.name.lower() if isinstance(call, exp.Anonymous | exp.AnonymousAggFunc) else "" for call in calls}
    declared = {function.rpartition(".")[2] for function in loaded.config.functions}
    return min(names & declared, default=None)


def _proposals(
    loaded: Loaded, report: Report, refused: set[tuple[str, str, str | None]], *, contracts: bool
) -> Iterator[tuple[Diagnostic, Fix]]:
    for finding in report.diagnostics:
        if _key(finding) in refused or finding.column is None:
            continue
        fix = _contract_fix(loaded, finding) if contracts else _model_fix(loaded, finding)
        if fix is not None:
            yield finding, fix


def _key(finding: Diagnostic) -> tuple[str, str, str | None]:
    return finding.code, finding.model, finding.column


def _helps(after: Report, before: Report, finding: Diagnostic) -> bool:
    """Whether a finding went, and nothing came in its place."""
    old, new = ({_key(one) for one in side.diagnostics} for side in (before, after))
    return (
        _key(finding) not in new
        and new <= old
        and after.summary.broken < before.summary.broken + (finding.severity != "error")
    )


def _model_fix(loaded: Loaded, finding: Diagnostic) -> Fix | None:
    """A new text of the model, for a missing column or a type that is too narrow."""
    model = next((one for one in loaded.project.models if one.name == finding.model), None)
    if model is None or finding.code not in _MODEL_CODES or finding.column is None:
        return None
    text = loaded.texts[model.path]
    items = find_items(text, model.dialect)
    if not items:
        return None
    if finding.code == "E011":
        return _cast(loaded, finding, text, model.path)
    source = _only_source(loaded, model.name)
    if source is None or finding.column not in source:
        return None
    separator = ", " if "\n" not in text[items[0].start : items[-1].end] else _separator(text, items[-1].start)
    added = f"{text[: items[-1].end]}{separator}{finding.column}{text[items[-1].end :]}"
    return Fix(model.path, added, f"{model.path}: added {finding.column}")


def _separator(text: str, start: int) -> str:
    """A comma and a line that begins as the last item's does."""
    line = text.rfind("\n", 0, start) + 1
    return ",\n" + " " * (start - line) if not text[line:start].strip() else ", "


def _only_source(loaded: Loaded, name: str) -> list[str] | None:
    """The columns of the one table that a model reads, if it takes rows from it as they are."""
    query = loaded.examined.queries.get(name)
    if not isinstance(query, exp.Select) or any(
        query.args.get(part) for part in ("joins", "group", "distinct", "laterals")
    ):
        return None
    tables = list(query.find_all(exp.Table))
    relations = {id(one): one for one in loaded.examined.tables.get(name, {}).values()}
    if len(tables) != 1 or len(relations) != 1 or query.find(exp.AggFunc) is not None:
        return None
    return next(iter(relations.values())).column_names


def _cast(loaded: Loaded, finding: Diagnostic, text: str, path: str) -> Fix | None:
    """A CAST around the column, where its every value has a place in the declared type."""
    contract, output = loaded.project.contracts[finding.model], loaded.examined.analyses[finding.model].relation
    model = next(one for one in loaded.project.models if one.name == finding.model)
    items = find_items(text, model.dialect)
    if output is None or finding.column is None or any(item.is_star for item in items):
        return None
    declared = next((one.type for one in contract.promises.columns if one.name == finding.column), None)
    at = next((at for at, one in enumerate(output.columns) if one.name.lower() == finding.column.lower()), None)
    if declared is None or at is None or len(items) != len(output.columns):
        return None
    found = output.columns[at].type
    if found is None or matches(declared, found, assignable=True) is not True:
        return None
    spelled = type_sql(declared, model.dialect)
    if spelled is None:
        return None
    item = items[at]
    cast = f"CAST({text[item.start : item.expression_end]} AS {spelled}) AS {item.alias or output.columns[at].name}"
    return Fix(path, text[: item.start] + cast + text[item.end :], f"{path}: cast {finding.column} to {declared}")


def _contract_fix(loaded: Loaded, finding: Diagnostic) -> Fix | None:
    """A new text of the contract, which promises what the model returns."""
    contract = loaded.project.contracts.get(finding.model)
    output = loaded.examined.analyses[finding.model].relation if finding.model in loaded.examined.analyses else None
    if contract is None or output is None or finding.code not in _CONTRACT_CODES or finding.column is None:
        return None
    document = tomlkit.parse(loaded.texts[contract.path])
    found = next((one for one in output.columns if one.name.lower() == finding.column.lower()), None)
    if finding.code in ("E010", "E013"):
        names = document["rules"]["required" if finding.code == "E010" else "protected"]
        names.remove(finding.column)
    for entry in document.get("columns", []):
        if entry.get("name") != finding.column:
            continue
        if finding.code == "E011" and found is not None and found.type is not None:
            entry["type"] = str(found.type)
        elif finding.code == "E012":
            entry["nullable"] = True
        elif found is None:
            document["columns"].remove(entry)
            break
    return Fix(
        contract.path, tomlkit.dumps(document), f"{contract.path}: {finding.column} is as {finding.model} returns it"
    )
