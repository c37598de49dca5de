"""One contract against one output: which findings, in which order, and how each promise ends."""

from functools import partial

import duckdb
import pytest

from dagster_contracts.contract.toml import parse_contract
from dagster_contracts.contract.types import Type
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.sql.contract_check import Checked, check_contract, count_promises
from dagster_contracts.sql.contract_findings import Contracted
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.relation import Column, Relation

HELD, BROKEN, UNVERIFIED = Verdict.HELD, Verdict.BROKEN, Verdict.NOT_VERIFIED


def output(*columns: tuple[str, str | None, bool | None]) -> Relation:
    """A relation of names, types and nullability."""
    made = [
        Column(name, None if of is None else read_type(of, "duckdb"), nullable, (f"why {name}",), (f"type of {name}",))
        for name, of, nullable in columns
    ]
    return Relation("orders", tuple(made))


def check(text: str, found: Relation, dialect: str = "duckdb", **more) -> Checked:
    promises, problems = parse_contract(text, partial(read_type, dialect=dialect))
    assert problems == ()
    checked = check_contract(Contracted("orders", dialect, "orders.contract.toml", promises, found, **more))
    assert len(checked.verdicts) == count_promises(promises)
    return checked


def codes(checked: Checked) -> list[tuple[str, str | None]]:
    return [(one.code, one.column) for one in checked.findings]


def test_findings_come_in_the_order_of_the_rules_and_of_the_file():
    text = """
[rules]
protected = ["gone", "id"]
required = ["z", "id", "a"]
no_new_nullable = true
[[columns]]
name = "extra"
[[columns]]
name = "id"
type = "Int32"
nullable = false
[[columns]]
name = "a"
type = "Int64"
[[columns]]
name = "code"
type = "String"
nullable = false
"""
    found = output(("id", "Int64", True), ("code", None, None), ("new", "Date", True), ("newer", "Date", None))
    checked = check(text, found)
    assert codes(checked) == [
        ("E010", "z"),
        ("E010", "a"),
        ("W010", "extra"),
        ("E011", "id"),
        ("E012", "id"),
        ("I003", "code"),
        ("I003", "code"),
        ("E013", "gone"),
        ("E014", "new"),
        ("I003", "newer"),
    ]
    assert checked.verdicts == (
        *(BROKEN, HELD, BROKEN),  # required
        BROKEN,  # extra
        *(BROKEN, BROKEN),  # id
        BROKEN,  # a, which is not there
        *(UNVERIFIED, UNVERIFIED),  # code
        *(BROKEN, HELD),  # protected
        BROKEN,  # no_new_nullable
    )


def test_a_contract_that_holds_finds_nothing_and_counts_every_promise():
    text = """
[rules]
required = ["id"]
protected = ["id"]
no_new_nullable = true
[[columns]]
name = "id"
type = "Int64"
nullable = false
[[columns]]
name = "note"
nullable = true
"""
    checked = check(text, output(("id", "Int64", False), ("note", "String", True), ("n", None, False)))
    assert checked.findings == ()
    assert checked.verdicts == (HELD,) * 6


def test_an_unknown_column_is_never_e011_or_e012():
    text = '[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false'
    checked = check(text, output(("id", None, None)))
    assert codes(checked) == [("I003", "id"), ("I003", "id")]
    assert {one.severity for one in checked.findings} == {"info"}
    assert [one.reasons for one in checked.findings] == [("type of id",), ("why id",)]


def test_under_strict_what_is_not_verified_is_e059_and_still_counted_as_not_verified():
    checked = check('[[columns]]\nname = "id"\ntype = "Int64"', output(("id", None, False)), strict=True)
    assert codes(checked) == [("E059", "id")]
    assert checked.findings[0].severity == "error"
    assert checked.verdicts == (UNVERIFIED,)


@pytest.mark.parametrize(
    ("declared", "actual", "assignable", "verdict"),
    [
        ("Int64", "Int64", False, HELD),
        ("Int64", "Int32", False, BROKEN),
        ("Int64", "Int32", True, HELD),
        ("Int32", "Int64", True, BROKEN),
        ("BIGINT", "Int64", False, HELD),
        ("VARCHAR(50)", "String", False, HELD),
        ("Decimal", "Decimal(18,3)", False, HELD),
        ("Decimal(10)", "Decimal(10,0)", False, HELD),
        ("Decimal(10)", "Decimal(10,2)", False, BROKEN),
        ("Decimal(10,2)", "Decimal(12,2)", True, BROKEN),
        ("Timestamp", "TimestampNtz", False, BROKEN),
        ("Array<Int64>", "Array<Int32>", False, BROKEN),
        ("Array<Int64>", "Array<Int64>", False, HELD),
    ],
)
def test_a_type_is_compared_by_the_vocabulary(declared: str, actual: str, assignable: bool, verdict: Verdict):
    text = f'[[columns]]\nname = "c"\ntype = "{declared}"'
    assert check(text, output(("c", actual, False)), assignable=assignable).verdicts == (verdict,)


def test_digits_that_are_not_known_are_not_verified():
    relation = Relation("orders", (Column("c", Type("Decimal"), False, (), ("digits of the warehouse",)),))
    checked = check('[[columns]]\nname = "c"\ntype = "Decimal(10,2)"', relation)
    assert codes(checked) == [("I003", "c")]
    assert checked.findings[0].reasons == ("digits of the warehouse",)


def test_a_name_that_the_output_has_twice_must_keep_the_promise_twice():
    text = '[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false'
    assert check(text, output(("id", "Int64", False), ("id", "Int64", False))).verdicts == (HELD, HELD)
    assert check(text, output(("id", "Int64", False), ("id", "Int32", True))).verdicts == (BROKEN, BROKEN)
    assert check(text, output(("id", "Int64", None), ("id", None, False))).verdicts == (UNVERIFIED, UNVERIFIED)


@pytest.mark.parametrize(
    ("dialect", "contract", "column", "found"),
    [
        ("duckdb", "ID", "id", True),
        ("duckdb", "É", "É", True),
        ("bigquery", "Id", "iD", True),
        ("databricks", "ID", "id", True),
        ("postgres", "ID", "id", True),  # without quotes it is folded
        ("postgres", "id", "ID", False),  # the output's name was quoted
        ("postgres", "ID", "ID", True),
        ("snowflake", "id", "ID", True),
        ("snowflake", "ID", "id", False),
        ("snowflake", "id", "id", True),
        ("snowflake", "Id", "iD", False),
    ],
)
def test_names_match_by_the_dialects_rule(dialect: str, contract: str, column: str, found: bool):
    checked = check(f'[rules]\nrequired = ["{contract}"]', output((column, "Int64", False)), dialect)
    assert checked.verdicts == (HELD if found else BROKEN,)
    if not found:
        assert f"'{column}'" in checked.findings[0].hint


def test_duckdb_takes_no_notice_of_case_from_a_to_z_alone():
    with duckdb.connect() as connection:
        for inner, outer in [("a", "A"), ("ä", "Ä"), ("İ", "i"), ("ß", "SS"), ("Z", "z")]:
            query = f'SELECT "{outer}" FROM (SELECT 1 AS "{inner}")'
            try:
                known = bool(connection.sql(query))
            except duckdb.BinderException:
                known = False
            checked = check(f'[rules]\nrequired = ["{outer}"]', output((inner, "Int64", False)))
            assert (checked.verdicts == (HELD,)) is known, outer


def test_a_finding_says_where_the_letters_differ():
    checked = check('[[columns]]\nname = "ID"\nnullable = false', output(("id", "Int64", True)))
    assert checked.findings[0].hint == "The output spells it 'id'; duckdb takes that for the same name."


def test_a_missing_column_offers_the_nearest():
    checked = check('[rules]\nrequired = ["amuont"]', output(("amount", "Int64", False)))
    assert checked.findings[0].hint == "Did you mean 'amount'?"


STRICT = "[rules]\nno_new_nullable = true\n"
DECLARED = STRICT + '[[columns]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "now", "locked", "found", "verdict"),
    [
        # no lock: what [[columns]] does not declare must not be NULL
        (DECLARED, [("a", True), ("b", False)], None, [], HELD),
        (DECLARED, [("a", True), ("b", True)], None, [("E014", "b")], BROKEN),
        (DECLARED, [("a", True), ("b", None)], None, [("I003", "b")], UNVERIFIED),
        # no baseline at all
        (STRICT, [("b", False)], None, [("E014", None)], BROKEN),
        # a lock: what could be NULL before may be so still
        (STRICT, [("b", True)], [("b", True)], [], HELD),
        (STRICT, [("b", True)], [("b", False)], [("E014", "b")], BROKEN),
        (STRICT, [("b", True)], [("c", True)], [("E014", "b")], BROKEN),
        (STRICT, [("b", True)], [("b", None)], [("I003", "b")], UNVERIFIED),
        (STRICT, [("b", None)], [("b", False)], [("I003", "b")], UNVERIFIED),
        (STRICT, [("b", None)], [("b", True)], [], HELD),
        (DECLARED, [("a", True), ("B", True)], [("b", True)], [], HELD),
    ],
)
def test_no_new_nullable(text: str, now: list, locked: list | None, found: list, verdict: Verdict):
    lock = None if locked is None else output(*((name, "Int64", nullable) for name, nullable in locked))
    checked = check(text, output(*((name, "Int64", nullable) for name, nullable in now)), locked=lock)
    assert codes(checked) == found
    assert checked.verdicts[-1] is verdict


def test_a_protected_column_that_is_gone_says_whether_the_lock_has_it():
    text = '[rules]\nprotected = ["id"]'
    now, lock = output(("other", "Int64", False)), output(("id", "Int64", False))
    assert "the lock has it" not in check(text, now).findings[0].message
    assert "the lock has it" in check(text, now, locked=lock).findings[0].message


def test_a_column_that_is_required_and_declared_and_missing_is_e010_alone():
    text = '[rules]\nrequired = ["id"]\n[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false'
    checked = check(text, output(("other", "Int64", False)))
    assert codes(checked) == [("E010", "id")]
    assert checked.verdicts == (BROKEN,) * 3


def test_an_empty_contract_promises_nothing():
    assert check("", output(("id", "Int64", True))) == Checked((), ())


def test_a_finding_points_to_the_contracts_line():
    text = '[rules]\nrequired = ["id",\n  "amount"]\n'
    (found,) = check(text, output(("id", "Int64", False))).findings
    span = found.contract
    assert (span.file, span.line, span.column, span.end_line, span.end_column) == ("orders.contract.toml", 3, 3, 3, 11)
