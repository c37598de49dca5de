"""`init`, `generate` and `snapshot`: the commands that write files, and never over another."""

import sys
from pathlib import Path

import duckdb
import pytest

from dagster_contracts.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["dagster-contracts", *arguments])
        with pytest.raises(SystemExit) as exited:
            main()
        said = capsys.readouterr()
        return int(exited.value.code or 0), said.out + said.err

    return run


class TestInit:
    def test_what_it_writes_checks_green(self, run):
        assert run("init", "shop")[0] == 0
        assert run("check", "shop") == (0, "6 promises held, 0 broken, 0 not verified\n")

    def test_nothing_is_written_over_a_project(self, run):
        run("init")
        Path("contracts.toml").write_text("# mine\n")
        code, said = run("init")
        assert code == 2
        assert "contracts.toml is there already: nothing was written" in said
        assert Path("contracts.toml").read_text() == "# mine\n"

    def test_a_folder_that_cannot_be_made(self, run):
        Path("file").write_text("")
        assert "cannot be written to" in run("init", "file")[1]


class TestGenerate:
    def test_what_it_writes_is_kept(self, run):
        run("init")
        code, said = run("generate", "example_orders")
        assert code == 0
        assert said == (
            '[rules]\nrequired = ["id", "customer", "amount"]\n\n'
            '[[columns]]\nname = "id"\ntype = "Int32"\nnullable = false\n\n'
            '[[columns]]\nname = "customer"\ntype = "String"\nnullable = true\n\n'
            '[[columns]]\nname = "amount"\ntype = "Decimal(4,2)"\nnullable = false\n'
        )
        assert run("generate", "example_orders", "--write")[0] == 0
        code, said = run("check")
        assert (code, said) == (0, "14 promises held, 0 broken, 0 not verified\n")

    def test_a_contract_that_is_there_is_left(self, run):
        run("init")
        before = Path("contracts/example_totals.contract.toml").read_text()
        code, said = run("generate", "example_totals", "--write")
        assert code == 2
        assert "example_totals has a contract already" in said
        assert Path("contracts/example_totals.contract.toml").read_text() == before

    def test_what_is_not_known_cannot_be_promised(self, run):
        run("init")
        assert "Did you mean 'example_orders'?" in run("generate", "example_order")[1]
        Path("models/empty.sql").write_text("-- nothing yet\n")
        assert run("generate", "empty") == (
            2,
            "error: The columns of empty are not known: The file has no query in it.\n",
        )
        Path("models/broken.sql").write_text("SELEC 1")
        code, said = run("generate", "broken")
        assert code == 2
        assert "The columns of broken are not known" in said


class TestSnapshot:
    def test_a_snapshot_is_a_source(self, run):
        with duckdb.connect("live.duckdb") as connection:
            connection.execute("CREATE SCHEMA raw")
            connection.execute("CREATE TABLE raw.orders (id BIGINT NOT NULL, amount DECIMAL(10,2))")
            connection.execute("CREATE VIEW big AS SELECT * FROM raw.orders WHERE amount > 10")
        run("init", "shop")
        assert run("snapshot", "live.duckdb", "--output", "shop/live.toml")[0] == 0
        Path("shop/contracts.toml").write_text('[[sources]]\nsnapshot = "live.toml"\n')
        Path("shop/models/copy.sql").write_text(
            "SELECT o.id, o.amount, b.id AS big FROM raw.orders o JOIN big b USING (id)"
        )
        assert run("generate", "copy", "--project", "shop")[1].splitlines()[3:] == [
            "[[columns]]", 'name = "id"', 'type = "Int64"', "nullable = false", "",
            "[[columns]]", 'name = "amount"', 'type = "Decimal(10,2)"', "nullable = true", "",
            "[[columns]]", 'name = "big"', 'type = "Int64"', "nullable = false",
        ]  # fmt: skip

    def test_the_same_tables_give_the_same_text(self, run):
        with duckdb.connect("live.duckdb") as connection:
            connection.execute("CREATE TABLE t (a INTEGER)")
        assert run("snapshot", "live.duckdb") == run("snapshot", "live.duckdb")

    def test_what_is_no_database(self, run):
        Path("x").write_text("nothing that DuckDB knows" * 1000)
        assert run("snapshot", "gone")[0] == 2
        code, said = run("snapshot", "x")
        assert code == 2
        assert "DuckDB cannot read x" in said
