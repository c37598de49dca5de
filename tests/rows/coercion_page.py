"""`docs/coercion.md`, written from the hand-made table and the list of differences: `python -m tests.rows.coercion_page`."""

from pathlib import Path  # noqa: I001

from dagster_contracts.rows.differences import DIFFERENCES, LEAVES
from tests.rows.coercion_table import FIELDS, TABLE, Code

PAGE = Path(__file__).parents[2] / "docs" / "coercion.md"
HEADS = {
    "decimal": "Decimal(6,2)",
    "naive": "datetime, no zone",
    "aware": "datetime, zone",
    "uuid": "UUID",
}
NAMES = {
    "naive_datetime": "datetime (no zone)",
    "aware_datetime": "datetime (zone)",
    "decimal": "Decimal",
    "uuid": "UUID",
    "json": "dict",
    "any": "Any",
}
INTRO = """\
# What becomes of a value

<!-- Written by `python -m tests.rows.coercion_page`; a test holds it to the code. -->

`RECONCILE` repairs a value if nothing of it is lost, with pydantic's lax mode as the reference; otherwise the row is refused with
a reason. `STRICT` takes a value only if its type is the field's own: what the table shows unchanged.

## Reasons

| code | meaning |
| --- | --- |
| `type` | a value of this type is never taken |
| `value` | the type can be read, but not this value |
| `null`, `missing`, `extra_key` | no value, no key, or a key that no field has (the last in `STRICT` alone) |
| `inexact` | something would be cut off: a fraction, a time of day, nanoseconds, an integer's last digits |
| `out_of_range` | the column does not reach so far |
| `digits` | more decimal digits than the column has |
| `not_a_number` | NaN (or an infinity) where there is none |
| `bare_digits` | digits as a moment, without a unit: say `dc.field(epoch="s")`, `"ms"` or `"us"` |
| `calendar` | years or months as a duration: their length is not fixed |
| `timezone` | a zone too many or too few |
| `enum_member` | a member of another Enum |
| `encoding` | no UTF-8 |
| `json` | JSON cannot hold it without loss |
| `constraint`, `validator` | the type is right, but a constraint is broken or a validator refuses |
| `too_deep` | nested too deeply |
| `not_a_row` | no mapping, dataclass or pydantic object |
"""


def shown(value: object) -> str:
    """A value in a cell of the table."""
    if isinstance(value, Code):
        return f"*{value.code}*"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    for long, short in (("datetime.", ""), ("timezone.utc", "UTC"), ("timezone(timedelta(seconds=7200))", "+02:00")):
        text = text.replace(long, short)
    return f"`{text}`".replace("|", "\\|")


def named(kinds: tuple[str, ...]) -> str:
    """The fields that a difference concerns, as the table and the annotations name them."""
    if kinds == LEAVES:
        return "all but lists, records, dict and Any"
    return ", ".join(NAMES.get(kind, kind) for kind in kinds)


def page() -> str:
    """The whole page."""
    lines = [INTRO, "## Where this differs from pydantic", ""]
    lines += [
        "| what | fields | here | pydantic's lax mode | `lax=True` takes pydantic's |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {one.name} | {named(one.kinds)} | {one.ours}{f' (`{one.code}`)' if one.code else ''} | {one.pydantics} "
        f"| {'yes' if one.lax else 'no'} |"
        for one in DIFFERENCES
    ]
    lines += ["", "## The table", "", f"| value | {' | '.join(HEADS.get(name, name) for name in FIELDS)} |"]
    lines.append(f"| --- |{' --- |' * len(FIELDS)}")
    lines += [f"| {shown(line[0])} | {' | '.join(map(shown, line[1:]))} |" for line in TABLE]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
