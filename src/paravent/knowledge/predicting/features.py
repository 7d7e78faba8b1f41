"""Features: what a prediction is made from, parameters and descriptors as numbers that a tree can cut.

Every model reads those of `NAMES`, and each metric some of what the table's collapse says (`facts_of`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from paravent.knowledge.collapse.collapse import NAMES as FACTS
from paravent.knowledge.cube.settings import settings
from paravent.knowledge.descriptors import Descriptors

FEATURES: Mapping[str, str] = {
    "k": "k",
    "l": "l",
    "epsilon": "epsilon",
    "suppression": "share of rows that may be suppressed",
    "rows": "rows",
    "columns": "quasi-identifiers",
    "rows_per_k": "rows over k",
    "reach": "bits that classes can tell, of all bits of the columns",
    "room": "bits that classes can tell, a column",
    "density": "share of rows that repeat another",
    "crowd": "rows over k, a different row",
    "uniqueness": "share of rows that stand alone",
    "entropy": "mean entropy of the columns",
    "joint": "bits of whole rows",
    "bits": "bits of the columns",
    "correlation": "association of columns",
    "skew": "how far the most frequent values stand out",
    "values": "values of a column",
    "depth": "levels of the trees",
    "ordered": "share of columns with an order",
    "classes": "values of the sensitive column",
    "class_entropy": "bits of the sensitive column",
    "majority": "share of the most frequent sensitive value",
    "class_association": "how much a column tells about the sensitive one",
}
"""Every feature with its meaning. Those that go over several magnitudes are taken by their binary logarithm."""
NAMES = tuple(FEATURES)
_LOGARITHMIC = ("k", "epsilon", "rows", "rows_per_k", "values", "crowd")


_READS: Mapping[str, Sequence[str]] = {
    "risk.prosecutor.max": ("least", "kept"),
    "risk.prosecutor.average": ("mean", "kept"),
    "risk.attribute.disclosed": ("wrong", "least"),
    "risk.attribute.belief": ("wrong", "least"),
    "utility.completeness": ("kept",),
    "utility.gcp": ("loss",),
    "utility.prec": ("loss",),
    "utility.genloss": ("loss",),
    "utility.dm": ("size", "kept"),
    "utility.cavg": ("mean", "kept"),
    "utility.learning.naive_bayes": ("bayes", "wrong"),
    "utility.cm": ("wrong",),
    "utility.regression": ("untold",),
    "utility.queries.are": ("counts", "loss"),
    "utility.shift": ("shift", "kept"),
    "utility.contingency": ("shift", "loss"),
}
"""The facts that say something about a metric. What a method costs in time and memory hangs on no node."""


@cache
def facts_of(metric: str) -> tuple[str, ...]:
    """What the models of a metric read of the collapse of a table.

    >>> facts_of("utility.cm")[:3]
    ('own.wrong', 'one.wrong', 'values.wrong')
    """
    wanted = _READS.get(metric, ())
    return tuple(name for name in FACTS if name.split(".")[1] in wanted)


def asked_k(k: int, l: int) -> int:  # noqa: E741
    """The k at which a collapse is looked at: l different values take l rows at least."""
    return max(1, k, l)


def features(described: Descriptors, k: float, l: float = 0, epsilon: float = 0, suppression: float = 0) -> np.ndarray:  # noqa: E741
    """The features of one run."""
    about = {**described.to_dict(), "k": k, "l": l, "epsilon": epsilon, "suppression": suppression}
    return np.asarray(_matrix({name: np.array([float(about[name] or 0.0)]) for name in _needed()})[0])


def matrix(frame: pl.DataFrame) -> np.ndarray:
    """The features of every row of a cube; a parameter that was not asked for is 0, and k is then 1."""
    said = {name: frame[name].cast(pl.Float64).fill_null(0.0).to_numpy() for name in _needed()}
    return _matrix({**said, "suppression": frame.select(left_out()).to_series().to_numpy()})


def left_out() -> pl.Expr:
    """The share of rows that a run of the cube may leave out: none, where the method leaves out no rows."""
    leaves = [each.label for each in settings().values() if each.suppresses]
    return pl.when(pl.col("method").is_in(leaves)).then(pl.col("suppression").fill_null(0.0)).otherwise(0.0)


def with_facts(frame: pl.DataFrame, collapse: pl.DataFrame, names: Sequence[str]) -> np.ndarray:
    """The features of every row of a cube, and after them what the collapse of its table says at its k."""
    if not names:
        return matrix(frame)
    keys = frame.select("table", k=asked_ks(), suppression=left_out())
    found = keys.join(collapse, on=keys.columns, how="left", maintain_order="left", nulls_equal=True)
    facts = found.select(names).to_numpy().astype(np.float64)
    if np.isnan(facts).any():  # a run on a table whose collapse nobody measured is taken for a mean one
        facts = np.where(np.isnan(facts), np.nanmean(facts, axis=0), facts)
    return np.column_stack([matrix(frame), facts])


def asked_ks() -> pl.Expr:
    """The k of `asked_k` for every row of a cube."""
    return pl.max_horizontal(pl.col("k").fill_null(1), pl.col("l").fill_null(1)).cast(pl.Int32)


def _matrix(number: Mapping[str, np.ndarray]) -> np.ndarray:
    k = np.maximum(number["k"], 1.0)
    rows = np.maximum(number["rows"], 1.0)
    told = np.log2(np.maximum(rows / k, 1.0))
    made: dict[str, Any] = {
        **number,
        "k": k,
        "epsilon": np.where(number["epsilon"] > 0, number["epsilon"], 1.0),
        "rows_per_k": rows / k,
        "reach": told / np.maximum(number["bits"], 0.1),
        "room": told / np.maximum(number["columns"], 1.0),
        "crowd": rows / np.maximum(number["tuples"], 1.0) / k,
    }
    return np.column_stack([np.log2(np.maximum(made[n], 1e-9)) if n in _LOGARITHMIC else made[n] for n in NAMES])


def natural(name: str, value: float) -> float:
    """A value of a feature in its own unit."""
    return 2**value if name in _LOGARITHMIC else value


def _needed() -> tuple[str, ...]:
    derived = ("rows_per_k", "reach", "room", "crowd")
    return (*(name for name in NAMES if name not in derived), "tuples")


def worded(name: str, threshold: float) -> str:
    """A cut in words.

    >>> worded("k", float(np.log2(7.07))), worded("correlation", 0.25)
    ('k ≤ 7.07', 'association of columns ≤ 0.25')
    """
    return f"{FEATURES.get(name, name)} ≤ {natural(name, threshold):.3g}"
