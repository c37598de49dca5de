"""The command line: what it prints, and what it exits with."""

import io
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.sql.test_project import write

from dagster_contracts.cli import main
from dagster_contracts.cli.progress import Progress
from dagster_contracts.cli.watch import watch

HELD = '[rules]\nrequired = ["id"]'
BROKEN = '[rules]\nrequired = ["idd"]'
UNVERIFIED = '[[columns]]\nname = "id"\nnullable = false'
WARNED = '[[columns]]\nname = "idd"'


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit code, the output and the errors of one command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["dagster-contracts", *map(str, arguments)])
        with pytest.raises(SystemExit) as exited:
            main()
    captured = capsys.readouterr()
    return int(exited.value.code or 0), captured.out, captured.err


def project(folder: Path, contract: str = HELD, sql: str = "SELECT id FROM nowhere.t") -> Path:
    return write(folder, {"models/orders.sql": sql, "contracts/orders.contract.toml": contract})


@pytest.mark.parametrize(
    ("contract", "fail_on", "code"),
    [
        (HELD, "unverified", 0),
        (BROKEN, "error", 1),
        (WARNED, "error", 0),
        (WARNED, "warning", 1),
        (UNVERIFIED, "error", 0),
        (UNVERIFIED, "warning", 0),
        (UNVERIFIED, "unverified", 1),
    ],
)
def test_the_exit_code_is_0_or_1_by_what_was_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], contract: str, fail_on: str, code: int
):
    sql = "SELECT 1 AS id" if contract is HELD else "SELECT id FROM nowhere.t"
    assert run(capsys, "check", project(tmp_path, contract, sql), "--fail-on", fail_on)[0] == code


def test_strict_makes_an_error_of_what_is_not_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "check", project(tmp_path, UNVERIFIED), "--strict")
    assert code == 1
    assert "error[E059]: orders.id: " in out


def test_text_points_into_both_files_and_ends_with_the_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "check", project(tmp_path, BROKEN))
    assert (code, err) == (1, "")
    assert out == (
        "error[E010]: orders.idd: the required column `idd` is not in the output\n"
        " --> models/orders.sql:1:8\n"
        "  |\n"
        "1 | SELECT id FROM nowhere.t\n"
        "  |        ^^\n"
        " ::: contracts/orders.contract.toml:2:13\n"
        "  |\n"
        '2 | required = ["idd"]\n'
        "  |             -----\n"
        "  = hint: Did you mean 'id'?\n"
        "\n"
        "0 promises held, 1 broken, 0 not verified\n"
    )


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "check", project(tmp_path, BROKEN), "--format", "json")
    report = json.loads(out)
    assert code == 1
    assert report["summary"] == {"held": 0, "broken": 1, "not_verified": 0}
    assert report["models"] == [
        {
            "name": "orders",
            "path": "models/orders.sql",
            "dialect": "duckdb",
            "columns": [{"name": "id", "type": None, "nullable": None}],
        }
    ]
    (found,) = report["diagnostics"]
    assert (found["code"], found["severity"], found["model"], found["column"]) == ("E010", "error", "orders", "idd")
    assert found["contract"] == {
        "file": "contracts/orders.contract.toml", "line": 2, "column": 13, "end_line": 2, "end_column": 18
    }  # fmt: skip


@pytest.mark.parametrize("form", ["sarif", "github", "junit"])
def test_other_forms_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str):
    code, out, _ = run(capsys, "check", project(tmp_path, BROKEN), "--format", form)
    assert code == 1
    assert "E010" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "nowhere"], "There is no 'nowhere'."),
        (["check"], "There is no contracts.toml"),
        (["check", "--config", "nowhere.toml"], "There is no configuration"),
        (["check", "--format", "yaml"], "yaml"),
        (["check", "--fail-on", "nothing"], "nothing"),
        (["check", "--nonsense"], "--nonsense"),
        (["chekc"], "chekc"),
        (["explain", "E12"], "Did you mean E012?"),
        (["check", "x", "--defs", "shop"], "PATHS is for a project of SQL models"),
        (["check", "--watch", "--defs", "shop"], "--watch is for a project of SQL models"),
        (["check", "--strict", "--defs", "shop"], "--strict is for a project of SQL models"),
        (["check", "--stric"], "--stric"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_a_selection_of_no_model_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = run(capsys, "check", project(tmp_path), "--select", "ordrs")
    assert code == 2
    assert "Did you mean 'orders'?" in err


def test_an_error_of_the_check_itself_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*_: object) -> None:
        raise KeyError("oh")

    monkeypatch.setattr("dagster_contracts.sql.run.run_check", fail)
    code, _, err = run(capsys, "check", project(tmp_path))
    assert code == 2
    assert "KeyError" in err
    assert "nothing can be said of the contracts" in err


def test_a_code_location_is_checked_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "shop.py").write_text(
        "import dagster as dg\nimport dagster_contracts as dc\nimport dataframely as dy\nimport polars as pl\n"
        "class Orders(dy.Schema):\n    id = dy.Int64(nullable=False)\n"
        "@dc.asset(Orders)\ndef orders() -> pl.LazyFrame:\n    return pl.LazyFrame({'idd': [1]})\n"
        "defs = dg.Definitions(assets=[orders])\n"
    )
    code, out, _ = run(capsys, "check", "--defs", tmp_path / "shop.py", "--fail-on", "unverified")
    assert code == 1
    assert "info[I003]: orders: " in out
    assert "shop.py:9" in out


def test_explain_prints_a_codes_page(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "explain", "e012")
    assert code == 0
    assert out.startswith("# E012: ")


def test_help_names_the_commands_and_imports_nothing_heavy():
    program = (
        "import sys\nsys.argv = ['dagster-contracts', '--help']\nfrom dagster_contracts.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\nprint(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "check" in out
    assert "explain" in out
    heavy = {"dagster", "duckdb", "sqlglot", "polars", "dataframely", "pydantic", "rich", "tomlkit", "yaml"}
    assert not heavy & set(out.splitlines()[-1].split())


def test_checking_needs_no_dagster_and_no_polars(tmp_path: Path):
    program = (
        f"import sys\nimport dagster_contracts as dc\ndc.sql.check({str(project(tmp_path))!r})\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert not {"dagster", "polars", "dataframely", "pydantic"} & set(out.split())


def test_a_reader_that_leaves_early_is_no_traceback(tmp_path: Path):
    command = f"{sys.executable} -m dagster_contracts.cli check {project(tmp_path, BROKEN)} --format json | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "{"
    assert "Traceback" not in done.stderr


def test_watching_checks_again_after_a_change(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    project(tmp_path, sql="SELECT 1 AS id")
    looks = []

    def again() -> bool:
        looks.append(1)
        if len(looks) == 2:  # nothing changed at the second look
            (tmp_path / "contracts/orders.contract.toml").write_text(BROKEN)
        return len(looks) < 3

    code = watch([tmp_path], ["check", str(tmp_path)], again)
    out = capfd.readouterr().out
    assert code == 1
    assert out.count("Watching for changes") == 2
    assert out.index("1 promise held") < out.index("E010")


def test_the_hook_for_pre_commit_runs_a_command_that_is_there(capsys: pytest.CaptureFixture[str]):
    (hook,) = yaml.safe_load((Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text())
    program, *arguments = hook["entry"].split()
    scripts = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["scripts"]
    assert program in scripts
    assert run(capsys, *arguments, "--help")[0] == 0
    assert hook["language"] == "python"
    assert re.search(hook["files"], "models/orders.sql")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("patience", "stream", "shown"), [(0.0, Terminal(), True), (9.0, Terminal(), False), (0.0, io.StringIO(), False)]
)
def test_a_bar_is_shown_on_a_terminal_for_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, patience: float, stream: io.StringIO, shown: bool
):
    monkeypatch.setattr("dagster_contracts.cli.progress.PATIENCE", patience)
    with Progress(stream) as progress:
        progress.advance(1, 2)
        progress.advance(2, 2)
    assert ("models" in stream.getvalue()) is shown
