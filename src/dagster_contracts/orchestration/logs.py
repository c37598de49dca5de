"""Lines for the log of the run, or of the process where there is no run."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from dagster_contracts.orchestration import internals

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.frames.progress import Progress


def warn_in_log(message: str) -> None:
    """Log a warning where whoever looks at the run will see it."""
    context = internals.current_context()
    if context is not None:
        context.log.warning(message)
    else:
        logging.getLogger("dagster_contracts").warning(message)


def progress_in_log(name: str) -> Callable[[Progress], None]:
    """What tells the run's log, from any thread, how far a split is.

    Args:
        name: The asset.
    """
    context = internals.current_context()
    log = context.log if context is not None else logging.getLogger("dagster_contracts")

    def tell(progress: Progress) -> None:
        with contextlib.suppress(Exception):  # a log that fails is no reason to lose hours of work
            log.info("%s: %s.", name, progress)

    return tell
