"""Whether the columns that a plan returns can have nulls: proved not to, proved to, or not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.orchestration.dry_run.facts import Fact, Source, roots_of
from dagster_contracts.orchestration.dry_run.terms import Scope, fact_of, not_null_where

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from dagster_contracts.orchestration.dry_run.plan import Step, Term

Facts = dict[str, Fact]


def nulls_of(step: Step, sources: Sequence[Source]) -> Facts:
    """What is known of the nulls of each column that a step returns.

    Args:
        step: The last step of a plan that was made on empty frames.
        sources: The tables that those frames stand for.
    """
    return _Reader(sources).read(step)


@dataclass(frozen=True)
class _Reader:
    sources: Sequence[Source]

    def read(self, step: Step) -> Facts:
        """A step's columns, in its order; a column that a rule forgot is not known."""
        rule: Callable[[Step, list[Facts]], Facts] | None = getattr(self, f"_{step.kind.lower()}", None)
        below = [self.read(one) for one in step.inputs]
        found = rule(step, below) if rule is not None else {}
        lost = Fact(
            None, (f"Polars's step `{step.kind}` is not followed",), roots_of(f for fs in below for f in fs.values())
        )
        facts = {name: found.get(name, lost) for name in step.schema}
        return _filtered(facts, step.predicate) if step.predicate is not None else facts

    def _dataframescan(self, step: Step, _: list[Facts]) -> Facts:
        frame: pl.DataFrame = step.options[0]
        if frame.height:
            return {name: _of_rows(frame, name) for name in step.schema}
        same = [(at, source) for at, source in enumerate(self.sources) if dict(source.schema) == dict(frame.schema)]
        if not same:  # a frame of the function's own without rows
            return {name: Fact(None, ("it comes from a frame of the function's own",)) for name in step.schema}
        return {name: _of_sources(same[0][0], [source for _, source in same], name) for name in step.schema}

    def _select(self, step: Step, below: list[Facts]) -> Facts:
        return {name: fact_of(term, Scope(below[0])) for name, term in step.outputs}

    def _hstack(self, step: Step, below: list[Facts]) -> Facts:
        return below[0] | {name: fact_of(term, Scope(below[0], "some")) for name, term in step.outputs}

    def _groupby(self, step: Step, below: list[Facts]) -> Facts:
        if step.options[0]:  # windows over time may be empty
            return {}
        keys = {name: fact_of(term, Scope(below[0])) for name, term in step.keys[0]}
        outputs = {name: fact_of(term, Scope(below[0], "some", grouped=True)) for name, term in step.outputs}
        tied = roots_of(keys.values())
        return keys | {name: Fact(fact.null, fact.reasons, fact.roots | tied) for name, fact in outputs.items()}

    def _same(self, _: Step, below: list[Facts]) -> Facts:
        return below[0]

    _filter = _sort = _slice = _distinct = _cache = _simpleprojection = _same

    def _union(self, _: Step, below: list[Facts]) -> Facts:
        return {name: _either([facts[name] for facts in below if name in facts]) for name in below[0]}

    _mergesorted = _union

    def _mapfunction(self, step: Step, below: list[Facts]) -> Facts:
        name, *options = step.options
        if name == "row_index":
            return below[0] | {options[0]: Fact(null=False)}
        if name == "explode":
            gone = {one: below[0][one].unknown("an empty list explodes to a null") for one in options[0]}
            inner = {one: Fact(None, ("a list may be empty or hold nulls",), fact.roots) for one, fact in gone.items()}
            return below[0] | inner
        return below[0] if name == "hint_sorted" else {}

    def _join(self, step: Step, below: list[Facts]) -> Facts:
        how, nulls_equal, suffix, coalesce = step.options[0], step.options[1], step.options[3], step.options[4]
        left, right = below
        keys = [[term for _, term in side] for side in step.keys]
        if how in ("Inner", "Semi") and not nulls_equal:
            left, right = _matched(left, keys[0]), _matched(right, keys[1])
        if how in ("Semi", "Anti"):
            return left
        gap = _Gap(left, right, keys)
        if how == "Right":
            dropped = _names(keys[0]) if coalesce else []
            kept = {name: gap.may_miss(fact, "left") for name, fact in left.items() if name not in dropped}
            return _beside(kept, right, suffix, step)
        if how in ("Inner", "Cross", "Left", "Full") or _is_asof(how):
            dropped = _names(keys[1]) if coalesce else []
            joined = {name: fact for name, fact in right.items() if name not in dropped}
            if how == "Full":
                both = zip(_names(keys[0]), _names(keys[1]), strict=True) if coalesce else ()
                merged = {one: _either([left[one], right[other]]) for one, other in both}
                left = {name: merged.get(name) or gap.may_miss(fact, "left") for name, fact in left.items()}
            if how in ("Left", "Full"):
                joined = {name: gap.may_miss(fact, "right") for name, fact in joined.items()}
            elif _is_asof(how):
                joined = {name: Fact(None, ("nothing may be near enough",), f.roots) for name, f in joined.items()}
            return _beside(left, joined, suffix, step)
        return {}


@dataclass(frozen=True, eq=False)
class _Gap:
    """Rows of one side of a join that have no row on the other."""

    left: Mapping[str, Fact]
    right: Mapping[str, Fact]
    keys: list[list[Term]]

    def may_miss(self, fact: Fact, side: str) -> Fact:
        """A column of a side that may be missing."""
        tables = [
            {table for table, _ in roots_of(fact_of(key, Scope(facts)) for key in keys)}
            for facts, keys in self._sides()
        ]
        names = [" or ".join(_tables(facts)) for facts, _ in self._sides()]
        here, other = (names[1], names[0]) if side == "right" else (names[0], names[1])
        gap = fact.roots | {("join", f"{names}")}
        reason = f"a row of {other} may have no match in {here}"
        # A table that is joined with what was made of itself finds its rows again, as often as not.
        certain = all(tables) and not tables[0] & tables[1]
        return Fact(null=True if certain or fact.null else None, reasons=(reason,), roots=gap)

    def _sides(self) -> list[tuple[Mapping[str, Fact], list[Term]]]:
        return [(self.left, self.keys[0]), (self.right, self.keys[1])]


def _tables(facts: Mapping[str, Fact]) -> list[str]:
    """The tables that columns come from, as the function calls them."""
    return sorted({table for table, _ in roots_of(facts.values()) if table != "join" and not table.startswith("#")})


def _of_rows(frame: pl.DataFrame, name: str) -> Fact:
    """A frame that the function has of its own."""
    if frame[name].null_count() == 0:
        return Fact(null=False)
    return Fact(None, ("it comes from a frame of the function's own, which has nulls",))


def _of_sources(at: int, same: Sequence[Source], name: str) -> Fact:
    """A column of the table that an empty frame stands for, or of several whose frames look alike."""
    nulls, roots = {source.nulls[name] for source in same}, frozenset({(same[0].name, name), (f"#{at}", name)})
    tables = " or ".join(source.name for source in same)
    if nulls == {False}:
        return Fact(null=False, roots=roots)
    if nulls == {True}:
        return Fact(null=True, reasons=(f"`{name}` of {tables} may be null",), roots=roots)
    return Fact(None, (f"a rule of {tables} says when `{name}` may be null",), roots)


def _filtered(facts: Facts, predicate: Term) -> Facts:
    """Columns after a filter: it may prove that there are no nulls, and it may take away the rows that have them."""
    proved = not_null_where(predicate)
    roots = fact_of(predicate, Scope(facts)).roots
    found = {}
    for name, fact in facts.items():
        if name in proved:
            found[name] = fact.never()
        else:
            touched = not roots or bool(roots & fact.roots)
            found[name] = fact.unknown("a filter may take such rows away") if touched else fact
    return found


def _matched(facts: Facts, keys: list[Term]) -> Facts:
    """A side whose rows all have a match: its keys are no nulls."""
    proved = {name for key in keys for name in ([key.name] if key.kind == "column" else [])}
    return {name: fact.never() if name in proved else fact for name, fact in facts.items()}


def _beside(left: Facts, right: Facts, suffix: str, step: Step) -> Facts:
    """The columns of both sides under the names that they have afterwards; nothing if those are not as expected."""
    renamed = {name if name not in left else f"{name}{suffix}": fact for name, fact in right.items()}
    found = left | renamed
    return found if set(found) == set(step.schema) and len(found) == len(left) + len(renamed) else {}


def _either(facts: Sequence[Fact]) -> Fact:
    """A column whose rows come from several."""
    roots = roots_of(facts)
    worst = next((f for f in facts if f.null), None) or next((f for f in facts if f.null is None), facts[0])
    return Fact(worst.null, worst.reasons, roots)


def _names(keys: Sequence[Term]) -> list[str]:
    return [key.name for key in keys if key.kind == "column"]


def _is_asof(how: object) -> bool:
    return isinstance(how, tuple) and how[0] == "AsOf"
