"""Alteration: what the release costs under the seven metrics of the unified loss model (Mauger 2021, §3.4).

A cell is read as the lowest node that covers all it may stand for, in the tree as it was given; where rows can be
matched, its original value as well, so that a value replaced by another costs the way up to where the two meet.
Suppressed cells and dropped rows stand at the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from paravent.hierarchy.tree import Tree
from paravent.measures import Absent, Measure
from paravent.utility.cost import METRICS, CostModel
from paravent.utility.family import family
from paravent.utility.given import Given
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
        Climbed.of(reading, subject.n_rows, None if subject.pairs is None else subject.pairs[at])
        for at, reading in enumerate(subject.readings)
    ]
    off = sum(column.off_tree for column in columns)
    note = f"; {off} labels are no nodes, and count as the lowest node that covers them" if off else ""
    trees = [column.tree for column in columns]
    before, after = [column.before for column in columns], [column.after for column in columns]
    found: list[float] = []
    for name in METRICS:
        found.append(CostModel.of(trees, name, rows=subject.n_rows).altered(before, after))
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
    for name, count, meaning in (
        ("generalized", sum(c.generalized for c in columns), "that show a higher node than before"),
        ("root", sum(int(c.after[c.tree.root]) for c in columns), "that stand at the root"),
    ):
        yield Measure(
            f"utility.alteration.{name}",
            100 * count / cells,
            "Cells generalized" if name == "generalized" else "Cells at the root",
            f"The share of quasi-identifier cells {meaning}; those of dropped rows are among them.",
            unit="percent",
        )


@dataclass(frozen=True, eq=False)
class Climbed:
    """A released column on its tree as given: how many cells stood at each node before, and stand there after. Those of
    dropped rows stand at the root."""

    tree: Tree
    before: np.ndarray
    after: np.ndarray
    generalized: int
    off_tree: int

    @classmethod
    def of(cls, reading: Reading, n_rows: int, pairs: Pairs | None) -> Climbed:
        axis, given = reading.axis, Given(reading)
        tree, (first, last) = axis.whole, given.ends
        assert tree is not None
        before = np.bincount(axis.leaf[axis.codes], minlength=tree.n_nodes)
        if pairs is None:  # a missing cell stands in the original as the most frequent value
            label, count, low, high = np.arange(len(reading.labels)), reading.counts, first, last
            own = np.full(len(label), int(np.argmax(before)))
        else:
            label, count, own = pairs.label, pairs.count, axis.leaf[pairs.rank]
            low, high = np.minimum(first[label], own), np.maximum(last[label], own)
        unknown = reading.never_known[label]
        node = tree.ancestor(np.where(unknown, own, low), np.where(unknown, own, high))
        node = np.where(reading.blank[label], tree.root, node)
        after = np.bincount(node, weights=count, minlength=tree.n_nodes).astype(np.int64)
        after[tree.root] += n_rows - int(count.sum())
        nodes = tree.leaf_counts[tree.ancestor(first, last)] == given.leaves
        return cls(
            tree,
            before,
            after,
            generalized=int(after[tree.n_leaves :].sum()),
            off_tree=int((~nodes).sum()),
        )
