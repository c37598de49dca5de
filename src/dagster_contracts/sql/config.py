"""A project's configuration, `contracts.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from dagster_contracts.contract.toml_reader import Problem, Reader, read_toml

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_contracts.contract.toml_places import Place

FILE_NAME = "contracts.toml"
DIALECTS = ("duckdb", "postgres", "snowflake", "bigquery", "databricks")
SENSITIVE = ("postgres", "snowflake")
"""The dialects that look at the letters' case of a name in quotes."""

KEYS = ("dialect", "models_dir", "contracts_dir", "strict", "type_match", "functions", "sources")
COLUMN_KEYS = ("name", "type", "nullable", "description")

SourceForm: TypeAlias = Literal["sql", "snapshot", "dbt", "parquet", "class", "columns"]
FORMS: tuple[SourceForm, ...] = get_args(SourceForm)
NAMED_FORMS = ("parquet", "class", "columns")


@dataclass(frozen=True)
class SourceColumn:
    """A column of `[[sources.columns]]`; what it does not say is `None`."""

    name: str
    type_text: str | None
    nullable: bool | None
    place: Place


@dataclass(frozen=True)
class SourceEntry:
    """One entry of `[[sources]]`.

    Args:
        form: What it is read from.
        target: The path, or `module:Name` of a class; empty for columns that stand in the entry itself.
        place: Where the entry says so.
        name: The table's name; `None` where what is read names its own tables.
        columns: Columns that the entry itself declares; beside a Parquet file or a class, they say more of its columns.
    """

    form: SourceForm
    target: str
    place: Place
    name: str | None = None
    columns: tuple[SourceColumn, ...] = ()


@dataclass(frozen=True)
class Config:
    """A project's configuration.

    Args:
        root: The folder that its paths are relative to.
        file: The configuration's name in that folder.
        dialect: The dialect of models that do not name their own.
        models_dir: The folder of the models.
        contracts_dir: The folder of contracts that do not stand beside their model.
        strict: Whether what cannot be verified is an error.
        assignable: Whether a narrower type passes.
        functions: The functions that the database has beside those of its dialect, in small letters.
        sources: What the tables look like that are no models.
    """

    root: Path
    file: str = FILE_NAME
    dialect: str = "duckdb"
    models_dir: str = "models"
    contracts_dir: str = "contracts"
    strict: bool = False
    assignable: bool = False
    functions: frozenset[str] = frozenset()
    sources: tuple[SourceEntry, ...] = ()


def parse_config(text: str, path: Path) -> tuple[Config, tuple[Problem, ...]]:
    """Read a configuration's text.

    Args:
        text: The text.
        path: The file it comes from.

    Returns:
        The configuration, with defaults in place of what is wrong, and what is wrong.
    """
    reader = read_toml(text)
    reader.keys(KEYS, what=f"`{path.name}`")
    default = Config(path.parent, path.name)
    strict, match = reader.flag("strict"), reader.choice(("exact", "assignable"), "type_match")
    config = Config(
        root=path.parent,
        file=path.name,
        dialect=reader.choice(DIALECTS, "dialect") or default.dialect,
        models_dir=_folder(reader, "models_dir", path.parent) or default.models_dir,
        contracts_dir=_folder(reader, "contracts_dir", path.parent) or default.contracts_dir,
        strict=bool(strict),
        assignable=match == "assignable",
        functions=frozenset(name.lower() for name, _ in reader.texts("functions")),
        sources=tuple(filter(None, (_source(reader, index) for index in reader.tables("sources")))),
    )
    if "models_dir" not in reader.values and not (path.parent / config.models_dir).is_dir() and not reader.problems:
        reader.report(
            f"The project has no folder {config.models_dir!r}.", hint="Name the models' folder: `models_dir`."
        )
    return config, tuple(reader.problems)


def _folder(reader: Reader, key: str, root: Path) -> str | None:
    """A folder that the configuration names; it must be there."""
    name = reader.text(key)
    if name is not None and not _is_folder(root / name):
        reader.report(f"`{key}`: there is no folder {name!r} beside the configuration.", key)
    return name


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _source(reader: Reader, index: int) -> SourceEntry | None:
    path = ("sources", index)
    before = len(reader.problems)
    reader.keys(("name", *FORMS), *path, what="`[[sources]]`")
    entry = reader.table(*path)
    forms = [form for form in FORMS if form in entry]
    columns = tuple(filter(None, (_column(reader, (*path, "columns", at)) for at in reader.tables(*path, "columns"))))
    forms = [form for form in forms if form != "columns"] or forms
    if len(forms) != 1:
        known = ", ".join(f"`{form}`" for form in FORMS)
        reader.report(f"A source is declared by one of {known}; this has {len(forms)}.", *path)
        return None
    form = forms[0]
    name, target = reader.text(*path, "name"), "" if form == "columns" else reader.text(*path, form)
    if form in NAMED_FORMS and name is None:
        reader.report(f"A source that is declared by `{form}` needs a `name`.", *path)
    if form not in NAMED_FORMS and "name" in entry:
        reader.report(f"A source that is declared by `{form}` names its own tables.", *path, "name")
    if form not in NAMED_FORMS and columns:
        reader.report(f"`[[sources.columns]]` cannot stand beside `{form}`.", *path, "columns")
    if len(reader.problems) > before or target is None:
        return None
    return SourceEntry(form, target, reader.place(*path, form if form != "columns" else "name"), name, columns)


def _column(reader: Reader, path: tuple[str | int, ...]) -> SourceColumn | None:
    reader.keys(COLUMN_KEYS, *path, what="`[[sources.columns]]`")
    name, type_text = reader.text(*path, "name"), reader.text(*path, "type")
    nullable = reader.flag(*path, "nullable")
    reader.prose(*path, "description")
    if name is None:
        if "name" not in reader.table(*path):
            reader.report("This entry of `[[sources.columns]]` has no `name`.", *path)
        return None
    return SourceColumn(name, type_text, nullable, reader.place(*path, "name"))
