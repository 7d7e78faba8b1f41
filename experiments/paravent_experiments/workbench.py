"""The comparison view of an anonymization workbench: accuracy, distortion, hidden failure and rows kept against k, l
and epsilon, on Adult and on Pima, as in Attou and Djedoui (2023).

k and l are reached by filtering after a generalization chosen by hand, as there. Epsilon is reached by the generator of
the source, which is no differential privacy, and by ours, which are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import paravent as pv
from paravent.errors import InfeasibleError, PlanError
from paravent.methods.method import Progress, silent
from paravent.privacy.risk.hidden_failure import hidden_failure
from paravent.utility.measure import summarize
from paravent_experiments.results import Results
from paravent_experiments.workbench_learner import accuracy, majority

ADULT = (
    "age", "education", "education-num", "occupation", "relationship", "native-country", "capital-gain", "salary-class",
)  # fmt: skip
PIMA = ("pregnancies", "glucose", "pressure", "triceps", "insulin", "bmi", "pedigree", "age", "class")
EPSILONS = (0.1, 1.0, 10.0)
SEEDS = (0, 1, 2)
LITERAL = "NaiveBayesColumns"
DRAWN = ("NaiveBayes", "MST", "AIM")
_TEST = 0.2


@dataclass(frozen=True)
class Bench:
    """A table with the choices of the source: quasi-identifiers, their levels, the sensitive column, and what is
    predicted. `domains` are what the columns can hold, by common knowledge."""

    name: str
    frame: pl.DataFrame
    quasi: Mapping[str, pv.Quasi]
    levels: Mapping[str, int | str]
    sensitive: str
    target: str
    ks: Sequence[int]
    ls: Sequence[int]
    domains: Mapping[str, Any]

    def roles(self) -> dict[str, Any]:
        named: dict[str, Any] = dict.fromkeys(self.frame.columns, pv.Insensitive())
        return {**named, **self.quasi, self.sensitive: pv.Sensitive()}

    def filtered(self, promise: Any) -> pv.Plan:
        """Generalized as told, and what does not hold left out."""
        method = pv.methods.Filter(levels=self.levels)  # type: ignore[arg-type]
        return pv.Plan(self.roles(), [promise], method, suppression=1.0, person=None, order="source")

    def drawn(self, method: str, epsilon: float, seed: int) -> pv.Plan:
        """With noise that can be drawn again: the tables are public, and an experiment shall repeat."""
        columns: dict[str, Any] = dict.fromkeys(self.frame.columns, pv.Insensitive())
        if method == LITERAL:
            columns[self.sensitive] = pv.Sensitive()
            return pv.Plan(columns, [], pv.methods.NaiveBayesColumns(epsilon=epsilon), person=None, order="source")
        more = {"target": self.target} if method == "NaiveBayes" else {}
        made = getattr(pv.methods, method)(domains=self.domains, **more)
        promise = pv.DifferentialPrivacy(
            epsilon=epsilon, delta=0.0 if method == "NaiveBayes" else 1e-6, unsafe_seed=seed
        )
        return pv.Plan(columns, [promise], made, person=None, seed=seed)


def adult(rows: int | None = None) -> Bench:
    """Adult as in the example of the source: ages by 50 years, no education-num, countries by their first letter."""
    frame = pv.data.adult().frame.select(ADULT)
    frame = frame if rows is None else frame.head(rows)
    letters: dict[str, list[str]] = {}
    for country in sorted(pv.data.adult().frame["native-country"].unique().to_list()):
        letters.setdefault(f"{country[0]}*", []).append(country)
    words = {
        name: sorted(pv.data.adult().frame[name].unique().to_list()) for name in ADULT if frame[name].dtype == pl.String
    }
    return Bench(
        "adult",
        frame,
        {"age": pv.Quasi(pv.intervals(50)), "education-num": pv.Quasi(pv.flat()),
         "native-country": pv.Quasi(pv.groups(letters))},
        {"age": 1, "education-num": "top", "native-country": 1},
        "capital-gain",
        "salary-class",
        (2, 9, 15, 50, 80, 100),
        (2, 9, 10, 40, 50, 70, 80),
        {**words, "age": range(17, 91), "education-num": range(1, 17),
         "capital-gain": {"from": 0, "to": 99_999, "bins": 20}},
    )  # fmt: skip


def pima(path: str | Path) -> Bench:
    """Pima as in the source: ages by 25 years, no insulin. The file has 9 columns and may have a line of names."""
    frame = pv.read(path, header=False).frame
    if frame.width != len(PIMA):
        raise PlanError(f"--pima: {path} has {frame.width} columns, and Pima has 9.")
    frame = frame.rename(dict(zip(frame.columns, PIMA, strict=True)))
    if any(frame[name].dtype == pl.String for name in PIMA):
        frame = frame.slice(1).with_columns(pl.col(name).cast(pl.Float64, strict=False) for name in PIMA)
    if frame.null_count().sum_horizontal().item():
        raise PlanError(f"--pima: {path} holds cells that are no numbers.")
    frame = frame.with_columns(pl.col(name).cast(pl.Int64) for name in PIMA if name not in ("bmi", "pedigree"))
    tops = {"pregnancies": 20, "glucose": 250, "pressure": 150, "triceps": 100, "insulin": 1000, "bmi": 70,
            "pedigree": 3, "age": 100}  # fmt: skip
    return Bench(
        "pima",
        frame,
        {"age": pv.Quasi(pv.intervals(25)), "insulin": pv.Quasi(pv.flat())},
        {"age": 1, "insulin": "top"},
        "pressure",
        "class",
        (2, 80, 100, 600),
        (2, 40, 50),
        {**{name: {"from": 0, "to": top, "bins": 5} for name, top in tops.items()}, "class": [0, 1]},
    )


def run(
    benches: Sequence[Bench],
    *,
    seeds: Sequence[int] = SEEDS,
    epsilons: Sequence[float] = EPSILONS,
    results: Path | None = None,
    progress: Progress = silent,
) -> Results:
    """Every release of every table, each with what it keeps and, over the seeds, how well can be learned from it."""
    protocol = {"experiment": "workbench", "version": 1, "seeds": list(seeds), "epsilons": list(epsilons)}
    found = Results.open({**protocol, "tables": {bench.name: bench.frame.height for bench in benches}}, results)
    work = [(bench, name, step) for bench in benches for name, step in _steps(bench, epsilons)]
    for at, (bench, name, step) in enumerate(work):
        progress(f"{bench.name}: {name}", at / len(work))
        key = f"{bench.name} {name}"
        if key not in found.parts:
            found.add(key, step.part(bench, seeds))
    return found


@dataclass(frozen=True)
class Filtered:
    """k or l by filtering."""

    promise: Any

    def part(self, bench: Bench, seeds: Sequence[int]) -> dict[str, Any]:
        whole = _made(bench, bench.frame, self.promise)
        if whole is None:
            return {"rows": 0, "accuracy": [], "failure": [], "distortion": [1.0]}
        measures = summarize(whole.subject, "fidelity")
        coded = _made(bench, bench.frame, pv.KAnonymity(1))
        assert coded is not None
        scores = []
        for train, test in _deals(bench, seeds):
            release = _made(bench, bench.frame[train], self.promise)
            if release is not None:
                scores.append(accuracy(release.frame, coded.frame[test], bench.target))
        return {
            "rows": whole.frame.height,
            "accuracy": scores,
            "failure": [measures["risk.hidden_failure.rate"]],
            "distortion": [measures["utility.distortion"]],
        }


@dataclass(frozen=True)
class Noisy:
    """An epsilon, by a method that draws rows or predicts a column."""

    method: str
    epsilon: float

    def part(self, bench: Bench, seeds: Sequence[int]) -> dict[str, Any]:
        part: dict[str, Any] = {"rows": 0, "accuracy": [], "failure": [], "distortion": []}
        for seed, (train, test) in zip(seeds, _deals(bench, seeds), strict=True):
            release = pv.anonymize(bench.frame, bench.drawn(self.method, self.epsilon, seed))
            part["rows"] = release.frame.height
            part["failure"].append(hidden_failure(bench.frame, release.frame).rate)
            if self.method == LITERAL:
                measures = summarize(release.subject, "fidelity")
                part["distortion"].append(measures["utility.distortion"])
                same = release.frame[bench.sensitive].cast(pl.String) == bench.frame[bench.sensitive].cast(pl.String)
                part.setdefault("column", []).append(float(same.mean()))  # type: ignore[arg-type]
            learned = pv.anonymize(bench.frame[train], bench.drawn(self.method, self.epsilon, seed))
            part["accuracy"].append(accuracy(learned.frame, bench.frame[test], bench.target))
        return part


@dataclass(frozen=True)
class Original:
    """The table itself, and guessing."""

    def part(self, bench: Bench, seeds: Sequence[int]) -> dict[str, Any]:
        deals = list(_deals(bench, seeds))
        return {
            "rows": bench.frame.height,
            "accuracy": [accuracy(bench.frame[train], bench.frame[test], bench.target) for train, test in deals],
            "majority": [majority(bench.frame[test][bench.target]) for _, test in deals],
            "met": [hidden_failure(bench.frame[train], bench.frame[test]).rate for train, test in deals],
            "failure": [1.0],
            "distortion": [0.0],
        }


def _steps(bench: Bench, epsilons: Sequence[float]) -> Iterator[tuple[str, Filtered | Noisy | Original]]:
    yield "original", Original()
    for k in bench.ks:
        yield f"k={k}", Filtered(pv.KAnonymity(k))
    for l_ in bench.ls:
        yield f"l={l_}", Filtered(pv.LDiversity(l_, bench.sensitive))
    for method in (LITERAL, *DRAWN):
        for epsilon in epsilons:
            yield f"{method} {epsilon:g}", Noisy(method, epsilon)


def _made(bench: Bench, frame: pl.DataFrame, promise: Any) -> pv.Release | None:
    """The release, or None where no row is left."""
    try:
        release = pv.anonymize(frame, bench.filtered(promise))
    except InfeasibleError:
        return None
    return release if release.frame.height else None


def _deals(bench: Bench, seeds: Sequence[int]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each seed the rows to learn from and those to be tested on."""
    for seed in seeds:
        mixed = np.random.default_rng(seed).permutation(bench.frame.height)
        cut = int(_TEST * bench.frame.height)
        yield np.sort(mixed[cut:]), np.sort(mixed[:cut])


def published() -> dict[str, Any]:
    text = files("paravent_experiments").joinpath("published_workbench.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def printed(table: str, kind: str, value: float) -> dict[str, Any]:
    """What the source prints for a k or an l; empty where it prints nothing."""
    lines = published().get(table, {}).get(kind, [])
    return next((line for line in lines if line.get("from", value) <= value <= line.get("to", value)), {})
