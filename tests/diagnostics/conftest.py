"""The example report."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def example() -> ModuleType:
    """The module `reports.py` beside this file."""
    spec = importlib.util.spec_from_file_location("diagnostics_reports", Path(__file__).with_name("reports.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
