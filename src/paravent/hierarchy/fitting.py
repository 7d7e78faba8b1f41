"""Fit: a tree and the values of a column, matched letter by letter.

A value belongs to the leaf that is written as the value is: the integer 17 to `17`, the text `017` to `017`. Numbers
have no spelling of their own: a number that no leaf is written as belongs to the one leaf that is the same number, and
the leaf is published as the column writes it. Texts are never matched by being "the same number"; where only that would
help, the error says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

import numpy as np

from paravent.errors import TreeError, either, quote
from paravent.hierarchy.tree import Tree
from paravent.table.domain import Domain


@dataclass(frozen=True, eq=False)
class Fitted:
    """A tree over exactly the values of a column. `order[i]` is the leaf of the domain's value i: a permutation.
    `given` is the tree as it was before leaves that do not occur were left out."""

    tree: Tree
    order: np.ndarray
    given: Tree


def fit(tree: Tree, domain: Domain, *, outside: Literal["error", "root"] = "error") -> Fitted:
    """Restrict a tree to the values that occur in a column.

    Values that are not in the tree raise a TreeError, or become leaves of its root with `outside="root"`.

    >>> import polars as pl
    >>> from paravent.table.kinds import Kind
    >>> tree = Tree.from_paths("q", [["q1", "q12", "*"], ["q2", "q12", "*"], ["q3", "q3", "*"]])
    >>> domain = Domain("q", Kind.NOMINAL, pl.Series(["q1", "q3"]), np.array([4, 1]))
    >>> fitted = fit(tree, domain)
    >>> fitted.tree.labels, fitted.order.tolist()
    (('q1', 'q3', '*'), [0, 1])
    """
    if outside not in ("error", "root"):
        raise TreeError(f"column {domain.name!r}: outside={outside!r} must be 'error' or 'root'.")
    if len(domain) == 0:
        raise TreeError(f"column {domain.name!r}: it has no values to fit a tree to. Leave it out of the plan.")
    if tree.leaves == tuple(domain.text):  # as builders leave it
        return Fitted(tree, np.arange(len(domain), dtype=np.int32), tree)
    missing = [i for i, text in enumerate(domain.text) if text not in tree.leaf_of]
    if missing and domain.kind.is_numeric:
        tree = _as_written(tree, domain, missing)
        missing = [i for i in missing if domain.text[i] not in tree.leaf_of]
    if missing:
        _check_groups(tree, domain, missing)
        if outside == "error":
            raise _uncovered(tree, domain, missing)
        tree = tree.with_leaves([domain.text[i] for i in missing])
    leaf_of = tree.leaf_of
    leaves = np.fromiter((leaf_of[text] for text in domain.text), np.int32, len(domain))
    order = np.empty(len(domain), dtype=np.int32)
    ascending = np.argsort(leaves)
    order[ascending] = np.arange(len(domain), dtype=np.int32)
    return Fitted(tree.restrict(leaves[ascending]), order, tree)


def _as_written(tree: Tree, domain: Domain, missing: list[int]) -> Tree:
    """The tree with leaves called as a column of numbers writes them, where only one leaf is a number and no value is
    written as that leaf."""
    texts = set(domain.text)
    leaves: dict[Decimal, list[str]] = {}
    for leaf in tree.leaves:
        number = _exact(leaf)
        if number is not None:
            leaves.setdefault(number, []).append(leaf)
    names: dict[str, str] = {}
    for i in missing:
        number = _exact(domain.text[i])
        twins = leaves.get(number, []) if number is not None else []
        if len(twins) == 1 and twins[0] not in texts and twins[0] not in names:
            names[twins[0]] = domain.text[i]
    labels = {label for level in tree.levels[1:] for label in level.labels}
    return tree.relabelled({leaf: name for leaf, name in names.items() if name not in labels}) if names else tree


def _check_groups(tree: Tree, domain: Domain, missing: list[int]) -> None:
    """A value that is the label of a group can be neither a leaf nor hung on the root."""
    labels = {label for level in tree.levels[1:] for label in level.labels}
    for i in missing:
        if domain.text[i] in labels:
            raise TreeError(
                f"column {domain.name!r}: value {quote(domain.text[i])} ({_rows(domain, [i])}) is a group of its tree, "
                "not one of the tree's values. Rename the group, or replace the value."
            )


def _uncovered(tree: Tree, domain: Domain, missing: list[int]) -> TreeError:
    first = domain.text[missing[0]]
    many = f"{len(missing)} values are" if len(missing) > 1 else "1 value is"
    which = f"first: {quote(first)}, " if len(missing) > 1 else f"{quote(first)}, "
    found = f"column {domain.name!r}: {many} not in its tree ({which}{_rows(domain, missing)})."
    return TreeError(f"{found} {_remedy(first, tree, domain)}")


def _rows(domain: Domain, at: list[int]) -> str:
    rows = int(domain.counts[at].sum())
    return f"{rows} rows" if rows != 1 else "1 row"


def _remedy(value: str, tree: Tree, domain: Domain) -> str:
    number = _number(value)
    twin = _first(leaf for leaf in tree.leaves if number is not None and _number(leaf) == number)
    if twin is not None:
        return (
            f"The tree writes it {quote(twin)}: the same number, but another text (the column is {domain.kind}). "
            "Write both the same way, or read the column as another kind."
        )
    plain = value.strip().casefold()
    twin = _first(leaf for leaf in tree.leaves if leaf.strip().casefold() == plain)
    if twin is not None:
        return f"The tree has {quote(twin)}: write both the same way (spaces, capitals)."
    hung = either("outside='root'", f"--outside {domain.name}")
    return f"Add what is missing to the tree, or hang it on the root with {hung}."


def _first(found: Iterable[str]) -> str | None:
    return next(iter(found), None)


def _exact(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
