"""What a person sees of a contract in Dagster's UI, after the flights example has run.

`SCREENSHOTS=docs/images` saves what the tests look at there: the docs' pictures are made by it.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Locator, Page

pytestmark = pytest.mark.browser


def open_page(page: "Page", path: str, *, width: int = 1440, height: int = 900) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(path, wait_until="domcontentloaded")


def text(page: "Page", literal: str) -> "Locator":
    """The first visible element that reads exactly so."""
    return page.get_by_text(literal, exact=True).filter(visible=True).first


def sees(page: "Page", *literals: str) -> None:
    for literal in literals:
        text(page, literal).wait_for()


def rows(table: "Locator") -> list[list[str]]:
    """A table's body, cell by cell."""
    return [
        [" ".join(cell.split()) for cell in row.locator("td").all_inner_texts()]
        for row in table.locator("tbody > tr").all()
    ]


def save(page: "Page", name: str, *seen: "Locator", margin: int = 16) -> None:
    """A picture of the rectangle around what was seen."""
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        page.mouse.move(0, 0)
        page.wait_for_timeout(1_000)  # colours and icons come after their texts
        clip = around(*seen, margin=margin)
        page.screenshot(path=Path(folder) / name, clip=clip, animations="disabled", scale="css")


def around(*seen: "Locator", margin: int) -> "FloatRect":
    """The least rectangle that holds all of them, with a margin."""
    boxes = [box for locator in seen if (box := locator.bounding_box())]
    left, top = (max(0, min(box[side] for box in boxes) - margin) for side in ("x", "y"))
    right = max(box["x"] + box["width"] for box in boxes) + margin
    bottom = max(box["y"] + box["height"] for box in boxes) + margin
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def test_the_project_loads_without_an_error(page: "Page"):
    open_page(page, "/deployment/locations")
    sees(page, "flights", "Loaded", "1 code location")
    assert not page.get_by_text("Failed", exact=True).count()


def test_columns_keep_their_constraints_after_runs(page: "Page"):
    open_page(page, "/assets/flights?view=overview", height=1560)
    sees(page, "flights", "2013-12-01", "Columns")
    columns = page.get_by_role("table").first
    shown = {row[0]: row[1:] for row in rows(columns)}
    assert list(shown)[:4] == ["year", "month", "day", "dep_time"]
    assert shown["month"] == ["Int8 non-nullable >= 1 <= 12", "Month of the scheduled departure."]
    assert shown["dep_time"] == ["Time aligned to 1m", "Departure; none if the flight was cancelled."]
    assert shown["origin"] == ["String non-nullable matches ^(EWR|JFK|LGA)$", "Airport of departure."]
    key = page.get_by_text("primary key (year, month, d").first
    save(page, "columns-tab.png", text(page, "Columns"), columns)
    key.hover()
    sees(page, "primary key (year, month, day, carrier, flight)")


def test_a_failed_check_shows_the_rows_that_broke_it(page: "Page"):
    open_page(page, "/assets/airports?view=checks&checkDetail=dy_rule__in_american_longitudes")
    sees(page, "West of the Atlantic, or on the last of the Aleutian islands, beyond the 180th meridian.")
    sees(page, "dy_checked_count", "1458", "dy_failed_count", "3", "dy_failed_sample", "Execution history")
    failed = page.locator("[data-tooltip=Failed]")
    assert failed.locator("xpath=..").get_by_role("img").get_attribute("aria-label") == "warning_outline"
    sample = page.get_by_role("table").filter(has_text="Show schema").get_by_role("table").first
    assert [(row[0], row[1]) for row in rows(sample)] == [("DVT", "112.457"), ("EEN", "42.898333"), ("MYF", "117.759")]
    save(page, "failed-check.png", text(page, "Assets"), page.get_by_role("table").first, margin=24)


def test_a_materialization_tells_what_is_in_the_table_and_what_is_not(page: "Page"):
    open_page(page, "/assets/airports?view=events", width=1840, height=1400)
    sees(page, "dagster/row_count", "1455", "dataframely/invalid_count", "3")
    sees(page, "dataframely/valid_stats/numeric", "mean", "p50", "dataframely/valid_stats/string", "n_unique")
    sees(page, "dataframely/quarantine_address", "dataframely/invalid_by_rules", "in_american_longitudes, tz|max")
    statistics = page.get_by_role("table").filter(has_text="p50").last
    by_rules = page.get_by_role("table").filter(has_text="in_american_longitudes, tz|max").last
    save(page, "materialization.png", text(page, "Metadata"), statistics, by_rules)


def test_a_partition_counts_its_own_rows(page: "Page"):
    open_page(page, "/assets/flights?view=partitions&partition=2013-09-01")
    sees(page, "dagster/partition_row_count", "27568", "dataframely/invalid_count", "6")


def test_the_quarantine_stands_in_the_lineage(page: "Page"):
    open_page(page, "/assets/flights?view=lineage&lineageScope=downstream&lineageDepth=2")
    sees(page, "flights", "flights_quarantine", "busiest_days", "delays_by_carrier", "monthly_summary", "routes")
    report = page.get_by_text(re.compile("^duplicate_.*_report$")).filter(visible=True).first
    names = (text(page, name) for name in ("flights_quarantine", "sources", "busiest_days"))
    save(page, "lineage.png", *names, report, margin=100)
