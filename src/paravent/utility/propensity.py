"""Propensity: how surely released rows are told from real ones by a logistic regression.

pMSE is the mean square of how much surer than chance it is (Woo, Reiter, Oganian and Karr 2009). What it sees decides
what it finds. One that sees columns one by one finds nothing at all where the shares of single values agree, however
wrong the pairs are: for its estimate is chance itself just when these shares are equal. Synthetic rows that are made of
counted columns agree there by construction. So it also sees every pair of columns (Snoke, Raab, Nowok, Dibben and
Slavkovic 2018 ask for interactions), numbers in groups of about as many rows and categories with the rarer ones
together. It is fitted to the end and without a penalty, on different rows with their counts: none is left out.

The ratio is to (k − 1) (1 − c)² c / N, its mean for N rows of which the share c is drawn anew from the original, and k
parameters (Snoke et al. 2018). A second sample of other people of the same population gives 1 / (1 − c): 2, where
both tables have as many rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from paravent.measures import Measure
from paravent.privacy.grouping import group_rows
from paravent.table.text import as_text

_GROUPS = (5, 4, 3, 2)
"""Groups of values of a column: as many as the work allows."""
_MOST_PARAMETERS = 900
"""Where columns are so many that two groups of each are too many pairs, the first pairs are seen."""
_ROUNDS = 60
_RIDGE = 1e-9
"""A trace of a penalty, by the number of rows: a cell that only one of the tables has would need an endless weight."""


def told_apart(original: pl.DataFrame, released: pl.DataFrame, names: list[str]) -> Iterator[Measure]:
    """pMSE and its ratio, over pairs of columns, and over columns one by one."""
    for ending, pairs in (("", True), (".single", False)):
        found = propensity(original, released, names, pairs=pairs)
        seen = "every pair of columns" if pairs else "columns one by one, which says nothing about pairs"
        called = "pMSE" if pairs else "pMSE of single columns"
        yield Measure(
            f"utility.pmse{ending}",
            found.pmse,
            f"Released rows told from real ones ({called})",
            "The mean square of what a logistic regression is surer than chance that a row is released or real, seeing "
            f"{seen}: 0 where they cannot be told apart.",
        )
        yield Measure(
            f"utility.pmse{ending}.ratio",
            found.ratio,
            f"{called} over that of rows drawn anew",
            "About 1 for rows drawn with replacement from the original, 2 for as many rows of other people of the same "
            "population (Snoke et al. 2018); the larger, the easier to tell apart. Below 1 the shares agree better "
            "than by chance.",
        )


@dataclass(frozen=True)
class Propensity:
    """`pmse` with `parameters` that are free beside the constant, over `rows` of which `share` are released."""

    pmse: float
    parameters: int
    share: float
    rows: int

    @property
    def expected(self) -> float:
        """The mean of pMSE for rows drawn anew from the original."""
        return self.parameters * (1 - self.share) ** 2 * self.share / self.rows

    @property
    def ratio(self) -> float:
        return self.pmse / self.expected if self.expected else 0.0


def propensity(original: pl.DataFrame, released: pl.DataFrame, names: list[str], *, pairs: bool) -> Propensity:
    """
    >>> before = pl.DataFrame({"sex": ["f"] * 50 + ["m"] * 50})
    >>> after = pl.DataFrame({"sex": ["f"] * 70 + ["m"] * 30})
    >>> found = propensity(before, after, ["sex"], pairs=False)
    >>> round(found.pmse, 7), round(found.ratio, 3)
    (0.0104167, 16.667)
    """
    rows = original.height + released.height
    for groups in _GROUPS:
        codes = [grouped(original[name], released[name], groups) for name in names]
        sizes = [int(code.max(initial=0)) for code in codes]
        if sum(sizes) + (sum(a * b for a, b in combinations(sizes, 2)) if pairs else 0) <= _MOST_PARAMETERS:
            break
    of_row, count = group_rows(codes, rows)
    some = np.zeros(count, dtype=np.int64)
    some[of_row] = np.arange(rows)
    weight = np.bincount(of_row, minlength=count).astype(float)
    made = np.bincount(of_row[original.height :], minlength=count).astype(float)
    design = _design([code[some] for code in codes], weight, pairs=pairs)
    share = released.height / rows
    sure = _fitted(design, weight, made, share)
    return Propensity(float(weight @ (sure - share) ** 2 / rows), _rank(design, weight), share, rows)


def grouped(original: pl.Series, released: pl.Series, groups: int) -> np.ndarray:
    """The cells of both, one below the other, as at most so many groups: numbers by quantiles of the original, other
    values by how frequent they are there, the rarer ones together. A missing cell is a group of its own."""
    if original.dtype.is_numeric():
        before = original.alias("cells").cast(pl.Float64).fill_nan(None)
        after = as_text(released.alias("cells")).cast(pl.Float64, strict=False).fill_nan(None)
        known = np.sort(before.drop_nulls().to_numpy())
        at = np.unique(known[(np.arange(1, groups) * len(known)) // groups]) if len(known) else np.zeros(0)
        both = pl.concat([before, after])
        codes = np.searchsorted(at, both.fill_null(0.0).to_numpy(), side="right")
        return _dense(np.where(both.is_null().to_numpy(), groups, codes))
    texts = pl.concat([as_text(original.alias("cells")), as_text(released.alias("cells"))])
    counted = (
        as_text(original.alias("cells"))
        .drop_nulls()
        .value_counts(name="n")
        .sort(["n", "cells"], descending=[True, False])
    )
    frequent = counted["cells"].head(groups - 1).to_list()
    known_codes = {value: place for place, value in enumerate(frequent)}
    codes = texts.replace_strict(known_codes, default=groups - 1, return_dtype=pl.Int64).to_numpy()
    return _dense(np.where(texts.is_null().to_numpy(), groups, codes))


def _dense(codes: np.ndarray) -> np.ndarray:
    return np.unique(codes, return_inverse=True)[1]


def _design(codes: list[np.ndarray], weight: np.ndarray, *, pairs: bool) -> np.ndarray:
    """Indicators of all groups but the first of each column and, of pairs, their products; none that never varies."""
    single = [[(code == group).astype(float) for group in range(1, int(code.max(initial=0)) + 1)] for code in codes]
    columns = [column for own in single for column in own]
    if pairs:
        for one, other in combinations(single, 2):
            products = [a * b for a in one for b in other]
            room = _MOST_PARAMETERS - len(columns)
            columns += products[:room]
    kept = [column for column in columns if 0 < weight @ column < weight.sum()]
    return np.column_stack(kept) if kept else np.zeros((len(weight), 0))


def _fitted(design: np.ndarray, weight: np.ndarray, made: np.ndarray, share: float) -> np.ndarray:
    """The estimated chance of each sort of row to be released: Newton's steps, halved where they go too far."""
    rows = float(weight.sum())
    whole = np.column_stack([np.ones(len(weight)), design])
    penalty = np.full(whole.shape[1], _RIDGE * rows)
    penalty[0] = 0.0
    beta = np.zeros(whole.shape[1])
    beta[0] = np.log(share / (1 - share))

    def loss(at: np.ndarray) -> float:
        score = whole @ at
        return float(weight @ np.logaddexp(0.0, score) - made @ score + 0.5 * penalty @ at**2)

    now = loss(beta)
    for _ in range(_ROUNDS):
        sure = 1 / (1 + np.exp(-(whole @ beta)))
        slope = whole.T @ (made - weight * sure) - penalty * beta
        bend = (whole * (weight * sure * (1 - sure))[:, None]).T @ whole + np.diag(penalty + 1e-12 * rows)
        step = np.linalg.solve(bend, slope)
        if slope @ step < 1e-12 * rows:
            break
        size = 1.0
        while (then := loss(beta + size * step)) > now and size > 1e-6:
            size /= 2
        beta, now = beta + size * step, then
    return np.asarray(1 / (1 + np.exp(-(whole @ beta))))


def _rank(design: np.ndarray, weight: np.ndarray) -> int:
    """The parameters beside the constant that are free."""
    if not design.shape[1]:
        return 0
    centred = design - (weight @ design) / weight.sum()
    scaled = centred / np.sqrt((weight @ centred**2) / weight.sum())
    values = np.linalg.eigvalsh((scaled * weight[:, None]).T @ scaled / weight.sum())
    return int((values > 1e-9 * len(values)).sum())
