"""Who looks at a page: their name, what they may do, and their workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paravent.web.workspace.workspace import Workspace

KEY = "paravent.visitor"
"""Where the guard at the door leaves the visitor in the scope of a request."""


@dataclass(frozen=True)
class Visitor:
    """`role` is owner (all of their own), viewer (looks, changes nothing), or expert (edits the knowledge too)."""

    name: str
    role: str
    workspace: Workspace
    session: str = ""

    @property
    def may_change(self) -> bool:
        return self.role in ("owner", "expert")

    @property
    def may_edit_knowledge(self) -> bool:
        return self.role == "expert"


def visitor() -> Visitor:
    """The one who looks at the page that is being drawn, or who clicked."""
    from nicegui import context

    request = context.client.request
    assert request is not None
    return visitor_in(request.scope)


def visitor_in(scope: Mapping[str, Any]) -> Visitor:
    """The visitor of a request."""
    found: Visitor = scope[KEY]
    return found
