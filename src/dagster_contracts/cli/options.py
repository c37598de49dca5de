"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from argparse import ArgumentParser, _SubParsersAction

Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"


def add_project(parser: ArgumentParser) -> None:
    """The options that say which project, and which of its models."""
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATHS", help="a project's folder, or models, contracts, folders of it"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the project's contracts.toml")
    parser.add_argument(
        "--select",
        action="append",
        default=[],
        metavar="MODELS",
        help="models by name; * for any letters, + before or after one for what it reads or what reads it",
    )


def add_config(parser: ArgumentParser) -> None:
    """The options that say which project, for commands on the whole of it."""
    parser.add_argument(
        "--project", type=Path, default=Path(), metavar="DIR", help="the project's folder (default: the current one)"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the project's contracts.toml")
