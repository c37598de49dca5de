"""What each code of a finding means: one Markdown page a code, in `pages/`.

A page begins with `# <code>: <title>`. The letter says how bad the finding is unless it says so itself: `E` an error,
`W` a warning, `I` an information.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from dagster_contracts.errors import InvalidSettingError

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import Severity

_SEVERITIES: dict[str, Severity] = {"E": "error", "W": "warning", "I": "info"}


@dataclass(frozen=True)
class Code:
    """One code.

    Args:
        code: Such as `E012`.
        severity: How bad a finding with it is by default.
        title: What it says, in a few words.
        page: What it means and what to do, as Markdown.
    """

    code: str
    severity: Severity
    title: str
    page: str


@cache
def known_codes() -> dict[str, Code]:
    """Every code that has a page, by its name, in order."""
    pages = (page for page in files(__package__).joinpath("pages").iterdir() if page.name.endswith(".md"))
    return {code.code: code for code in sorted((_read(page.read_text("utf-8")) for page in pages), key=_order)}


def explain(code: str) -> str:
    """The page of a code, as Markdown.

    Args:
        code: The code, in any case.

    Raises:
        InvalidSettingError: There is no such code.
    """
    known = known_codes()
    found = known.get(code.strip().upper())
    if found is not None:
        return found.page
    near = get_close_matches(code.strip().upper(), known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise InvalidSettingError(f"There is no code {code!r}.{hint} Known: {', '.join(known)}.")


def severity_of(code: str) -> Severity:
    """How bad a finding with a code is by default."""
    return _SEVERITIES[code[0]]


def _read(page: str) -> Code:
    """A page's code and title from its first line."""
    code, _, title = page.split("\n", 1)[0].removeprefix("# ").partition(": ")
    return Code(code, severity_of(code), title, page)


def _order(code: Code) -> tuple[int, str]:
    """Errors first, then warnings, then the rest; each by number."""
    return "EWI".index(code.code[0]), code.code
