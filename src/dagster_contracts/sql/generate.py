"""A contract from what a model returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tomlkit

if TYPE_CHECKING:
    from dagster_contracts.sql.relation import Relation


def generate_contract(output: Relation) -> str:
    """Write the contract that a model keeps now: all its columns, with what is known of them.

    Args:
        output: What the model returns. A type that is not known is left out, and so is a nullability: a contract
            promises only what can be verified.
    """
    document = tomlkit.document()
    rules = tomlkit.table()
    rules["required"] = [column.name for column in output.columns]
    document["rules"] = rules
    columns = tomlkit.aot()
    for column in output.columns:
        entry = tomlkit.table()
        entry["name"] = column.name
        if column.type is not None:
            entry["type"] = str(column.type)
        if column.nullable is not None:
            entry["nullable"] = column.nullable
        columns.append(entry)
    document["columns"] = columns
    return tomlkit.dumps(document)
