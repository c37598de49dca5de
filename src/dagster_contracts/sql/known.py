"""What is known of models from an earlier check, by the content that it was found from."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from dagster_contracts.diagnostics.finding import Span
from dagster_contracts.sql.analyze import Analysis
from dagster_contracts.sql.cache import digest
from dagster_contracts.sql.references import Reference
from dagster_contracts.sql.stored import (
    are_faithful,
    dump_contract,
    dump_finding,
    dump_relation,
    dump_witness,
    load_contract,
    load_finding,
    load_relation,
    load_witness,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dagster_contracts.contract.toml import ContractFile
    from dagster_contracts.diagnostics.finding import Witness
    from dagster_contracts.sql.project import Model
    from dagster_contracts.sql.relation import Relation


class Known:
    """What is known, and what of it was asked for or found anew, which is what is kept.

    Args:
        stored: What was kept by an earlier check of the same versions.
    """

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._stored = stored
        self._prints: dict[int, tuple[Relation, str]] = {}
        self.kept: dict[str, Any] = {}
        self.has_news = False

    def references(self, model: Model) -> tuple[Reference, ...] | None:
        """The tables that a model reads."""
        found = self._find(_text_key(model))
        if found is None:
            return None
        return tuple(Reference(one[0], one[1], one[2], one[3] and (one[3][0], one[3][1])) for one in found)

    def keep_references(self, model: Model, references: Iterable[Reference]) -> None:
        """Keep the tables that a model reads."""
        listed = [[one.written, one.folded, one.parts, one.position] for one in references]
        self._keep(_text_key(model), listed)

    def contract(self, text: str, dialect: str) -> ContractFile | None:
        """What a contract's text promises."""
        found = self._find(digest(["contract", dialect, text]))
        return None if found is None else load_contract(found)

    def keep_contract(self, text: str, dialect: str, contract: ContractFile) -> None:
        """Keep what a contract's text promises, if its types come back as they were."""
        if are_faithful(column.type for column in contract.columns):
            self._keep(digest(["contract", dialect, text]), dump_contract(contract))

    def key(
        self, model: Model, tables: Mapping[str, Relation], missing: Iterable[str], functions: Iterable[str]
    ) -> str:
        """The hash of everything that a model's analysis is found from."""
        read = [part for name, relation in sorted(tables.items()) for part in (name, self._print(relation))]
        content = [model.name, model.path, model.dialect, model.sql, *read]
        return digest(["analysis", *content, "missing", *missing, "functions", *sorted(functions)])

    def analysis(self, key: str) -> Analysis | None:
        """A model's analysis."""
        found = self._find(key)
        if found is None:
            return None
        relation = None if found[0] is None else load_relation(found[0])
        if relation is not None:
            self._prints[id(relation)] = (relation, found[3])
        place = None if found[4] is None else Span(*found[4])
        finding = None if found[2] is None else load_finding(found[2])
        return Analysis(relation, tuple(found[1]), finding, is_behind=found[5], place=place)

    def keep_analysis(self, key: str, analysis: Analysis) -> None:
        """Keep a model's analysis, if its types come back as they were."""
        if analysis.relation is not None and not are_faithful(column.type for column in analysis.relation.columns):
            return
        relation = None if analysis.relation is None else dump_relation(analysis.relation)
        finding = None if analysis.finding is None else dump_finding(analysis.finding)
        found = "" if analysis.relation is None else self._print(analysis.relation)
        place = None if analysis.place is None else list(astuple(analysis.place))
        self._keep(key, [relation, list(analysis.reasons), finding, found, place, analysis.is_behind])

    def witness(self, key: str) -> tuple[Witness | None] | None:
        """The rows that were found for a search, if it was made: none were found, or these."""
        found = self._find(key)
        return None if found is None else (None if found == [] else load_witness(found),)

    def keep_witness(self, key: str, witness: Witness | None) -> None:
        """Keep the rows of a search."""
        self._keep(key, [] if witness is None else dump_witness(witness))

    def _find(self, key: str) -> Any:
        found = self._stored.get(key)
        if found is not None:
            self.kept[key] = found
        return found

    def _keep(self, key: str, found: Any) -> None:
        self.kept[key] = found
        self.has_news = True

    def _print(self, relation: Relation) -> str:
        """The hash of what of a relation those that read it can see."""
        known = self._prints.get(id(relation))
        if known is None:
            name, columns = dump_relation(relation)
            text = json.dumps([name, [column[:-1] for column in columns]])  # without its place
            known = self._prints[id(relation)] = (relation, digest([text]))
        return known[1]


def _text_key(model: Model) -> str:
    return digest(["references", model.dialect, model.sql])
