"""`contracts.lock`: what every model returned when it was last agreed on. TOML, sorted, made to be committed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.contract.toml_reader import Reader, read_toml
from dagster_contracts.contract.types import Type, parse_type
from dagster_contracts.errors import ContractParseError, UnknownTypeError
from dagster_contracts.sql.inputs import LOCK
from dagster_contracts.sql.relation import Column, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tomlkit.items import Table

    from dagster_contracts.sql.files import File
    from dagster_contracts.sql.load import Loaded

VERSION = "1"
_HEAD = "Written by `dagster-contracts lock` and `dagster-contracts accept`: commit it, and do not edit it."


@dataclass(frozen=True)
class LockedModel:
    """One model of a lock.

    Args:
        output: What it returned; a type or nullability that was not known then is `None`.
        sql_hash: The hash of its text.
        why: Why its output was accepted as it is, newest last.
    """

    output: Relation
    sql_hash: str
    why: tuple[str, ...] = ()


def lock_models(loaded: Loaded, names: Iterable[str], before: Mapping[str, LockedModel]) -> dict[str, LockedModel]:
    """What some models return now.

    Args:
        loaded: The project.
        names: The models; those whose columns are not known are left out.
        before: The lock as it was, whose reasons are kept.
    """
    found = {}
    texts = {model.name: model.sql or "" for model in loaded.project.models}
    for name in names:
        output = loaded.examined.analyses[name].relation
        if output is not None:
            why = before[name].why if name in before else ()
            found[name] = LockedModel(output, sql_hash(texts[name]), why)
    return found


def sql_hash(sql: str) -> str:
    """The hash of a model's text."""
    return f"sha256:{hashlib.sha256(sql.encode()).hexdigest()}"


def dump_lock(models: Mapping[str, LockedModel]) -> str:
    """A lock as its file's text."""
    import tomlkit  # noqa: PLC0415  (not for a check)

    document = tomlkit.document()
    document.add(tomlkit.comment(_HEAD))
    document["version"] = VERSION
    every = tomlkit.aot()
    for name in sorted(models):
        every.append(_dumped(name, models[name]))
    if models:
        document["models"] = every
    return tomlkit.dumps(document)


def parse_lock(text: str, file: str = LOCK) -> dict[str, LockedModel]:
    """Read a lock's text.

    Raises:
        ContractParseError: It is no lock; the message names the file and the line.
    """
    reader = read_toml(text)
    reader.keys(("version", "models"), what="A lock")
    if not reader.problems and reader.text("version") != VERSION:
        reader.report(f"This lock is of version {reader.values.get('version')!r}, and this package reads {VERSION!r}.")
    models = dict(filter(None, (_model(reader, index) for index in reader.tables("models"))))
    if reader.problems:
        problem = reader.problems[0]
        raise ContractParseError(
            f"{file}:{problem.place.line}: {problem.message} The lock is written by `dagster-contracts lock`: take it "
            "from version control, or write it again."
        )
    return models


def read_lock(file: File | None) -> dict[str, LockedModel]:
    """The lock of a project; empty without one.

    Raises:
        ContractParseError: It cannot be read.
    """
    if file is None:
        return {}
    if file.text is None:
        raise ContractParseError(f"{file.path} cannot be read: {file.failure}.")
    return parse_lock(file.text, file.path)


def _dumped(name: str, model: LockedModel) -> Table:
    import tomlkit  # noqa: PLC0415

    table = tomlkit.table()
    table["name"] = name
    table["sql"] = model.sql_hash
    if model.why:
        table["why"] = list(model.why)
    columns = tomlkit.aot()
    for column in model.output.columns:
        entry = tomlkit.table()
        entry["name"] = column.name
        if column.type is not None:
            entry["type"] = str(column.type)
        if column.nullable is not None:
            entry["nullable"] = column.nullable
        columns.append(entry)
    if model.output.columns:
        table["columns"] = columns
    return table


def _model(reader: Reader, index: int) -> tuple[str, LockedModel] | None:
    path = ("models", index)
    reader.keys(("name", "sql", "why", "columns"), *path, what="`[[models]]`")
    name, hashed = reader.text(*path, "name"), reader.text(*path, "sql")
    columns = [_column(reader, (*path, "columns", at)) for at in reader.tables(*path, "columns")]
    if name is None or hashed is None:
        reader.report("This entry of `[[models]]` has no name or no hash.", *path)
        return None
    why = tuple(text for text, _ in reader.texts(*path, "why"))
    return name, LockedModel(Relation(name, tuple(columns)), hashed, why)


def _column(reader: Reader, path: tuple[str | int, ...]) -> Column:
    reader.keys(("name", "type", "nullable"), *path, what="`[[models.columns]]`")
    name, text = reader.text(*path, "name"), reader.text(*path, "type")
    if name is None:
        reader.report("This column has no name.", *path)
    return Column(name or "", _type(reader, text, path), reader.flag(*path, "nullable"))


def _type(reader: Reader, text: str | None, path: tuple[str | int, ...]) -> Type | None:
    try:
        return None if text is None else parse_type(text)
    except UnknownTypeError as error:
        reader.report(str(error), *path, "type")
        return None
