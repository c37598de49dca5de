"""What a person sees of a SQL model in Dagster's UI, after the flights example has run.

`SCREENSHOTS=docs/images` saves what the tests look at there.
"""

from typing import TYPE_CHECKING

import pytest
from tests.browser.test_ui import open_page, rows, save, sees, text

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_a_models_columns_have_types_and_say_whether_they_can_be_null(page: "Page"):
    open_page(page, "/assets/daily_flights?view=overview", height=1600)
    sees(page, "daily_flights", "Flights of each day and airport, cancelled ones included.", "1,095", "analytics")
    sees(page, "Source code", "contract/content_hash")
    columns = page.get_by_role("table").first
    assert rows(columns) == [
        ["date", "Date non-nullable", ""],
        ["origin", "String non-nullable", "Airport of departure."],
        ["flights", "Int64 non-nullable", "Scheduled flights."],
        ["cancelled", "Int64 non-nullable", "Flights that never left."],
        ["mean_dep_delay", "Float64", "Minutes; none on a day when nothing left."],
    ]
    save(page, "sql-columns.png", text(page, "Columns"), columns)


def test_a_contracts_checks_stand_with_the_text_that_they_are_of(page: "Page"):
    open_page(page, "/assets/daily_flights?view=checks&checkDetail=contract_column_constraints", height=700)
    sees(page, "contract_required_columns", "contract_protected_columns", "Passed", "contract/content_hash")
    sees(page, "The model's columns have the types and the nullability that the contract declares.")
    assert page.get_by_text("Succeeded", exact=True).count() == 3
    save(page, "sql-checks.png", text(page, "Assets"), page.get_by_role("table").last, text(page, "Execute"))


def test_models_stand_downstream_of_the_frames_that_they_read(page: "Page"):
    open_page(page, "/assets/daily_flights?view=lineage&lineageScope=neighbors")
    sees(page, "flights", "daily_flights", "daily_trend", "worst_day_by_airport", "100% filled")
    sees(page, "1 / 1 Passed", "2 / 2 Passed", "3 / 3 Passed")
    kinds = page.get_by_text("DuckDB", exact=True).all()
    assert len(kinds) == 3
    save(page, "sql-lineage.png", text(page, "sources"), text(page, "sql"), *kinds, margin=50)
