"""How good the guide's choices are: contexts drawn by a seed, tables its evidence has not seen, all candidates run.

For every table and context each candidate is run and scored by AHP on what was measured; that order is the truth. A
choice is judged by the thesis' measure (one less what its score lacks to the best, by scores over that of the best) and
by a strict one: how far it lies on the way from the worst candidate (0) to the best (1). Predictions come from the cube
without the whole data set that the table is from.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import numpy as np

from paravent.errors import InfeasibleError
from paravent.guide.context import Context
from paravent.guide.foreseeing import predictions_of
from paravent.guide.hoping import counted, shortlist
from paravent.guide.log import decision_quality, strict_quality
from paravent.guide.ranking import Ranking, rank
from paravent.guide.signatures import Relevant, Signature, relevant
from paravent.knowledge.cube.criteria import CRITERIA, METRICS
from paravent.knowledge.cube.criteria import metric as metric_named
from paravent.knowledge.cube.run import MEMORY
from paravent.knowledge.cube.run import run as run_plan
from paravent.knowledge.cube.store import evaluations
from paravent.knowledge.cube.tables import NUMBER, SENSITIVE, Sub, source_of
from paravent.knowledge.loading import load
from paravent.knowledge.predicting.joint import Joint
from paravent.knowledge.predicting.learners import JOINT
from paravent.knowledge.predicting.models import Predictors, Sheet
from paravent.knowledge.predicting.stored import fingerprint
from paravent.methods.method import Progress, silent
from paravent.plan.plan import Plan
from paravent.privacy import KAnonymity
from paravent.table.atomic import replacing
from paravent.table.table import Table

TABLES = (
    Sub("adult", 2000, 5, 1),
    Sub("adult", 2000, 7, 2),
    Sub("voters", 2000, 4, 1),
    Sub("uniform", 2000, 4, 1),
    Sub("dense", 2000, 6, 1),
    Sub("correlated", 2000, 5, 1),
    Sub("skewed", 2000, 5, 1),
    Sub("sparse", 2000, 4, 1),
)
CONTEXTS, SEED = 120, 1
RISKS, SUPPRESSIONS = (0.2, 0.1, 0.05), (0.0, 0.05)
JUDGEMENTS = (1 / 5, 1 / 3, 1.0, 3.0, 5.0)
LANDMARK_SECONDS = 5.0
LANDMARKS_EVERY = 8
"""Seconds on the table are tried in one context of so many: they take their time."""
PUBLISHED = {"predefined": 0.45, "informative": 0.69, "suggestive": 0.98, "full": 0.98}
"""Decision quality by the four versions of the thesis' tool, four people each."""


@dataclass(frozen=True)
class Case:
    """What the choices of one context on one table were worth, by the measure of the thesis and the strict one."""

    table: str
    context: int
    candidates: int
    thesis: Mapping[str, float]
    strict: Mapping[str, float]


@dataclass
class Truth:
    """Measured values of plans on a table, run when they are first asked for."""

    table: Table
    known: dict[str, Mapping[str, float]] = field(default_factory=dict)
    file: Path | None = None
    """Where runs are kept: they take most of the time, and are the same for every way to choose."""
    metrics: Sequence[str] = tuple(name for name in METRICS if name != MEMORY)
    """All metrics but memory, which no context here asks for and which takes longer to measure than a small run."""

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            self.known |= json.loads(self.file.read_text(encoding="utf-8"))

    def of(self, signature: Signature) -> Mapping[str, float]:
        key = f"{signature.method}|{signature.k}|{signature.max_sup}"
        if key not in self.known:
            outcome = run_plan(
                self.table, signature.plan, usage=True, target=SENSITIVE, number=NUMBER, metrics=self.metrics
            )
            self.known[key] = outcome.values
        return self.known[key]

    def keep(self) -> None:
        """Write the runs down."""
        if self.file is not None:
            with replacing(self.file) as part:
                part.write_text(json.dumps({key: dict(found) for key, found in self.known.items()}), encoding="utf-8")


def contexts(count: int = CONTEXTS, seed: int = SEED) -> list[Context]:
    """Contexts of all uses, risks and outputs, with preferences of every kind."""
    rng = np.random.default_rng(seed)
    uses = ("classification", "regression", "counting", "distributions", "any")
    found = []
    for number in range(count):
        use = uses[number % len(uses)]
        target = {"classification": SENSITIVE, "regression": NUMBER}.get(use)
        pairs = {("security", "quality"): _drawn(rng), ("precision", "completeness"): _drawn(rng)}
        if use != "any":
            pairs[("precision", "usage")] = _drawn(rng)
        output = str(rng.choice(["any", "any", "any", "multidimensional", "full-domain"]))
        found.append(
            Context(
                risk=float(rng.choice(RISKS)),
                suppression=float(rng.choice(SUPPRESSIONS)),
                use=use,
                target=target,
                output=output,
                preferences=pairs,
            )
        )
    return found


def _drawn(rng: np.random.Generator) -> float:
    return float(rng.choice(JUDGEMENTS))


def run(
    tables: Sequence[Sub] = TABLES,
    count: int = CONTEXTS,
    *,
    jobs: int = 2,
    landmarks: float = LANDMARK_SECONDS,
    learner: str = JOINT,
    results: Path | None = None,
    progress: Progress = silent,
) -> list[Case]:
    """All cases. Tables are worked on side by side; `results` keeps the tables that are finished, and a folder beside
    it the runs of each and the models that have not seen it."""
    done = _kept(results)
    left = [table for table in tables if table.name not in {case.table for case in done}]
    progress("tables", (len(tables) - len(left)) / len(tables))
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        runs = None if results is None else results.with_suffix(".runs")
        waiting = [pool.submit(cases, table, count, landmarks, learner, runs) for table in left]
        for number, future in enumerate(as_completed(waiting), 1):
            found = future.result()
            done += found
            if results is not None:
                with results.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(vars(case)) + "\n" for case in found)
            progress("tables", (len(tables) - len(left) + number) / len(tables))
    return sorted(done, key=lambda case: (case.table, case.context))


def cases(
    sub: Sub,
    count: int = CONTEXTS,
    landmarks: float = LANDMARK_SECONDS,
    learner: str = JOINT,
    runs: Path | None = None,
) -> list[Case]:
    """Every context on one table. `runs` is the folder that keeps what was run on it."""
    table, roles = sub.take(source_of(sub))
    base = Plan(dict(roles), [KAnonymity(2)])
    if runs is not None:
        runs.mkdir(parents=True, exist_ok=True)
    kept = None if runs is None else runs / f"{sub.name.replace('/', '-')}.json"
    models, known, truth = _left_out(sub.source, learner, runs), load(shipped_only=True), Truth(table, file=kept)
    if landmarks and learner == JOINT:
        _ = models.sheet("cost.seconds").joint  # models that ship are learnt already, and take no second of the table's
    found = []
    for number, context in enumerate(contexts(count)):
        try:
            candidates = relevant(table, base, context, known)
        except InfeasibleError:
            continue
        seconds = landmarks if number % LANDMARKS_EVERY == 0 else 0.0
        case = _case(sub, number, table, context, candidates, truth, models, seconds)
        if case is not None:
            found.append(case)
    truth.keep()
    return found


def _case(
    sub: Sub,
    number: int,
    table: Table,
    context: Context,
    candidates: Relevant,
    truth: Truth,
    models: Predictors,
    landmarks: float,
) -> Case | None:
    goals = context.goals
    named = {name: CRITERIA[name].metric.name for name in goals.weights}
    measured = {
        each.name: {name: values[metric] for name, metric in named.items() if metric in values}
        for each in candidates.signatures
        if (values := truth.of(each))
    }
    real = rank(measured, goals)
    if len(real) < 3:
        return None
    choices: dict[str, str] = {}
    order, short = _predicted(table, candidates, context, models, 0.0, real)
    if order:
        choices["first, by the cube"] = order[0]
        choices["best of the three to run, by the cube"] = min(short, key=lambda name: real[name].rank)
    if landmarks:
        order, short = _predicted(table, candidates, context, models, landmarks, real)
        if order:
            choices["first, after seconds on the table"] = order[0]
            choices["best of the three to run, after seconds on the table"] = min(
                short, key=lambda name: real[name].rank
            )
    smallest = min((each.k for each in candidates.signatures), default=0)
    offered = {each.method for each in candidates.signatures}
    least = next((method for method in _by_loss(sub.source) if method in offered), "")
    for label, method in (("always Datafly", "Datafly()"), ("always the least loss", least)):
        own = [s.name for s in candidates.signatures if s.method == method and s.k == smallest and s.name in measured]
        if own and own[0] not in real.unscored:
            choices[label] = own[0]
    thesis = {label: decision_quality(real, name) for label, name in choices.items()}
    strict = {label: strict_quality(real, name) for label, name in choices.items()}
    thesis["at random"] = fmean(place.ideal for place in real.places)
    strict["at random"] = fmean(strict_quality(real, place.name) for place in real.places)
    return Case(sub.name, number, len(real), thesis, strict)


def _predicted(
    table: Table, candidates: Relevant, context: Context, models: Predictors, seconds: float, real: Ranking
) -> tuple[list[str], list[str]]:
    """Candidates in the order that is predicted, and the three that the guide would run; those that could be run."""
    told = predictions_of(table, candidates, context, seconds, cube=models, clock=time.process_time)
    values = counted(told)
    possible = {place.name for place in real.places}
    ranking = rank({name: own for name, own in values.items() if name in possible}, context.goals)
    methods = {each.name: each.method for each in candidates.signatures}
    return [place.name for place in ranking.places], shortlist(ranking, told, methods)


@dataclass(eq=False)
class LeftOut(Predictors):
    """Models that have not seen a data set. Joint ones are kept in a folder, and read from there another time."""

    folder: Path | None = None

    def sheet(self, metric: str) -> Sheet:
        name = metric_named(metric).name
        if self.folder is None or self.learner != JOINT or name in self._sheets:
            return super().sheet(metric)
        place = self.folder / f"{name}.json"
        known = Joint.from_dict(json.loads(place.read_text(encoding="utf-8"))) if place.exists() else None
        self._sheets[name] = found = Sheet.of(self.cube, name, self.learner, known)
        if known is None and len(found.target):
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(place) as part:
                part.write_text(json.dumps(found.joint.to_dict()), encoding="utf-8")
        return found


@cache
def _left_out(source: str, learner: str, runs: Path | None) -> LeftOut:
    folder = None if runs is None else runs / f"without-{source}-{fingerprint()[:12]}"
    return LeftOut(evaluations().without(source), learner, folder=folder)


@cache
def _by_loss(source: str) -> tuple[str, ...]:
    """Methods by their mean loss over all other data sets, the smallest first. The first that the guide offers in a
    context is taken: what it leaves out (averages, where values must be true) may lose less still."""
    import polars as pl

    loss = evaluations().without(source).measured.filter(pl.col("metric") == "utility.gcp", pl.col("k") == 5)
    often = loss.group_by("method").agg(pl.col("value").mean(), pl.len()).filter(pl.col("len") >= 30)
    return tuple(often.sort("value", "method")["method"].to_list())


def _kept(path: Path | None) -> list[Case]:
    if path is None or not path.exists():
        return []
    return [Case(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


ROWS = (
    "first, by the cube",
    "first, after seconds on the table",
    "best of the three to run, by the cube",
    "best of the three to run, after seconds on the table",
    "at random",
    "always Datafly",
    "always the least loss",
)


def table_of(found: Sequence[Case]) -> Iterator[tuple[str, int, float, float, float, float]]:
    """Per way to choose: cases, mean thesis quality, mean strict quality, mean of its worst 5 %, share of best."""
    for label in ROWS:
        strict = np.array([case.strict[label] for case in found if label in case.strict])
        if len(strict):
            thesis = np.array([case.thesis[label] for case in found if label in case.thesis])
            worst = np.sort(strict)[: max(1, len(strict) // 20)]
            yield label, len(strict), thesis.mean(), strict.mean(), worst.mean(), float((strict > 1 - 1e-9).mean())


def text(found: Sequence[Case], minutes: float) -> str:
    """The page."""
    tables = sorted({case.table for case in found})
    rows = [
        "| choice | cases | quality (thesis) | quality (strict) | worst 5 % (strict) | the best itself |",
        "|---|---|---|---|---|---|",
    ]
    for label, count, thesis, strict, worst, best in table_of(found):
        rows.append(f"| {label} | {count} | {thesis:.3f} | {strict:.3f} | {worst:.3f} | {best:.0%} |")
    for label, value in PUBLISHED.items():
        rows.append(f"| published: {label} | 4 | {value:.2f} | | | |")
    by_table = [
        "| table | cases | first, by the cube | after seconds on the table | best of three, by the cube | at random |",
        "|---|---|---|---|---|---|",
    ]
    for name in tables:
        own = [case for case in found if case.table == name]
        means = [
            fmean(values) if (values := [c.strict[label] for c in own if label in c.strict]) else float("nan")
            for label in (ROWS[0], ROWS[1], ROWS[2], ROWS[4])
        ]
        by_table.append(f"| {name} | {len(own)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    candidates = fmean(case.candidates for case in found)
    return _PAGE.format(
        contexts=len({case.context for case in found}),
        tables=len(tables),
        candidates=candidates,
        rows="\n".join(rows),
        by_table="\n".join(by_table),
        minutes=minutes,
        seconds=LANDMARK_SECONDS,
        every=LANDMARKS_EVERY,
    )


def write(found: Sequence[Case], page: Path, minutes: float) -> None:
    """Write the page."""
    page.parent.mkdir(parents=True, exist_ok=True)
    with replacing(page) as part:
        part.write_text(text(found, minutes), encoding="utf-8", newline="\n")


_PAGE = """# How good the guide's choices are

Written by `paravent experiment guidance`; run it again to make it anew ({minutes:.0f} minutes).

{contexts} contexts (uses, risks, limits of suppression, outputs and preferences, drawn by a seed) on {tables} tables.
For each, every candidate that conforms to the context ({candidates:.0f} on average) is run, measured, and scored by AHP
with the preferences of the context: that order is the truth. Predictions rest on the evaluations of other data sets
alone; the data set that a table is from is left out whole. Tries on the table ({seconds:g} seconds of the processor)
are made in one context of {every}.

*Quality (thesis)* is one less what the choice lacks to the best, by scores over that of the best. Scores of many
candidates lie near one another, so that it flatters; *quality (strict)* is how far the choice lies on the way from the
worst candidate (0) to the best (1). The worst 5 % are the mean of the worst twentieth of the cases.

{rows}

The published figures are means over four people each, who chose among about ten candidates on one table; they are
comparable in kind only.

By table, strict:

{by_table}
"""
