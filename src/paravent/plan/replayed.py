"""A synthetic release against its transcript: what was spent is worked out again, and the rows are drawn again."""

from __future__ import annotations

from typing import Any

import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.plan.plan import Plan
from paravent.plan.provenance import FOR_THE_OWNER
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.loss import account_of
from paravent.privacy.promise import Entry
from paravent.private.transcript import Transcript
from paravent.table.text import as_text

_READ = (
    "The names of the columns count as known, and so does how a file writes dates (unless as 2001-12-31) and decimal "
    "commas: say these (`kinds`, `decimal`) where it is read, or one odd cell may change how others are understood."
)


def replayed(transcript: Transcript, frame: pl.DataFrame) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """What was spent, and what is wrong: a table that is not the one of the transcript."""
    from paravent.methods.synthetic.replay import replay

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
    most = max((step.rows_each for step in transcript.measured), default=1)
    notes = [
        *(_of_rows(plan, most) if transcript.public is None else _beside_public(transcript, plan, most)),
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


def _of_rows(plan: Plan, most: int) -> list[str]:
    return [
        f"Neighbouring tables differ by one person of {plan.person!r}, of whom {most} rows count."
        if isinstance(plan.person, str)
        else "Neighbouring tables differ by one row: the promise is about people only if nobody has two.",
        "What the columns can hold, and as what it is written, is taken from the plan, not from the data.",
        _READ,
    ]


def _beside_public(transcript: Transcript, plan: Plan, most: int) -> list[str]:
    assert transcript.public is not None
    names = ", ".join(repr(transcript.names[column]) for column in transcript.public.columns)
    whose = f"one person of {plan.person!r} ({most} rows at most)" if isinstance(plan.person, str) else "one row"
    return [
        f"NOT PROTECTED: {names}. Their real rows are released, and with them the exact number of rows. The promise is "
        "about the other columns.",
        f"Neighbouring tables have the same public columns, and differ in whether the others of {whose} count.",
        "What the other columns can hold, and as what it is written, is taken from the plan, not from the data.",
        _READ,
    ]
