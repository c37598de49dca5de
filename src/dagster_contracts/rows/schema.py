"""`dc.Schema`: a typed class that says what rows are, with the operations on rows."""

from __future__ import annotations

from dagster_contracts.contract.schema.base import SchemaBase


class Schema(SchemaBase):
    """What the rows of a table are: a column an annotation."""

    __schema_root__ = True
