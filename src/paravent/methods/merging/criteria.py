"""What a table of classes costs on the trees as given: the figures of sweeps and traces, the same as `measure` has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from paravent.hierarchy.axis import Axis
from paravent.methods.merging.merge_run import released_nodes
from paravent.utility.cost import METRICS, Conventions, CostModel, Metric, generalized_share, root_share
from paravent.utility.cost.axes import given_trees


class Costed(Protocol):
    """A method that counts costs on trees."""

    @property
    def metric(self) -> Metric: ...

    @property
    def leaf_count(self) -> Literal[0, 1]: ...


@dataclass(frozen=True)
class Criteria:
    """What a table costs (Mauger 2021, §3.4), in percent: its alteration under its own metric and on average under
    all seven, the cells that are generalized, and those that show the root. Rows left out stand at the roots."""

    alteration: float
    average: float
    generalized: float
    root: float


def table_alteration(axes: Sequence[Axis], of_row: np.ndarray, n_classes: int, method: Costed) -> float:
    """What a table of classes costs under the metric of a method, in percent of the most it could cost."""
    released = list(released_nodes(axes, of_row, n_classes).values())
    conventions = Conventions(leaf_count=method.leaf_count)
    model = CostModel.of(given_trees(axes), method.metric, conventions=conventions, rows=len(of_row))
    return model.alteration([axis.leaf[axis.codes] for axis in axes], released)


def table_criteria(axes: Sequence[Axis], of_row: np.ndarray, n_classes: int, method: Costed) -> Criteria:
    """What a table of classes costs."""
    released = list(released_nodes(axes, of_row, n_classes).values())
    original = [axis.leaf[axis.codes] for axis in axes]
    trees, conventions = given_trees(axes), Conventions(leaf_count=method.leaf_count)
    own, *seven = (
        CostModel.of(trees, metric, conventions=conventions, rows=len(of_row)).alteration(original, released)
        for metric in (method.metric, *METRICS)
    )
    return Criteria(own, sum(seven) / len(seven), generalized_share(original, released), root_share(trees, released))
