"""Codes generalized character by character: 13053 → 1305* → 130** → …"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from paravent.errors import TreeError, quote
from paravent.hierarchy.builders.ordered import check_counts
from paravent.hierarchy.levels import Level
from paravent.hierarchy.spec import TreeSpec, as_tuple, leaf_level, tree_over
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain


@dataclass(frozen=True, repr=False)
class Prefixes(TreeSpec):
    call: ClassVar[str] = "prefixes"
    main: ClassVar[str] = "masked"

    masked: tuple[int, ...] = ()
    keep: str = "left"
    mask: str = "*"

    def __post_init__(self) -> None:
        masked = as_tuple(self.masked)
        object.__setattr__(self, "masked", masked)
        check_counts(self.call, "number of masked characters", masked, 1)
        if list(masked) != sorted(set(masked)):
            raise TreeError(
                f"prefixes: masked characters {list(masked)} must grow from level to level, such as 1, 2, 3."
            )
        if not isinstance(self.keep, str) or self.keep not in ("left", "right"):
            raise TreeError(f"prefixes: keep {self.keep!r} must be 'left' or 'right'.")
        if not isinstance(self.mask, str) or len(self.mask) != 1:
            raise TreeError(f"prefixes: mask {self.mask!r} must be one character.")

    def build(self, domain: Domain) -> Tree:
        leaf_level(domain)
        text = pl.Series("text", domain.text, dtype=pl.String)
        holds_mask = text.str.contains(self.mask, literal=True)
        if holds_mask.any():
            raise TreeError(
                f"tree {domain.name!r}: value {quote(text.filter(holds_mask)[0])} holds the mask sign {self.mask!r}. "
                "Choose another with mask=."
            )
        length = text.str.len_chars()
        longest = int(length.max() or 0)  # type: ignore[arg-type]
        levels = []
        for masked in self.masked or range(1, longest):
            kept = longest - masked
            if kept < 1:
                break  # nothing is left: that is the root
            part = text.str.slice(0, kept) if self.keep == "left" else text.str.tail(kept)
            stars = pl.lit(self.mask * masked)
            label = pl.col("part") + stars if self.keep == "left" else stars + pl.col("part")
            frame = pl.DataFrame({"text": text, "part": part, "long": length >= kept})
            # A code that is shorter than what is kept stays as it is on this level.
            levels.append(Level.of(frame.select(pl.when("long").then(label).otherwise("text")).to_series().to_list()))
        return tree_over(domain, *levels)


def prefixes(*masked: int, keep: str = "left", mask: str = "*") -> Prefixes:
    """Codes that lose `masked` characters on each level (all numbers of them from 1 on, unless you say which).

    `keep="right"` masks from the front. Codes of different lengths are aligned at the side that is kept, so that
    `C50` and `C501` meet in `C50*`.

    >>> import numpy as np
    >>> from paravent.table.kinds import Kind
    >>> domain = Domain("zip", Kind.NOMINAL, pl.Series(["13053", "13068", "14850"]), np.ones(3, dtype=np.int64))
    >>> [level.labels for level in prefixes(2, 3).build(domain).levels]
    [('13053', '13068', '14850'), ('130**', '148**'), ('13***', '14***'), ('*',)]
    """
    return Prefixes(masked, keep, mask)
