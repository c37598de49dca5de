"""The contract file of a SQL model, `<model>.contract.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from dagster_contracts.contract.toml_reader import Problem, Reader, read_toml
from dagster_contracts.errors import ContractParseError, UnknownTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.contract.toml_places import Place
    from dagster_contracts.contract.types import Type

SUFFIX = ".contract.toml"
SECTIONS = ("rules", "columns")
RULES = ("required", "protected", "no_new_nullable")
COLUMN_KEYS = ("name", "type", "nullable", "description")

TypeReader: TypeAlias = "Callable[[str], Type]"
"""Reads the spelling of a type, or raises an `UnknownTypeError`."""


@dataclass(frozen=True)
class Named:
    """A column that a rule names, and where it does."""

    name: str
    place: Place


@dataclass(frozen=True)
class ContractColumn:
    """One entry of `[[columns]]`.

    Args:
        name: The column's name, as it is written there.
        place: Where the name stands.
        type: The type that was promised, if one was.
        type_text: How it is spelled there.
        type_place: Where.
        nullable: False where the column was promised never to be NULL.
        nullable_place: Where.
        description: What the column means.
    """

    name: str
    place: Place
    type: Type | None = None
    type_text: str | None = None
    type_place: Place | None = None
    nullable: bool | None = None
    nullable_place: Place | None = None
    description: str | None = None


@dataclass(frozen=True)
class ContractFile:
    """What a contract file promises.

    Args:
        required: Columns that must be in the output.
        protected: Columns that must never disappear.
        no_new_nullable: Where the rule stands that no undeclared column may be NULL; `None` without it.
        columns: The declared columns, in the file's order.
    """

    required: tuple[Named, ...] = ()
    protected: tuple[Named, ...] = ()
    no_new_nullable: Place | None = None
    columns: tuple[ContractColumn, ...] = ()


def parse_contract(text: str, read_type: TypeReader) -> tuple[ContractFile, tuple[Problem, ...]]:
    """Read a contract file's text.

    Args:
        text: The text.
        read_type: Reads a type's spelling.

    Returns:
        What it promises, and what is wrong with it. Where something is wrong, the promises must not be trusted.
    """
    reader = read_toml(text)
    reader.keys(SECTIONS, what="A contract")
    reader.table("rules")
    reader.keys(RULES, "rules", what="`[rules]`")
    strict = reader.flag("rules", "no_new_nullable")
    contract = ContractFile(
        required=tuple(Named(*found) for found in reader.texts("rules", "required")),
        protected=tuple(Named(*found) for found in reader.texts("rules", "protected")),
        no_new_nullable=reader.place("rules", "no_new_nullable") if strict else None,
        columns=tuple(filter(None, (_column(reader, index, read_type) for index in reader.tables("columns")))),
    )
    _refuse_twice(reader, contract)
    return contract, tuple(reader.problems)


def refuse(file: str, problems: tuple[Problem, ...]) -> None:
    """Raise what is wrong with a file, if anything is.

    Raises:
        ContractParseError: There are problems; it names the file and each one's line.
    """
    if problems:
        lines = [f"{file}:{at.place.line}: {at.message}{f' {at.hint}' if at.hint else ''}" for at in problems]
        raise ContractParseError("\n".join(lines))


def _column(reader: Reader, index: int, read_type: TypeReader) -> ContractColumn | None:
    path = ("columns", index)
    reader.keys(COLUMN_KEYS, *path, what="`[[columns]]`")
    name, type_text = reader.text(*path, "name"), reader.text(*path, "type")
    nullable, description = reader.flag(*path, "nullable"), reader.prose(*path, "description")
    if name is None:
        if "name" not in reader.table(*path):
            reader.report("This entry of `[[columns]]` has no `name`.", *path)
        return None
    return ContractColumn(
        name=name,
        place=reader.place(*path, "name"),
        type=None if type_text is None else _type(reader, type_text, (*path, "type"), read_type),
        type_text=type_text,
        type_place=None if type_text is None else reader.place(*path, "type"),
        nullable=nullable,
        nullable_place=None if nullable is None else reader.place(*path, "nullable"),
        description=description,
    )


def _type(reader: Reader, text: str, path: tuple[str | int, ...], read_type: TypeReader) -> Type | None:
    try:
        return read_type(text)
    except UnknownTypeError as error:
        reader.report(str(error), *path)
        return None


def _refuse_twice(reader: Reader, contract: ContractFile) -> None:
    """Note columns that are declared twice: one of the two would say nothing."""
    seen: set[str] = set()
    for column in contract.columns:
        if column.name in seen:
            reader.problems.append(Problem(f"`[[columns]]` declares {column.name!r} twice.", column.place))
        seen.add(column.name)
