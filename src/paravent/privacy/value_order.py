"""The order and the tree of a sensitive column's values: where each code stands."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from paravent.errors import PlanError, quote
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.privacy.classes import Histogram
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

# A method asks thousands of times about the same column.
_RANKS: WeakKeyDictionary[Domain, dict[tuple[str, ...] | None, np.ndarray]] = WeakKeyDictionary()
_HEIGHTS: WeakKeyDictionary[Domain, dict[str, list[np.ndarray]]] = WeakKeyDictionary()


def ranks_of(histogram: Histogram, order: tuple[str, ...] | None) -> np.ndarray:
    """The rank of each code among the values that the table has, lowest first.

    Without a domain the codes are taken to be in order already.
    """
    domain, table = histogram.domain, histogram.table
    if domain is None:
        places = np.arange(len(table))
    else:
        known = _RANKS.setdefault(domain, {})
        if order not in known:
            known[order] = _places(domain, order)
        places = known[order]
        if len(table) > len(domain) and table[len(domain) :].any():
            raise PlanError(
                f"columns.{domain.name}: a missing value has no place in an order. Set missing='drop rows' there, or "
                "take distance='equal'."
            )
    present = np.flatnonzero(table[: len(places)] > 0)
    ranks = np.zeros(len(table), dtype=np.int64)
    ranks[present[np.argsort(places[present], kind="stable")]] = np.arange(len(present))
    return ranks


def heights_of(histogram: Histogram, tree: TreeSpec | str, column: str) -> list[np.ndarray]:
    """For each height of the tree below its root, the group of every code. A missing cell hangs on the root."""
    domain = histogram.domain
    if domain is None:
        raise PlanError(f"TCloseness: nothing says what the values of column {column!r} are, so no tree fits them.")
    known = _HEIGHTS.setdefault(domain, {})
    if repr(tree) not in known:
        fitted = fit(spec_from_document(tree, name=domain.name).build(domain), domain)
        known[repr(tree)] = [level.codes[fitted.order].astype(np.int64) for level in fitted.tree.levels[:-1]]
    heights = known[repr(tree)]
    more = len(histogram.table) - len(domain)
    return [np.concatenate((group, int(group.max()) + 1 + np.arange(more))) for group in heights] if more else heights


def _places(domain: Domain, order: tuple[str, ...] | None) -> np.ndarray:
    if order is None:
        if domain.kind.is_numeric or domain.kind is Kind.DATE:
            return np.arange(len(domain))
        raise PlanError(
            f"TCloseness: column {domain.name!r} is text and has no order of its own. "
            "Name its values from lowest to highest with order=[…], or take distance='equal'."
        )
    place = {value: i for i, value in enumerate(order)}
    for text in domain.text:
        if text not in place:
            raise PlanError(
                f"TCloseness: value {quote(text)} of column {domain.name!r} is not in the order. Add it to order=[…]."
            )
    return np.array([place[text] for text in domain.text], dtype=np.int64)
