"""The floors of the house: who may import whom."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "dagster_contracts"
FLOORS = [{"errors"}, {"contract", "diagnostics"}, {"rows", "frames", "sql"}, {"orchestration", "testing"}, {"cli"}]
PRIVATE = {
    "dataframely": {"contract/dataframely.py"},
    "dagster": {"orchestration/internals.py"},
}


def imports(path: Path) -> list[str]:
    """Every module that a file imports, wherever in it, type-checking blocks included."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def files() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    assert len(found) > 20
    return found


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_the_floors_below_and_its_own(path: Path):
    if path.name == "__init__.py" and path.parent == PACKAGE:
        pytest.skip("the front door names every public room, lazily")
    own = room(path)
    floor = next(index for index, rooms in enumerate(FLOORS) if own in rooms)
    allowed = {own}.union(*FLOORS[:floor]) | ({"orchestration"} if own == "testing" else set())
    for module in imports(path):
        parts = module.split(".")
        if parts[0] == "dagster_contracts" and len(parts) > 1:
            assert parts[1] in allowed, f"{path} imports {module}"


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_below_orchestration_imports_dagster(path: Path):
    if room(path) in {"errors", "contract", "diagnostics", "rows", "frames", "sql"}:
        assert not [module for module in imports(path) if module.split(".")[0] == "dagster"]


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_private_parts_of_an_upstream_are_imported_in_one_module(path: Path):
    where = str(path.relative_to(PACKAGE))
    for module in imports(path):
        parts = module.split(".")
        if parts[0] in PRIVATE and any(part.startswith("_") for part in parts[1:]):
            assert where in PRIVATE[parts[0]], f"{where} imports {module}"


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_at_most_300_lines(path: Path):
    assert len(path.read_text().splitlines()) <= 300


def loaded_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_the_package_imports_no_heavy_library():
    heavy = {"dagster", "duckdb", "sqlglot", "polars", "dataframely", "pydantic", "numpy", "pandas", "pyarrow"}
    assert not loaded_by("import dagster_contracts") & heavy


def test_the_errors_need_no_dagster():
    assert "dagster" not in loaded_by("import dagster_contracts as dc; dc.errors.ContractsError")


def test_splitting_a_frame_needs_no_dagster():
    code = """
import dataframely as dy, polars as pl
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.frames.split import split
class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
assert split(read_contract(Orders), pl.DataFrame({"id": [1, 2, 2]})).invalid_count == 2
"""
    assert "dagster" not in loaded_by(code)
