"""The contracts that every competitor is measured on; only Dataframely and Polars are imported here."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import dataframely as dy

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

STATUSES = ("draft", "open", "paid", "shipped", "returned")
COUNTRIES = ("AT", "BR", "CA", "DE", "ES", "FR", "GB", "IT", "JP", "US")
FIRST_DAY, FIRST_MOMENT = date(2020, 1, 1), datetime(2020, 1, 1)  # noqa: DTZ001  (the columns have no zone)


class RowLocalOrders(dy.Schema):
    """Twenty columns of which every rule is decided by its own row."""

    order_id = dy.String(nullable=False, min_length=12)
    line = dy.Int64(nullable=False)
    customer_id = dy.Int64(nullable=False, min=1)
    product = dy.String(nullable=False, regex=r"^[A-Z]{3}-[0-9]{5}$")
    status = dy.Enum(STATUSES, nullable=False)
    country = dy.String(nullable=False, max_length=2)
    quantity = dy.Int32(nullable=False, min=1, max=1000)
    unit_price = dy.Float64(nullable=False, min=0.0, allow_inf=True)
    discount = dy.Float64(nullable=True, min=0.0, max=1.0, allow_inf=True, allow_nan=True)
    amount = dy.Float64(nullable=False, allow_inf=True)
    tax = dy.Float64(nullable=True, min=0.0, allow_inf=True, allow_nan=True)
    weight = dy.Int64(nullable=True, min=0)
    ordered_on = dy.Date(nullable=False, min=FIRST_DAY)
    ordered_at = dy.Datetime(nullable=False, min=FIRST_MOMENT)
    shipped_at = dy.Datetime(nullable=True)
    is_gift = dy.Bool(nullable=True)
    is_express = dy.Bool(nullable=True)
    email = dy.String(nullable=True, max_length=60)
    channel = dy.String(nullable=True)
    note = dy.String(nullable=True)

    @dy.rule()
    def amount_is_price_times_quantity(cls) -> pl.Expr:  # noqa: N805
        """What is charged is what was bought."""
        return (cls.amount.col - cls.unit_price.col * cls.quantity.col).abs() < 0.01  # noqa: PLR2004

    @dy.rule()
    def shipped_after_ordered(cls) -> pl.Expr:  # noqa: N805
        """Nothing is shipped before it is ordered."""
        return cls.shipped_at.col >= cls.ordered_at.col


class Orders(RowLocalOrders):
    """The same twenty columns with a composite primary key."""

    order_id = dy.String(primary_key=True, min_length=12)
    line = dy.Int64(primary_key=True)


class ShortOrders(dy.Schema):
    """Seven columns with a composite primary key."""

    order_id = dy.String(primary_key=True, min_length=12)
    line = dy.Int64(primary_key=True, min=1)
    customer_id = dy.Int64(nullable=False, min=1)
    status = dy.Enum(STATUSES, nullable=False)
    amount = dy.Float64(nullable=False)
    ordered_at = dy.Datetime(nullable=False, min=FIRST_MOMENT)
    is_gift = dy.Bool(nullable=False)


class ManyOrders(dy.Schema):
    """Ten columns with a composite primary key, for many rows."""

    order_id = dy.String(primary_key=True, min_length=12)
    line = dy.Int64(primary_key=True, min=1)
    customer_id = dy.Int64(nullable=False, min=1)
    status = dy.Enum(STATUSES, nullable=False)
    country = dy.String(nullable=False, min_length=2, max_length=2)
    quantity = dy.Int32(nullable=False, min=1, max=1000)
    unit_price = dy.Float64(nullable=False, min=0.0)
    amount = dy.Float64(nullable=False)
    ordered_at = dy.Datetime(nullable=False, min=FIRST_MOMENT)
    is_gift = dy.Bool(nullable=False)


class GroupedOrders(ManyOrders):
    """The same ten columns with a rule over the lines of an order besides."""

    @dy.rule()
    def order_is_of_one_customer(cls) -> pl.Expr:  # noqa: N805
        """All lines of an order are of one customer."""
        return cls.customer_id.col.min().over(cls.order_id.col) == cls.customer_id.col.max().over(cls.order_id.col)


class SmallOrders(dy.Schema):
    """Five columns with ten rules."""

    customer_id = dy.Int64(nullable=False, min=1)
    country = dy.String(nullable=False, min_length=2)
    quantity = dy.Int32(nullable=False, max=1000)
    unit_price = dy.Float64(nullable=False, min=0.0, allow_inf=True, allow_nan=True)
    amount = dy.Float64(nullable=False, min=0.0, allow_inf=True, allow_nan=True)


SCHEMAS: dict[str, type[dy.Schema]] = {
    schema.__name__: schema for schema in (RowLocalOrders, Orders, ShortOrders, ManyOrders, GroupedOrders, SmallOrders)
}


def wide_schema(columns: int, rules_a_column: int) -> type[dy.Schema]:
    """A schema of Int64 columns, each with `rules_a_column` rules."""
    # "Not null", the least and the greatest value are three rules already.
    checks = {f"above_{floor}": _above(-floor) for floor in range(1, rules_a_column - 2)}
    members = {f"c{at:03}": dy.Int64(nullable=False, min=0, max=1_000_000, check=checks) for at in range(columns)}
    return type("Wide", (dy.Schema,), members)


def _above(floor: int) -> Callable[[pl.Expr], pl.Expr]:
    return lambda column: column > floor
