"""SafePub: true rows with differential privacy, by sampling, generalizing and leaving small classes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent import kernels
from paravent.errors import InfeasibleError, PlanError, either
from paravent.methods.full_domain.level_scores import candidates, scores
from paravent.methods.method import Axis, Labels, Method, Need, OutputType, Recoding, Task
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.sampling_loss import account_of_sampling
from paravent.private import mechanisms
from paravent.private.accounting import Cost
from paravent.private.sampling import Bound, Sampled, Sampling, least_sampling
from paravent.table.randomness import generator
from paravent.table.text import as_text

LevelName = int | Literal["top", "search"]

_RESERVE = 1 - Fraction(1, 10**11)
"""The share of epsilon and delta that is spent at most: what rounding adds stays within the promise."""


@dataclass(frozen=True, kw_only=True)
class SafePub(Method):
    """Every row is drawn with probability β, columns stand on levels of their trees, and classes of fewer than k drawn
    rows are left out. With β, k and the levels independent of the data this is (ε, δ)-differential privacy of true
    rows. β and k follow from the plan's epsilon and delta; `sampling` sets a lower β.

    `levels` names the level of each column as `Filter` does (0, as it is, where it names none; "top" for the root).
    "search" has the mechanism choose it, and so it does for all columns where `levels` is not given: the combination
    comes from the exponential mechanism, which looks at all rows, for the share `search` of epsilon. A score counts the
    rows that would stay, by how much of the levels they keep.

    All released columns count, sensitive and insensitive ones too: rows of a class are alike in every one of them. The
    labels of a tree must depend on one value at a time: intervals, dates, cuts of numbers, groups, files, flat, icd.
    The bound on δ is `exact`; "published" is the paper's, which asks for larger classes.

    >>> SafePub(levels={"age": 1, "zip": "top"})
    SafePub(levels={'age': 1, 'zip': 'top'}, search=0.1, sampling=None, bound='exact')
    """

    levels: Mapping[str, LevelName] | None = None
    search: float = 0.1
    sampling: float | None = None
    bound: Bound = "exact"

    title: ClassVar[str] = "SafePub: sampling, generalization and suppression"
    source: ClassVar[str] = (
        "Bild, Kuhn, Prasser: SafePub: A Truthful Data Anonymization Algorithm With Strong Privacy Guarantees. PoPETs "
        "2018; Li, Qardaji, Su: On sampling, anonymization, and differential privacy. ASIACCS 2012"
    )
    gives: ClassVar[OutputType] = "full-domain"
    suppresses: ClassVar[Literal["nothing", "rows", "cells"]] = "rows"
    samples_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, level in (self.levels or {}).items():
            if level not in ("top", "search") and (isinstance(level, bool) or not isinstance(level, int) or level < 0):
                raise PlanError(
                    f"SafePub: the level of {name!r} must be a whole number, 'top' or 'search', not {level!r}."
                )
        if self.levels is not None:
            object.__setattr__(self, "levels", dict(self.levels))
        if not 0 < self.search < 1:
            raise PlanError(f"SafePub: search is the share of epsilon for the choice, from 0 to 1, not {self.search}.")
        if self.sampling is not None and not 0 < self.sampling < 1:
            raise PlanError(f"SafePub: sampling must be a probability between 0 and 1, not {self.sampling}.")

    @property
    def needs(self) -> tuple[Need, ...]:
        return ("suppression",) if self.levels is None else ("choices", "suppression")

    @property
    def weighs(self) -> bool:
        return self._searches

    @property
    def _searches(self) -> bool:
        return self.levels is None or "search" in self.levels.values()

    def run(self, task: Task) -> Recoding:
        promise = self._promise(task)
        options = self._options(task)
        whole, delta = Fraction(str(promise.epsilon)), Fraction(str(promise.delta)) * _RESERVE
        choice = whole * Fraction(str(self.search)) * _RESERVE if self._searches else Fraction(0)
        epsilon = (whole - choice) * _RESERVE
        beta = None if self.sampling is None else Fraction(str(self.sampling))
        found = least_sampling(epsilon, delta, beta, self.bound)
        sampling = Sampling(found.beta, max(found.k, task.k))
        nodes = candidates(options)
        unsafe = None if promise.unsafe_seed is None else generator(promise.unsafe_seed, "rows of a known seed")
        if unsafe is None and choice:
            mechanisms.opendp()  # whether it is there is said before anything is charged
        what = f"SafePub: a sample of {len(task.roles)} columns"
        task.charge(
            what if unsafe is None else f"{what} (not private: with a seed)",
            Cost.approximate(whole, Fraction(str(promise.delta))),
        )
        counted = _counted(task)
        node = nodes[0]
        if choice:
            tops = [task.fixed_levels[axis.name] or 0 for axis in task.axes]
            scored = scores(task.axes, options, tops, _others(task), counted, sampling, task.times)
            node = nodes[mechanisms.select(scored.values, choice, scored.sensitivity, unsafe=unsafe)]
        drawn = np.zeros(len(task.axes[0].codes), dtype=np.int64)
        if task.times is None:
            drawn[counted] = sampling.draw(len(counted), unsafe)
        else:
            drawn[counted] = sampling.draw_of(task.times[counted], unsafe)
        levels = tuple((axis.name, level) for axis, level in zip(task.axes, node, strict=True))
        sampled = Sampled(sampling, epsilon, delta, choice, len(nodes), levels, unsafe is None)
        return self._recoding(task, node, drawn, sampled)

    def _recoding(self, task: Task, node: Sequence[int], drawn: np.ndarray, sampled: Sampled) -> Recoding:
        """`drawn` says of each row whether it was drawn, or how many of the equal ones that it stands for were."""
        k = sampled.sampling.k
        columns = [codes_at(axis, level) for axis, level in zip(task.axes, node, strict=True)]
        alike = _alike([codes for codes, _ in columns] + _others(task))
        kept = (drawn > 0) & (np.bincount(alike, weights=drawn) >= k)[alike]
        if not kept.any():
            raise InfeasibleError(
                f"SafePub: no class has {k} rows in the sample, so nothing can be published; what was spent is spent. "
                "Ask for fewer columns or higher levels, or spend more."
            )
        of_class = _alike([codes for codes, _ in columns])
        used, of_kept = np.unique(of_class[kept], return_inverse=True)
        of_row = np.full(len(drawn), -1, dtype=np.int32)
        of_row[kept] = of_kept
        example = np.zeros(len(used), dtype=np.int64)
        example[of_kept] = np.flatnonzero(kept)
        cells = {}
        for axis, (codes, labels) in zip(task.axes, columns, strict=True):
            there, own = np.unique(codes[example], return_inverse=True)
            cells[axis.name] = Labels(own.astype(np.int32), tuple(labels[code] for code in there.tolist()))
        spelled = ", ".join(f"{name} {level}" for name, level in sampled.levels)
        how = f"chosen among {sampled.candidates}" if sampled.choice else "as told"
        trace = (
            f"Levels {how}: {spelled}.",
            f"Drew rows with probability {float(sampled.sampling.beta):.6g}; classes of fewer than {k} were left out.",
        )
        return Recoding(
            of_row,
            len(used),
            cells,
            trace,
            account=account_of_sampling(sampled.to_document()),
            sampled=sampled,
            copies=None if task.times is None else np.where(kept, drawn, 0),
        )

    def _promise(self, task: Task) -> DifferentialPrivacy:
        found = [promise for promise in task.promises if isinstance(promise, DifferentialPrivacy)]
        if len(found) != 1:
            raise PlanError(
                "method: SafePub spends a budget that the plan must name, once: "
                + either("protect=[pv.DifferentialPrivacy(epsilon=1)].", "--epsilon 1.")
            )
        if not found[0].delta:
            raise PlanError("method: SafePub needs a delta above 0. Allow one far below 1 / the people, such as 1e-6.")
        return found[0]

    def _options(self, task: Task) -> list[range]:
        """The levels that each column may stand on, by the plan alone."""
        names = [axis.name for axis in task.axes]
        for name in self.levels or {}:
            if name not in names:
                raise PlanError(f"SafePub: levels names {name!r}, which is no quasi-identifier. Leave it out.")
        found = []
        for axis in task.axes:
            top = task.fixed_levels[axis.name]
            if top is None:
                raise PlanError(
                    f"columns.{axis.name}: the labels of its tree depend on which values occur, and those of SafePub "
                    "must not. Give it intervals, groups, dates or the file of a tree."
                )
            level = "search" if self.levels is None else self.levels.get(axis.name, 0)
            if level == "search":
                found.append(range(top + 1))
                continue
            at = top if level == "top" else int(level)
            if at > top:
                raise PlanError(
                    f"SafePub: the tree of {axis.name!r} has levels 0 to {top}, and level {at} is asked for."
                )
            found.append(range(at, at + 1))
            if top and axis.tree is not None and len(axis.tree.levels) <= top:
                raise PlanError(f"columns.{axis.name}: every value is missing. Leave the column out.")
        return found


def codes_at(axis: Axis, level: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """What each row has on a level of its column, and what that is published as."""
    if level == 0 or axis.tree is None:
        return axis.codes.astype(np.int32), axis.values
    at = axis.tree.levels[level]
    return at.codes.astype(np.int32)[axis.codes], at.labels


def _others(task: Task) -> list[np.ndarray]:
    """The codes of the released columns that are no quasi-identifiers: rows of a class are alike in them too."""
    quasi = {axis.name for axis in task.axes}
    found = []
    for name, cells in task.cells.items():
        if name not in quasi:
            texts = as_text(cells.alias("cells"))
            codes = texts.rank("dense").cast(pl.Int64).fill_null(0).to_numpy()
            found.append(codes.astype(np.int32))
    return found


def _alike(columns: Sequence[np.ndarray]) -> np.ndarray:
    """A number for each row, the same where rows are alike in all columns."""
    folded = kernels.fold([np.ascontiguousarray(codes) for codes in columns], [int(c.max()) + 1 for c in columns])
    return np.asarray(folded.tuple_of_row)


def _counted(task: Task) -> np.ndarray:
    """The rows that count: the first of each person, where people have several."""
    if task.persons is None:
        return np.arange(len(task.axes[0].codes))
    return np.sort(np.unique(task.persons, return_index=True)[1])
