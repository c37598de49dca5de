"""Each code has a page, and the page says what the code is."""

import re

import pytest

from dagster_contracts.diagnostics.codes import explain, known_codes
from dagster_contracts.errors import InvalidSettingError

CONTRACT_CODES = {
    "E010": "error",
    "E011": "error",
    "E012": "error",
    "E013": "error",
    "E014": "error",
    "E059": "error",
    "W010": "warning",
    "W011": "warning",
    "I003": "info",
}


def test_the_codes_of_contracts_are_these():
    assert {code: known_codes()[code].severity for code in CONTRACT_CODES} == CONTRACT_CODES


def test_errors_come_first_and_each_kind_by_number():
    codes = list(known_codes())
    assert codes == sorted(codes, key=lambda code: ("EWI".index(code[0]), code))


@pytest.mark.parametrize("code", known_codes())
def test_a_page_says_what_the_code_is_and_what_to_do(code: str):
    page = explain(code)
    assert re.match(rf"# {code}: \S.*[^.]\n\n", page)
    assert "**What to do" in page


def test_codes_are_found_in_any_case():
    assert explain(" e012 ").startswith("# E012: ")


def test_an_unknown_code_is_answered_with_the_nearest():
    with pytest.raises(InvalidSettingError, match=r"There is no code 'E12'\. Did you mean E012\? Known: E0"):
        explain("E12")
