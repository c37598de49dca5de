"""One measurement in a process of its own: `python -m benchmarks.worker NAME ARGUMENTS` prints it as JSON.

`ARGUMENTS` are the keyword arguments of one of the functions below, as JSON. Nothing is imported before it is needed,
so that the floor is Polars alone.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.meter import Measured, Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import dagster as dg
    import dataframely as dy
    import polars as pl


def floor(*, file: str, folder: str, lazy: bool, **_: object) -> Measured:
    """Polars alone: read and write, or scan and sink."""
    import polars as pl

    target = Path(folder) / "floor.parquet"
    meter = Meter()
    if lazy:
        pl.scan_parquet(file).sink_parquet(target)
    else:
        frame = pl.read_parquet(file)
        meter.mark()
        frame.write_parquet(target)
    return _with_rows(meter.stop(), target)


def asset(
    *, competitor: str, schema: str, file: str, folder: str, lazy: bool, statistics: bool, key: str = "table"
) -> Measured:
    """An asset that returns the table, materialized through the same IO manager for every competitor."""
    import dagster as dg
    import polars as pl

    import dagster_contracts as dc

    meters: list[Meter] = []

    def table():  # noqa: ANN202  (Dagster would resolve an annotation)
        if lazy:
            return pl.scan_parquet(file)
        frame = pl.read_parquet(file)
        meters[0].mark()
        return frame

    decorated = decorator(competitor, schema, statistics=statistics)(table)
    manager = dc.ParquetIOManager(base_dir=folder)
    with dg.DagsterInstance.ephemeral() as instance:
        meters.append(Meter())
        _run(decorated, instance, manager)
        measured = meters[0].stop()
    return _with_rows(measured, Path(folder) / f"{key}.parquet")


def decorator(competitor: str, schema: str, *, statistics: bool) -> Callable[[Callable[[], Any]], dg.AssetsDefinition]:
    """What a competitor decorates an asset function with."""
    import dagster as dg

    from benchmarks.schemas import SCHEMAS

    if competitor == "plain":
        return dg.asset
    sample = {} if statistics else {"row_sample": 0}
    if competitor == "peer":
        import dagster_dataframely as dd

        return dd.asset(SCHEMAS[schema], filter=True, statistics=statistics, **sample)
    import dagster_contracts as dc

    return dc.asset(SCHEMAS[schema], quarantine=True, statistics=statistics, **sample)


def small(*, competitor: str, folder: str) -> Measured:
    """An asset of 1,000 rows with ten rules in a run, or with ten checks that do nothing."""
    import dagster as dg

    import dagster_contracts as dc

    frame = _small_frame()
    names = [f"check_{at}" for at in range(11)]  # ten rules and the columns

    def table():  # noqa: ANN202
        return frame

    if competitor == "checks":
        specs = [dg.AssetCheckSpec(name, asset="table") for name in names]

        @dg.asset(name="table", check_specs=specs)
        def decorated() -> Any:
            yield dg.MaterializeResult(value=frame)
            for name in names:
                yield dg.AssetCheckResult(passed=True, check_name=name, metadata={"rows": 0})
    else:
        decorated = decorator(competitor, "SmallOrders", statistics=True)(table)
    manager = dc.ParquetIOManager(base_dir=folder)
    with dg.DagsterInstance.ephemeral() as instance:
        # The first run in a process pays for what Dagster and Polars set up once.
        dg.materialize([decorated], instance=instance, resources={"io_manager": manager})
        meter = Meter()
        for _ in range(5):
            dg.materialize([decorated], instance=instance, resources={"io_manager": manager})
        return _divided(meter.stop(), 5)


def wide_decoration(*, columns: int, rules: int) -> Measured:
    """Decorating an asset with a wide contract."""
    import dagster_contracts as dc
    from benchmarks.schemas import wide_schema

    schema, _ = wide_schema(columns, rules), dc.asset

    meter = Meter()
    dc.asset(schema, name="wide", quarantine=True, check_granularity="column")(lambda: None)
    return meter.stop()


def wide_call(*, competitor: str, columns: int, rules: int, rows: int) -> Measured:
    """Calling an asset with a wide contract directly, or filtering with its schema."""
    import polars as pl

    import dagster_contracts as dc
    from benchmarks.schemas import wide_schema

    schema = wide_schema(columns, rules)
    frame = pl.DataFrame({name: pl.int_range(rows, eager=True) for name in schema.columns()})
    call: Callable[[], object] = lambda: schema.filter(frame)  # noqa: E731
    if competitor != "filter":
        table = dc.asset(schema, name="wide", check_granularity="column")(lambda: frame)
        call = lambda: list(table())  # noqa: E731
    call()
    meter = Meter()
    for _ in range(3):
        call()
    return _divided(meter.stop(), 3)


def definitions(*, competitor: str, assets: int, columns: int) -> Measured:
    """Defining many assets, each with a contract of its own or with as many checks; a time for one of them."""
    import dagster as dg

    import dagster_contracts as dc
    from benchmarks.schemas import wide_schema

    def define(name: str, schema: type[dy.Schema]) -> None:
        if competitor == "checks":
            specs = [dg.AssetCheckSpec(f"check_{at}", asset=name) for at in range(columns + 1)]
            dg.asset(name=name, check_specs=specs)(lambda: None)
        else:
            dc.asset(schema, name=name, check_granularity="column")(lambda: None)

    schemas = [wide_schema(columns, 3) for _ in range(assets)]
    define("first", wide_schema(columns, 3))
    meter = Meter()
    for at, schema in enumerate(schemas):
        define(f"table_{at}", schema)
    return _divided(meter.stop(), assets)


def imports(*, what: str) -> Measured:
    """Importing the package, the package's decorator, or Dagster."""
    meter = Meter()
    if what.startswith("dagster") and what != "dagster_contracts":
        import dagster  # noqa: F401

        if "polars" in what:
            import polars as pl  # noqa: F401
    else:
        import dagster_contracts as dc

        if what == "dc.asset":
            dc.asset  # noqa: B018
    return meter.stop()


def _run(asset: dg.AssetsDefinition, instance: dg.DagsterInstance, manager: object) -> None:
    """Materialize as a run worker does; `dg.materialize` would keep what the asset returned, for its result."""
    import dagster as dg
    from dagster._core.definitions.job_base import InMemoryJob
    from dagster._core.execution.api import execute_run

    definitions = dg.Definitions([asset], resources={"io_manager": manager}, executor=dg.in_process_executor)
    job = definitions.resolve_implicit_global_asset_job_def()
    execute_run(InMemoryJob(job), instance.create_run_for_job(job), instance)


def _small_frame() -> pl.DataFrame:
    import polars as pl

    numbers = pl.int_range(1, 1001, eager=True)
    return pl.DataFrame(
        {
            "customer_id": numbers,
            "country": pl.repeat("AT", 1000, eager=True),
            "quantity": numbers.cast(pl.Int32),
            "unit_price": numbers.cast(pl.Float64),
            "amount": numbers.cast(pl.Float64),
        }
    )


def _divided(measured: Measured, times: int) -> Measured:
    return Measured(measured.cpu / times, measured.wall / times, measured.peak, measured.above)


def _with_rows(measured: Measured, table: Path) -> Measured:
    import polars as pl

    rows = int(pl.scan_parquet(table).select(pl.len()).collect().item())
    return Measured(measured.cpu, measured.wall, measured.peak, measured.above, rows)


JOBS: Mapping[str, Callable[..., Measured]] = {
    job.__name__: job for job in (floor, asset, small, wide_decoration, wide_call, definitions, imports)
}


def main() -> None:
    """Do one job and print what it took."""
    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    logging.disable(logging.WARNING)
    if "folder" in arguments:
        with tempfile.TemporaryDirectory(dir=arguments["folder"]) as folder:
            measured = JOBS[name](**{**arguments, "folder": folder})
    else:
        measured = JOBS[name](**arguments)
    sys.stdout.write(json.dumps(measured.as_dict()) + "\n")


if __name__ == "__main__":
    main()
