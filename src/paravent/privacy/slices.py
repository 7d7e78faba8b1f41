"""Slices: blocks of columns that were permuted inside buckets, and how classes show in them.

Whoever knows a person's quasi-identifiers looks for the buckets that hold all parts of them. In each the person has one
of the values that stand beside the quasi-identifiers of the sensitive block. A class is the rows of a bucket that are
equal in these. What somebody in several such classes has is a mean of their shares, so that a model that holds in each
and is kept by joining classes holds for everybody, in whichever bucket they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from paravent.errors import PlanError, TableError, UnsafeReleaseError
from paravent.privacy.derivation import Derivation, Part, View
from paravent.privacy.frame_cells import cells_of, check_columns, key_of_rows
from paravent.privacy.grouping import dense_codes
from paravent.privacy.groups import same_tallies
from paravent.privacy.model import Model

BLOCKS = "blocks"
"""The name of the table that says which columns are published together."""


def blocks_table(blocks: Sequence[Sequence[str]]) -> pl.DataFrame:
    """The blocks as a table: the name of each column, and the number of its block from 1."""
    pairs = [(name, number) for number, block in enumerate(blocks, 1) for name in block]
    return pl.DataFrame(pairs, schema={"column": pl.String, "block": pl.Int32}, orient="row")


@dataclass(frozen=True)
class Slices(Derivation):
    """Rows with the same number in the column `bucket` form a bucket; the table `blocks` says what stands together."""

    bucket: str

    @property
    def tables(self) -> tuple[str, ...]:
        return (BLOCKS,)

    def serves(self, model: Model) -> bool:
        if model.guards and not model.monotone_under_generalization:
            raise PlanError(f"{model.describe()} cannot be told of slices, where somebody may fit several buckets.")
        return bool(model.guards)

    def note(self, k: int) -> str:  # noqa: ARG002
        return (
            "No k-anonymity: the quasi-identifiers are published as they are, block by block, so people can be found "
            "by them. Only which sensitive value is whose is hidden, among the rows that share a number in "
            f"{self.bucket!r} and the quasi-identifiers that stand in one block with it."
        )

    def blocks(self, beside: Mapping[str, pl.DataFrame]) -> list[list[str]]:
        """The columns of each block."""
        if BLOCKS not in beside:
            raise TableError(
                f"the release has no table {BLOCKS!r}, which tells what stands together. Give all its tables."
            )
        told = beside[BLOCKS]
        check_columns(told, ("column", "block"))
        found: dict[str, list[str]] = {}
        for name, number in zip(told["column"].to_list(), told["block"].cast(pl.String).to_list(), strict=True):
            found.setdefault(number, []).append(name)
        return list(found.values())

    def view(self, frame: pl.DataFrame, beside: Mapping[str, pl.DataFrame], columns: Sequence[str]) -> View:
        together = [block for block in self.blocks(beside) if set(columns) & set(block)]
        if len(together) != 1:
            raise TableError(f"table {BLOCKS!r}: {', '.join(map(repr, columns))} must stand in one block of it.")
        known = [name for name in together[0] if name not in columns]
        check_columns(frame, (self.bucket, *known, *columns))
        return View(frame[[self.bucket, *known, *columns]], (self.bucket, *known))

    def parts(
        self,
        frame: pl.DataFrame,
        beside: Mapping[str, pl.DataFrame],
        sensitive: Sequence[str],  # noqa: ARG002
    ) -> tuple[Part, ...]:
        bucket, _ = dense_codes(key_of_rows([cells_of(frame, self.bucket)], frame.height))
        blocks = self.blocks(beside)
        sliced = {self.bucket, *(name for block in blocks for name in block)}
        rest = [name for name in frame.columns if name not in sliced]
        return tuple(Part(frame[block], bucket) for block in (*blocks, rest) if block)

    def check_truth(
        self,
        frame: pl.DataFrame,
        beside: Mapping[str, pl.DataFrame],
        original: pl.DataFrame,
        sensitive: Sequence[str],  # noqa: ARG002
    ) -> None:
        """Every bucket has the parts of its rows, block by block."""
        bucket = cells_of(frame, self.bucket)
        for block in self.blocks(beside):
            shown, was = ([cells_of(table, name) for name in block] for table in (frame, original))
            if not same_tallies((bucket, *shown), (bucket, *was)):
                raise UnsafeReleaseError(
                    f"column {block[0]!r}: the parts of a bucket are not those of its rows. Nothing is released."
                )
