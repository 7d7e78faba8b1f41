"""Differential privacy: noise, what it costs, a budget that cannot be overspent, and questions within it.

Names are loaded on first use. The room itself can be called: `pv.private(table, budget, …)` is `Questions(…)`; for a
Spark frame it is `SparkQuestions(…)`, which counts on the cluster.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from paravent.registry import exported

if TYPE_CHECKING:
    from paravent.private.questions import Questions

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "accounting": "Cost",
        "ledger": "Budget",
        "questions": "Questions",
    },
)


class _Room(ModuleType):
    """A module is found under its name in its package; so that `pv.private(…)` works, this one can be called."""

    def __call__(self, *given: Any, **named: Any) -> Questions:
        from paravent.private.questions import Questions

        table = given[0] if given else named.get("table")
        if type(table).__module__.startswith("pyspark.sql"):
            from paravent.engine.spark.questions import SparkQuestions

            return SparkQuestions(*given, **named)
        return Questions(*given, **named)


sys.modules[__name__].__class__ = _Room
