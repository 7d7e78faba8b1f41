"""The ledger of a project's table: what differential privacy may spend on it.

A table has one ledger in a workspace, whichever project it is in. It outlives the table: were it deleted with it, the
same people could be asked anew as if nobody had asked before. It holds what was spent and the fingerprint of the table.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import paravent as pv
from paravent.errors import PlanError
from paravent.web.workspace.files import private_folder

if TYPE_CHECKING:
    from paravent.web.workspace.project import Project


def ledger(project: Project) -> pv.Budget | None:
    """The ledger of the table as it is cleaned now, if something was granted."""
    path = _path(project)
    return pv.Budget(path) if path.exists() else None


def grant(project: Project, epsilon: float, delta: float) -> pv.Budget:
    """Grant this much in all: of a new ledger, or more than before."""
    project.refuse_change()
    path = _path(project)
    try:
        if path.exists():
            found = pv.Budget(path)
            found.grant(epsilon, delta)
        else:
            private_folder(path.parent)
            found = pv.Budget(path, epsilon, delta)
    except PlanError as error:
        raise PlanError(error.raw.replace(repr(str(path)), "of this table")) from None
    project.witness("budget granted")
    return found


def told(budget: pv.Budget) -> dict[str, Any]:
    """What a ledger says: granted, spent and left as ε and δ, and its entries."""
    state = budget.state
    return {
        "granted": {"epsilon": float(state.grant.epsilon), "delta": float(state.grant.delta)},
        "spent": float(state.epsilon),
        "left": str(state.left),
        "entries": [{"what": each.what, "cost": str(each.cost), "at": each.at} for each in state.entries],
    }


def _path(project: Project) -> Path:
    name = hashlib.sha256(project.table().fingerprint.encode()).hexdigest()[:32]
    return project.folder.parent.parent / "budgets" / f"{name}.ledger"
