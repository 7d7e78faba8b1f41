"""Which k comes with a demand of diversity or closeness: the reverse search (Mauger 2021, §4.5).

Usually k is asked for, and l or t are what one gets. Here l or t are asked for, and k is what one gets: GAA merges
until they hold, the smallest classes first, or those that cost least, with no k or with one of several to begin with.
Of the tables that satisfy the demand the one that loses least is kept, and the k that it has is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from paravent.arguments import Checked, check_call
from paravent.comparison.encoding import SharedEncoding
from paravent.errors import InfeasibleError, PlanError
from paravent.methods.merging.gaa import GAA, Strategy
from paravent.methods.method import Progress, silent
from paravent.near import suggest
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.runner import anonymize, as_plan, as_table
from paravent.privacy.k_anonymity import beside_k, k_asked, with_k

KS = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True)
class Trial:
    """One run: the k and the strategy it was begun with, the k of its table (its smallest class), what it lost, and the
    levels of the models. Where the demand could not be met, `reason` says why."""

    asked: int
    strategy: Strategy
    k: int = 0
    loss: float = float("inf")
    levels: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class BestK(Checked):
    """The trials, the best of them, and its release; `by` is the measure that was compared."""

    trials: tuple[Trial, ...]
    best: Trial
    release: Release
    by: str

    @property
    def k(self) -> int:
        """The size of the smallest class of the release."""
        return self.best.k

    def rows(self) -> list[list[str]]:
        """The trials as cells of a table, the best one marked."""
        return [
            [
                "*" if trial is self.best else "",
                str(trial.asked),
                str(trial.strategy),
                str(trial.k) if trial.reason is None else "–",
                f"{trial.loss:.4g}" if trial.reason is None else trial.reason,
            ]
            for trial in self.trials
        ]

    def __repr__(self) -> str:
        return f"<BestK: k = {self.k}, {self.by} {self.best.loss:.4g}, best of {len(self.trials)} trials>"


def best_k(
    source: Any,
    plan: Plan | str | os.PathLike[str],
    *,
    ks: Iterable[int] = KS,
    strategies: Iterable[Strategy] = ("size", 1),
    by: str = "utility.alteration.nllm",
    progress: Progress | None = None,
) -> BestK:
    """The table that loses least among those that satisfy the plan's demands, and its k.

    The plan asks for something beyond k-anonymity (l-diversity, t-closeness, …); a k in it is the least one that is
    tried. Every trial is a verified release. Ties: the larger k, then the trial that came first. Where the plan's
    method is a GAA, its other options hold.

    >>> import paravent as pv, polars as pl
    >>> frame = pl.DataFrame({"age": [20, 21, 22, 40, 43, 47], "ill": ["a", "b", "a", "b", "a", "b"]})
    >>> plan = pv.Plan({"age": pv.Quasi(pv.intervals(5, 10)), "ill": pv.Sensitive()}, [pv.LDiversity(2, "ill")])
    >>> best_k(frame, plan, ks=[1, 2]).k
    3
    """
    check_call(best_k, locals())
    plan = as_plan(plan)
    table = as_table(source)
    report = progress or silent
    demands = beside_k(plan.models)
    if not demands:
        raise PlanError("best_k: the plan asks for k-anonymity alone, so its k is known. Add a demand of l or t.")
    floor = k_asked(plan.models) or 1
    asked = sorted({max(k, floor) for k in _checked(ks)})
    method = plan.method if isinstance(plan.method, GAA) else GAA()
    wanted = [(k, strategy) for k in asked for strategy in dict.fromkeys(strategies)]
    encoding = SharedEncoding()
    trials: list[Trial] = []
    found: tuple[Trial, Release] | None = None
    why: InfeasibleError | None = None
    for done, (k, strategy) in enumerate(wanted):

        def share(stage: str, part: float, done: int = done) -> None:
            report("searching k", (done + part if stage == "anonymize" else done) / len(wanted))

        share("anonymize", 0.0)
        models = with_k(demands, k) if k > 1 else demands
        tried = plan.replace(protect=models, method=replace(method, strategy=strategy, stubs=False))
        try:
            release = anonymize(table, tried, progress=share, encoder=encoding)
        except InfeasibleError as error:
            why = error
            trials.append(Trial(k, strategy, reason=str(error)))
            continue
        trial = Trial(k, strategy, release.verdict.strict_k, _loss(release, by), release.verdict.levels)
        trials.append(trial)
        if found is None or (trial.loss, -trial.k) < (found[0].loss, -found[0].k):
            found = trial, release
    report("searching k", 1.0)
    if found is None:
        assert why is not None
        raise why
    return BestK(tuple(trials), found[0], found[1], by)


def _loss(release: Release, by: str) -> float:
    quick = release.summary()
    measures = quick if by in quick else release.measure()
    if by not in measures:
        raise PlanError(f"best_k: there is no measure {by!r}. {suggest(str(by), measures)}")
    return float(measures[by])


def _checked(ks: Iterable[int]) -> list[int]:
    asked = list(ks)
    if not asked or any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in asked):
        raise PlanError("best_k: ks must name whole numbers from 1 on, such as [1, 2, 5, 10].")
    return asked
