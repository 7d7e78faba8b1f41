"""Alteration: what the release costs under the seven metrics of the unified loss model (Mauger 2021, §3.4).

A cell is read as the lowest node of its tree that covers all it may stand for; where rows can be matched, its original
value as well, so that a value replaced by another costs the way up to where the two meet. Suppressed cells and dropped
rows stand at the root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.tree import Tree
from paravent.utility.cost import METRICS, CostModel
from paravent.utility.family import family
from paravent.utility.measures import Absent, Measure
from paravent.utility.reading import Reading
from paravent.utility.subject import Pairs, Subject

_TITLES = {
    "distortion": "Distortion",
    "ncp": "NCP",
    "total": "Total",
    "llm": "Lost leaves (LLM)",
    "nllm": "Lost leaves, normalised (NLLM)",
    "wllm": "Lost leaves, weighted (WLLM)",
    "wnllm": "Lost leaves, weighted and normalised (WNLLM)",
}


@family
def alteration(subject: Subject) -> Iterator[Measure | Absent]:
    if not subject.axes or subject.n_rows == 0:
        return
    bare = [axis.name for axis in subject.axes if axis.tree is None]
    if bare:
        why = f"costs lie on the edges of trees, and there is none for {', '.join(map(repr, bare))}."
        for name in (*METRICS, "mean", "generalized", "root"):
            yield Absent(f"utility.alteration.{name}", why)
        return
    columns = [
        Climbed.of(reading, None if subject.pairs is None else subject.pairs[at])
        for at, reading in enumerate(subject.readings)
    ]
    off = sum(column.off_tree for column in columns)
    note = f"; {off} labels are no nodes, and count as the lowest node that covers them" if off else ""
    trees = [column.tree for column in columns]
    found: list[float] = []
    for name in METRICS:
        found.append(altered(columns, CostModel.of(trees, name, rows=subject.n_rows)))
        yield Measure(
            f"utility.alteration.{name}",
            found[-1],
            f"Alteration, {_TITLES[name]}",
            f"The cost of the release as a share of publishing nothing but roots, by the metric {name}{note}.",
            unit="percent",
        )
    yield Measure(
        "utility.alteration.mean",
        float(np.mean(found)),
        "Alteration, mean",
        "The mean of the seven metrics.",
        unit="percent",
    )
    cells = subject.n_rows * len(columns)
    dropped = (subject.n_rows - subject.released.height) * len(columns)
    for name, count, meaning in (
        ("generalized", sum(c.generalized for c in columns), "that show a higher node than before"),
        ("root", sum(c.at_root for c in columns), "that stand at the root"),
    ):
        yield Measure(
            f"utility.alteration.{name}",
            100 * (count + dropped) / cells,
            "Cells generalized" if name == "generalized" else "Cells at the root",
            f"The share of quasi-identifier cells {meaning}; those of dropped rows are among them.",
            unit="percent",
        )


def altered(columns: Sequence[Climbed], model: CostModel) -> float:
    """The cost of a release as a share of the most it could cost, in percent: what is climbed of all there is to climb.
    The sums are whole numbers, so that equal releases cost the same to the last digit."""
    most = sum(int(np.dot(column.original, climb)) for column, climb in zip(columns, model.climb, strict=True))
    left = sum(
        int(np.dot(column.count, climb[column.node])) for column, climb in zip(columns, model.climb, strict=True)
    )
    return 100 * (most - left) / most if most else 0.0


@dataclass(frozen=True, eq=False)
class Climbed:
    """A released column on its tree: `count` cells at each `node`; `original` rows of each leaf (0 for inner nodes).

    Dropped rows are not among the cells: they stand at the root, from where nothing is left to climb.
    """

    tree: Tree
    node: np.ndarray
    count: np.ndarray
    original: np.ndarray
    generalized: int
    at_root: int
    off_tree: int

    @classmethod
    def of(cls, reading: Reading, pairs: Pairs | None) -> Climbed:
        tree = reading.axis.tree
        assert tree is not None
        original = np.bincount(reading.axis.codes, minlength=tree.n_nodes)
        if pairs is None:  # a missing cell stands in the original as the most frequent value
            label, count = np.arange(len(reading.labels)), reading.counts
            low, high = reading.first, reading.last
            own = np.full(len(label), int(np.argmax(original)))
        else:
            label, count, own = pairs.label, pairs.count, pairs.rank
            low, high = np.minimum(reading.first[label], own), np.maximum(reading.last[label], own)
        unknown = reading.never_known[label]
        node = tree.ancestor(np.where(unknown, own, low), np.where(unknown, own, high))
        node = np.where(reading.blank[label], tree.root, node)
        return cls(
            tree,
            node,
            count,
            original,
            generalized=int(count[node >= tree.n_leaves].sum()),
            at_root=int(count[node == tree.root].sum()),
            off_tree=int((tree.leaf_counts[tree.ancestor(reading.first, reading.last)] != reading.n_covered).sum()),
        )
