"""Every model of a project, worked out in the order in which they read each other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dagster_contracts.sql.analyze import Analysis, analyze, query_finding
from dagster_contracts.sql.binder import Binder
from dagster_contracts.sql.config import SENSITIVE
from dagster_contracts.sql.findings import CYCLE, broken
from dagster_contracts.sql.graph import find_cycles, sort_models
from dagster_contracts.sql.parse import parse_query
from dagster_contracts.sql.positions import span_of, start_of
from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.references import find_references
from dagster_contracts.sql.relation import Relation
from dagster_contracts.sql.sources.declared import native_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlglot import exp

    from dagster_contracts.diagnostics.finding import Span
    from dagster_contracts.sql.known import Known
    from dagster_contracts.sql.project import Model, Project
    from dagster_contracts.sql.references import Reference


@dataclass(frozen=True)
class Examined:
    """What is known of every model.

    Args:
        analyses: What each model returns.
        reads: The models that each model reads, in the order of its text.
        tables: What each model reads, by the name that it calls it, as far as that is known.
        queries: Each model's query, where it parses.
    """

    analyses: Mapping[str, Analysis]
    reads: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, Mapping[str, Relation]]
    queries: Mapping[str, exp.Query]


def examine(
    project: Project,
    sources: Mapping[str, Relation],
    dialect: str,
    progress: Callable[[int, int], None] | None = None,
    known: Known | None = None,
    *,
    functions: frozenset[str] = frozenset(),
) -> Examined:
    """Work out what every model of a project returns.

    Args:
        project: The project.
        sources: What the tables look like that are no models, by name.
        dialect: The dialect whose rules fold the sources' names.
        progress: Called after each model with how many are done, and how many there are.
        known: What was found before; gets what is found now.
        functions: The functions that the real database has beside those of the dialect, in small letters.
    """
    run = _Run(project, _indexed(sources, dialect), dialect, known, functions)
    for model in project.models:
        run.parse(model)
    run.refuse_cycles()
    binder = Binder()
    try:
        for done, name in enumerate(sort_models(run.reads), 1):
            if name not in run.analyses:
                run.analyze(run.models[name], binder)
            if progress is not None:
                progress(done, len(run.models))
    finally:
        binder.close()
    for name in run.models:
        if name not in run.analyses:  # behind a circle
            run.analyses[name] = run.waiting(run.models[name], run.behind(name))
    return Examined(run.analyses, run.reads, run.tables, run.queries)


@dataclass
class _Run:
    """What was found so far."""

    project: Project
    sources: Mapping[str, Relation]
    dialect: str
    known: Known | None
    functions: frozenset[str]
    models: dict[str, Model] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    twice: frozenset[str] = frozenset()
    analyses: dict[str, Analysis] = field(default_factory=dict)
    queries: dict[str, exp.Query] = field(default_factory=dict)
    references: dict[str, tuple[Reference, ...]] = field(default_factory=dict)
    reads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tables: dict[str, Mapping[str, Relation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.models = {model.name: model for model in self.project.models}
        self.names = {name.lower(): name for name in self.models}
        self.twice = frozenset(model.name.lower() for model in self.project.duplicates)

    def parse(self, model: Model) -> None:
        """Parse a model and note what it reads; one that is wrong already is left as it is."""
        self.reads[model.name] = self.references[model.name] = ()
        ill = next((one for one in self.project.findings if one.model == model.name and one.source is not None), None)
        if ill is not None or model.sql is None:
            self.analyses[model.name] = Analysis(None, (f"{model.name} is wrong itself",), ill)
            return
        found = None if self.known is None else self.known.references(model)
        try:
            if found is None:
                query = self.queries[model.name] = parse_query(model.sql, model.dialect)
                found = find_references(query, model.dialect)
                if self.known is not None:
                    self.known.keep_references(model, found)
        except QueryError as error:
            self.analyses[model.name] = Analysis(None, (), query_finding(model, error, {}))
        except UnknownOutputError as error:
            self.analyses[model.name] = Analysis(None, error.reasons)
        else:
            self.references[model.name] = found
            self.reads[model.name] = tuple(dict.fromkeys(filter(None, map(self._model, found))))

    def refuse_cycles(self) -> None:
        """Note each model that reads itself, directly or through others."""
        for name, circle in find_cycles(self.reads).items():
            model, following = self.models[name], circle[1 % len(circle)]
            place = next((one for one in self.references[name] if self._model(one) == following), None)
            span = self._place(model, place) if place else None
            message = f"the model reads itself: {' reads '.join([*circle, name])}"
            self.analyses[name] = Analysis(None, (), broken(CYCLE, name, message, source=span or start_of(model.path)))

    def analyze(self, model: Model, binder: Binder) -> None:
        """Work out one model, or say what it waits for."""
        behind = self.behind(model.name)
        if behind:
            self.analyses[model.name] = self.waiting(model, behind)
            return
        tables: dict[str, Relation] = {}
        missing = []
        unknown: list[Reference] = []
        for reference in self.references[model.name]:
            found, why = self._relation(reference, model.dialect)
            if found is None:
                missing.append(f"{model.name} reads {reference.written}, {why}")
                unknown.append(reference)
                continue
            tables |= dict.fromkeys((reference.written, reference.folded, reference.written.lower()), found)
        self.tables[model.name] = tables
        analysis = self._analysis(model, tables, tuple(missing), binder)
        if analysis.relation is None and analysis.place is None and unknown:
            analysis = replace(analysis, place=self._place(model, unknown[0]))
        self.analyses[model.name] = analysis

    def waiting(self, model: Model, reasons: tuple[str, ...]) -> Analysis:
        """A model that was not looked at, and where it reads what it waits for."""
        stuck = {name.lower() for name, one in self.analyses.items() if one.finding is not None or one.is_behind}
        stuck |= self.twice
        first = next((one for one in self.references[model.name] if self._table(one) in stuck), None)
        return Analysis(None, reasons, is_behind=True, place=None if first is None else self._place(model, first))

    @staticmethod
    def _table(reference: Reference) -> str | None:
        """The name of a model that a reference may mean, in small letters."""
        return reference.folded.lower() if reference.parts == 1 else None

    @staticmethod
    def _place(model: Model, reference: Reference) -> Span | None:
        """Where a model reads something."""
        if reference.position is None:
            return None
        return span_of(model.path, model.sql or "", *reference.position)

    def _analysis(
        self, model: Model, tables: Mapping[str, Relation], missing: tuple[str, ...], binder: Binder
    ) -> Analysis:
        """What is known of a model, or else what is found now."""
        key = "" if self.known is None else self.known.key(model, tables, missing, self.functions)
        found = None if self.known is None else self.known.analysis(key)
        if found is None:
            found = analyze(model, self.query(model), tables, binder, missing=missing, functions=self.functions)
            if self.known is not None:
                self.known.keep_analysis(key, found)
        return found

    def query(self, model: Model) -> exp.Query:
        """A model's query, parsed when it is needed."""
        if model.name not in self.queries:
            self.queries[model.name] = parse_query(model.sql or "", model.dialect)
        return self.queries[model.name]

    def behind(self, name: str) -> tuple[str, ...]:
        """The chain from a model to one that is wrong itself, as reasons; empty where none is."""
        for reference in self.references[name]:
            if self._table(reference) in self.twice:
                return (f"{name} reads {reference.written}, which is the name of several models",)
        for read in self.reads[name]:
            analysis = self.analyses.get(read)
            if analysis is None:
                return (f"{name} reads {read}", *self.behind(read))
            if analysis.finding is not None:
                found = analysis.finding
                line = f" in line {found.source.line}" if found.source else ""
                return (
                    f"{name} reads {read}",
                    f"{read} is wrong itself: {found.code}{line} of {self.models[read].path}",
                )
            if analysis.is_behind:
                return (f"{name} reads {read}", *analysis.reasons)
        return ()

    def _model(self, reference: Reference) -> str | None:
        """The model that a reference names, if it does."""
        return self.names.get(self._table(reference) or "")

    def _relation(self, reference: Reference, dialect: str) -> tuple[Relation | None, str]:
        """What a reference names, or why that is not known."""
        name = self._model(reference)
        if name is not None:
            found, made_in = self.analyses[name].relation, self.models[name].dialect
            if found is None:
                return None, f"whose columns are not known: {'; '.join(self.analyses[name].reasons)}"
        else:
            sensitive = self.dialect in SENSITIVE
            made_in = self.dialect
            key = reference.folded if sensitive and dialect == made_in else _native(reference.written, made_in)
            found = self.sources.get(key if sensitive else key.lower())
            if found is None:
                return None, "which is no model, and no source declares it"
        if dialect in SENSITIVE and dialect != made_in:
            columns = tuple(replace(column, name=native_name(column.name, dialect)) for column in found.columns)
            return Relation(found.name, columns), ""
        return found, ""


def _indexed(sources: Mapping[str, Relation], dialect: str) -> dict[str, Relation]:
    """Sources by their names as references to them are folded."""
    if dialect in SENSITIVE:
        return {_native(name, dialect): relation for name, relation in sources.items()}
    return {name.lower(): relation for name, relation in sources.items()}


def _native(name: str, dialect: str) -> str:
    return ".".join(native_name(part, dialect) for part in name.split("."))
