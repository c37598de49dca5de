"""Rows for each finding that a column can be NULL: a small input, and the NULL that the query makes of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dagster_contracts.sql.cache import digest
from dagster_contracts.sql.column_names import find_columns
from dagster_contracts.sql.parse import parse_query
from dagster_contracts.sql.stored import dump_relation
from dagster_contracts.sql.witness import find_witness

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.diagnostics.finding import Diagnostic, Witness
    from dagster_contracts.sql.known import Known
    from dagster_contracts.sql.load import Loaded
    from dagster_contracts.sql.project import Model
    from dagster_contracts.sql.relation import Relation

CAN_BE_NULL = "E012"
SECONDS, SECONDS_EACH = 10.0, 2.0
"""How long is looked for all rows together, and for those of one finding."""
_NONE_FOUND = "no rows that show the NULL were found among random ones, which proves nothing"
_NO_TIME = "no rows that show the NULL were looked for: those of other findings took all the time"


@dataclass(frozen=True)
class _Search:
    """What one search needs."""

    model: Model
    column: int
    tables: dict[str, Relation]
    upstream: list[Model]

    def key(self) -> str:
        """The hash of everything that the rows are found from."""
        texts = [part for one in (self.model, *self.upstream) for part in (one.name, one.dialect, one.sql)]
        tables = [part for name, one in sorted(self.tables.items()) for part in (name, repr(dump_relation(one)))]
        return digest(["witness", str(self.column), *texts, *tables])


def prove(findings: Iterable[Diagnostic], loaded: Loaded, known: Known | None = None) -> list[Diagnostic]:
    """Add rows to each finding that a column can be NULL, or the remark that none were found.

    Args:
        findings: Findings about the models of a project.
        loaded: The project.
        known: What was found before; gets what is found now.
    """
    models = {model.name: model for model in loaded.project.models}
    deadline = time.monotonic() + SECONDS
    proved = []
    for found in findings:
        search = _search(found, loaded, models) if found.code == CAN_BE_NULL else None
        proved.append(found if search is None else _with_rows(found, search, deadline, known))
    return proved


def _search(found: Diagnostic, loaded: Loaded, models: dict[str, Model]) -> _Search | None:
    """What to look for; `None` where the model and what it reads are of several dialects."""
    model, relation = models[found.model], loaded.examined.analyses[found.model].relation
    if relation is None or found.column is None:
        return None
    nullable = [one for one in find_columns(found.column, relation, model.dialect).columns if one.nullable]
    upstream: dict[str, Model] = {}
    names = [found.model]
    tables: dict[str, Relation] = {}
    for name in names:
        tables |= loaded.examined.tables.get(name, {})
        for read in loaded.examined.reads[name]:
            if read not in upstream:
                upstream[read] = models[read]
                names.append(read)
    if not nullable or any(one.dialect != model.dialect for one in upstream.values()):
        return None
    at = next(at for at, one in enumerate(relation.columns) if one is nullable[0])
    return _Search(model, at, tables, list(upstream.values()))


def _with_rows(found: Diagnostic, search: _Search, deadline: float, known: Known | None) -> Diagnostic:
    """A finding with its rows, from before or from now."""
    key = "" if known is None else search.key()
    before = None if known is None else known.witness(key)
    if before is not None:
        witness = before[0]
    elif time.monotonic() > deadline:
        return replace(found, reasons=(*found.reasons, _NO_TIME))
    else:
        witness = _find(search, min(SECONDS_EACH, deadline - time.monotonic()))
        if known is not None:
            known.keep_witness(key, witness)
    return replace(found, witness=witness, reasons=found.reasons if witness else (*found.reasons, _NONE_FOUND))


def _find(search: _Search, seconds: float) -> Witness | None:
    """Look for rows."""
    queries = {one.name: parse_query(one.sql or "", one.dialect) for one in (search.model, *search.upstream)}
    query = queries.pop(search.model.name)
    return find_witness(
        query, search.column, search.tables, dialect=search.model.dialect, models=queries, seconds=seconds
    )
