"""Findings about SQL models as the results of asset checks."""

from dataclasses import dataclass

import dagster as dg
import pytest

import dagster_contracts as dc

KEY = dg.AssetKey(["acme", "marts", "orders"])
ALL = dc.ContractRules(has_required=True, has_protected=True, has_column_constraints=True)
NAMES = ["contract_required_columns", "contract_protected_columns", "contract_column_constraints"]


@dataclass
class Foreign:
    """A finding of another compiler."""

    code: str
    message: str
    model: str = "orders"


def results(diagnostics, rules=ALL, **more) -> list[dg.AssetCheckResult]:
    found = dc.contract_check_results_from_diagnostics(
        diagnostics, asset_key=KEY, model_name="orders", rules=rules, **more
    )
    return list(found)


def metadata(result: dg.AssetCheckResult) -> dict:
    return {key: value.value for key, value in result.metadata.items()}


def test_specs_come_in_order_and_only_for_declared_kinds():
    specs = list(dc.contract_check_specs_for_model(KEY, ALL))
    assert [(spec.name, spec.asset_key) for spec in specs] == [(name, KEY) for name in NAMES]
    assert all(spec.description for spec in specs)
    some = dc.ContractRules(has_column_constraints=True, has_required=True)
    assert [spec.name for spec in dc.contract_check_specs_for_model(KEY, some)] == [NAMES[0], NAMES[2]]
    assert list(dc.contract_check_specs_for_model(KEY, dc.ContractRules())) == []


@pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning")
def test_specs_take_the_assets_partitions():
    partitions = dg.StaticPartitionsDefinition(["a"])
    (spec,) = dc.contract_check_specs_for_model(KEY, dc.ContractRules(has_required=True), partitions_def=partitions)
    assert spec.partitions_def == partitions


def test_without_findings_every_declared_check_passes():
    found = results([])
    assert [(one.check_name, one.asset_key, one.passed) for one in found] == [(name, KEY, True) for name in NAMES]
    assert [metadata(one) for one in found] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("code", "failing"),
    [
        ("E010", NAMES[0]),
        ("E013", NAMES[1]),
        *((code, NAMES[2]) for code in ("E011", "E012", "E014", "E059", "W010")),
        *((code, None) for code in ("E001", "E002", "I003", "W999")),
    ],
)
def test_each_code_fails_its_check(code: str, failing: str | None):
    assert [one.check_name for one in results([Foreign(code, "m")]) if not one.passed] == ([failing] if failing else [])


def test_a_failure_lists_its_violations():
    found = results([Foreign("E012", "one"), Foreign("E010", "two"), Foreign("W010", "three")])
    assert metadata(found[2]) == {
        "contract/violation_count": 2,
        "contract/violation_0": "[E012] one",
        "contract/violation_1": "[W010] three",
    }
    assert metadata(found[0]) == {"contract/violation_count": 1, "contract/violation_0": "[E010] two"}
    assert found[1].passed
    assert found[2].severity is dg.AssetCheckSeverity.ERROR


def test_only_warnings_fail_at_warn():
    found = results([Foreign("W010", "one"), Foreign("W010", "two")])
    assert [(one.passed, one.severity) for one in found][2] == (False, dg.AssetCheckSeverity.WARN)


def test_what_is_not_verified_never_fails_and_is_never_hidden():
    held = results([Foreign("I003", "one"), Foreign("I003", "two")])
    assert [one.passed for one in held] == [True, True, True]
    assert metadata(held[2]) == {
        "contract/unverified_count": 2,
        "contract/unverified_0": "[I003] one",
        "contract/unverified_1": "[I003] two",
    }
    failed = results([Foreign("I003", "one"), Foreign("E011", "two")])[2]
    assert not failed.passed
    assert metadata(failed) == {
        "contract/violation_count": 1,
        "contract/violation_0": "[E011] two",
        "contract/unverified_count": 1,
        "contract/unverified_0": "[I003] one",
    }


def test_a_column_that_may_not_be_there_is_not_verified_in_the_checks_of_columns_too():
    told = Foreign("I003", "whether `id` is in the output could not be worked out")
    found = results([told, Foreign("I003", "the type of `id` could not be worked out")])
    assert [one.passed for one in found] == [True, True, True]
    assert [one.description for one in found] == ["1 not verified", "1 not verified", "2 not verified"]
    assert metadata(found[0]) == {"contract/unverified_count": 1, "contract/unverified_0": f"[I003] {told.message}"}


def test_other_models_and_a_prefix_of_ones_own():
    found = results([Foreign("E010", "m", model="other"), Foreign("E013", "m")], metadata_prefix="rocky")
    assert [one.passed for one in found] == [True, False, True]
    assert metadata(found[1]) == {"rocky/violation_count": 1, "rocky/violation_0": "[E013] m"}


@pytest.mark.parametrize(
    ("diagnostics", "key"),
    [
        (None, "contract/compile_missing"),
        ([Foreign("W011", "m"), Foreign("E010", "m")], "contract/contract_model_not_found"),
    ],
)
def test_when_nothing_was_checked_every_declared_check_says_so(diagnostics, key: str):
    found = results(diagnostics)
    assert [one.check_name for one in found] == NAMES
    assert {(one.passed, one.severity) for one in found} == {(False, dg.AssetCheckSeverity.WARN)}
    for one in found:
        assert (
            "nothing of this contract was checked" in one.description or "nothing of it was checked" in one.description
        )
        assert set(one.metadata) == {key, "contract/status"}
        assert one.metadata["contract/status"].value.startswith("not verified: ")
    assert [one.check_name for one in results(diagnostics, dc.ContractRules(has_protected=True))] == [NAMES[1]]


def test_our_own_findings_are_read(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "contracts.toml").write_text("")
    (tmp_path / "models/orders.sql").write_text("SELECT 1::INTEGER AS id")
    (tmp_path / "models/orders.contract.toml").write_text(
        '[rules]\nrequired = ["id", "b"]\n[[columns]]\nname = "id"\ntype = "Int64"'
    )
    report = dc.sql.check(tmp_path)
    rules = dc.ContractRules(has_required=True, has_column_constraints=True)
    found = results(report.diagnostics, rules)
    assert [one.metadata["contract/violation_0"].value for one in found] == [
        "[E010] the required column `b` is not in the output",
        "[E011] `id` is Int32, and the contract says Int64",
    ]
