"""Similarity: the sensitive values of a class differ and mean the same.

Three diseases of the stomach, or three salaries near one another, are diverse to a counter and one piece of news to a
person (Li, Li, Venkatasubramanian 2007, §3.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError, quote
from paravent.hierarchy.builders.groups import groups
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.hierarchy.tree import Tree
from paravent.measures import as_percent
from paravent.privacy.attacks.attack import ColumnAttack, Finding
from paravent.privacy.attacks.scene import Scene
from paravent.privacy.classes import Histogram
from paravent.privacy.model import check_number
from paravent.table.domain import Domain
from paravent.table.kinds import Kind
from paravent.table.text import as_text

_NEAR = 0.05


@dataclass(frozen=True, kw_only=True)
class Similarity(ColumnAttack):
    """Classes whose sensitive values all lie under one group of a tree, or within a numeric radius.

    `tree` says what belongs together: groups such as `{"stomach": ["ulcer", "gastritis"]}`, a builder, or the path of a
    tree file; any node below the root counts. `radius` is how far from their middle the numbers of a class may lie;
    without one, 5 % of the way from the 5th to the 95th percentile of the column.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": ["2*", "2*", "3*", "3*"], "salary": [3000, 5000, 7000, 10000]})
    >>> Similarity(column="salary", radius=1000).run(Scene(frame, ("age",))).exposed.tolist()
    [0, 1]
    """

    column: str | None = None
    tree: TreeSpec | str | Mapping[str, Any] | None = None
    radius: float | None = None

    title: ClassVar[str] = "Similarity"
    short: ClassVar[str] = "similarity"
    stopped_by: ClassVar[str] = "t-closeness with an ordered or hierarchical distance"

    def __post_init__(self) -> None:
        if self.radius is not None:
            check_number("Similarity: radius", self.radius, low=0, high=float("inf"))
        if self.tree is not None and self.radius is not None:
            raise PlanError("Similarity: tree and radius are two ways to say what is close. Give one of them.")

    def lacks(self, scene: Scene) -> str | None:
        if self.column is None or self.column not in scene.released.columns:
            return super().lacks(scene)
        if self.tree is not None or self.radius is not None or self.column in scene.trees:
            return None
        return None if self._default_radius(scene) else "a tree or a radius that says which values are close"

    def run(self, scene: Scene) -> Finding:
        column, histogram = self.named, scene.histogram(self.named)
        _, values = scene.values(column)
        tree = self.tree if self.tree is not None else scene.trees.get(column)
        radius = self.radius if self.radius is not None or tree is not None else self._default_radius(scene)
        if tree is not None:
            close = _under_one_group(histogram, values, _built(tree, column, values, histogram.table))
        elif radius is not None:
            close = _within(histogram, values, radius, column)
        else:
            raise PlanError(f"Similarity: nothing says which values of {column!r} are close. Give tree=… or radius=….")
        exposed = scene.exposed(close)
        share = scene.share(exposed)
        several = scene.share(scene.exposed(close & (np.diff(histogram.start) > 1)))
        how = "belong to one group" if tree is not None else f"lie within {radius:.4g} of their middle"
        return Finding(
            self,
            f"For {as_percent(share)} of the {scene.counted} all values of “{column}” in the group {how}; "
            f"for {as_percent(several)} they differ all the same, so that counting them does not show it.",
            (
                self.figure(
                    "", share, f"Rows whose {column} is known closely",
                    f"The share of rows in classes whose values of {column} {how}.",
                ),
                self.figure(
                    "distinct", several, f"Rows with different but close {column}",
                    f"The same, where the class has more than one {column}: diverse in number alone.",
                ),
            ),
            exposed=scene.positions(exposed),
            degree=np.ones(len(exposed)),
        )  # fmt: skip

    def _default_radius(self, scene: Scene) -> float | None:
        cells = scene.released[self.named].alias("cells")
        if not cells.dtype.is_numeric() or not cells.drop_nulls().len():
            return None
        low, high = (cells.quantile(q) for q in (0.05, 0.95))
        return _NEAR * (float(high) - float(low)) or None if low is not None and high is not None else None


def _built(tree: object, column: str, values: pl.Series, counts: np.ndarray) -> Tree:
    spec: TreeSpec = groups(tree) if isinstance(tree, Mapping) else spec_from_document(tree, name=column)
    present = values.drop_nulls()
    kind = Kind.NOMINAL
    if present.dtype.is_integer():
        kind = Kind.INTEGER
    elif present.dtype.is_float():
        kind = Kind.FLOAT
    elif present.dtype.is_temporal():
        kind = Kind.DATE
    return spec.build(Domain(column, kind, present, counts[len(values) - len(present) :]))


def _under_one_group(histogram: Histogram, values: pl.Series, tree: Tree) -> np.ndarray:
    """Whether the values of a class have a common ancestor below the root. A missing cell has none."""
    leaf_of = tree.leaf_of
    leaves = np.full(len(values), -1, dtype=np.int64)
    for code, text in enumerate(as_text(values).to_list()):
        if text is not None and text not in leaf_of:
            raise TableError(
                f"column {tree.name!r}: value {quote(text)} is not in the tree of what is close. Add it to the tree."
            )
        leaves[code] = -1 if text is None else leaf_of[text]
    of_pair = leaves[histogram.value]
    low, high = -histogram.highest(-of_pair), histogram.highest(of_pair)
    node = tree.ancestor(np.maximum(low, 0), np.maximum(high, 0))
    return np.asarray((low >= 0) & (node != tree.root))


def _within(histogram: Histogram, values: pl.Series, radius: float, column: str) -> np.ndarray:
    """Whether the numbers of a class lie within the radius of their middle. A missing cell lies nowhere."""
    if not values.dtype.is_numeric():
        raise TableError(f"column {column!r}: a radius needs numbers, and the column holds text. Give a tree instead.")
    places = values.cast(pl.Float64).fill_null(float("nan")).to_numpy()[histogram.value]
    low, high = -histogram.highest(-places), histogram.highest(places)
    return np.asarray(high - low <= 2 * radius)  # nan compares false
