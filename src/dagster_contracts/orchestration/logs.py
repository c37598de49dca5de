"""Lines for the log of the run, or of the process where there is no run."""

from __future__ import annotations

import logging

from dagster_contracts.orchestration import internals


def warn_in_log(message: str) -> None:
    """Log a warning where whoever looks at the run will see it."""
    context = internals.current_context()
    if context is not None:
        context.log.warning(message)
    else:
        logging.getLogger("dagster_contracts").warning(message)
