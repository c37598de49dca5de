"""What to write in place of an annotation that no column holds."""

from __future__ import annotations

import collections.abc
import typing
from typing import Any

import polars as pl
import pydantic

from dagster_contracts.contract.types import Type

_LISTS = (tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Set)
HINTS: dict[object, str] = {
    type(None): "A column of nothing but None: use `Any`.",
    complex: "No table holds complex numbers: use two floats.",
    pydantic.Json: "JSON text is read by a validator: `Annotated[dict, BeforeValidator(json.loads)]`.",
    pydantic.EmailStr: "Use `str` with a pattern.",
    pydantic.AnyUrl: "Use `str` with a pattern.",
    pydantic.PastDatetime: "Say whether it has a zone: `NaiveDatetime` or `AwareDatetime`.",
    pydantic.FutureDatetime: "Say whether it has a zone: `NaiveDatetime` or `AwareDatetime`.",
    pydantic.SecretStr: "Use `str` with dc.field(sensitive=True).",
    pydantic.SecretBytes: "Use `bytes` with dc.field(sensitive=True).",
}


def is_dtype(item: object) -> bool:
    """Whether something is a dtype, of Polars or of the package's own vocabulary."""
    return isinstance(item, Type | pl.DataType) or (isinstance(item, type) and issubclass(item, pl.DataType))


def hint_for(annotation: Any) -> str:
    """What to write instead of an annotation that no column holds."""
    origin = typing.get_origin(annotation) or annotation
    if origin is list:
        return "A list must say what it holds: `list[str]`."
    if origin in _LISTS:
        return "Several values in one column are a `list[…]`."
    if is_dtype(annotation):
        return "An exact width is written beside its Python type: `Annotated[int, dc.Int32]`."
    if isinstance(annotation, typing.TypeVar):
        return "A column's type must be known."
    if typing.is_typeddict(annotation) or (isinstance(annotation, type) and issubclass(annotation, tuple)):
        return "A record is a pydantic model, a dataclass or a `dc.Schema`."
    return next((hint for known, hint in HINTS.items() if known is annotation), "See docs/types.md.")


def name_of(annotation: Any) -> str:
    """An annotation as its author wrote it, more or less."""
    name = annotation.__name__ if isinstance(annotation, type) and not typing.get_args(annotation) else None
    return f"`{name or str(annotation).replace('typing.', '')[:100]}`"
