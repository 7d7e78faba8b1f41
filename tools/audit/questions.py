"""Trials of the answers to questions, through `pv.private` wherever a run need not be a call."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from paravent.private import mechanisms
from paravent.private.above import first_above
from paravent.private.accounting import epsilon_of
from paravent.private.sampling import least_sampling
from tools.audit.trials import Trial

_GROUPS = 1000
"""Groups of one call where each has a tree of counts of its own."""
_HUNDREDTH = Fraction(1, 100)
"""A δ that is large enough to be seen."""


@contextmanager
def asked(frame: pl.DataFrame, domains: dict[str, Any]) -> Iterator[pv.private.Questions]:
    """Questions to a table, with a ledger that holds what is asked here."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a delta that can be seen in so many runs promises nothing
        budget = pv.Budget(Path(folder) / "audit.ledger", epsilon=10**6, delta="0.9", outright="0.8")
        with pv.private(frame, budget, domains) as questions:
            yield questions


def people(inside: bool, runs: int, *, others: int = 0, pay: float = 1000.0) -> pl.DataFrame:
    """A table for each run, all in one: `others` rows without pay, and the person, who earns the most."""
    mine = [np.arange(runs)] if inside else []
    rest = np.repeat(np.arange(runs), others)
    run = np.concatenate([rest, *mine]).astype(np.int64)
    paid = np.concatenate([np.zeros(len(rest)), *(np.full(runs, pay) for _ in mine)])
    return pl.DataFrame({"run": run, "pay": paid}, schema={"run": pl.Int64, "pay": pl.Float64})


def agg(inside: bool, runs: int, others: int = 0, **wishes: Any) -> pl.DataFrame:
    """Statistics of each run, in its order."""
    table = people(inside, runs, others=others)
    with asked(table, {"run": range(runs), "pay": (0.0, 1000.0)}) as q:
        return q.group_by("run").agg(**wishes).frame.filter(pl.col("run").is_not_null())


def _count(inside: bool, runs: int) -> np.ndarray:
    return agg(inside, runs, n="count", epsilon=1)["n.estimate"].to_numpy()


def _histogram(inside: bool, runs: int) -> np.ndarray:
    with asked(people(inside, runs), {"run": range(runs)}) as q:
        return q.histogram("run", epsilon=1).frame["estimate"].to_numpy()[:runs]


def _sum(inside: bool, runs: int) -> np.ndarray:
    return agg(inside, runs, s=("sum", "pay"), epsilon=1)["s.estimate"].to_numpy()


def _count_and_sum(inside: bool, runs: int) -> np.ndarray:
    found = agg(inside, runs, n="count", s=("sum", "pay"), epsilon=1)
    return np.minimum(found["n.estimate"].to_numpy(), found["s.estimate"].to_numpy() / 1000)


def told(frame: pl.DataFrame, name: str) -> np.ndarray:
    """All that is told of a statistic: its estimate and the ends of its interval."""
    return (
        frame.select(pl.sum_horizontal(f"{name}.{part}" for part in ("estimate", "low", "high"))).to_series().to_numpy()
    )


def _mean(inside: bool, runs: int) -> np.ndarray:
    return told(agg(inside, runs, 1, m=("mean", "pay"), epsilon=1), "m")


def _variance(inside: bool, runs: int) -> np.ndarray:
    return told(agg(inside, runs, 1, v=("variance", "pay"), epsilon=1), "v")


def _gaussian_rho(inside: bool, runs: int) -> np.ndarray:
    return agg(inside, runs, n="count", rho="1/2")["n.estimate"].to_numpy()


def _gaussian_delta(inside: bool, runs: int) -> np.ndarray:
    with asked(people(inside, runs), {"run": range(runs)}) as q:
        return q.histogram("run", epsilon=1, delta=_HUNDREDTH).frame["estimate"].to_numpy()[:runs]


def _keys(inside: bool, runs: int, others: int) -> np.ndarray:
    """The noisy count of the value that each run has, −1 where it is not shown."""
    with asked(people(inside, runs, others=others), {}) as q:
        frame = q.histogram("run", epsilon=1, delta=_HUNDREDTH).frame
    found = np.full(runs, -1.0)
    found[frame["run"].cast(pl.Int64).to_numpy()] = frame["estimate"].to_numpy()
    return found


def _own_key(inside: bool, runs: int) -> np.ndarray:
    return (_keys(inside, runs, others=0) > -1).astype(float)


def _shared_key(inside: bool, runs: int) -> np.ndarray:
    return _keys(inside, runs, others=5)


def _median(inside: bool, runs: int) -> np.ndarray:
    """The median of one number, or of none."""
    found = []
    for begin in range(0, runs, _GROUPS):
        many = min(_GROUPS, runs - begin)
        table = people(inside, many, pay=3).with_columns(pl.col("pay").cast(pl.Int64))
        with asked(table, {"run": range(max(2, many)), "pay": range(4)}) as q:
            frame = q.group_by("run").agg(m=("median", "pay"), epsilon=1).frame
            found.append(told(frame.filter(pl.col("run").is_not_null()), "m")[:many])
    return np.concatenate(found)


def _top(inside: bool, runs: int) -> np.ndarray:
    """Which of three jobs comes first, and its count: the person has the first."""
    jobs = ["a", "a", "b", "b", "c", "c", *(["a"] if inside else [])]
    found = np.zeros(runs)
    with asked(pl.DataFrame({"job": jobs}), {"job": ["a", "b", "c"]}) as q:
        q.budget = q._asking.budget = _Unwritten(q.budget)
        for run in range(runs):
            answer = q.top("job", 1, epsilon=1).frame.row(0)
            found[run] = answer[1] if answer[0] == "a" else -100
    return found


class _Unwritten(pv.Budget):
    """A budget that keeps no file: the disk would be waited for in each of many runs, and is not what is tried."""

    def __init__(self, like: pv.Budget) -> None:
        self.path = like.path

    def spend(self, what: str, cost: pv.private.Cost) -> None:
        pass


def _select(inside: bool, runs: int) -> np.ndarray:
    """Scores that somebody moves as far as they may: one up, all others down."""
    scores = np.array([1, *[0] * 9]) if inside else np.array([0, *[1] * 9])
    return np.array([mechanisms.select(scores, Fraction(1), 1) == 0 for _ in range(runs)], dtype=float)


def _first_above(inside: bool, runs: int) -> np.ndarray:
    """Whether it is the last of five counts: those before it are one higher with the person, and it is not. So both the
    threshold and the count that is told have to be drawn further off."""
    counts = [*[1 if inside else 0] * 4, 2]
    return np.array([first_above(counts, 0, Fraction(1), 1) != 4 for _ in range(runs)], dtype=float)


def _sampled(inside: bool, runs: int) -> np.ndarray:
    """How many rows of a class are drawn, −1 where they are too few to be published."""
    sampling = least_sampling(Fraction(1), _HUNDREDTH)
    rows = sampling.k + 1 if inside else sampling.k
    drawn = sampling.draw(rows * runs).reshape(runs, rows).sum(axis=1)
    return np.where(drawn >= sampling.k, drawn, -1).astype(float)


def trials() -> list[Trial]:
    """Everything that a question can be answered with."""
    delta = float(_HUNDREDTH)
    of_rho = float(epsilon_of(Fraction(1, 2), _HUNDREDTH))
    return [
        Trial("count: geometric (discrete Laplace) noise", 1, 0, _count),
        Trial("histogram: geometric noise in each cell", 1, 0, _histogram),
        Trial("sum: Laplace noise in fixed point", 1, 0, _sum),
        Trial("count and sum together: the price is split", 1, 0, _count_and_sum),
        Trial("mean", 1, 0, _mean),
        Trial("variance", 1, 0, _variance),
        Trial("count: Gaussian noise, rho = 1/2", of_rho, delta, _gaussian_rho),
        Trial("histogram: Gaussian noise by epsilon and delta", 1, delta, _gaussian_delta),
        Trial("keys by threshold: a value of one person alone", 1, delta, _own_key),
        Trial("keys by threshold: a value that others have", 1, delta, _shared_key),
        Trial("median: noisy counts of a tree", 1, 0, _median),
        Trial("exponential mechanism (report noisy max)", 1, 0, _select),
        Trial("top value and its count", 1, 0, _top),
        Trial("first above a threshold (sparse vector)", 1, 0, _first_above),
        Trial("SafePub: a class of sampled rows", 1, delta, _sampled),
    ]
