"""A release of sampled rows against how it was drawn: what was spent is worked out again, its classes are counted."""

from __future__ import annotations

from typing import Any

import polars as pl

from paravent.errors import UnsafeReleaseError
from paravent.plan.plan import Plan
from paravent.plan.provenance import FOR_THE_OWNER
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.promise import Entry
from paravent.privacy.sampling_loss import account_of_sampling
from paravent.private.sampling import Sampled
from paravent.table.text import as_text


def check_sample(sampled: Sampled, frame: pl.DataFrame) -> tuple[Entry, ...]:
    """What was spent. A table with fewer than k rows that are alike in every column is not released."""
    account = account_of_sampling(sampled.to_document())
    texts = [as_text(frame[name].alias("cells")).alias(f"{i}") for i, name in enumerate(frame.columns)]
    fewest = pl.DataFrame(texts).group_by(pl.all()).len()["len"].min()
    if fewest is None or int(str(fewest)) < sampled.sampling.k:
        raise UnsafeReleaseError(
            f"some rows of the finished release are like fewer than {sampled.sampling.k} in all columns. "
            "Nothing is released."
        )
    return account


def sample_assumptions(
    sampled: Sampled, plan: Plan, ledger: Any, rows: int, counts: str = "the first row"
) -> tuple[str, ...]:
    """What the promise of sampled rows rests on, and what it does not cover. `counts` says which row of a person
    does."""
    unit = (
        f"Neighbouring tables differ by one person of {plan.person!r}, of whom {counts} counts."
        if isinstance(plan.person, str)
        else "Neighbouring tables differ by one row: the promise is about people only if nobody has two."
    )
    notes = [
        unit,
        f"Every row was drawn with probability {float(sampled.sampling.beta):.4g}, by the operating system's "
        f"randomness; every row of the release is like at least {sampled.sampling.k} in all columns.",
        "Rows are true: who is in the release is in it with their generalized cells, and that is within the promise.",
        "The names and types (number, text) of the columns and their trees count as known: say them (`kinds`) where a "
        "file is read, or one odd cell may change that of its column.",
        "What was spent is in the ledger." if ledger is not None else "No ledger was kept: add up releases yourself.",
        FOR_THE_OWNER,
    ]
    if not sampled.private:
        notes.insert(0, "NOT PRIVATE: the rows were drawn from a known seed, and anybody can draw them again.")
    for promise in plan.protect:
        if isinstance(promise, DifferentialPrivacy) and promise.delta * rows >= 1:
            notes.append(
                f"delta = {promise.delta:g} is not below 1 / rows: it is the probability that the promise fails for "
                "somebody. Take one far smaller."
            )
    return tuple(notes)
