"""Pseudonyms: each value replaced by a keyed hash, the same in every table that has the key."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import polars as pl

from paravent.arguments import Path
from paravent.errors import PlanError
from paravent.methods.method import RoleName
from paravent.published import Coded
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.keys import check_key_named, check_length, read_key
from paravent.treatments.treatment import OnColumns, Treated, Work


@dataclass(frozen=True, repr=False)
class Pseudonymize(OnColumns):
    """Each value becomes HMAC-SHA256 of its text under a secret key (hexadecimal, the first `length` digits).

    Equal values get equal pseudonyms, in other tables too. The key is the text of the environment variable `key_env` or
    of the file `key_file`; it is never stored. Columns that name the people of the table have it in their role:
    `pv.Identifier(replace="pseudonym")`. This is for what else names somebody or something: wards, doctors, employers.
    """

    _: KW_ONLY
    key_env: str | None = None
    key_file: Path | None = None
    length: int = 16

    title: ClassVar[str] = "Pseudonymization"
    source: ClassVar[str] = "HMAC, RFC 2104"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "key_file", check_key_named("Pseudonymize", self.key_env, self.key_file))
        check_length("Pseudonymize", self.length)

    @property
    def coarsens(self) -> bool:
        return True

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        read_key("Pseudonymize", self.key_env, self.key_file)

    def run(self, work: Work) -> Treated:
        key = read_key("Pseudonymize", self.key_env, self.key_file)
        cells = {}
        for name in self.columns:
            shown = pseudonyms(work.cells(name), f"Pseudonymize: column {name!r}", key, self.length)
            cells[name] = Coded(shown.alias("cells"))
        return Treated(cells, trace=tuple(f"Pseudonymize: column {name!r} has pseudonyms." for name in self.columns))


def pseudonyms(cells: pl.Series, where: str, key: bytes, length: int) -> pl.Series:
    """HMAC-SHA256 of each value's text, as its first `length` hexadecimal digits.

    >>> pseudonyms(pl.Series(["Ana", "Béa", "Ana", None]), "columns.name", b"an example, no secret", 8).to_list()
    ['a1a4ef11', '547a685d', 'a1a4ef11', None]
    """
    text = as_text(cells)
    known = text.drop_nulls().unique(maintain_order=True)
    digests = [hmac.digest(key, value.encode(), "sha256").hex()[:length] for value in known]
    if len(set(digests)) < len(digests):
        raise PlanError(
            f"{where}: two of {len(digests)} values get the same pseudonym of {length} digits. Set a greater length."
        )
    return pl.Series(digests, dtype=pl.String).gather(text.cast(pl.Enum(known)).to_physical())
