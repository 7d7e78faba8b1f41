"""The tree that a column has now: as somebody edited it, as the plan says, or as it is proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import paravent as pv
from paravent.errors import ParaventError
from paravent.hierarchy import Tree, fit, propose
from paravent.hierarchy.fitting import Fitted
from paravent.hierarchy.spec import TreeSpec, spec_from_document
from paravent.table import Domain

if TYPE_CHECKING:
    from paravent.web.workspace import Document

MOST_EDITED = 600
"""Values up to which a tree can be edited node by node."""


@dataclass(frozen=True, eq=False)
class Current:
    """A column's tree. `spec` is None where it was edited node by node; `problem` says why there is no tree."""

    column: str
    domain: Domain
    spec: TreeSpec | None
    fitted: Fitted | None
    reason: str = ""
    problem: str = ""
    proposed: bool = False

    @property
    def tree(self) -> Tree | None:
        return None if self.fitted is None else self.fitted.tree

    def rows_at(self, level: int) -> list[tuple[str, int]]:
        """The labels of a level with how many rows each stands for, in tree order."""
        assert self.fitted is not None
        counts = np.zeros(len(self.domain), dtype=np.int64)
        counts[self.fitted.order] = self.domain.counts
        here = self.fitted.tree.levels[level]
        rows = np.bincount(here.codes, weights=counts, minlength=len(here.labels)).astype(np.int64)
        return list(zip(here.labels, rows.tolist(), strict=True))

    @property
    def editable(self) -> bool:
        return self.tree is not None and self.tree.n_leaves <= MOST_EDITED


def current(table: pv.Table, document: Document, column: str) -> Current:
    """The tree of a column, fitted to its values. It takes a moment: call it where nobody waits."""
    domain = Domain.of(table, column)
    rows = (document.trees.get(column) or {}).get("rows")
    said: Any = ((document.plan.get("columns") or {}).get(column) or {}).get("tree")
    spec: TreeSpec | None = None
    try:
        if rows:
            tree = Tree.from_paths(column, rows)
            return Current(column, domain, None, fit(tree, domain))
        wanted, reason = propose(domain)
        spec = wanted if said is None else spec_from_document(said, name=column)
        same = spec == wanted
        return Current(column, domain, spec, fit(spec.build(domain), domain), reason if same else "", proposed=same)
    except ParaventError as error:
        return Current(column, domain, spec, None, problem=str(error))


def with_spec(document: Document, column: str, spec: TreeSpec) -> dict[str, Any]:
    """The fields of the document that say so: the plan, and no edited tree."""
    columns = dict(document.plan.get("columns") or {})
    columns[column] = {**(columns.get(column) or {"role": "quasi"}), "tree": spec.to_document()}
    trees = {name: tree for name, tree in document.trees.items() if name != column}
    return {"plan": {**document.plan, "columns": columns}, "trees": trees, "release": None}


def with_rows(document: Document, column: str, rows: list[list[str]]) -> dict[str, Any]:
    """The fields of the document with an edited tree."""
    return {"trees": {**document.trees, column: {"rows": rows}}, "release": None}
