"""A synthetic release against its transcript: what was spent is worked out again, and the rows are drawn again."""

from __future__ import annotations

from typing import Any

import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.methods.synthetic.replay import replay
from paravent.plan.plan import Plan
from paravent.plan.provenance import FOR_THE_OWNER
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.loss import account_of
from paravent.privacy.promise import Entry
from paravent.private.transcript import Transcript
from paravent.table.text import as_text


def replayed(transcript: Transcript, frame: pl.DataFrame) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """What was spent, and what is wrong: a table that is not the one of the transcript."""
    document = transcript.to_document()
    same = same_table(replay(Transcript.from_document(document)), frame)
    return account_of(document), () if same else ("the synthetic rows are not those of their transcript",)


def check_replay(transcript: Transcript, frame: pl.DataFrame) -> tuple[Entry, ...]:
    """What was spent. A table that is not the one of the transcript is not released."""
    account, faults = replayed(transcript, frame)
    if faults:
        raise UnsafeReleaseError(f"{faults[0]}. Nothing is released.")
    return account


def same_table(drawn: pl.DataFrame, frame: pl.DataFrame) -> bool:
    """Whether two tables have the same cells in the same order, as text: a file may have been written in between."""
    if drawn.columns != frame.columns or drawn.height != frame.height:
        return False
    return all(_text(drawn[name]).eq_missing(_text(frame[name])).all() for name in drawn.columns)


def _text(cells: pl.Series) -> pl.Series:
    cells = as_text(cells.alias("cells"))
    return cells.set(cells == "", None)


def assumptions(transcript: Transcript, plan: Plan, ledger: Any) -> tuple[str, ...]:
    """What the promise of a synthetic release rests on, and what it does not cover."""
    each = {step.rows_each for step in transcript.measured}
    unit = (
        "Neighbouring tables differ by one row: the promise is about people only if nobody has two."
        if not isinstance(plan.person, str)
        else f"Neighbouring tables differ by one person of {plan.person!r}, of whom {max(each, default=1)} rows count."
    )
    notes = [
        unit,
        "The names and types of the columns, and what they can hold, are taken from the plan, not from the data.",
        "What was spent is in the ledger." if ledger is not None else "No ledger was kept: add up releases yourself.",
        FOR_THE_OWNER,
    ]
    if not transcript.private:
        notes.insert(0, "NOT PRIVATE: the noise was drawn from a known seed, and can be taken off again.")
    for promise in plan.protect:
        if isinstance(promise, DifferentialPrivacy) and promise.delta * transcript.rows >= 1:
            notes.append(
                f"delta = {promise.delta:g} is not below 1 / rows: it would allow to publish somebody's row. Take one "
                "far smaller."
            )
    return tuple(notes)
