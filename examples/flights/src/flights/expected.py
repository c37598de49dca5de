"""What the demo must find, as literal data; it fails if it finds anything else."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Expected:
    """One asset, over all its partitions.

    Args:
        rows: Rows that its function or its query returned.
        valid: Rows in the table.
        invalid: Rows in the quarantine.
        broken: Checks that report at WARN, and how many rows break each.
    """

    rows: int
    valid: int
    invalid: int = 0
    broken: Mapping[str, int] = field(default_factory=dict)


EXPECTED = {
    # One row is made up: it has no name.
    "airlines": Expected(rows=17, valid=16, invalid=1, broken={"dy_row__conform": 1}),
    "airports": Expected(
        rows=1_458, valid=1_455, invalid=3, broken={"dy_col__tz": 2, "dy_rule__in_american_longitudes": 3}
    ),
    # Two rows are made up: numbers in words, and keys that are missing.
    "planes": Expected(
        rows=3_324, valid=3_321, invalid=3, broken={"dy_row__conform": 2, "dy_rule__no_737_before_the_first": 1}
    ),
    # The hour the clocks went back, at three airports.
    "weather": Expected(
        rows=26_115, valid=26_109, invalid=6, broken={"dy_rule__primary_key": 6, "dy_col__wind_speed": 1}
    ),
    # 24 pairs with one flight number on one day.
    "flights": Expected(
        rows=336_776,
        valid=336_728,
        invalid=48,
        broken={
            "dy_rule__primary_key": 48,
            "dy_col__tailnum": 2_512,
            "dy_rule__registered_in_the_united_states": 4,
        },
    ),
    "delays_by_carrier": Expected(rows=185, valid=185),
    "monthly_summary": Expected(rows=12, valid=12),
    # One route was never flown.
    "routes": Expected(
        rows=224, valid=223, invalid=1, broken={"dy_rule__flown__min": 1, "dy_rule__dest_name__nullability": 7}
    ),
    "busiest_days": Expected(rows=365, valid=365),
    "duplicate_flights_report": Expected(rows=5, valid=5),
    # The SQL models, on the valid flights.
    "airport_traffic": Expected(rows=107, valid=107),
    "calendar": Expected(rows=365, valid=365),
    "daily_flights": Expected(rows=1_095, valid=1_095),
    "daily_trend": Expected(rows=365, valid=365),
    "delays_by_carrier_month": Expected(rows=185, valid=185),
    # Without 8,255 that were cancelled.
    "flights_with_planes": Expected(rows=328_473, valid=328_473),
    "worst_day_by_airport": Expected(rows=3, valid=3),
}

ONLY_WARNED = (
    "Rows that break a check are in the quarantine, except where the asset only warns: flights without a tail number "
    "or with a foreign one, a wind of 1,048 miles an hour and routes to unknown airports stay in their tables."
)
