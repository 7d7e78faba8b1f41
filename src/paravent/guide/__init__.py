"""The guide: from a person's words to candidates that are ranked and explained, run, and ranked again.

Names are loaded on first use. The room itself can be called: `pv.guide(table, context)` begins a `Guidance`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from paravent.registry import exported

if TYPE_CHECKING:
    from paravent.guide.guidance import Guidance

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "context": "Context",
        "deciding.judgements": "Judgements",
        "deciding.methods": "METHODS",
        "explaining": "Explanation metric_title shown title",
        "goals": "Goals USES",
        "candidates": "drafted",
        "guidance": "Guidance",
        "learning": "Lesson mark quiz tutorial",
        "log": "Log Session decision_quality sessions strict_quality study",
        "modes": "SHOWN shows",
        "process": "process_document",
        "ranking": "Ranking rank",
        "signatures": "Signature",
        "situation": "QUESTIONS Situation questions",
    },
)


class _Room(ModuleType):
    """A module is found under its name in its package; so that `pv.guide(…)` works, this one can be called."""

    def __call__(self, *given: Any, **named: Any) -> Guidance:
        from paravent.guide.beginning import guide

        return guide(*given, **named)


sys.modules[__name__].__class__ = _Room
