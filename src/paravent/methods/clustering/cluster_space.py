"""The table of a task as clustering sees it: distinct rows with counts, and what labels cost on every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.kernels.clustering import Grouped, Members, Points, PricedAxis
from paravent.kernels.cutting import SCALE, CutAxis, Style
from paravent.methods.label_space import LabelSpace, LabelStyle, ascends, covered, label_costs
from paravent.methods.merging.gkaa import EdgeCosts, checked_metric
from paravent.methods.method import Axis, Recoding, Task
from paravent.methods.mondrian.table_cuts import SAMPLE
from paravent.privacy.classes import Histogram
from paravent.utility.cost.axes import axis_costs, column_weights


def checked_cost(method: str, metric: str | EdgeCosts, labels: LabelStyle) -> str | EdgeCosts:
    """The name of a cost in small letters, or weights of edges as they are; those are costs of tree labels."""
    if isinstance(metric, str) and metric.lower() == "gcp":
        return "gcp"
    if labels != "tree":
        raise PlanError(f"{method}: the metric counts steps up trees. Leave out labels, or take metric='gcp'.")
    try:
        return checked_metric(method, metric)
    except PlanError as error:
        raise PlanError(str(error).replace("one of ", "one of gcp, ", 1)) from None


@dataclass(frozen=True, eq=False)
class ClusterSpace:
    """`points` are the distinct rows; where the models read other columns, the distinct rows of those too, so that rows
    of one point are alike to every model."""

    task: Task
    labels: LabelSpace
    points: Points
    unit_of_row: np.ndarray
    read: Sequence[np.ndarray]
    """What the models read of each point, one array for each of `task.statistics.columns`."""

    @classmethod
    def of(cls, task: Task, metric: str | EdgeCosts, labels: LabelStyle) -> ClusterSpace:
        space = LabelSpace.of(task.axes, labels)
        axes = space.axes
        columns = [axis.codes for axis in axes]
        widths = [len(axis) for axis in axes]
        guarded = not task.k_alone
        beside = list(task.statistics.columns.values()) if guarded else []
        for codes in beside:
            columns.append(np.ascontiguousarray(codes, dtype=np.int32))
            widths.append(int(codes.max(initial=0)) + 1)
        folded = kernels.fold(columns, widths)
        codes = np.stack([axis.codes[folded.representative] for axis in axes], axis=1)
        read = [column[folded.representative] for column in beside]
        priced, base = _prices(task, axes, space.cuts, metric)
        before = None
        if base is not None:
            before = np.zeros(len(codes), dtype=np.int64)
            for j, values in enumerate(base):
                before += values[codes[:, j]]
        points = Points(codes, folded.weight.astype(np.int64), priced, before)
        return cls(task, space, points, folded.tuple_of_row, read)

    @cached_property
    def k(self) -> int:
        return self.task.k

    @cached_property
    def guarded(self) -> bool:
        """Whether there are models beside k-anonymity."""
        return not self.task.k_alone

    @cached_property
    def kinds(self) -> np.ndarray:
        """Points that are alike to the models have one number."""
        if not self.read:
            return np.zeros(len(self.points.codes), dtype=np.int32)
        return kernels.fold(list(self.read), [int(codes.max(initial=0)) + 1 for codes in self.read]).tuple_of_row

    def holding(self, found: Grouped, n_groups: int) -> np.ndarray:
        """Which groups of rows hold every model, beside any others; rows without a group are left out."""
        sizes = np.bincount(found.group[found.group >= 0], minlength=n_groups)
        if not self.guarded:
            return sizes >= self.k
        statistics = self.task.statistics
        counted = {
            name: Histogram.of(found.group, n_groups, codes[found.unit], statistics.tables[name])
            for name, codes in zip(statistics.columns, self.read, strict=True)
        }
        return self.task.holds_in_part(statistics.counted(sizes, counted))

    def holds(self, units: np.ndarray) -> bool:
        """Whether a group of rows, each named by its unit, holds every model."""
        return bool(self.holding(Grouped(units, np.zeros(len(units), dtype=np.int32)), 1)[0])

    def blocks(self, rows: int) -> list[np.ndarray]:
        """The units in blocks of neighbours with about so many rows, cut by Mondrian; one where there are fewer."""
        if rows == 0 or self.task.n_rows <= rows:
            return [np.arange(len(self.points.codes))]
        cut = kernels.mondrian(
            self.points.codes,
            self.labels.cuts,
            k=max(rows // 2, self.k),
            weights=self.points.counts.astype(np.int32),
            sample=SAMPLE,
            watch=lambda done: self.task.progress("cutting", done),
        )
        return [np.sort(cut.order[a:b]) for a, b in zip(cut.starts[:-1], cut.starts[1:], strict=True)]

    def part(self, units: np.ndarray) -> Points:
        """Some of the points, in their order."""
        p = self.points
        if len(units) == len(p.codes):
            return p
        return Points(
            np.ascontiguousarray(p.codes[units]), p.counts[units], p.axes, None if p.base is None else p.base[units]
        )

    def cost(self, found: Grouped, n_groups: int) -> int:
        """What some groups cost with the tightest labels, and the rows without one as if nothing were said of them."""
        members = Members.of(found.unit, found.group, n_groups)
        sizes = np.diff(members.start)
        total = self.points.dearest * int((found.group < 0).sum())
        for j, (priced, axis) in enumerate(zip(self.points.axes, self.labels.axes, strict=True)):
            held = covered(priced.axis.style, self.points.codes[:, j], members.row, members.start)
            each = label_costs(axis, priced.axis, held)
            if priced.axis.style is Style.SPAN:
                each = np.minimum(each, priced.cap)
            total += int((sizes * each).sum())
        return total

    def of_row(self, found: Grouped) -> np.ndarray:
        """The group of each row of the table. Rows of one unit are dealt out in their order."""
        out = np.empty(self.task.n_rows, dtype=np.int32)
        out[np.argsort(self.unit_of_row, kind="stable")] = found.group[np.argsort(found.unit, kind="stable")]
        return out

    def labelled(self, of_row: np.ndarray, n_groups: int, trace: tuple[str, ...]) -> Recoding:
        """The release of some groups; those with equal labels become one class."""
        classes, n_classes, cells = self.labels.released(of_row, self.labels.covered(of_row, n_groups))
        return Recoding(classes, n_classes, cells, trace)


def _prices(
    task: Task, axes: Sequence[Axis], cuts: Sequence[CutAxis], metric: str | EdgeCosts
) -> tuple[list[PricedAxis], list[np.ndarray] | None]:
    """What labels cost, and what single values cost before they are generalized (None: nothing).

    By a metric of the unified loss model (Mauger 2021) the way from a leaf to a node costs the leaf's climb to the root
    less the node's; with T the highest climb of all, that is what node and leaf cost when each costs T less its climb.
    """
    weights = column_weights(axes)
    if metric == "gcp":
        lines = [_line(axis) for axis in axes]
        scale = _scale(weights, lines, task.n_rows)
        return [_yardstick(cut, line, scale * w) for cut, line, w in zip(cuts, lines, weights, strict=True)], None
    _, costs = axis_costs(task.axes, metric, rows=task.n_rows + 1)
    priced, base = [], []
    for cut, found in zip(cuts, costs, strict=True):
        node_cost = found.climb.max() - found.climb
        most = int(found.climb.max())
        priced.append(PricedAxis(CutAxis(cut.style, cut.ruler, 0, cut.parent, cut.first, cut.last, node_cost), most))
        base.append(node_cost[: cut.size])
    return priced, base if any(values.any() for values in base) else None


def _line(axis: Axis) -> np.ndarray:
    """Where the values of a column lie, from 0 on: by their positions, or one step apart; nan: a missing value."""
    if axis.positions is not None and ascends(axis.positions):
        return np.asarray(axis.positions - np.nanmin(axis.positions))
    return np.arange(len(axis), dtype=np.float64)


def _scale(weights: Sequence[Fraction], lines: Sequence[np.ndarray], rows: int) -> int:
    """The cost of a cell that says nothing, at weight 1: such that a step costs a whole number on every column that has
    steps, or as large as 64 bits bear where no number is."""
    most = 2**61 // ((rows + 1) * len(lines))
    steps = [
        weight / int(line[np.isfinite(line)][-1]) for weight, line in zip(weights, lines, strict=True) if _whole(line)
    ]
    common = lcm(*(step.denominator for step in steps))
    return common * max(1, SCALE // common) if common <= most else min(most, SCALE << 8)


def _whole(line: np.ndarray) -> bool:
    known = line[np.isfinite(line)]
    return 0 < known[-1] < 2**53 and bool(np.all(known == np.floor(known)))


def _yardstick(cut: CutAxis, line: np.ndarray, full: Fraction) -> PricedAxis:
    """The share of a column's range or values that a label covers (NCP, Xu et al. 2006), as a share of `full`."""
    known = np.isfinite(line)
    width = float(line[known][-1]) or 1.0
    step = full / int(width) if _whole(line) else Fraction(1, 2)
    exact = step.denominator == 1
    place = np.where(known, line, 0.0)
    ruler = place.astype(np.int64) * int(step) if exact else np.floor(place * (float(full) / width)).astype(np.int64)
    cap = int(ruler.max()) or int(full)
    ruler[~known] = 2 * cap + 1  # a missing value lies beyond the line: beside others it makes a label say nothing
    if cut.style is not Style.TREE:
        unit = int(full / max(cut.size - 1, 1))
        return PricedAxis(CutAxis(cut.style, ruler, unit), cap)
    node_cost = np.minimum(ruler[cut.last] - ruler[cut.first], cap)
    return PricedAxis(CutAxis(cut.style, ruler, 0, cut.parent, cut.first, cut.last, node_cost), cap)
