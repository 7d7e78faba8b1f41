"""Recoding: what a method gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from paravent.methods.rule import Rule
from paravent.methods.trace import Step
from paravent.privacy.promise import Entry
from paravent.private.sampling import Sampled
from paravent.private.transcript import Transcript
from paravent.published import Published


@dataclass(frozen=True, eq=False)
class Beside:
    """A further table of a release. `rows[i]` is the row of the original that row i comes from; None where its rows
    are no rows of the original (counts, groups)."""

    frame: pl.DataFrame
    rows: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Recoding:
    """What a method gives: the class of each row (−1: suppressed), what is published in each column that it changes,
    and the steps it took, in words (`trace`) and, where a method says them one by one, so that they can be taken again
    (`steps`).

    Every quasi-identifier is in `cells` or `without`; a column that is in neither passes untouched. The first table of
    the release has the columns of the original but those `without`, and behind them those `added`, with a cell for each
    row of the original; `beside` holds further tables by name, with row maps of their own. A `synthetic` frame is
    published in place of the rows. `account` says what a mechanism spent, entry by entry; where there is a
    `transcript`, it is worked out from that again, and so are the rows; from `sampled`, where rows were drawn. `rule`
    tells the same as `cells` without naming rows, so that other rows can be recoded by it. Where equal rows were folded
    before and rows are drawn, `copies` says how many of those that each stands for are released.
    """

    of_row: np.ndarray
    n_classes: int
    cells: Mapping[str, Published]
    trace: tuple[str, ...] = ()
    steps: Sequence[Step] = ()
    without: frozenset[str] = frozenset()
    added: Mapping[str, pl.Series] = field(default_factory=dict)
    beside: Mapping[str, Beside] = field(default_factory=dict)
    synthetic: pl.DataFrame | None = None
    account: tuple[Entry, ...] = ()
    rule: Rule | None = None
    transcript: Transcript | None = None
    sampled: Sampled | None = None
    copies: np.ndarray | None = None
