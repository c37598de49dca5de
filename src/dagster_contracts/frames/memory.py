"""How much memory a split may use for what cannot be streamed."""

from __future__ import annotations

import os
from pathlib import Path

_SHARE = 4
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def default_budget() -> int:
    """A quarter of the memory that this process may use, in bytes: the machine's, or its container's if less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_container_limits()]) // _SHARE


def _container_limits() -> list[int]:
    found = []
    for name in _CGROUP_LIMITS:
        try:
            text = Path(name).read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            found.append(int(text))
    return found
