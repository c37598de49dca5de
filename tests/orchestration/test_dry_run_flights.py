"""Changes to a copy of the example, each found before anything runs: what code, which column, which line."""

import importlib
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report

EXAMPLE = Path(__file__).parents[2] / "examples" / "flights" / "src" / "flights"
REPORTS, CONTRACTS = "defs/reports.py", "contracts.py"
JOINED = "return named.with_columns"


@dataclass(frozen=True)
class Change:
    """An edit of the example, and what is found of it: code, asset and column, where, and words of the finding."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    found: tuple[tuple[str, str], ...]
    line: str
    says: str


def change(name: str, file: str, old: str, new: str, *found: str, line: str, says: str, more: tuple = ()) -> Change:
    pairs = tuple((code, where) for code, where in (one.split(" ") for one in found))
    return Change(name, ((file, old, new), *more), pairs, line, says)


SUMMARY = "return pl.concat([_summary(month)"
CHANGES = [
    change(
        "a column is renamed upstream",
        *(CONTRACTS, "    arr_delay = dy.Int16(", "    arrival_delay = dy.Int16("),
        *("E030 monthly_summary",),
        line=SUMMARY,
        says='it raised ColumnNotFoundError: unable to find column "arr_delay"',
    ),
    change(
        "a column gets another dtype upstream",
        *(CONTRACTS, 'month = dy.Int8(primary_key=True, min=1, max=12, description="Month of the', 'month = dy.Int16(primary_key=True, min=1, max=12, description="Month of the'),
        *("E011 delays_by_carrier.month", "E011 monthly_summary.month"),
        line=JOINED,
        says="it is Int16, and the contract says Int8",
    ),
    change(
        "a contract asks for another dtype",
        *(CONTRACTS, "late_share = dy.Float64(", "late_share = dy.Float32("),
        *("E011 delays_by_carrier.late_share",),
        line=JOINED,
        says="it is Float64, and the contract says Float32",
    ),
    change(
        "a cast is dropped",
        *(REPORTS, '(pl.col("dep_delay") > LATE).mean()', '(pl.col("dep_delay") > LATE).sum()'),
        *("E011 delays_by_carrier.late_share",),
        line=JOINED,
        says="it is UInt32, and the contract says Float64",
    ),
    change(
        "a left join is not coalesced",
        *(REPORTS, '.with_columns(pl.col("airline").fill_null(pl.col("carrier")))', ""),
        *("E012 delays_by_carrier.airline",),
        line="return named",
        says="it can be null, and the contract says that it never is",
    ),
    change(
        "a column may be null upstream",
        *(CONTRACTS, 'name: str = dc.field(min_length=1, description="Full name.")', "name: str | None = None"),
        *("E012 delays_by_carrier.airline",),
        line="return named",
        says="it can be null",
        more=(
            (REPORTS, 'how="left").sort("carrier")', 'how="inner").sort("carrier")'),
            (REPORTS, '.with_columns(pl.col("airline").fill_null(pl.col("carrier")))', ""),
        ),
    ),
    change(
        "a column is misspelt",
        *(REPORTS, '.is_null().sum().alias("cancelled")', '.is_null().sum().alias("canceled")'),
        *("E010 delays_by_carrier.cancelled", "E010 monthly_summary.cancelled"),
        line=JOINED,
        says="it is not returned; the contract says UInt32",
    ),
    change(
        "a key is no longer grouped by",
        *(REPORTS, 'group_by("year", "month", "carrier")', 'group_by("month", "carrier")'),
        *("E010 delays_by_carrier.year",),
        line=JOINED,
        says="it is not returned; the contract says Int16",
    ),
    change(
        "a column is not renamed",
        *(REPORTS, 'airlines.rename({"name": "airline"})', "airlines"),
        *("E030 delays_by_carrier",),
        line=JOINED,
        says='it raised ColumnNotFoundError: unable to find column "airline"',
    ),
    change(
        "a join by a column that one side lacks",
        *(REPORTS, 'on="carrier", how="left")', 'on="tailnum", how="left")'),
        *("E030 delays_by_carrier",),
        line=JOINED,
        says="it raised ColumnNotFoundError: ",
    ),
    change(
        "a mean becomes a whole number",
        *(REPORTS, 'pl.col("arr_delay").mean()', 'pl.col("arr_delay").max()'),
        *("E011 monthly_summary.mean_arr_delay",),
        line=SUMMARY,
        says="it is Int16, and the contract says Float64",
    ),
    change(
        "an undeclared column is returned where that is refused",
        *(REPORTS, 'check_granularity="schema", partitions_def=MONTHS', 'on_extra_columns="raise", partitions_def=MONTHS'),
        *("E031 delays_by_carrier.more",),
        line="return named.with_columns",
        says="it is returned as Int32, and the contract does not declare it",
        more=((REPORTS, '.fill_null(pl.col("carrier"))', '.fill_null(pl.col("carrier")), more=pl.lit(1)'),),
    ),
]  # fmt: skip


def checked(
    folder: Path, name: str, edits: tuple[tuple[str, str, str], ...], monkeypatch: pytest.MonkeyPatch
) -> Report:
    """A copy of the example, edited and checked; its data is not there, so nothing of it can run."""
    copy = folder / name
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in edits:
        text = (copy / file).read_text()
        assert text.count(old) == 1, f"{file} has no single {old!r}"
        (copy / file).write_text(text.replace(old, new))
    (copy / "source.py").write_text("")
    for file in copy.rglob("*.py"):
        own = re.sub(r"\b(from|import) flights\b", rf"\1 {name}", file.read_text())
        file.write_text(own)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(folder)
    try:
        modules = [importlib.import_module(f"{name}.defs.{module}") for module in ("sources", "reports")]
        return dc.check_definitions(dg.Definitions(assets=dg.load_assets_from_modules(modules, include_specs=True)))
    finally:
        for module in [one for one in sys.modules if one.split(".")[0] == name]:
            del sys.modules[module]


def test_the_example_as_it_is_breaks_no_promise(tmp_path, monkeypatch):
    report = checked(tmp_path, "flights_as_is", (), monkeypatch)
    assert [one for one in report.diagnostics if one.severity == "error"] == []
    assert report.exit_code() == 0
    assert {one.name for one in report.models} == {
        *("airlines", "airports", "planes", "weather", "flights"),
        *("delays_by_carrier", "monthly_summary", "duplicate_flights_report"),
    }
    # 8 and 5 columns; 6 and 5 without nulls, 2 of which are not known: the first month and the mean delay of no rows.
    assert report.summary.held == 22


@pytest.mark.parametrize("case", CHANGES, ids=[case.name for case in CHANGES])
def test_a_change_is_found_before_anything_runs(case: Change, tmp_path, monkeypatch):
    name = f"flights_{CHANGES.index(case)}"
    report = checked(tmp_path, name, case.edits, monkeypatch)
    errors = [one for one in report.diagnostics if one.severity == "error"]
    found = tuple((one.code, f"{one.model}.{one.column}" if one.column else one.model) for one in errors)
    assert found == case.found
    assert report.exit_code() == 1
    first = errors[0]
    assert first.source.file == f"{name}/{REPORTS}"
    assert case.line in report.texts[first.source.file].splitlines()[first.source.line - 1]
    assert case.says in first.message
    if first.contract is not None:
        assert first.contract.file == f"{name}/{CONTRACTS}"
        promise = report.texts[first.contract.file].splitlines()[first.contract.line - 1]
        assert promise.lstrip().startswith((f"{first.column} = dy.", "class DelaysByCarrier("))
