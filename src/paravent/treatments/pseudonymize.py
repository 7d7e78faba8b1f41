"""Pseudonyms: each value replaced by a keyed hash, the same in every table that has the key."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.arguments import Path
from paravent.errors import PlanError
from paravent.methods.method import RoleName
from paravent.published import Coded
from paravent.table.domain import distinct
from paravent.table.table import Table
from paravent.table.text import as_text, is_text
from paravent.treatments.keys import check_key_named, check_length, read_key
from paravent.treatments.treatment import OnColumns, Treated, Work

_BLOCK = 64
"""Bytes that SHA-256 reads at once."""


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

    def by_row(self, table: Table) -> bool:  # noqa: ARG002
        return True

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        read_key("Pseudonymize", self.key_env, self.key_file)

    def run(self, work: Work) -> Treated:
        key = read_key("Pseudonymize", self.key_env, self.key_file)
        columns = {name: work.cells(name) for name in self.columns}
        found = pseudonyms(columns, "Pseudonymize: column {!r}", key, self.length)
        cells = {name: Coded(shown.alias("cells")) for name, shown in found.items()}
        return Treated(cells, trace=tuple(f"Pseudonymize: column {name!r} has pseudonyms." for name in self.columns))


def pseudonyms(columns: Mapping[str, pl.Series], where: str, key: bytes, length: int) -> dict[str, pl.Series]:
    """HMAC-SHA256 of each value's text, as its first `length` hexadecimal digits; equal in all columns. `where` says
    how messages call a column.

    >>> names = pl.Series(["Ana", "Béa", "Ana", None])
    >>> pseudonyms({"name": names}, "columns.{}", b"an example, no secret", 8)["name"].to_list()
    ['a1a4ef11', '547a685d', 'a1a4ef11', None]
    """
    found: dict[str, pl.Series] = {}
    plain = {name: as_text(cells) if is_text(cells.dtype) else cells for name, cells in columns.items()}
    for dtype in dict.fromkeys(cells.dtype for cells in plain.values()):
        alike = {name: cells.alias("cells") for name, cells in plain.items() if cells.dtype == dtype}
        codes, values, _ = distinct(pl.concat(list(alike.values())))
        shown = _digests(as_text(values), key).str.slice(0, length)
        clash = shown.n_unique() < len(shown)
        start = 0
        for name, cells in alike.items():
            own = codes[start : start + len(cells)]
            start += len(cells)
            if clash:
                _refuse_clash(where.format(name), shown, np.unique(own[own < len(shown)]))
            found[name] = pl.concat([shown, pl.Series([None], dtype=pl.String)]).gather(own)
    return {name: found[name] for name in columns}


def _refuse_clash(where: str, shown: pl.Series, used: np.ndarray) -> None:
    if shown.gather(used).n_unique() < len(used):
        raise PlanError(
            f"{where}: two of {len(used)} values get the same pseudonym of {len(shown[0])} digits. "
            "Set a greater length."
        )


def _digests(texts: pl.Series, key: bytes) -> pl.Series:
    """HMAC-SHA256 as RFC 2104 writes it, of two hashes: a third of the time of `hmac.digest` for short texts."""
    block = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in block) for pad in (0x36, 0x5C))
    sha256 = hashlib.sha256
    found = [sha256(outer + sha256(inner + text.encode()).digest()).digest() for text in texts.to_list()]
    return pl.Series(found, dtype=pl.Binary).bin.encode("hex")
