"""Identifiers that are replaced: keyed pseudonyms, or random numbers."""

from __future__ import annotations

import hmac
import os
from pathlib import Path

import numpy as np
import polars as pl

from paravent.errors import PlanError
from paravent.plan.plan import Plan
from paravent.plan.roles import Identifier
from paravent.table.text import as_text

_SHORTEST_KEY = 16


def check_keys(plan: Plan) -> None:
    """Raise PlanError when a key that the plan needs cannot be read, before any work is done."""
    for column, role in plan.identifiers.items():
        if role.replace == "pseudonym":
            read_key(column, role)


def read_key(column: str, role: Identifier) -> bytes:
    """The secret key of a pseudonym, from where its role says."""
    where = f"columns.{column}"
    if role.key_env is not None:
        text = os.environ.get(role.key_env)
        if text is None:
            raise PlanError(f"{where}: the environment variable {role.key_env!r} is not set. Put the secret key there.")
        key, source = text.strip().encode(), f"the environment variable {role.key_env!r}"
    else:
        source = f"the key file {role.key_file!r}"
        try:
            key = Path(str(role.key_file)).read_bytes().strip()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "no such file"
            raise PlanError(f"{where}: {source} cannot be read: {reason}.") from None
    if len(key) < _SHORTEST_KEY:
        raise PlanError(f"{where}: the key in {source} is too short. Use at least {_SHORTEST_KEY} random bytes.")
    return key


def pseudonyms(cells: pl.Series, column: str, key: bytes, length: int) -> pl.Series:
    """HMAC-SHA256 of each value's text, as its first `length` hexadecimal digits.

    >>> pseudonyms(pl.Series(["Ana", "Béa", "Ana", None]), "name", b"an example, no secret", 8).to_list()
    ['a1a4ef11', '547a685d', 'a1a4ef11', None]
    """
    text = as_text(cells)
    known = text.drop_nulls().unique(maintain_order=True)
    digests = [hmac.digest(key, value.encode(), "sha256").hex()[:length] for value in known]
    if len(set(digests)) < len(digests):
        raise PlanError(
            f"columns.{column}: two of {len(digests)} values get the same pseudonym of {length} digits. "
            "Set a greater length."
        )
    return text.replace_strict(known, pl.Series(digests, dtype=pl.String), return_dtype=pl.String)


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
