"""The table of types in the docs is what the code does."""

from typing import get_args

from scripts.type_table import PAGE, TYPES, page_with, type_table

from dagster_contracts.contract.schema.annotations import PYTHON_TYPES
from dagster_contracts.contract.schema.json_form import JSON_TYPES
from dagster_contracts.contract.type_sql import SPELLINGS
from dagster_contracts.contract.types import SIMPLE


def test_the_page_holds_the_table():
    text = PAGE.read_text()
    assert page_with(type_table(), text) == text


def test_the_table_has_every_type_of_the_vocabulary():
    shown = type_table()
    for name in SIMPLE:
        assert f"`{name}`" in shown
    assert "`Decimal(10,2)`" in shown
    assert set(SIMPLE) | {"Decimal"} == set(SPELLINGS) == set(JSON_TYPES)


def test_the_table_has_every_python_type():
    bare = {annotation for _, annotation in TYPES if not get_args(annotation)}
    covered = {str(PYTHON_TYPES[one]) for one in PYTHON_TYPES} - {"Json"}  # a bare dict stands in the words
    assert {str(PYTHON_TYPES[one]) for one in bare if one in PYTHON_TYPES} >= covered - {"Json"}
