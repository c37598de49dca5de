"""Writes `docs/codes.md`: the page of every code, as `dagster-contracts explain` prints it."""

from pathlib import Path

from dagster_contracts.diagnostics.codes import known_codes

HEAD = """# Codes

What each finding means and what to do about it. `dagster-contracts explain CODE` prints the same.
"""

if __name__ == "__main__":
    pages = ["#" + code.page.rstrip() for code in known_codes().values()]
    (Path(__file__).parent.parent / "docs" / "codes.md").write_text("\n\n".join([HEAD.rstrip(), *pages]) + "\n")
