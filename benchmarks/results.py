"""`RESULTS.md`, which several commands write: each replaces the section between its own markers and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

RESULTS = Path(__file__).with_name("RESULTS.md")
_TITLE = "# Measured\n"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def write_section(path: Path, name: str, text: str) -> None:
    """Replace one command's section of a results file, or add it at the end.

    Args:
        path: The file; made with a title if it is not there. It is exchanged whole, never left half written.
        name: The section's name, such as `split`: small letters, digits and hyphens.
        text: The section as Markdown, its heading included.

    Raises:
        ValueError: The name has other letters, or the file has only one of the section's two markers, or either twice.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"A section is named by small letters, digits and hyphens; got {name!r}.")
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    section = f"{begin}\n\n{text.strip()}\n\n{end}"
    known = path.read_text(encoding="utf-8") if path.exists() else _TITLE
    match known.count(begin), known.count(end):
        case 0, 0:
            whole = f"{known.rstrip()}\n\n{section}\n"
        case 1, 1 if known.index(begin) < known.index(end):
            whole = known[: known.index(begin)] + section + known[known.index(end) + len(end) :]
        case _:
            raise ValueError(f"{path} has not exactly one {begin!r} before one {end!r}; mend it by hand.")
    aside = path.with_name(f"{path.name}.new")
    aside.write_text(whole, encoding="utf-8")
    aside.replace(path)
