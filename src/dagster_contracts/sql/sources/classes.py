"""Sources declared by a contract class: `module:Name`, imported from the project's folder."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.errors import ContractsError, UnknownTypeError
from dagster_contracts.sql.relation import Relation
from dagster_contracts.sql.sources.declared import SourceError, declared_column, native_name

if TYPE_CHECKING:
    from dagster_contracts.contract.fields import FieldSpec
    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Span


def read_class(target: str, root: Path, name: str, dialect: str, span: Span | None) -> Relation:
    """Read the columns of a `dy.Schema` or a `dc.Schema`.

    Args:
        target: `module:Name`.
        root: The folder that modules are looked for in, first of all.
        name: The table that it stands for.
        dialect: The dialect that folds the columns' names.
        span: Where the project says so.

    Raises:
        SourceError: There is no such class, or it is no contract.
    """
    from dagster_contracts.contract.reading import read_contract  # noqa: PLC0415  (imports polars)

    found = _import(target, root, span)
    try:
        contract = read_contract(found)
    except ContractsError as error:
        raise SourceError(f"{target} is no contract: {error}", span) from error
    columns = []
    for field in contract.fields:
        of = _type(field)
        why = f"{target} lets it be {field.type_text}, which is no single type"
        columns.append(
            declared_column(name, native_name(field.name, dialect), of, nullable=field.nullable, span=span, why=why)
        )
    return Relation(name, tuple(columns))


def _type(field: FieldSpec) -> Type | None:
    """The one type that a field's column can have; `None` where it may have one of several, or one without a name."""
    import polars as pl  # noqa: PLC0415

    from dagster_contracts.contract.type_polars import from_polars  # noqa: PLC0415

    numbers = [pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.UInt8(), pl.UInt64(), pl.Float32(), pl.Float64()]
    others = [pl.Decimal(38, 9), pl.String(), pl.Binary(), pl.Boolean(), pl.Date(), pl.Time(), pl.Duration()]
    times = [pl.Datetime("us"), pl.Datetime("us", "UTC")]
    try:
        of = from_polars(field.dtype)
        accepted = [from_polars(dtype) for dtype in [*numbers, *others, *times] if field.accepts(dtype)]
    except UnknownTypeError:
        return None
    return of if all(one.name == of.name for one in accepted) else None


def _import(target: str, root: Path, span: Span | None) -> object:
    """The object that `module:Name` names."""
    module_name, _, path = target.partition(":")
    if not module_name or not path:
        raise SourceError(f"A class is named as module:Name; got {target!r}.", span)
    folder = str(root)
    first = module_name.partition(".")[0]
    loaded = getattr(sys.modules.get(first), "__file__", None)
    is_here = (root / f"{first}.py").exists() or (root / first).is_dir()
    if is_here and loaded is not None and not Path(loaded).resolve().is_relative_to(root.resolve()):
        raise SourceError(f"{target}: a module {first} of another folder is loaded already: {loaded}.", span)
    sys.path.insert(0, folder)
    try:
        found: object = importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split())
        raise SourceError(f"{target} cannot be imported: {type(error).__name__}: {words}", span) from error
    finally:
        sys.path.remove(folder)
    return found
