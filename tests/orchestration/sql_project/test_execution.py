"""One model at a time, in a transaction, on a real DuckDB file."""

import subprocess
import sys
import threading
import time

import duckdb
import polars as pl
import pytest

from dagster_contracts import errors
from dagster_contracts.orchestration.sql_project.database import Database
from dagster_contracts.orchestration.sql_project.execution import Query, Slice, noted, run
from dagster_contracts.orchestration.sql_project.staging import StagedFile


def always(_) -> bool:
    return True


def rows(database: Database, sql: str):
    with database.connect() as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def database(tmp_path) -> Database:
    return Database(str(tmp_path / "folder" / "warehouse.duckdb"), wait_seconds=5)


class TestTable:
    def test_it_is_made_and_counted(self, database):
        sql = "SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS t (id, name);"
        written = run(database, Query("orders", sql), always)
        assert written.row_count == 2
        assert written.columns == (("id", "INTEGER"), ("name", "VARCHAR"))
        assert written.nulls == {"id": 0, "name": 1}
        assert rows(database, "SELECT * FROM orders ORDER BY id") == [(1, "a"), (2, None)]

    def test_it_is_replaced(self, database):
        run(database, Query("orders", "SELECT 1 AS id"), always)
        run(database, Query("orders", "SELECT 'x' AS other"), always)
        assert rows(database, "SELECT * FROM orders") == [("x",)]

    def test_what_is_not_to_be_kept_leaves_the_old_one(self, database):
        run(database, Query("orders", "SELECT 1 AS id"), always)
        written = run(database, Query("orders", "SELECT NULL::INTEGER AS id"), lambda new: False)
        assert written.nulls == {"id": 1}
        assert rows(database, "SELECT * FROM orders") == [(1,)]

    def test_a_query_that_fails_halfway_leaves_the_old_one(self, database):
        run(database, Query("orders", "SELECT 1 AS id"), always)
        sql = "SELECT CASE WHEN i = 99999 THEN error('row 99999') ELSE i END AS id FROM range(100000) AS r (i)"
        with pytest.raises(errors.SqlModelError, match="orders: DuckDB could not run the model, and its table stands"):
            run(database, Query("orders", sql), always)
        assert rows(database, "SELECT * FROM orders") == [(1,)]

    def test_a_view_becomes_a_table_and_back(self, database):
        run(database, Query("orders", "SELECT 1 AS id", "view"), always)
        run(database, Query("orders", "SELECT 2 AS id", "table"), always)
        run(database, Query("orders", "SELECT 3 AS id", "view"), always)
        assert rows(database, "SELECT * FROM orders") == [(3,)]

    def test_names_are_quoted(self, database):
        name = 'or"ders; DROP TABLE x'
        run(database, Query(name, 'SELECT 1 AS "a b", 2 AS "c""d"'), always)
        assert rows(database, "SELECT table_name FROM duckdb_tables()") == [(name,)]

    def test_a_comment_says_which_text_it_was_made_of(self, database):
        run(database, Query("Orders", "SELECT 1 AS id", comment="it's 1"), always)
        run(database, Query("view", "SELECT 1 AS id", "view", comment="2"), always)
        assert [noted(database, name) for name in ("orders", "view", "gone")] == ["it's 1", "2", None]


class TestRefused:
    @pytest.mark.parametrize(
        "sql", ["SELECT 1; SELECT 2", "DROP TABLE x", "CREATE TABLE x AS SELECT 1", "", "COPY (SELECT 1) TO 'x.csv'"]
    )
    def test_a_model_is_one_select(self, database, sql):
        with pytest.raises(errors.SqlModelError, match="a model is one SELECT"):
            run(database, Query("orders", sql), always)

    def test_text_that_is_no_sql(self, database):
        with pytest.raises(errors.SqlModelError, match="orders: DuckDB could not run the model"):
            run(database, Query("orders", "SELEC 1"), always)

    def test_a_file_that_is_no_database(self, tmp_path):
        file = tmp_path / "x.duckdb"
        file.write_text("no database, but a text that is long enough to be looked at " * 100)
        with pytest.raises(errors.StorageError, match=r"DuckDB cannot open .*x\.duckdb"):
            run(Database(str(file)), Query("orders", "SELECT 1 AS id"), always)


class TestInputs:
    def test_files_are_read_by_the_names_of_tables(self, database, tmp_path):
        pl.DataFrame({"id": [1, 2]}).write_parquet(tmp_path / "it's.parquet")
        query = Query(
            "orders", "SELECT id + 1 AS id FROM flights", inputs={"flights": StagedFile(tmp_path / "it's.parquet")}
        )
        assert run(database, query, always).row_count == 2
        assert rows(database, "SELECT id FROM orders ORDER BY id") == [(2,), (3,)]

    def test_a_file_goes_before_a_table_of_its_name(self, database, tmp_path):
        run(database, Query("flights", "SELECT 0 AS id"), always)
        pl.DataFrame({"id": [7]}).write_parquet(tmp_path / "f.parquet")
        run(
            database,
            Query("orders", "SELECT * FROM flights", inputs={"flights": StagedFile(tmp_path / "f.parquet")}),
            always,
        )
        assert rows(database, "SELECT id FROM orders") == [(7,)]
        assert rows(database, "SELECT id FROM flights") == [(0,)]

    def test_a_view_cannot_read_them(self, database, tmp_path):
        pl.DataFrame({"id": [7]}).write_parquet(tmp_path / "f.parquet")
        query = Query("orders", "SELECT * FROM flights", "view", inputs={"flights": StagedFile(tmp_path / "f.parquet")})
        with pytest.raises(errors.SqlModelError, match=r"orders is a view and reads flights"):
            run(database, query, always)


class TestSlices:
    def month(self, number: int) -> Slice:
        return Slice("date", f"DATE '2013-{number:02}-01'", f"DATE '2013-{number + 1:02}-01'")

    def query(self, number: int, value: int, date: str | None = None) -> Query:
        date = date or f"2013-{number:02}-15"
        return Query("days", f"SELECT DATE '{date}' AS date, {value} AS n", replaces=self.month(number))

    def test_each_replaces_its_own(self, database):
        for number, value in ((1, 10), (2, 20), (1, 11)):
            run(database, self.query(number, value), always)
        assert rows(database, "SELECT month(date), n FROM days ORDER BY ALL") == [(1, 11), (2, 20)]

    def test_one_key(self, database):
        for key, value in (("a", 1), ("b", 2), ("a", 3)):
            run(
                database,
                Query("t", f"SELECT '{key}' AS k, {value} AS n", replaces=Slice("k", f"'{key}'", None)),
                always,
            )
        assert rows(database, "SELECT k, n FROM t ORDER BY k") == [("a", 3), ("b", 2)]

    @pytest.mark.parametrize("date", ["2013-02-01", "2012-12-31"])
    def test_rows_of_another_partition_are_refused(self, database, date):
        run(database, self.query(1, 10), always)
        with pytest.raises(errors.SqlModelError, match="1 of the rows that it returned are not in the partition"):
            run(database, self.query(1, 11, date), always)
        assert rows(database, "SELECT n FROM days") == [(10,)]

    def test_a_row_without_a_value_is_in_no_partition(self, database):
        query = Query("days", "SELECT NULL::DATE AS date, 1 AS n", replaces=self.month(1))
        with pytest.raises(errors.SqlModelError, match="not in the partition"):
            run(database, query, always)

    def test_columns_that_changed_are_refused(self, database):
        run(database, self.query(1, 10), always)
        changed = Query("days", "SELECT DATE '2013-02-15' AS date, 'x' AS n", replaces=self.month(2))
        with pytest.raises(errors.SqlModelError, match="from date DATE, n INTEGER to date DATE, n VARCHAR"):
            run(database, changed, always)
        assert rows(database, "SELECT n FROM days") == [(10,)]


HOLD = """
import duckdb, sys, time
connection = duckdb.connect(sys.argv[1])
connection.begin()
connection.execute("CREATE OR REPLACE TABLE orders AS SELECT 99 AS id")
print("open", flush=True)
time.sleep(float(sys.argv[2]))
"""


def holder(database: Database, seconds: float) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, database.path, str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


class TestTwoAtOnce:
    def test_another_process_is_waited_for(self, database):
        run(database, Query("orders", "SELECT 1 AS id"), always)
        with holder(database, 0.5):
            run(database, Query("orders", "SELECT 2 AS id"), always)
        assert rows(database, "SELECT id FROM orders") == [(2,)]

    def test_but_not_for_ever(self, database):
        run(database, Query("orders", "SELECT 1 AS id"), always)
        with holder(database, 30) as process:
            with pytest.raises(errors.StorageError, match=rf"busy for 0.3 seconds: another process.*{process.pid}"):
                run(Database(database.path, wait_seconds=0.3), Query("orders", "SELECT 2 AS id"), always)
            process.kill()

    def test_a_process_that_is_killed_while_it_writes_leaves_the_old_table(self, database):
        run(database, Query("orders", "SELECT 1 AS id"), always)
        with holder(database, 30) as process:
            process.kill()
        assert rows(database, "SELECT id FROM orders") == [(1,)]

    def test_threads_take_turns(self, database):
        def work(number: int) -> None:
            run(database, Query(f"t{number}", "SELECT count(*) AS n FROM range(100000)"), always)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert rows(database, "SELECT count(*) FROM duckdb_tables()") == [(8,)]

    def test_a_thread_is_not_waited_for_for_ever_either(self, database):
        with database.connect():
            started = time.monotonic()
            found = []

            def work() -> None:
                try:
                    run(Database(database.path, wait_seconds=0.2), Query("t", "SELECT 1 AS n"), always)
                except errors.StorageError as error:
                    found.append(str(error))

            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            assert time.monotonic() - started < 5
        assert len(found) == 1
        assert "another thread of this process has it open" in found[0]


def test_nothing_is_left_open(database):
    run(database, Query("orders", "SELECT 1 AS id"), always)
    duckdb.connect(database.path, read_only=True).close()
