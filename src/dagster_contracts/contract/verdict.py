"""How a promise ends."""

from enum import Enum


class Verdict(Enum):
    """Whether a promise was kept, broken, or could not be looked at."""

    HELD = "held"
    BROKEN = "broken"
    NOT_VERIFIED = "not verified"
