"""Sources that a dbt project declares: its `manifest.json`, or a YAML file with `sources:`.

A column is never NULL where a constraint says so, or a `not_null` test that fails the build on every row.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.positions import start_of
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.sources.declared import SourceError, declared_column, native_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dagster_contracts.contract.types import Type


def read_dbt(text: str, file: str, dialect: str) -> list[Relation]:
    """Read the sources of a dbt project.

    Args:
        text: The file's text: JSON for a manifest, else YAML.
        file: Its path, for places and for its suffix.
        dialect: The dialect of its types and names.

    Returns:
        Each source under every name that SQL may call it by: `schema.table`, with the database before it where it is
        given, and the source's own name in place of the schema's.

    Raises:
        SourceError: It cannot be read.
    """
    if file.endswith(".json"):
        return list(_from_manifest(_load_json(text, file), file, dialect))
    return list(_from_yaml(_load_yaml(text, file), file, dialect))


def _load_json(text: str, file: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{file} is no JSON: {error}.", start_of(file)) from error
    if not isinstance(found, dict) or not isinstance(found.get("sources"), dict):
        raise SourceError(f"{file} is no dbt manifest: it has no `sources`.", start_of(file))
    return found


def _load_yaml(text: str, file: str) -> Mapping[str, Any]:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415  (comes with Dagster; needed for these files only)

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SourceError(f"{file} is no YAML: {' '.join(str(error).split())}.", start_of(file)) from error
    if not isinstance(found, dict) or not isinstance(found.get("sources"), list):
        raise SourceError(f"{file} has no list of `sources`.", start_of(file))
    return found


def _from_manifest(manifest: Mapping[str, Any], file: str, dialect: str) -> Iterator[Relation]:
    tested = _tested(manifest)
    for unique_id, node in manifest["sources"].items():
        if not isinstance(node, dict) or not node.get("name"):
            raise SourceError(f"{file}: the source {unique_id} has no name.", start_of(file))
        columns = node.get("columns")
        listed = list(columns.values()) if isinstance(columns, dict) else []
        not_null = tested.get(unique_id, set())
        yield from _relations(node, str(node.get("source_name") or ""), listed, not_null, file=file, dialect=dialect)


def _tested(manifest: Mapping[str, Any]) -> dict[str, set[str]]:
    """The columns that a `not_null` test fails the build for, by what is tested."""
    found: dict[str, set[str]] = {}
    nodes = manifest.get("nodes")
    for node in nodes.values() if isinstance(nodes, dict) else ():
        test = node.get("test_metadata") if isinstance(node, dict) else None
        if not isinstance(test, dict) or test.get("name") != "not_null" or not _is_strict(node.get("config")):
            continue
        depends = node.get("depends_on") or {}
        targets = [node.get("attached_node"), *(depends.get("nodes") or ())] if isinstance(depends, dict) else []
        for target in {one for one in targets if isinstance(one, str)}:
            found.setdefault(target, set()).add(str(node.get("column_name")).lower())
    return found


def _from_yaml(document: Mapping[str, Any], file: str, dialect: str) -> Iterator[Relation]:
    for source in document["sources"]:
        if not isinstance(source, dict) or not source.get("name"):
            raise SourceError(f"{file}: a source has no `name`.", start_of(file))
        for table in source.get("tables") or ():
            if not isinstance(table, dict) or not table.get("name"):
                raise SourceError(f"{file}: a table of the source {source['name']} has no `name`.", start_of(file))
            columns = [column for column in table.get("columns") or () if isinstance(column, dict)]
            not_null = {str(column.get("name")).lower() for column in columns if _has_test(column)}
            place = {"schema": source.get("schema", source["name"]), "database": source.get("database")}
            yield from _relations(
                {**place, **table}, str(source["name"]), columns, not_null, file=file, dialect=dialect
            )


def _has_test(column: Mapping[str, Any]) -> bool:
    """Whether a column has a `not_null` test that fails the build on every row."""
    for test in [*(column.get("tests") or ()), *(column.get("data_tests") or ())]:
        if test == "not_null":
            return True
        if isinstance(test, dict) and "not_null" in test:
            inside = test["not_null"] or {}
            return isinstance(inside, dict) and _is_strict(inside) and _is_strict(inside.get("config"))
    return False


def _is_strict(config: object) -> bool:
    """Whether a test's settings leave it on, for all rows, as an error from the first one."""
    if config is None:
        return True
    if not isinstance(config, dict):
        return False
    is_plain = not config.get("where") and not config.get("limit") and config.get("enabled", True) is True
    is_error = str(config.get("severity") or "error").lower() == "error"
    return is_plain and is_error and str(config.get("error_if") or "!= 0").replace(" ", "") in ("!=0", ">0")


def _relations(
    node: Mapping[str, Any],
    source: str,
    columns: Iterable[object],
    not_null: set[str],
    *,
    file: str,
    dialect: str,
) -> Iterator[Relation]:
    table = str(node.get("identifier") or node["name"])
    homes = [str(home) for home in (node.get("schema"), source) if home]
    names = {f"{home}.{table}": None for home in homes} | {f"{source}.{node['name']}": None}
    if node.get("database"):
        names |= {f"{node['database']}.{home}.{table}": None for home in homes[:1]}
    for name in names:
        yield Relation(name, tuple(_column(name, column, not_null, file, dialect) for column in columns))


def _column(table: str, column: object, not_null: set[str], file: str, dialect: str) -> Column:
    if not isinstance(column, dict) or not isinstance(column.get("name"), str):
        raise SourceError(f"{file}: a column of {table} has no name.", start_of(file))
    constraints = [one.get("type") for one in column.get("constraints") or () if isinstance(one, dict)]
    is_not_null = column["name"].lower() in not_null or "not_null" in constraints
    spelled = column.get("data_type")
    of: Type | None = None
    why = "its source does not say its type"
    if isinstance(spelled, str):
        try:
            of = read_type(spelled, dialect)
        except UnknownTypeError:
            why = f"contracts have no name for {spelled!r}"
    name = native_name(column["name"], dialect)
    return declared_column(table, name, of, nullable=False if is_not_null else None, span=start_of(file), why=why)
