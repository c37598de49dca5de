"""Projects in one file: `--- path` begins a file, `--- expected` the findings, one a line."""

from pathlib import Path

CORPUS = Path(__file__).with_name("corpus")


def write(case: Path, folder: Path) -> list[str]:
    """Write a case's files into a folder, and return the findings that it expects."""
    parts = case.read_text(encoding="utf-8").split("--- ")[1:]
    files = dict(part.split("\n", 1) for part in parts)
    expected = [line for line in files.pop("expected").splitlines() if line]
    for name, text in files.items():
        path = folder / name.removesuffix(" (bytes)")
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(" (bytes)"):
            path.write_bytes(text.encode("latin-1").decode("unicode_escape").encode("latin-1"))
        else:
            path.write_text(text, encoding="utf-8")
    (folder / "models").mkdir(exist_ok=True)
    return expected
