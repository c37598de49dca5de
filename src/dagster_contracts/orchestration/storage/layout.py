"""Where a table's file is, as text: key and partition to path parts that can neither leave a folder nor meet.

::

    ["shop", "orders"]                              shop/orders.parquet
    ["shop", "orders"], "2024-01-01"                shop/orders/2024-01-01.parquet
    ["shop", "orders"], {"region": "eu", "day": …}  shop/orders/<day>/<region>.parquet

Ordinary text stays as it is. What would change the meaning of a path is escaped with `%`, and so is `%` itself, so
two different texts never become one name: `a/b` is `a%2Fb`, `..` is `%2E.`, the empty text is `%empty`. Not covered,
because Dagster's own layout has it too: a table `a/b` and the partition `b` of a table `a` are one file, and file
systems that ignore case see `Orders` and `orders` as one.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import dagster as dg

if TYPE_CHECKING:
    from collections.abc import Sequence

EXTENSION = ".parquet"
LONGEST_NAME = 200
"""Bytes of one name; file systems allow 255, and an extension and the mark of a staging folder follow."""

_UNSAFE = re.compile(r"[%/\\\x00-\x1f\x7f]|^\.")


def safe_name(text: str) -> str:
    """One text as one name of a file or folder, different for different texts.

    Args:
        text: A part of an asset key, or a partition key of one dimension.

    Returns:
        The same text, with separators, control characters, `%` and a leading dot escaped as `%` and two hex digits. One
        that file systems take for too long ends in a hash of itself.
    """
    name = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text) or "%empty"
    stored = name.encode("utf-8", "surrogatepass")
    if len(stored) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(stored).hexdigest()[:32]
    return f"{stored[: LONGEST_NAME - 40].decode('utf-8', 'ignore')}%{digest}"


def safe_parts(key: Sequence[str], partition_key: str | None = None) -> tuple[str, ...]:
    """A table's path below its base folder, without the extension.

    Args:
        key: The parts of an asset key.
        partition_key: The partition, or `None` for a table without partitions. A `dg.MultiPartitionKey` becomes one
            part a dimension, in the order of the dimensions' names.

    Returns:
        The names to join below the base folder.
    """
    if partition_key is None:
        partition: list[str] = []
    elif isinstance(partition_key, dg.MultiPartitionKey):
        partition = [text for _, text in sorted(partition_key.keys_by_dimension.items())]
    else:
        partition = [partition_key]
    return tuple(safe_name(text) for text in [*key, *partition])
