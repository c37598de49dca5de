"""One measurement of rows in this process: `python -m benchmarks.rows_worker <case> <rows> <repeats>` prints JSON.

A case runs its competitors in turn, so that all of them meet the same machine.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import rows_data as data
from benchmarks.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Callable

    Competitors = dict[str, Callable[[], object]]


def _ours(fields: dict[str, Any]) -> Any:
    from dagster_contracts.rows.schema import Schema  # noqa: PLC0415

    defaults = {name: None for name in ("note", "labels") if name in fields}
    return type("Ads", (Schema,), {"__annotations__": dict(fields), "__module__": __name__, **defaults})


def _peers(fields: dict[str, Any]) -> Any:
    """The same schema of the peer; `None` if it is not installed."""
    with contextlib.suppress(ImportError):
        import interloper  # noqa: PLC0415

        defaults = {name: None for name in ("note", "labels") if name in fields}
        return type("Ads", (interloper.Schema,), {"__annotations__": dict(fields), "__module__": __name__, **defaults})
    return None


def _pydantics(fields: dict[str, Any]) -> Any:
    from pydantic import TypeAdapter, create_model  # noqa: PLC0415

    absent = {"note", "labels"}
    defaults: dict[str, Any] = {name: (kind, None if name in absent else ...) for name, kind in fields.items()}
    return TypeAdapter(list[create_model("Ads", **defaults)])  # type: ignore[misc]


def reconcile(fields: dict[str, Any], rows: list[dict[str, Any]]) -> Competitors:
    """Messy rows: repaired to a frame, to rows, by the peer, and by pydantic but for text (it makes none of numbers)."""  # noqa: E501
    ours, peer = _ours(fields), _peers(fields)
    lax = _pydantics({name: Any if kind in (str, str | None) else kind for name, kind in fields.items()})
    found: Competitors = {
        "to_frame": lambda: ours.to_frame(rows),
        "reconcile": lambda: ours.reconcile(rows),
        "pydantic": lambda: lax.validate_python(rows),
    }
    return found | ({"peer": lambda: peer.reconcile(rows)} if peer else {})


def strict(fields: dict[str, Any], rows: list[dict[str, Any]]) -> Competitors:
    """Clean rows, checked."""
    ours, peer = _ours(fields), _peers(fields)
    clean = ours.reconcile(rows)
    found: Competitors = {
        "validate_rows": lambda: ours.validate_rows(clean),
        "to_frame": lambda: ours.to_frame(clean, strategy="strict"),
        "pydantic": lambda: _pydantics(fields).validate_python(clean, strict=True),
    }
    return found | ({"peer": lambda: peer.validate_rows(clean, strict=True)} if peer else {})


def columnar(fields: dict[str, Any], rows: list[dict[str, Any]]) -> Competitors:
    """The same messy content as a table; the peer takes it as rows, or as pandas."""
    import pandas as pd  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    ours, peer = _ours(fields), _peers(fields)
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    arrow, pandas = frame.to_arrow(), pd.DataFrame(rows)
    found: Competitors = {
        "Polars": lambda: ours.to_frame(frame),
        "Arrow": lambda: ours.to_frame(arrow),
        "pandas, with lists": lambda: ours.to_frame(pandas),
    }
    typed = pandas.drop(columns=[name for name in ("campaign", "labels") if name in pandas.columns])
    scalars = {name: kind for name, kind in fields.items() if name in typed.columns}
    ours_of_scalars = _ours(scalars)
    found["pandas"] = lambda: ours_of_scalars.to_frame(typed)
    if peer:
        as_rows = frame.to_dicts()
        found["peer, rows"] = lambda: peer.reconcile(as_rows)
        with contextlib.suppress(ImportError):
            import interloper_pandas  # noqa: PLC0415

            view = interloper_pandas.DataFrameRepresentation()
            some = _peers(scalars)
            found["peer, pandas"] = lambda: view.reconcile(typed, some)
            found["peer, pandas with lists"] = lambda: view.reconcile(pandas, peer)
    return found


def bad(fields: dict[str, Any], rows: list[dict[str, Any]]) -> Competitors:
    """Clean of bad rows, and with one in a hundred."""
    from dagster_contracts.rows.conform import conform  # noqa: PLC0415

    ours, spoiled = _ours(fields), data.with_bad_rows(rows, 100)
    parts = [(rows[at : at + 20_000], spoiled[at : at + 20_000]) for at in range(0, len(rows), 20_000)]
    return {
        "clean": lambda: [conform(ours, part) for part, _ in parts],
        "1 % bad": lambda: [conform(ours, part) for _, part in parts],
    }


CASES: dict[str, tuple[Callable[..., Competitors], dict[str, Any], Callable[[int], list[dict[str, Any]]]]] = {
    "reconcile 7": (reconcile, data.SEVEN, data.messy_seven),
    "reconcile 26": (reconcile, data.TWENTY_SIX, data.messy_twenty_six),
    "strict 7": (strict, data.SEVEN, data.messy_seven),
    "strict 26": (strict, data.TWENTY_SIX, data.messy_twenty_six),
    "columnar 7": (columnar, data.SEVEN, data.messy_seven),
    "columnar 26": (columnar, data.TWENTY_SIX, data.messy_twenty_six),
    "bad 7": (bad, data.SEVEN, data.messy_seven),
    "bad 26": (bad, data.TWENTY_SIX, data.messy_twenty_six),
}


def seconds(competitors: Competitors, repeats: int) -> dict[str, float]:
    """The median CPU seconds of each, run in turn after one run to warm up."""
    found: dict[str, list[float]] = {name: [] for name in competitors}
    for turn in range(repeats + 1):
        for name, run in competitors.items():
            gc.collect()
            start = time.process_time()
            run()
            if turn:
                found[name].append(time.process_time() - start)
    return {name: median(each) for name, each in found.items()}


def generate(rows: int) -> dict[str, float]:
    """Checking so many generated rows: CPU seconds and the peak of resident bytes."""
    ours = _ours(data.SEVEN)
    meter = Meter()
    ours.validate_rows(data.generated(rows), strict=False)
    measured = meter.stop()
    return {"cpu": measured.cpu, "peak": measured.peak}


def main() -> None:
    """Do what the arguments ask for."""
    case, rows, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.disable(logging.CRITICAL)
    if case == "generated":
        sys.stdout.write(json.dumps(generate(rows)))
        return
    make, fields, rows_of = CASES[case]
    sys.stdout.write(json.dumps(seconds(make(fields, rows_of(rows)), repeats)))


if __name__ == "__main__":
    main()
