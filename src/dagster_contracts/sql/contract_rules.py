"""Which kinds of rules the contract files of a folder declare, without their models."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.contract.toml import SUFFIX, parse_contract, refuse
from dagster_contracts.errors import ContractParseError, UnknownTypeError
from dagster_contracts.sql.config import DIALECTS
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.files import read_file

if TYPE_CHECKING:
    from os import PathLike

    from dagster_contracts.contract.toml import ContractFile
    from dagster_contracts.contract.types import Type

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class ContractRules:
    """The kinds of rules that one contract declares.

    Args:
        has_required: Whether columns must be in the output.
        has_protected: Whether columns must never disappear.
        has_column_constraints: Whether columns are declared, or new nullable ones forbidden.
    """

    has_required: bool = False
    has_protected: bool = False
    has_column_constraints: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it declares none."""
        return not (self.has_required or self.has_protected or self.has_column_constraints)


def discover_contract_rules(contracts_dir: str | PathLike[str]) -> dict[str, ContractRules]:
    """Find the contracts of a folder, by the name of the model that each is for.

    Args:
        contracts_dir: The folder; its own `*.contract.toml` files are read, sorted, and no folder in it.

    Returns:
        The kinds of rules of each contract that has any; nothing for a folder that is not there.

    Raises:
        ContractParseError: A contract cannot be read; the message names the file and the line.
    """
    folder = Path(contracts_dir)
    found = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        if path.name == SUFFIX:
            _LOGGER.warning("%s names no model, so it is left out. Name it <model>%s.", path, SUFFIX)
            continue
        rules = contract_rules(_read(path))
        if not rules.is_empty:
            found[path.name.removesuffix(SUFFIX)] = rules
    return found


def contract_rules(contract: ContractFile) -> ContractRules:
    """The kinds of rules that a contract declares."""
    return ContractRules(
        has_required=bool(contract.required),
        has_protected=bool(contract.protected),
        has_column_constraints=bool(contract.columns) or contract.no_new_nullable is not None,
    )


def _read(path: Path) -> ContractFile:
    file = read_file(path, path.parent)
    if file.text is None:
        raise ContractParseError(f"{path} cannot be read: {file.failure}.")
    contract, problems = parse_contract(file.text, _type_of_any_dialect)
    refuse(str(path), problems)
    return contract


def _type_of_any_dialect(text: str) -> Type:
    """A type as some dialect spells it; which of them the model is written in is not known here."""
    first: UnknownTypeError | None = None
    for dialect in DIALECTS:
        try:
            return read_type(text, dialect)
        except UnknownTypeError as error:
            first = first or error
    raise first or UnknownTypeError(f"No type is called {text!r}.")
