"""How the parts of a plan work, in the words of the knowledge: those of the user's layer, or those that ship."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paravent.knowledge.told import told

if TYPE_CHECKING:
    from paravent.plan.plan import Plan


def works(plan: Plan) -> list[tuple[str, str]]:
    """What the knowledge says about the method, the treatments and the promises, each once."""
    names = [type(part).__name__ for part in (plan.method, *plan.treat, *plan.protect)]
    found = [told(name) for name in dict.fromkeys(names)]
    return [(each.label, each.text) for each in found if each is not None and each.text]
