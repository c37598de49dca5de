"""Every output of one report, letter for letter, and against the schema that its readers publish."""

import datetime as dt
import json
import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from dagster_contracts.diagnostics.finding import Diagnostic, Report, Span, Summary, Witness
from dagster_contracts.diagnostics.formats import render

HERE = Path(__file__).parent
NOTHING = Report("0.1.0", Summary(1, 0, 0), (), (), {})


def with_findings(*found: Diagnostic, texts: dict[str, str] | None = None) -> Report:
    return Report("0.1.0", Summary(0, 1, 0), (), found, texts or {})


@pytest.mark.parametrize("form", ["text", "github"])
@pytest.mark.parametrize(
    ("severity", "fail_on", "told"),
    [
        ("warning", "error", True),
        ("warning", "warning", False),
        ("warning", "unverified", False),
        ("error", "error", False),
    ],
)
def test_a_broken_promise_that_is_let_pass_is_told_in_the_last_line(form, severity, fail_on, told):
    report = with_findings(Diagnostic("W010", severity, "it is not there", "delays"))
    last = render(report, form, fail_on=fail_on).splitlines()[-1]
    how = " (by warnings alone, which exit with 0; with 1 by --fail-on warning)" if told else ""
    assert last == f"0 promises held, 1 broken{how}, 0 not verified"
    assert report.exit_code(fail_on) == (0 if told else 1)


class TestText:
    def test_points_into_both_files(self, example):
        assert (
            render(example.REPORT)
            == """\
error[E012]: delays.airline: it can be NULL, and the contract says that it never is
 --> models/delays.sql:3:2
  |
3 |     a.name AS airline
  |     ^^^^^^^^^^^^^^^^^
 ::: contracts/delays.contract.toml:3:1
  |
3 | nullable = false
  | ----------------
  = because: a.name is on the outer side of a LEFT JOIN
  = because: airlines may have no such row
  = hint: coalesce(a.name, '?')
  = rows that prove it:
     flights
       id  day
       1   2013-01-02
     airlines
       (no rows)
     output
       id  airline
       1   NULL

info[I003]: delays.x: its type is not known
  = because: nobody declared raw.x

warning[W011]: a,b:c: 100% sure: no such model
 --> contracts/a b.contract.toml:1:1

3 promises held, 1 broken, 1 not verified
"""
        )

    def test_of_a_clean_report_is_its_last_line(self):
        assert render(NOTHING) == "1 promise held, 0 broken, 0 not verified\n"

    def test_in_colour_says_the_same(self, example):
        coloured = render(example.REPORT, colour=True)
        assert "\x1b[1;31merror[E012]\x1b[0m" in coloured
        import re

        plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert [line.rstrip() for line in plain.splitlines()] == render(example.REPORT).splitlines()

    def test_is_not_obeyed_by_a_terminal(self):
        found = Diagnostic("E011", "error", "a\x1b[2J\x07b", "m\x1b]0;x\x07", source=Span("f\x1b.sql", 1, 1, 1, 3))
        text = render(with_findings(found, texts={"f\x1b.sql": "\x1b[31m \N{RIGHT-TO-LEFT OVERRIDE}x"}))
        assert "\x1b" not in text
        assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text
        assert r"a\x1b[2J\x07b" in text

    @pytest.mark.parametrize(
        ("line", "span", "shown", "under"),
        [
            ("日本 AS x", (4, 6), "日本 AS x", "     ^^"),  # two wide letters and a blank take five columns
            ("\tx\ty", (4, 5), "    x    y", "         ^"),
            ("abc", (2, 2), "abc", " ^"),  # an empty range is still seen
            ("abc", (4, 4), "abc", "   ^"),  # behind the last letter
            ("abc", (2, 99), "abc", " ^^"),  # past the end
            ("cafe\N{COMBINING ACUTE ACCENT} x", (7, 8), "cafe\N{COMBINING ACUTE ACCENT} x", "     ^"),
        ],
    )
    def test_underlines_what_is_seen(self, line, span, shown, under):
        found = Diagnostic("E011", "error", "m", "a", source=Span("f", 1, span[0], 1, span[1]))
        if not line.isprintable() and "\t" not in line:
            pytest.fail("the line must be printable")
        lines = render(with_findings(found, texts={"f": line})).splitlines()
        assert lines[3:5] == [f"1 | {shown}", f"  | {under}"]

    def test_of_a_range_over_lines_shows_the_first(self):
        found = Diagnostic("E011", "error", "m", "a", source=Span("f", 9, 3, 11, 2))
        lines = render(with_findings(found, texts={"f": "\n" * 8 + "  one\n  two\n)\n"})).splitlines()
        assert lines[2:5] == ["  |", "9 |   one", "  |   ^^^ and 2 more lines"]

    def test_of_a_very_long_line_shows_the_part_around_the_range(self):
        line = "a" * 500 + "BROKEN" + "b" * 500
        found = Diagnostic("E011", "error", "m", "a", source=Span("f", 1, 501, 1, 507))
        lines = render(with_findings(found, texts={"f": line})).splitlines()
        start = lines[3].index("BROKEN")
        assert lines[4][start : start + 6] == "^^^^^^"
        assert lines[4].count("^") == 6
        assert len(lines[3]) < 180

    def test_of_a_place_outside_of_its_file_names_it(self):
        found = Diagnostic("E011", "error", "m", "a", source=Span("f", 7, 1, 7, 2))
        assert " --> f:7:1\n\n" in render(with_findings(found, texts={"f": "one line"}))


class TestJson:
    def test_is_the_object_that_the_docs_describe(self, example):
        span = {"column": 1, "line": 3, "end_line": 3}
        assert json.loads(render(example.REPORT, "json")) == {
            "version": "0.1.0",
            "summary": {"held": 3, "broken": 1, "not_verified": 1},
            "models": [
                {
                    "name": "delays",
                    "path": "models/delays.sql",
                    "dialect": "duckdb",
                    "columns": [
                        {"name": "id", "type": "Int64", "nullable": False},
                        {"name": "airline", "type": "String", "nullable": True},
                        {"name": "x", "type": None, "nullable": None},
                    ],
                }
            ],
            "diagnostics": [
                {
                    "code": "E012",
                    "severity": "error",
                    "model": "delays",
                    "column": "airline",
                    "message": "it can be NULL, and the contract says that it never is",
                    "hint": "coalesce(a.name, '?')",
                    "reasons": ["a.name is on the outer side of a LEFT JOIN", "airlines may have no such row"],
                    "witness": {
                        "inputs": {"flights": [{"id": 1, "day": "2013-01-02"}], "airlines": []},
                        "output": {"id": 1, "airline": None},
                    },
                    "contract": {"file": "contracts/delays.contract.toml", **span, "end_column": 17},
                    "source": {"file": "models/delays.sql", **span, "column": 2, "end_column": 19},
                },
                {
                    "code": "I003",
                    "severity": "info",
                    "model": "delays",
                    "column": "x",
                    "message": "its type is not known",
                    "hint": None,
                    "reasons": ["nobody declared raw.x"],
                    "witness": None,
                    "contract": None,
                    "source": None,
                },
                {
                    "code": "W011",
                    "severity": "warning",
                    "model": "a,b:c",
                    "column": None,
                    "message": "100% sure:\nno such model",
                    "hint": None,
                    "reasons": [],
                    "witness": None,
                    "contract": {
                        "file": "contracts/a b.contract.toml",
                        "line": 1,
                        "column": 1,
                        "end_line": 2,
                        "end_column": 3,
                    },
                    "source": None,
                },
            ],
        }

    def test_has_every_value_that_a_row_may_have(self):
        row = {
            "nan": math.nan,
            "inf": -math.inf,
            "decimal": Decimal("1.50"),
            "bytes": b"\x00\xff",
            "time": dt.datetime(2020, 1, 2, 3, 4, tzinfo=dt.UTC),
            "nested": {"a": [1, None, (math.nan,)]},
            "flag": True,
        }
        found = Diagnostic("E012", "error", "m", "a", witness=Witness({}, row))
        output = json.loads(render(with_findings(found), "json"))["diagnostics"][0]["witness"]["output"]
        assert output == {
            "nan": "nan",
            "inf": "-inf",
            "decimal": "1.50",
            "bytes": "00ff",
            "time": "2020-01-02 03:04:00+00:00",
            "nested": {"a": [1, None, ["nan"]]},
            "flag": True,
        }


class TestSarif:
    def validated(self, report: Report) -> dict:
        """A report as SARIF that the published schema accepts (MIT, from Microsoft's SARIF SDK 5.7.0)."""
        log = json.loads(render(report, "sarif"))
        schema = json.loads((HERE / "sarif-2.1.0.json").read_text("utf-8-sig"))
        jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
        return log

    def test_keeps_the_published_schema(self, example):
        (run,) = self.validated(example.REPORT)["runs"]
        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["E012", "I003", "W011"]
        assert [(found["ruleId"], found["ruleIndex"], found["level"]) for found in run["results"]] == [
            ("E012", 0, "error"),
            ("I003", 1, "note"),
            ("W011", 2, "warning"),
        ]
        assert run["results"][0]["locations"] == [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "models/delays.sql", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 3, "startColumn": 2, "endLine": 3, "endColumn": 19},
                },
                "logicalLocations": [{"fullyQualifiedName": "delays.airline"}],
            }
        ]
        related = run["results"][0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert related == "contracts/delays.contract.toml"
        place = run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place["uri"] == "contracts/a%20b.contract.toml"
        assert run["properties"] == {"held": 3, "broken": 1, "notVerified": 1}

    def test_of_a_clean_report_and_of_a_code_without_a_page_keeps_it_too(self):
        assert self.validated(NOTHING)["runs"][0]["results"] == []
        odd = Diagnostic("E999", "error", "m", "a", source=Span("/abs/ü.sql", 1, 1, 1, 1))
        place = self.validated(with_findings(odd))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "file:///abs/%C3%BC.sql"}

    def test_the_schema_can_refuse(self, example):
        with pytest.raises(jsonschema.ValidationError):
            self.validated(with_findings(replace(example.BROKEN, source=Span("f", 0, 1, 1, 1))))

    def test_fingerprints_tell_findings_apart_and_stay(self, example):
        def marks(report: Report) -> list[str]:
            return [
                found["partialFingerprints"]["promise/v1"] for found in self.validated(report)["runs"][0]["results"]
            ]

        moved = replace(example.BROKEN, source=Span("models/delays.sql", 9, 1, 9, 2))
        assert len(set(marks(example.REPORT))) == 3
        assert marks(with_findings(moved)) == marks(example.REPORT)[:1]


class TestGitHub:
    def test_is_one_command_a_finding_with_everything_escaped(self, example):
        assert render(example.REPORT, "github").splitlines() == [
            (
                "::error file=models/delays.sql,line=3,endLine=3,col=2,endColumn=19,title=E012 delays.airline::"
                "it can be NULL, and the contract says that it never is"
                "%0Abecause: a.name is on the outer side of a LEFT JOIN%0Abecause: airlines may have no such row"
                "%0Ahint: coalesce(a.name, '?')"
            ),
            "::notice title=I003 delays.x::its type is not known%0Abecause: nobody declared raw.x",
            (
                "::warning file=contracts/a b.contract.toml,line=1,endLine=2,title=W011 a%2Cb%3Ac::"
                "100%25 sure:%0Ano such model"
            ),
            "3 promises held, 1 broken, 1 not verified",
        ]

    def test_a_message_cannot_begin_a_command_of_its_own(self):
        found = Diagnostic("E011", "error", "x\r\n::set-env name=PATH::/evil", "a\n::b")
        lines = render(with_findings(found), "github").splitlines()
        assert [line.startswith("::") for line in lines] == [True, False]


class TestJUnit:
    def test_fails_what_is_broken_and_skips_what_is_not_verified(self, example):
        assert (
            render(example.REPORT, "junit")
            == """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="dagster-contracts">
  <testsuite name="held" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="held" name="3 promises held" />
  </testsuite>
  <testsuite name="a,b:c" tests="1" failures="0" errors="0" skipped="1">
    <testcase classname="a,b:c" name="W011">
      <skipped>100% sure:
no such model</skipped>
      <system-out>100% sure:
no such model
contracts/a b.contract.toml:1:1</system-out>
    </testcase>
  </testsuite>
  <testsuite name="delays" tests="2" failures="1" errors="0" skipped="1">
    <testcase classname="delays" name="E012 airline">
      <failure type="E012" message="it can be NULL, and the contract says that it never is">models/delays.sql:3:2
because: a.name is on the outer side of a LEFT JOIN
because: airlines may have no such row
hint: coalesce(a.name, '?')</failure>
    </testcase>
    <testcase classname="delays" name="I003 x">
      <skipped>its type is not known</skipped>
      <system-out>its type is not known
because: nobody declared raw.x</system-out>
    </testcase>
  </testsuite>
</testsuites>
"""
        )

    @pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 2), ("unverified", 3)])
    def test_fails_what_the_exit_code_counts(self, example, fail_on, failures):
        root = ET.fromstring(render(example.REPORT, "junit", fail_on=fail_on))
        assert len(root.findall(".//failure")) == failures
        assert len(root.findall(".//skipped")) == 3 - failures

    def test_is_xml_whatever_a_message_holds(self):
        found = Diagnostic("E011", "error", "\x00\x1b<&>\ud800", 'a"<', column="]]>", reasons=("\uffff",))
        root = ET.fromstring(render(with_findings(found), "junit"))
        (case,) = root.findall(".//testcase")
        assert (case.get("classname"), case.get("name")) == ('a"<', "E011 ]]>")
        assert case.find("failure").get("message") == "\ufffd\ufffd<&>\ufffd"

    def test_keeps_the_schema_of_jenkins(self, example):
        """Runs where xmlschema is installed: `uv run --with xmlschema`. The schema is Thales's, MIT."""
        xmlschema = pytest.importorskip("xmlschema")
        schema = xmlschema.XMLSchema(HERE / "jenkins-junit.xsd")
        for report in (example.REPORT, NOTHING):
            schema.validate(render(report, "junit"))


@pytest.mark.parametrize(
    ("kept", "codes"),
    [
        ((), {"error": 0, "warning": 0, "unverified": 0}),
        (("I003",), {"error": 0, "warning": 0, "unverified": 1}),
        (("I003", "W011"), {"error": 0, "warning": 1, "unverified": 1}),
        (("E012",), {"error": 1, "warning": 1, "unverified": 1}),
    ],
)
def test_the_exit_code_is_decided_by_the_worst_finding(example, kept, codes):
    found = tuple(one for one in example.REPORT.diagnostics if one.code in kept)
    report = Report("0.1.0", Summary(1, 0, 0), (), found, {})
    assert {fail_on: report.exit_code(fail_on) for fail_on in codes} == codes


def test_a_promise_that_was_not_verified_counts_without_a_finding():
    report = Report("0.1.0", Summary(1, 0, 1), (), (), {})
    assert (report.exit_code(), report.exit_code("unverified")) == (0, 1)
