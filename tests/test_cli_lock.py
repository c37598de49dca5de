"""`lock`, `accept` and `diff`, as a person types them."""

import subprocess
import sys
from pathlib import Path

import pytest

from dagster_contracts import errors
from dagster_contracts.cli import main
from dagster_contracts.sql.lock import LockedModel, dump_lock, parse_lock
from dagster_contracts.sql.relation import Column, Relation

FILES = {
    "contracts.toml": '[[sources]]\nsql = "sources.sql"\n',
    "sources.sql": "CREATE TABLE raw (id BIGINT NOT NULL, name VARCHAR, amount INTEGER NOT NULL);",
    "models/orders.sql": "SELECT id, name, amount FROM raw",
    "models/totals.sql": "SELECT name, sum(amount) AS amount FROM orders WHERE id > 0 GROUP BY name",
    "contracts/orders.contract.toml": '[rules]\nprotected = ["name"]\n',
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture
def run(project, monkeypatch, capsys):
    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(project)
        monkeypatch.setattr(sys, "argv", ["dagster-contracts", *arguments])
        with pytest.raises(SystemExit) as exited:
            main()
        said = capsys.readouterr()
        return int(exited.value.code or 0), said.out + said.err

    return run


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def test_a_lock_says_what_models_return_and_is_the_same_twice(run, project):
    assert run("lock")[0] == 0
    first = (project / "contracts.lock").read_text()
    assert run("lock")[0] == 0
    assert (project / "contracts.lock").read_text() == first
    orders, totals = parse_lock(first)["orders"], parse_lock(first)["totals"]
    assert [(one.name, str(one.type), one.nullable) for one in orders.output.columns] == [
        ("id", "Int64", False),
        ("name", "String", True),
        ("amount", "Int32", False),
    ]
    assert [one.name for one in totals.output.columns] == ["name", "amount"]


def test_nothing_changed(run):
    run("lock")
    assert run("diff") == (0, "0 breaking, 0 compatible, 0 not verified\n")


def test_a_dropped_column_and_who_reads_it(run, project):
    run("lock")
    (project / "models/orders.sql").write_text("SELECT id, name, amount::BIGINT AS amount, 1 AS more FROM raw")
    code, said = run("diff")
    assert code == 0
    assert said.splitlines() == [
        "compatible: orders: `amount` was widened from Int32 to Int64",
        "compatible: orders: `more` was added",
        "0 breaking, 2 compatible, 0 not verified",
    ]
    (project / "models/orders.sql").write_text("SELECT name, amount FROM raw")
    code, said = run("diff")
    assert code == 1
    assert said.splitlines()[:2] == ["breaking: orders: `id` was dropped", "  read by totals"]


def test_the_lock_is_the_baseline_of_what_is_protected(run, project):
    run("lock")
    (project / "models/orders.sql").write_text("SELECT id, amount FROM raw")
    (project / "models/totals.sql").unlink()
    code, said = run("check")
    assert code == 1
    assert "the protected column `name` is not in the output: the lock has it" in said


def test_accepting_one_model_leaves_the_others_and_keeps_why(run, project):
    run("lock")
    (project / "models/orders.sql").write_text("SELECT id, name, amount, 1 AS more FROM raw")
    (project / "models/totals.sql").write_text("SELECT 1 AS x")
    assert run("accept", "orders", "--why", "marketing asked for it")[0] == 0
    assert run("accept", "orders", "--why", "and again")[0] == 0
    lock = parse_lock((project / "contracts.lock").read_text())
    assert [one.name for one in lock["orders"].output.columns] == ["id", "name", "amount", "more"]
    assert lock["orders"].why == ("marketing asked for it", "and again")
    assert [one.name for one in lock["totals"].output.columns] == ["name", "amount"]


def test_a_model_that_went_is_accepted_by_leaving_the_lock(run, project):
    run("lock")
    (project / "models/totals.sql").unlink()
    assert run("diff")[1].splitlines()[0] == "breaking: totals: the model was dropped"
    assert run("accept", "totals", "--why", "nobody reads it")[0] == 0
    assert run("diff")[0] == 0


def test_against_a_revision(run, project):
    git(project.parent, "init", "-q")
    git(project.parent, "add", ".")
    git(project.parent, "commit", "-q", "-m", "first")
    (project / "models/orders.sql").write_text("SELECT id, name, CAST(amount AS SMALLINT) AS amount FROM raw")
    code, said = run("diff", "HEAD")
    assert code == 1
    assert said.splitlines()[0] == "breaking: orders: `amount` was narrowed from Int32 to Int16"
    assert said.splitlines()[1] == "  read by totals.amount"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("diff",), "There is no contracts.lock"),
        (("diff", "nope"), "git:"),
        (("diff", "--upload-pack=x"), "unrecognized arguments"),
        (("accept", "order", "--why", "x"), "The project has no model 'order'. Did you mean 'orders'?"),
        (("accept", "orders", "--why", " "), "--why must say something"),
        (("accept", "orders"), "--why"),
        (("lock", "--project", "gone"), "There is no 'gone'"),
    ],
)
def test_wrong_use_exits_with_2(run, arguments, message):
    code, said = run(*arguments)
    assert code == 2
    assert message in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1\n", "contracts.lock:1: `version` must be a text"),
        ('version = "9"\n', "This lock is of version '9'"),
        ('version = "1"\nmodel = []\n', "contracts.lock:2: A lock has no section 'model'."),
        ('version = "1"\n[[models]]\nname = "a"\n', "has no name or no hash"),
        ('version = "1"\n[[models]]\nname = "a"\nsql = "x"\n[[models.columns]]\nname = "c"\ntype = "In64"\n', "Int64"),
        ("<<<<<<< HEAD\n", "contracts.lock:1:"),
    ],
)
def test_a_broken_lock_is_never_taken_for_none(run, project, text, message):
    (project / "contracts.lock").write_text(text)
    code, said = run("check")
    assert code == 2
    assert message in said


def test_a_lock_comes_back_as_it_was_written():
    columns = (Column("a b", None, None), Column('q"', None, True))
    models = {'odd "name"': LockedModel(Relation('odd "name"', columns), "sha256:1", ("it's\nso",))}
    assert parse_lock(dump_lock(models)) == models
    assert parse_lock(dump_lock({})) == {}


def test_what_is_not_a_lock_is_an_error_of_ours():
    with pytest.raises(errors.ContractParseError, match=r"by hand\.lock:1"):
        parse_lock("nonsense", "by hand.lock")
