"""The beginning: from a table and a context to candidates that are predicted, ranked and explained."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from paravent.arguments import check_call
from paravent.guide.candidates import candidates_of, drafted, with_trees
from paravent.guide.context import Context
from paravent.guide.foreseeing import is_whole, predictions_of
from paravent.guide.guidance import Guidance
from paravent.guide.log import Log
from paravent.guide.modes import Mode
from paravent.knowledge.loading import load
from paravent.plan.plan import Plan
from paravent.plan.runner import as_table

FALLBACK, LEAST = 4.0, 1.0
"""Seconds after which an answer is there where the evaluations of other tables say nothing about any candidate, as of
very large tables: what is left of them, and no less than the second, is spent on the table. The last try may take
longer than was left; that is what is lacking to five."""


def guide(
    source: Any,
    context: Context | None = None,
    plan: Plan | None = None,
    *,
    seconds: float = 0.0,
    methods: Sequence[str] | None = None,
    guidance: Mode = "full",
    language: str = "en",
    log: str | os.PathLike[str] | Log | None = None,
) -> Guidance:
    """Candidates for publishing a table, ranked for a context and explained.

    `plan` holds the roles of the columns and their trees; without one they are proposed from the table, and trees that
    a plan lacks are, too. What a plan promises, every candidate promises. `seconds` may be spent on runs on the table,
    so that predictions rest on it and not on the evaluations of other tables alone (where these say nothing about any
    candidate, what is left of four, and one at least, is spent). `methods` are those to look at (all, and combinations
    of some with treatments, other labels or objectives, which have no score without seconds). `guidance` says what is
    shown: "predefined" and "informative" propose nothing, "suggestive" proposes without explaining, "full" does both.
    `log` is a file in which your steps and their times are noted, for a study of your own; without it nothing is.

    >>> import paravent as pv
    >>> found = guide(pv.data.adult().frame.head(2000), Context(risk=0.1), methods=["Datafly", "mondrian-median"])
    >>> found.signatures[0].name, len(found.signatures)
    ('Datafly (k=10, MaxSup=100)', 9)
    """
    check_call(guide, locals())
    begun = time.monotonic()
    table, said = as_table(source), context or Context()
    base = with_trees(table, drafted(table) if plan is None else plan)
    known = load(language=language)
    found = candidates_of(table, base, said, known, methods)
    predictions = predictions_of(table, found, said, seconds)
    if not seconds and not any(is_whole(told) for told in predictions.values()):
        left = max(LEAST, FALLBACK - (time.monotonic() - begun))
        predictions = predictions_of(table, found, said, left, told=predictions)
    return Guidance(
        said,
        base,
        found,
        predictions,
        table=table,
        known=known,
        mode=guidance,
        methods=None if methods is None else tuple(methods),
        log=log if isinstance(log, Log) or log is None else Log(log),
    )
