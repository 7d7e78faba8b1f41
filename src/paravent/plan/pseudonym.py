"""Identifiers that are replaced: keyed pseudonyms, or random numbers."""

from __future__ import annotations

import numpy as np
import polars as pl

from paravent.plan.plan import Plan
from paravent.plan.roles import Identifier
from paravent.treatments.keys import read_key


def check_keys(plan: Plan) -> None:
    """Raise PlanError when a key that the plan needs cannot be read, before any work is done."""
    for column, role in plan.identifiers.items():
        if role.replace == "pseudonym":
            key_of(column, role)


def key_of(column: str, role: Identifier) -> bytes:
    """The secret key of an identifier's pseudonyms."""
    return read_key(f"columns.{column}", role.key_env, role.key_file)


def numbers(cells: pl.Series, column: str, seed: int) -> pl.Series:
    """Numbers from 1 in random order, equal for equal values.

    What is permuted is the order of first appearance in `cells`. Let them stand as the release shows them: whoever
    knows the seed then learns nothing, neither about the values nor about the order of the source.

    >>> numbers(pl.Series(["Ana", "Béa", "Ana", None]), "name", 7).to_list()
    [2, 1, 2, None]
    """
    known = cells.drop_nulls().unique(maintain_order=True)
    name = np.frombuffer(column.encode(), dtype=np.uint8)  # columns of one table are numbered independently
    drawn = np.random.default_rng([seed, *name.tolist()]).permutation(len(known)) + 1
    lookup = pl.DataFrame({"value": known, "number": drawn.astype(np.int64)})
    joined = pl.DataFrame({"value": cells}).join(lookup, on="value", how="left", maintain_order="left")
    return joined["number"]
