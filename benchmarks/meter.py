"""CPU time, wall time and peak memory of a piece of work in this process."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_THE_PEAK = "5"


@dataclass(frozen=True)
class Measured:
    """What a piece of work took.

    Args:
        cpu: User and system seconds, of all threads.
        wall: Seconds.
        peak: The most bytes that were resident since the start or the mark.
        above: How much of it came on top of what was resident at the start or the mark.
        rows: How many valid rows were written, to see that all competitors did the same work; -1 if none are written.
    """

    cpu: float
    wall: float
    peak: int = 0
    above: int = 0
    rows: int = -1

    def as_dict(self) -> dict[str, float | int]:
        """The numbers by name."""
        return asdict(self)


class Meter:
    """Measures from its creation to `stop`."""

    def __init__(self) -> None:
        self.mark()
        self._cpu, self._wall = _cpu(), time.perf_counter()

    def mark(self) -> None:
        """Count memory from here on, as above a frame that has just been loaded."""
        with contextlib.suppress(OSError):
            _CLEAR.write_text(_RESET_THE_PEAK)
        self._before = _memory("VmRSS")

    def stop(self) -> Measured:
        """What the work took so far."""
        cpu, wall, peak = _cpu() - self._cpu, time.perf_counter() - self._wall, _memory("VmHWM")
        return Measured(cpu, wall, peak, max(0, peak - self._before))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _memory(name: str) -> int:
    """A line of this process's status in bytes; where there is none, the process's highest so far."""
    if _STATUS.exists():
        return next(int(line.split()[1]) * 1024 for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
