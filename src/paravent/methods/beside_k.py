"""Models beside k-anonymity: no table that loses more than Mondrian's.

Methods that merge or cluster were made for k-anonymity. Under l-diversity or t-closeness they can lose much more than a
method that cuts from above and asks the models of every cut. So each of them, where its plan asks for more than k,
looks at Mondrian's table too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from paravent.errors import InfeasibleError
from paravent.kernels.clustering import Grouped
from paravent.methods.clustering.cluster_space import ClusterSpace
from paravent.methods.complements import completed
from paravent.methods.label_space import LabelStyle
from paravent.methods.merging.gkaa import EdgeCosts
from paravent.methods.merging.merge_run import budgets
from paravent.methods.method import Recoding, Task
from paravent.methods.mondrian.mondrian import Mondrian


def mondrians(task: Task, labels: LabelStyle = "tree") -> list[Recoding]:
    """The tables of Mondrian, strict and relaxed; none where it finds that nothing holds."""
    found = []
    for strict in (True, False):
        try:
            found.append(Mondrian(labels=labels, strict=strict).run(task))
        except InfeasibleError:
            continue
    return found


def least_loss(
    task: Task, tables: Iterable[Recoding], metric: str | EdgeCosts, *, labels: LabelStyle = "tree"
) -> Recoding:
    """Of some tables and Mondrian's, the one that costs least by a metric among those that lose no more detail (GCP)
    than Mondrian's: it is no worse than Mondrian's by either. Ties: the table that stands first, Mondrian's last."""
    cut = mondrians(task, labels)
    every = [*tables, *cut]
    if not every:
        raise InfeasibleError("The models do not hold for the table as a whole. Ask for less.")
    if len(every) == 1:
        return every[0]
    detail = ClusterSpace.of(task, "gcp", labels)
    own = detail if metric == "gcp" else ClusterSpace.of(task, metric, labels)
    lost = [_cost(detail, table) for table in every]
    most = lost[len(every) - len(cut)] if cut else max(lost)
    best = min((i for i in range(len(every)) if lost[i] <= most), key=lambda i: _cost(own, every[i]))
    if best < len(every) - len(cut):
        return every[best]
    words = "Mondrian's classes lose less under these models: they were taken."
    return replace(every[best], trace=(*every[best].trace, words))


def completions(
    task: Task,
    of_row: np.ndarray,
    n_classes: int,
    metric: str | EdgeCosts,
    said: tuple[str, ...],
    *,
    labels: LabelStyle = "tree",
) -> Iterator[Recoding]:
    """Tables made of some classes that need not hold the models: those that fail are completed by others. Where rows
    may be left out, one table for each of `budgets`: more rows to spare give the same tables and more."""
    space = ClusterSpace.of(task, metric, labels)
    unit = space.unit_of_row.astype(np.int32)
    for budget in budgets(task.max_suppressed):
        group, n_groups = of_row, n_classes
        while True:
            found = completed(space, Grouped(unit, group), n_groups, spare=budget)
            group = space.of_row(found)
            table = space.labelled(group, int(group.max(initial=-1)) + 1, ())
            left_out = int((group < 0).sum())
            held = bool(task.holds(task.classes(table.of_row, table.n_classes)).all()) if table.n_classes else False
            if held or left_out or table.n_classes < 2 or table.n_classes == n_groups:
                break
            group, n_groups = table.of_row, table.n_classes  # classes of one label are one, and may fail: once more
        if held:
            sizes = np.bincount(table.of_row[table.of_row >= 0])
            more = (
                "Classes that failed a model joined those that have what they lack.",
                *([f"Left out {left_out} rows."] if left_out else []),
                f"No class fails: {table.n_classes} classes of {sizes.min()} to {sizes.max()} rows.",
            )
            yield replace(table, trace=(*said, *more))
        if left_out < budget:
            return  # more to spare would change nothing


def _cost(space: ClusterSpace, table: Recoding) -> int:
    return space.cost(Grouped(space.unit_of_row, np.asarray(table.of_row)), table.n_classes)
