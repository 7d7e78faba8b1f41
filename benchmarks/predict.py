"""Predictions on data sets that were left out whole: `python -m benchmarks.predict --learner tree --landmarks 5`

From the cube: every data set with all its sub-tables is left out in turn (with `--parts` several at a time, which is
quicker and a little harder), models are learnt from the others, and every run on it is predicted. For each metric: the
median relative error, Kendall's τ between the predicted and the measured order of all runs on a table (mean over
tables), and how often the interval holds the truth (90 % is meant).

τ is over the pairs of runs that can be told apart: those that differ by more than the criterion counts as equal (an
intensity of 1), ratios by more than 5 %, accuracies also by more than two standard errors of a difference on so many
rows, and megabytes by more than twice what the runs of the two methods on this table scatter: a method needs about the
same whatever the k, but some runs pay for what the next ones find there. Pairs that agree less those that disagree,
over all such pairs: a tie of predictions counts as neither. The share of pairs that can be told apart and the plain τ-b
of all pairs stand beside it.

With `--landmarks SECONDS`, tables as large as Adult are probed for so many seconds each, and the same is said for
landmarks alone, and for both together; the data set is left out of the cube, and every plan is run once for the truth.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchmarks.printing import print_table
from paravent.knowledge import CRITERIA, METRICS, Cube, evaluations
from paravent.knowledge import metric as metric_named
from paravent.knowledge.cube.run import plan_for, run
from paravent.knowledge.cube.settings import setting
from paravent.knowledge.cube.tables import NUMBER, SENSITIVE, Sub, source_of
from paravent.knowledge.descriptors import describe
from paravent.knowledge.predicting.features import matrix, with_facts
from paravent.knowledge.predicting.joint import learnt, widths
from paravent.knowledge.predicting.joint import said as predicted
from paravent.knowledge.predicting.landmarks import probe
from paravent.knowledge.predicting.learners import JOINT
from paravent.knowledge.predicting.models import Predictors, half_width
from paravent.knowledge.predicting.outlook import point_of, settled, thought
from paravent.knowledge.predicting.prediction import Prediction
from paravent.knowledge.predicting.scales import as_seen, from_scale, from_shares, promised

LARGE = (Sub("adult", 30_162, 5, 0), Sub("adult", 30_162, 8, 0), Sub("voters", 20_000, 4, 0))
METHODS = (
    "Datafly()", "Samarati()", "Optimal()", "TopDown()", 'Mondrian(cut="median")', 'Mondrian(cut="loss")',
    'Mondrian(cut="infogain")', "LocalRecoding()", "KMember()", "NearestNeighbour()", "KACA()", "GkAA()", "MDAV()",
)  # fmt: skip
KS = (5, 25)
PROBED = (
    "risk.prosecutor.max", "risk.prosecutor.average", "utility.completeness", "utility.gcp", "utility.prec",
    "utility.dm", "utility.cavg", "utility.cm", "utility.shift", "cost.seconds",
)  # fmt: skip
"""The metrics that are looked at with landmarks."""
SHOWN = (*CRITERIA, "risk.prosecutor.average", "utility.prec", "utility.dm", "utility.cavg", "utility.cm")
"""The metrics of the page: those that stand for a criterion, and the published ones."""
FEW = 8
"""The fewest runs of a table whose order is worth a word."""
FEW_PAIRS = 10
KEPT = ("data", "table", "rows", "criterion", "metric", "method", "value")
ACCURACY_ROWS = 5_000
"""The most rows that an accuracy of the cube was measured on."""


def kendall(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's τ-b of two lists; not a number where one of them is all ties.

    >>> kendall([1, 2, 3], [1, 2, 3]), kendall([1, 2, 3], [3, 2, 1]), round(kendall([1, 2, 3], [1, 3, 2]), 3)
    (1.0, -1.0, 0.333)
    """
    lists = [np.asarray(values, dtype=float) for values in (first, second)]
    signs = [np.sign(np.subtract.outer(each, each))[np.triu_indices(len(each), 1)] for each in lists]
    scale = float(np.sqrt((signs[0] != 0).sum() * (signs[1] != 0).sum()))
    return float((signs[0] * signs[1]).sum()) / scale if scale else float("nan")


def told_apart(
    metric: str, first: np.ndarray, second: np.ndarray, rows: float, scatter: np.ndarray | float = 0.0
) -> np.ndarray:
    """Whether two values of a metric, measured on a table with so many rows, differ by more than noise and taste.
    `scatter` is the standard deviation of the difference of two such logarithms.

    >>> told_apart("utility.gcp", np.array([0.30, 0.30]), np.array([0.304, 0.306]), 1000).tolist()
    [False, True]
    >>> told_apart("cost.seconds", np.array([1.0, 1.0]), np.array([1.2, 1.3]), 1000).tolist()
    [False, True]
    >>> told_apart("cost.megabytes", np.array([1.0, 1.0]), np.array([2.0, 2.0]), 1000, np.array([0.3, 0.4])).tolist()
    [True, False]
    """
    criterion = CRITERIA[METRICS[metric].criterion]
    apart, least = np.abs(first - second), criterion.thresholds[0] / 100
    if criterion.gap == "ratio" or METRICS[metric].logarithmic:
        ratio = least if criterion.gap == "ratio" else 0.05
        beyond = np.expm1(np.maximum(np.log1p(ratio), 2 * np.asarray(scatter)))
        return np.asarray(apart > beyond * np.minimum(np.abs(first), np.abs(second)) * (1 + 1e-9))
    if metric == "utility.learning.naive_bayes":
        middle = (first + second) / 2
        error = np.sqrt(2 * middle * (1 - middle) / min(rows, ACCURACY_ROWS))
        return np.asarray(apart > np.maximum(least * (1 + 1e-9), 2 * error))
    return np.asarray(apart > least * (1 + 1e-9))


def scattered(measured: np.ndarray, method: np.ndarray) -> np.ndarray:
    """The variance of the logarithms of a method's runs on a table, for each run; 0 where it has one alone.

    >>> scattered(np.exp([0.0, 2.0, 1.0]), np.array(["a", "a", "b"])).tolist()
    [2.0, 2.0, 0.0]
    """
    _, of_method = np.unique(method, return_inverse=True)
    values, count = np.log(measured), np.bincount(of_method)
    off = values - (np.bincount(of_method, values) / count)[of_method]
    return np.asarray((np.bincount(of_method, off**2) / np.maximum(count - 1, 1))[of_method])


def order_kept(
    metric: str, measured: np.ndarray, predicted: np.ndarray, rows: float, method: np.ndarray
) -> tuple[float, float]:
    """Kendall's τ over the pairs that can be told apart, and their share; with fewer than ten it is not a number."""
    first, second = np.triu_indices(len(measured), 1)
    scatter: np.ndarray | float = 0.0
    if metric == "cost.megabytes":
        variance = scattered(measured, method)
        scatter = np.sqrt(variance[first] + variance[second])
    apart = told_apart(metric, measured[first], measured[second], rows, scatter)
    agrees = np.sign(measured[first] - measured[second]) * np.sign(predicted[first] - predicted[second])
    share = float(apart.mean()) if len(apart) else 0.0
    return (float(agrees[apart].mean()) if apart.sum() >= FEW_PAIRS else float("nan")), share


def left_out(cube: Cube, learner: str, metrics: Collection[str], parts: int = 0) -> pl.DataFrame:
    """Every measured value of some metrics beside what models say that have not seen its data set."""
    found: list[pl.DataFrame] = []
    for name in metrics:
        part = _by_joint(cube, learner, name, parts) if learner == JOINT else _by_method(cube, learner, name)
        print(*judged(part, "table")[0][1:], flush=True)
        found.append(part)
    return pl.concat(found)


def _by_joint(cube: Cube, learner: str, metric: str, parts: int = 0) -> pl.DataFrame:
    """By joint models. The interval of a method is as wide as its errors on all the other data sets, each left out."""
    sheet = Predictors(Cube(cube.measured, cube.collapse), learner).sheet(metric)
    said, (_, place) = np.full(len(sheet.target), np.nan), np.unique(sheet.data, return_inverse=True)
    part = place % (parts or place.max() + 1)
    for one in np.unique(part):
        held = part == one
        known, trees = learnt(sheet.rows[~held], sheet.target[~held], sheet.method[~held], sheet.table[~held])
        held &= np.isin(sheet.method, list(known.codes))
        said[held] = predicted(known, trees, sheet.rows[held], sheet.method[held])
    error, width = np.abs(sheet.target - said), np.full(len(said), np.nan)
    for data in np.unique(sheet.data):
        there = sheet.data == data
        wide = widths(error[~there], sheet.method[~there])
        width[there] = [wide.get(str(method), np.nan) for method in sheet.method[there]]
    done = np.isfinite(said) & np.isfinite(width)
    frame = cube.measured.filter(pl.col("metric") == metric).filter(done).select(KEPT)
    rows = sheet.rows[done]
    middle, wide = from_shares(metric, said[done], rows), width[done] * promised(metric, rows)
    return frame.with_columns(**_ends(metric, middle, wide, frame))


def _by_method(cube: Cube, learner: str, metric: str) -> pl.DataFrame:
    """By a model for each method, with the interval that it gives itself."""
    measured, found = cube.measured.filter(pl.col("metric") == metric), []
    for data in measured["data"].unique().sort().to_list():
        sheet = Predictors(Cube(measured.filter(pl.col("data") != data), cube.collapse), learner).sheet(metric)
        held = measured.filter(pl.col("data") == data)
        features = matrix(held)
        if cube.collapse is not None:
            features = as_seen(metric, with_facts(held, cube.collapse, sheet.facts))
        for method in held["method"].unique().sort():
            fitted, own = sheet.fitted(method), (held["method"] == method).to_numpy()
            if fitted is not None:
                middle, width = fitted.predict(features[own]), half_width(fitted, features[own])
                part = held.filter(own).select(KEPT)
                found.append(part.with_columns(**_ends(metric, middle, width, part)))
    return pl.concat(found)


def _ends(metric: str, middle: np.ndarray, width: np.ndarray, frame: pl.DataFrame) -> dict[str, pl.Series]:
    rows = frame["rows"].cast(pl.Float64).to_numpy()
    sides = {"predicted": 0.0, "low": -1.0, "high": 1.0}
    return {end: pl.Series(from_scale(metric, middle + side * width, rows)) for end, side in sides.items()}


def judged(found: pl.DataFrame, group: str) -> list[list[object]]:
    """A row for each metric: runs, tables, relative error, τ, share of pairs told apart, τ-b, coverage."""
    lines: list[list[object]] = []
    for name in METRICS:
        part = found.filter(pl.col("metric") == name)
        tables = [table for _, table in part.group_by(group, maintain_order=True) if len(table) >= FEW]
        pairs = [(table["value"].to_numpy(), table["predicted"].to_numpy()) for table in tables]
        plain = [kendall(said, truth) for truth, said in pairs]
        orders = [
            order_kept(name, truth, said, float(table["rows"][0]), table["method"].to_numpy())
            for table, (truth, said) in zip(tables, pairs, strict=True)
        ]
        taus = [tau for tau, _ in orders if not np.isnan(tau)]
        if not taus:
            continue
        truth, said = part["value"].to_numpy(), part["predicted"].to_numpy()
        error = np.abs(said - truth) / np.maximum(np.abs(truth), 1e-3)
        slack = 1e-9 + 1e-4 * np.abs(truth)  # the cube keeps five digits
        held = (part["low"].to_numpy() - slack <= truth) & (truth <= part["high"].to_numpy() + slack)
        lines.append(
            [
                part["criterion"][0],
                name,
                len(part),
                len(taus),
                float(np.median(error)),
                float(np.mean(taus)),
                float(np.mean([share for _, share in orders])),
                float(np.nanmean(plain)),
                held.mean(),
            ]
        )
    return lines


HEAD = ("criterion", "metric", "runs", "tables", "relative error", "τ", "told apart", "τ-b", "in the interval")


def from_cube(cube: Cube, learner: str, metrics: Collection[str], parts: int = 0) -> None:
    begun = time.process_time()
    lines = judged(left_out(cube, learner, metrics, parts), "table")
    print_table(f"{cube}, data sets left out whole, learner {learner}", HEAD, lines)
    firsts = {criterion.metric.name for criterion in CRITERIA.values()}
    taus = [float(str(line[5])) for line in lines if line[1] in firsts]
    print(f"mean τ over the criteria: {np.mean(taus):.3f}; {time.process_time() - begun:.0f} processor seconds")


def with_landmarks(cube: Cube, learner: str, seconds: float, data: Path | None) -> None:
    metrics = [metric.name for criterion in CRITERIA.values() for metric in criterion.metrics if metric.name in PROBED]
    found: dict[str, list[dict[str, object]]] = {"cube": [], "landmarks": [], "both": []}
    of_source = {sub.source: Predictors(cube.without(sub.source), learner) for sub in LARGE}
    for sub in LARGE:
        table, roles = sub.take(source_of(sub, data))
        plans = [plan_for(setting(m), k, table, roles, suppression=0.05) for m in METHODS for k in KS]
        labels = [(m, k) for m in METHODS for k in KS]
        models = of_source[sub.source]
        described = describe(table, plans[0])
        for method in METHODS:  # learnt before the clock runs, as in a session
            for metric in metrics:
                models.sheet(metric).fitted(method)
        begun = time.monotonic()
        prior = thought(models, [(plan, described) for plan in plans])
        probes = probe(table, plans, seconds, target=SENSITIVE, number=NUMBER, prior=prior)
        spent = time.monotonic() - begun
        whole = sum(any(each.whole for each in seen) for seen in probes)
        print(
            f"{sub.name}: {spent:.1f} s of {seconds:g} s, {whole} of {len(plans)} plans on the whole table", flush=True
        )
        for (method, k), plan, seen in zip(labels, plans, probes, strict=True):
            truth = run(table, plan, usage=False).values
            point = point_of(plan, described)
            for metric in metrics:
                if metric not in truth:
                    continue
                said = {
                    "cube": settled(models, method, metric, point, ()),
                    "landmarks": settled(None, method, metric, point, seen),
                    "both": settled(models, method, metric, point, seen),
                }
                for name, prediction in said.items():
                    found[name] += _line(sub, len(table), metric, method, k, truth[metric], prediction)
    for name, lines in found.items():
        print_table(f"tables like Adult, {name}", HEAD, judged(pl.DataFrame(lines, infer_schema_length=None), "table"))


def _line(
    sub: Sub, rows: int, metric: str, method: str, k: int, truth: float, prediction: Prediction
) -> list[dict[str, object]]:
    if prediction.value is None:
        return []
    return [
        {
            "table": sub.name,
            "rows": rows,
            "criterion": prediction.criterion,
            "metric": metric,
            "method": f"{method} {k}",
            "value": truth,
            "predicted": prediction.value,
            "low": prediction.low,
            "high": prediction.high,
        }
    ]


def main() -> None:
    options = argparse.ArgumentParser(description="predictions on data sets that were left out whole")
    options.add_argument("--learner", default="boosting", help="boosting, tree, forest, neighbours or linear")
    options.add_argument("--landmarks", type=float, default=0.0, help="seconds of probing on each large table")
    options.add_argument("--metrics", default="", help="metrics or criteria, comma-separated; else the main ones")
    options.add_argument(
        "--parts", type=int, default=0, help="leave out so many parts of the data sets, not each by itself"
    )
    options.add_argument("--cube", type=Path, help="another cube than the one that ships")
    options.add_argument("--data", type=Path, help="the folder of real tables that do not ship")
    asked = options.parse_args()
    cube = evaluations() if asked.cube is None else Cube.load(asked.cube)
    if asked.landmarks:
        with_landmarks(cube, asked.learner, asked.landmarks, asked.data)
    else:
        names = asked.metrics.split(",") if asked.metrics else SHOWN
        from_cube(cube, asked.learner, [metric_named(name).name for name in names], asked.parts)


if __name__ == "__main__":
    main()
