"""What a function may do with a frame and still return the same columns whatever rows the frame has.

Everything that is not named here counts as a look at the data, or as a reach for the outside.
"""

from __future__ import annotations

import sys

SHAPING = frozenset(
    [
        "__init__",
        "__copy__",
        "__deepcopy__",
        "_from_pydf",
        "_from_pyldf",
        "bottom_k",
        "cast",
        "clear",
        "clone",
        "drop",
        "drop_nans",
        "drop_nulls",
        "explode",
        "fill_nan",
        "fill_null",
        "filter",
        "first",
        "gather_every",
        "group_by",
        "group_by_dynamic",
        "head",
        "join",
        "join_asof",
        "join_where",
        "last",
        "lazy",
        "limit",
        "melt",
        "merge_sorted",
        "remove",
        "rename",
        "reverse",
        "rolling",
        "select",
        "select_seq",
        "set_sorted",
        "shift",
        "slice",
        "sort",
        "tail",
        "top_k",
        "unique",
        "unnest",
        "unpivot",
        "update",
        "with_columns",
        "with_columns_seq",
        "with_row_count",
        "with_row_index",
    ]
)
"""Methods of frames whose result has columns that follow from the columns of what they are called on."""
SCHEMA = frozenset(["collect_schema", "columns", "dtypes", "name", "dtype", "pipe", "schema", "width"])
"""Methods of frames and series that tell of columns only."""
EAGER_ONLY = frozenset(["get_column", "get_columns", "hstack", "to_series", "vstack"])
LAZY_ONLY = frozenset(["cache", "collect"])
SERIES = frozenset(["__init__", "_from_pyseries", "alias", "cast", "rename"]) | SCHEMA
GROUPED = frozenset(
    [
        "__init__",
        "agg",
        "all",
        "count",
        "first",
        "having",
        "last",
        "len",
        "max",
        "mean",
        "median",
        "min",
        "n_unique",
        "quantile",
        "sum",
    ]
)

CLASSES = {
    "DataFrame": SHAPING | SCHEMA | EAGER_ONLY,
    "LazyFrame": SHAPING | SCHEMA | LAZY_ONLY,
    "Series": SERIES,
    "GroupBy": GROUPED,
    "DynamicGroupBy": GROUPED,
    "RollingGroupBy": GROUPED,
    "LazyGroupBy": GROUPED,
}
"""For each class of Polars that holds data, the methods that are harmless."""
HOMES = ("polars.dataframe", "polars.lazyframe", "polars.series")
"""The modules that those classes and whatever belongs to them live in."""
WRAPPERS = ("polars._utils", "polars.lazyframe.opt_flags")
"""Where Polars keeps what it wraps around methods whose parameters changed."""
OUTSIDE = ("polars.io", "polars.catalog", "polars.testing")
"""Polars's own ways to the outside, and what only looks at data."""
REACHING = ("write_", "sink_", "read_", "scan_", "serialize", "deserialize", "remote")
"""How the names of methods begin that read or write: they are stopped, not only noted."""

STDLIB = sys.stdlib_module_names | {"builtins"}
EFFECTFUL = frozenset(
    [
        "_asyncio",
        "_ctypes",
        "_curses",
        "_dbm",
        "_gdbm",
        "_multiprocessing",
        "_posixshmem",
        "_posixsubprocess",
        "_socket",
        "_sqlite3",
        "_ssl",
        "_winapi",
        "fcntl",
        "mmap",
        "msvcrt",
        "nt",
        "ossaudiodev",
        "posix",
        "pwd",
        "readline",
        "resource",
        "select",
        "spwd",
        "syslog",
        "termios",
        "winreg",
    ]
)
"""Built-in modules whose functions touch the system."""
STOPPED = frozenset(
    {"_thread.start_new_thread", "_thread.start_joinable_thread", "time.sleep", "sys.setprofile", "sys.settrace"}
)
"""Further functions that a watched function must not call."""
HARMLESS_CALLS = frozenset(
    {"fspath", "getpid", "cpu_count", "urandom", "putenv", "unsetenv", "_path_splitroot_ex", "_path_normpath"}
)
KNOWN_EXTENSIONS = frozenset({"polars", "numpy", "dataframely", "pydantic", "pydantic_core"})
"""Extension modules, beside the standard library, whose functions have no effects until they are given a file."""

AUDITED = (
    *("ctypes.", "ftplib.", "glob.", "http.", "imaplib.", "mmap.", "os.", "pathlib.", "poplib.", "shutil.", "smtplib."),
    *("socket.", "sqlite3.", "ssl.", "subprocess.", "tempfile.", "urllib.", "webbrowser.", "winreg."),
)
"""Audit events that a guarded function must not cause; a dot at the end stands for the whole family."""
ENVIRONMENT_EVENTS = frozenset({"os.putenv", "os.unsetenv"})
READERS = frozenset({"linecache", "tokenize", "zoneinfo", "zoneinfo._common", "zoneinfo._tzpath"})
"""Modules of the standard library that read files of the installation on their own account."""
