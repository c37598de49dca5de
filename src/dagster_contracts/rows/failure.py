"""Why a row cannot be conformed, as data and as the one error that says so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from dagster_contracts.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable

Code = Literal[
    "not_a_row",
    "missing",
    "null",
    "extra_key",
    "type",
    "value",
    "inexact",
    "out_of_range",
    "digits",
    "timezone",
    "bare_digits",
    "calendar",
    "not_a_number",
    "enum_member",
    "encoding",
    "json",
    "constraint",
    "validator",
    "too_deep",
]

MAX_FAILURES: Final = 10_000
"""How many failures one call collects before it stops reading rows."""

SHOWN_OF_A_KIND: Final = 3
"""How many failures of one field and reason a message shows."""

SHOWN_KINDS: Final = 10
"""How many kinds of failure a message shows."""

MASKED: Final = "<masked>"
_LONGEST_VALUE = 80


@dataclass(frozen=True)
class RowFailure:
    """One value that cannot be conformed.

    Args:
        row: The row's number among those given, from 0.
        field: The field, or the key that is no field; empty if the row as a whole is at fault.
        code: The reason, one word of a fixed list.
        wanted: The type that was wanted.
        cause: The reason in words, without the value.
        value: The value as a person sees it, shortened, or masked if the field is sensitive; `None` if there is none.
        place: Where in the field, for a list or a record: `[2]`, `.city`.
    """

    row: int
    field: str
    code: Code
    wanted: str
    cause: str
    value: str | None = None
    place: str = ""

    def __str__(self) -> str:
        where = f"row {self.row:,}, field {self.field + self.place!r}" if self.field else f"row {self.row:,}"
        return f"{where}: {self.reason}"

    @property
    def reason(self) -> str:
        """The code, what was wanted, why it was refused and the value."""
        found = "" if self.value is None else f"; got {self.value}"
        return f"[{self.code}] {self.cause} (wanted {self.wanted}){found}"


@dataclass
class Collected:
    """Failures as they are found, up to `MAX_FAILURES`."""

    failures: list[RowFailure] = field(default_factory=list)
    rows_read: int = 0

    @property
    def full(self) -> bool:
        """Whether there are so many that no more rows are read."""
        return len(self.failures) >= MAX_FAILURES

    def add(self, found: Iterable[RowFailure]) -> None:
        """Take more failures, in the order of rows and fields."""
        self.failures.extend(found)


def shown(value: object, *, sensitive: bool) -> str:
    """A value as a message shows it: one line, shortened; masked if it is sensitive. It never raises."""
    if sensitive or value is MASKED:
        return MASKED
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (a value's own __repr__ may raise anything)
        text = f"<{type(value).__name__}>"
    text = printable(text).replace("\n", "\\n")
    text = text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
    return f"{text} ({type(value).__name__})"


def printable(text: str) -> str:
    """A text that can be written as UTF-8 whatever is in it."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def kind_of(value: object) -> str:
    """A value's type, as sentences name it: `an int`, `a str`."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def key_text(key: object) -> str:
    """A key as messages and logs name it. It never raises."""
    try:
        return printable(str.__str__(key) if isinstance(key, str) else repr(key))
    except Exception:  # noqa: BLE001  (a key's own __repr__ may raise anything)
        return f"<{type(key).__name__}>"


def schema_error(name: str, collected: Collected) -> SchemaError:
    """The one error for all failures of a call.

    Args:
        name: The schema's name.
        collected: What was found; not empty.
    """
    failures = collected.failures[:MAX_FAILURES]
    rows = len({failure.row for failure in failures})
    fields = len({failure.field for failure in failures if failure.field})
    read = f"{rows:,} of {collected.rows_read:,} rows"
    if collected.full:
        read += f" read before it stopped at {MAX_FAILURES:,} failures"
    lines = [f"{name}: {read} cannot be conformed ({len(failures):,} failures in {fields:,} fields)."]
    kinds: Counter[tuple[str, str]] = Counter((failure.field, failure.code) for failure in failures)
    seen: Counter[tuple[str, str]] = Counter()
    for failure in failures:
        kind = (failure.field, failure.code)
        if len(seen) >= SHOWN_KINDS and kind not in seen:
            continue
        seen[kind] += 1
        if seen[kind] <= SHOWN_OF_A_KIND:
            lines.append(f"  {failure}")
        elif seen[kind] == SHOWN_OF_A_KIND + 1:
            lines.append(f"  … and {kinds[kind] - SHOWN_OF_A_KIND:,} more of field {failure.field!r} [{failure.code}]")
    if len(kinds) > len(seen):
        lines.append(f"  … and {len(kinds) - len(seen):,} more kinds of failure")
    error = SchemaError("\n".join(lines))
    error.failures = tuple(failures)
    return error
