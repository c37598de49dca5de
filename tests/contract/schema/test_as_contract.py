"""A typed class is a contract like any other: checks, quarantine and catalog of a real run."""

import datetime as dt
from pathlib import Path
from uuid import UUID

import dagster as dg
import polars as pl
import pytest
from pydantic import Field

import dagster_contracts as dc
from dagster_contracts.contract.reading import read_contract

pytestmark = pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning")


class AdsStats(dc.Schema):
    """One row a day and ad."""

    date: dt.date = dc.field(primary_key=True)
    ad_id: str = dc.field(primary_key=True, min_length=2)
    impressions: int = Field(ge=0)
    clicks: int
    spend: float = Field(description="Spend in account currency", ge=0)
    account: UUID | None = dc.field(default=None, sensitive=True)
    labels: list[str] | None = None

    @dc.rule
    def clicks_need_impressions(cls) -> pl.Expr:
        """Nobody clicks what nobody saw."""
        return pl.col("clicks") <= pl.col("impressions")

    @dc.rule(group_by="date")
    def three_ads_a_day(cls) -> pl.Expr:
        return pl.len() <= 3


DAY = dt.date(2024, 1, 1)
FRAME = pl.DataFrame(
    {
        "date": [DAY, DAY, DAY, dt.date(2024, 1, 2)],
        "ad_id": ["aa", "bb", "c", "dd"],
        "impressions": [10, 10, 10, -1],
        "clicks": [1, 20, 1, -5],
        "spend": [0.5, 0.5, 0.5, float("nan")],
        "account": ["6f9619ff-8b86-d011-b42d-00c04fc964ff", None, None, "no uuid"],
        "labels": [["x"], [], None, None],
    },
    schema=AdsStats.polars_schema(),
)
BROKEN = {
    "ad_id|check__min_length": 1,
    "impressions|min": 1,
    "clicks_need_impressions": 1,
    "spend|nan": 1,
    "account|check__uuid": 1,
}


def test_a_frame_is_validated_like_under_the_dataframely_schema():
    ours, theirs = dc.validate(AdsStats, FRAME), dc.validate(AdsStats.to_dataframely(), FRAME)
    assert {name: count for name, count in ours.rule_counts.items() if count} == BROKEN
    assert ours.rule_counts == theirs.rule_counts
    assert ours.valid.rows() == theirs.valid.rows() == FRAME.head(1).rows()


def test_a_run_checks_quarantines_and_describes_a_typed_class(tmp_path: Path):
    @dc.asset(AdsStats, quarantine=True)
    def ads_stats() -> pl.DataFrame:
        return FRAME.with_columns(account=pl.col("account").replace("no uuid", None))

    with dg.DagsterInstance.ephemeral() as instance:
        run = dg.materialize(
            [ads_stats], instance=instance, resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))}
        )
        assert run.success
        failed = {check.check_name for check in run.get_asset_check_evaluations() if not check.passed}
        assert failed == {
            "dy_rule__ad_id__check__min_length",
            "dy_rule__impressions__min",
            "dy_rule__clicks_need_impressions",
            "dy_rule__spend__nan",
        }
        materialization = run.asset_materializations_for_node("ads_stats")[0]
    assert pl.read_parquet(tmp_path / "ads_stats.parquet").rows() == FRAME.head(1).rows()
    quarantine = pl.read_parquet(next(tmp_path.rglob("*quarantine*.parquet")))
    assert quarantine["ad_id"].to_list() == ["bb", "c", "dd"]
    table = materialization.metadata["dagster/column_schema"].value
    columns = {column.name: column for column in table.columns}
    assert columns["spend"].description == "Spend in account currency"
    assert columns["ad_id"].constraints.other == ["length >= 2 characters"]
    assert columns["impressions"].constraints.nullable is False


def test_the_catalog_knows_the_columns_before_any_run():
    @dc.asset(AdsStats)
    def ads_stats() -> pl.DataFrame:
        return FRAME

    metadata = ads_stats.specs_by_key[dg.AssetKey("ads_stats")].metadata
    assert [column.name for column in metadata["dagster/column_schema"].columns] == list(AdsStats.polars_schema())


def test_the_rules_are_reported_as_checks_of_the_asset():
    names = {rule.name: (rule.check_name, rule.description) for rule in read_contract(AdsStats).rules}
    assert names["clicks_need_impressions"] == ("dy_rule__clicks_need_impressions", "Nobody clicks what nobody saw.")
    assert names["ad_id|check__min_length"] == (
        "dy_rule__ad_id__check__min_length",
        "`ad_id` has length >= 2 characters",
    )
    contract = read_contract(AdsStats)
    assert (contract.name, contract.description) == ("AdsStats", "One row a day and ad.")
    assert contract.primary_key == ["date", "ad_id"]
    assert contract.sensitive_columns == {"account"}
    assert read_contract(AdsStats) is contract


def test_a_rule_can_name_its_columns_by_the_class():
    class Table(dc.Schema):
        low: int
        high: int

        @dc.rule()
        def ordered(cls) -> pl.Expr:
            return cls.low.col <= cls.high.col

    assert dc.validate(Table, pl.DataFrame({"low": [1, 5], "high": [2, 3]})).rule_counts["ordered"] == 1


def test_the_same_class_in_two_processes_has_one_fingerprint():
    import subprocess
    import sys

    program = """
import dagster_contracts as dc
from typing import Any, Literal
from uuid import UUID
from pydantic import Field
from dagster_contracts.contract.reading import read_contract
class T(dc.Schema):
    id: UUID
    name: str = Field(min_length=2)
    state: Literal["a", "b"]
    extra: dict[str, Any]
print(read_contract(T).fingerprint)
"""
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout != ""
