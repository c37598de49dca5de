"""The README and the docs do what they say: every Python block runs, and what is written twice agrees."""

import os
import re
from pathlib import Path

import pytest

from dagster_contracts import errors
from dagster_contracts.diagnostics.codes import known_codes
from dagster_contracts.orchestration.outcome import CONSEQUENCES, Consequence, Outcome
from dagster_contracts.orchestration.settings import ENV_PREFIX, Settings

ROOT = Path(__file__).parent.parent
# The page of codes shows fragments of models and functions that break a contract.
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name != "codes.md")]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = page.read_text()
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(ENV_PREFIX):
            monkeypatch.delenv(name)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    namespace = {"__name__": f"docs_{page.stem}"}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block.group(1), str(page), "exec"), namespace)


def test_the_readme_is_short_enough_to_be_read():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 250


def rows(page: str, first_header: str) -> list[list[str]]:
    """The body of the table whose first column has this header."""
    lines = (ROOT / page).read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first_header} |"))
    body = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        body.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return body


def described(outcome: Outcome, consequence: Consequence) -> list[str]:
    """An outcome as the docs word it."""
    has_quarantine = outcome is not Outcome.ABORTED
    table = {None: "not written", "every row": "written"}.get(consequence.table, consequence.table)
    quarantine = (consequence.quarantine or "not written") if has_quarantine else "–"
    checks = f"fail at {consequence.failing_checks}" if consequence.failing_checks else "every check passes"
    if outcome is Outcome.COLUMNS_BROKEN:
        checks = "column-schema check fails, blocking; no rule reports"
    run = f"fails, `{consequence.error.__name__}`" if consequence.error else "succeeds"
    return [outcome.value, table, quarantine, checks, run]


def test_the_outcome_table_is_what_the_code_decides():
    assert rows("docs/outcomes.md", "returned") == [described(*entry) for entry in CONSEQUENCES.items()]
    assert set(CONSEQUENCES) == set(Outcome)


def test_the_error_table_names_every_error():
    named = {name for row in rows("docs/errors.md", "error") for name in re.findall(r"\w+Error", row[0])}
    known = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert named == known - {"ContractsError"}


def test_the_settings_table_has_every_setting_with_its_default():
    table = {row[0].strip("`"): row[1:3] for row in rows("docs/settings.md", "argument")}
    defaults = {
        name: str(getattr(value, "value", value)).lower()
        for name, value in vars(Settings()).items()
        if value is not None
    }
    assert {name: default.strip("`") for name, (_, default) in table.items() if name in defaults} == defaults
    assert set(table) == {*vars(Settings()), "–"}
    for name, (variable, _) in table.items():
        assert variable.strip("`") == ENV_PREFIX + ("QUARANTINE_DIR" if name == "–" else name.upper())


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_page_of_codes_is_what_explain_prints():
    """Each code's page, one level down; written by `scripts/code_pages.py`."""
    text = (ROOT / "docs" / "codes.md").read_text()
    for code in known_codes().values():
        assert "#" + code.page.rstrip() in text, f"run scripts/code_pages.py: {code.code} differs"
    assert re.findall(r"^## (\w+):", text, re.MULTILINE) == list(known_codes())
