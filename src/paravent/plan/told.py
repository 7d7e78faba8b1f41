"""What the tables of a release tell of sensitive values where no cell of a row does: the view of whoever joins them.

Anatomy, bucketization and slicing hide which value is whose. Whoever finds a person finds a class of the view that
the method's derivation gives, and learns which values the class has and how often. Attacks on classes run there.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from paravent.plan.plan import Plan
from paravent.plan.truth import grouped, perturbed
from paravent.privacy.attacks import Scene
from paravent.privacy.derivation import View
from paravent.privacy.frame_cells import cells_of, key_of_rows
from paravent.privacy.groups import joined
from paravent.table.alike import with_folded


def told_by(
    frame: pl.DataFrame,
    beside: Mapping[str, pl.DataFrame],
    plan: Plan,
    *,
    rows: np.ndarray | None,
    persons: np.ndarray | None,
    trees: Mapping[str, object],
) -> Scene | None:
    """The scene of the view, row for row the first table, whose `frame` has no marked rows; None where values stand
    beside their rows, or tables are missing. Quasi-identifiers that changed places are `hidden`: nobody's row is found
    by them."""
    derivation, columns = plan.method.derivation, grouped(plan, frame.columns)
    if derivation is None or not columns or any(name not in beside for name in derivation.tables):
        return None
    view = derivation.view(frame, beside, columns)
    seen = with_folded(view.frame[_places(frame, view)], plan.alike)
    hidden = perturbed(plan, frame.columns).intersection(plan.quasi)
    return Scene(seen, view.apart, columns, rows=rows, persons=persons, trees=trees, hidden=hidden)


def _places(frame: pl.DataFrame, view: View) -> np.ndarray:
    """For each row of the first table a row of the view that is of the same class, each taken once: a class has as many
    of both."""
    pairs = [joined(cells_of(frame, name), cells_of(view.frame, name)) for name in view.apart]
    key = key_of_rows(pairs, frame.height + view.frame.height)
    places = np.empty(frame.height, dtype=np.int64)
    places[np.argsort(key[: frame.height], kind="stable")] = np.argsort(key[frame.height :], kind="stable")
    return places
