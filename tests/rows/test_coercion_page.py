"""The page on coercion says what the code does."""

from tests.rows.coercion_page import INTRO, PAGE, page

from dagster_contracts.rows.failure import Code


def test_the_page_is_what_the_table_and_the_differences_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.rows.coercion_page"


def test_the_page_explains_every_reason():
    assert [code for code in Code.__args__ if f"`{code}`" not in INTRO] == []
