"""What a field says beside its type and its constraints, and `dc.field`, which says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pydantic import Field
from pydantic_core import PydanticUndefined

from dagster_contracts.contract.fields import SENSITIVE_KEYS
from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from dagster_contracts.contract.row_fields import EpochUnit

T = TypeVar("T")

_CONSTRAINTS = (
    "ge",
    "gt",
    "le",
    "lt",
    "multiple_of",
    "min_length",
    "max_length",
    "pattern",
    "allow_inf_nan",
    "max_digits",
    "decimal_places",
    "strict",
    "title",
    "examples",
)
_FLAGS = ("primary_key", "unique", "lax", *SENSITIVE_KEYS)
_EPOCHS = ("s", "ms", "us")


@dataclass(frozen=True)
class Options:
    """What `dc.field`, or pydantic's `json_schema_extra`, says of a field."""

    primary_key: bool = False
    unique: bool = False
    sensitive: bool = False
    lax: bool = False
    epoch: EpochUnit | None = None
    tags: tuple[tuple[str, object], ...] = ()


@overload
def field(
    default: T,
    *,
    alias: str | None = ...,
    description: str | None = ...,
    primary_key: bool = ...,
    unique: bool = ...,
    sensitive: bool = ...,
    lax: bool = ...,
    epoch: EpochUnit | None = ...,
    tags: Mapping[str, object] | None = ...,
    **constraints: Any,
) -> T: ...
@overload
def field(
    *,
    default_factory: Callable[[], T],
    alias: str | None = ...,
    description: str | None = ...,
    primary_key: bool = ...,
    unique: bool = ...,
    sensitive: bool = ...,
    lax: bool = ...,
    epoch: EpochUnit | None = ...,
    tags: Mapping[str, object] | None = ...,
    **constraints: Any,
) -> T: ...
@overload
def field(
    *,
    alias: str | None = ...,
    description: str | None = ...,
    primary_key: bool = ...,
    unique: bool = ...,
    sensitive: bool = ...,
    lax: bool = ...,
    epoch: EpochUnit | None = ...,
    tags: Mapping[str, object] | None = ...,
    **constraints: Any,
) -> Any: ...
def field(
    default: Any = PydanticUndefined,
    *,
    default_factory: Callable[[], Any] | None = None,
    alias: str | None = None,
    description: str | None = None,
    primary_key: bool = False,
    unique: bool = False,
    sensitive: bool = False,
    lax: bool = False,
    epoch: EpochUnit | None = None,
    tags: Mapping[str, object] | None = None,
    **constraints: Any,
) -> Any:
    """Say of a column of a `dc.Schema` what its type does not.

    Args:
        default: What a row without the key gets.
        default_factory: Makes that anew for each row.
        alias: The key that incoming rows use, where it is not the column's name.
        description: What the column means.
        primary_key: Whether the column is part of the table's primary key.
        unique: Whether no two rows may have one value.
        sensitive: Whether values must stay out of samples, messages and statistics.
        lax: Take pydantic's lax answer where this package is stricter.
        epoch: Read bare digits in a temporal column as seconds, milliseconds or microseconds since 1970.
        tags: Whatever else the catalog should show of the column.
        **constraints: pydantic's own, such as `ge`, `lt`, `multiple_of`, `pattern`, `min_length` or `max_digits`.

    Returns:
        What pydantic's `Field` returns, typed as the column's value.

    Raises:
        SchemaDefinitionError: An argument is not known, or there are two defaults.
    """
    for name in constraints:
        if name not in _CONSTRAINTS:
            known = (*_CONSTRAINTS, "alias", "description", "default_factory", "epoch", "tags", *_FLAGS)
            raise SchemaDefinitionError(f"dc.field does not know {name!r}.{did_you_mean(name, known)}")
    if not isinstance(tags, Mapping | None):
        raise SchemaDefinitionError(f"dc.field: tags is a mapping; got {type(tags).__name__}.")
    said = {"primary_key": primary_key, "unique": unique, "sensitive": sensitive, "lax": lax, "epoch": epoch}
    extra = {**(tags or {}), **{name: value for name, value in said.items() if value}}
    given = {name: value for name, value in (("alias", alias), ("description", description)) if value is not None}
    if default_factory is not None:
        given["default_factory"] = default_factory  # type: ignore[assignment]
    try:
        return Field(default, json_schema_extra=extra or None, **given, **constraints)  # type: ignore[call-overload]
    except TypeError as error:
        raise SchemaDefinitionError(f"dc.field: {error}") from error


def read_options(where: str, info: FieldInfo) -> Options:
    """What a field's `json_schema_extra` says.

    Args:
        where: The field, for messages.
        info: pydantic's own record of the field.

    Raises:
        SchemaDefinitionError: A value is not allowed, or a key looks like a misspelled one.
    """
    extra: dict[str, Any] = dict(info.json_schema_extra) if isinstance(info.json_schema_extra, Mapping) else {}
    flags = {name: _flag(where, name, extra.pop(name)) for name in _FLAGS if name in extra}
    epoch = extra.pop("epoch", None)
    if epoch is not None and epoch not in _EPOCHS:
        raise SchemaDefinitionError(f"{where}: epoch is one of {', '.join(map(repr, _EPOCHS))}; got {epoch!r}.")
    for name in extra:
        if near := get_close_matches(str(name), (*_FLAGS, "epoch"), n=1, cutoff=0.8):
            raise SchemaDefinitionError(f"{where}: {name!r} is not known. Did you mean {near[0]!r}?")
    return Options(
        primary_key=flags.get("primary_key", False),
        unique=flags.get("unique", False),
        sensitive=any(flags.get(name, False) for name in SENSITIVE_KEYS),
        lax=flags.get("lax", False),
        epoch=epoch,
        tags=tuple(extra.items()),
    )


def _flag(where: str, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SchemaDefinitionError(f"{where}: {name} is True or False; got {value!r}.")
    return value
