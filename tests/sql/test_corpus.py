"""Every broken contract, configuration, source and model is a finding of its own, never a traceback, never silence."""

from pathlib import Path

import pytest
from tests.sql.corpus import CORPUS, write

import dagster_contracts as dc
from dagster_contracts.diagnostics.codes import known_codes
from dagster_contracts.diagnostics.formats import render

CASES = sorted(CORPUS.glob("*.case"))


def test_the_corpus_is_large():
    assert len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_broken_file_is_a_finding_with_its_place(case: Path, tmp_path: Path):
    expected = write(case, tmp_path)
    report = dc.sql.check(tmp_path)
    found = [
        f"{one.code} {one.model} {span.file}:{span.line}:{span.column} {one.message} {one.hint or ''}"
        for one in report.diagnostics
        for span in [one.contract if one.code in {"E006", "E008", "W011"} else one.source or one.contract]
    ]
    assert len(found) == len(expected), found
    for line, wanted in zip(found, expected, strict=True):
        code, model, place, words = wanted.split(" ", 3)
        assert line.startswith(f"{code} {model} {place}"), line
        assert words in line, line


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_is_broken_fails_and_is_printed(case: Path, tmp_path: Path):
    write(case, tmp_path)
    report = dc.sql.check(tmp_path)
    assert report.exit_code("unverified") == 1
    assert {one.code for one in report.diagnostics} <= known_codes().keys()
    text = render(report)
    assert all(one.code in text for one in report.diagnostics)


@pytest.mark.parametrize("case", [case for case in CASES if "good.sql" in case.read_text()], ids=lambda case: case.stem)
def test_what_stands_beside_it_is_still_checked(case: Path, tmp_path: Path):
    write(case, tmp_path)
    assert dc.sql.check(tmp_path, select=["good"]).summary.held >= 1
    assert [model.name for model in dc.sql.check(tmp_path, select=["good"]).models] == ["good"]
