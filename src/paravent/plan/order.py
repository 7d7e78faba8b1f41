"""The order of released rows. That of the source is often known to others: by date of admission, by name, by number.

The plan and its seed may be published. A shuffle by the seed alone could then be undone by anybody who knows where some
people stood in the source. So the key is a hash of the seed and of the whole original table: its owner can repeat the
run, and nobody who lacks the table can. The fingerprint in the provenance is another hash and does not help.
"""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl

from paravent.plan.plan import Plan
from paravent.table.table import Table
from paravent.table.text import as_text, is_text

_AT_ONCE = 1 << 22
"""So many numbers are looked at together: what is put in order may fill most of the memory."""


def order_of(plan: Plan) -> str:
    """The order that released rows stand in. Where rows are sampled, none but that of their cells tells nothing."""
    return "sorted" if plan.method.samples_rows else plan.order


def order_of_rows(table: Table, plan: Plan) -> np.ndarray | None:
    """The rows of the original as they follow one another in a release. None: as in the source.

    >>> import paravent as pv
    >>> table = pv.read(pl.DataFrame({"age": [34, 34, 51, 51]}))
    >>> plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2))
    >>> sorted(order_of_rows(table, plan).tolist()), order_of_rows(table, plan.replace(order="source"))
    ([0, 1, 2, 3], None)
    """
    return None if plan.order == "source" else ascending(drawn_places(len(table), plan.seed, table.order_key))


def drawn_places(rows: int, seed: int, key: str) -> np.ndarray:
    """A number for each row, drawn by a seed and a key that only the table gives."""
    return np.frombuffer(hashlib.shake_256(f"{seed} {key}".encode()).digest(8 * rows), dtype="<u8")


def in_order(rows: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Some rows, ascending, as they follow one another in the order of all.

    >>> in_order(np.array([0, 2, 3]), np.array([3, 1, 0, 2])).tolist()
    [3, 0, 2]
    """
    if order is None or len(rows) == len(order):
        return rows if order is None else order
    among = np.zeros(len(order), dtype=bool)
    among[rows] = True
    return np.asarray(order[among[order]])


def of_kept(order: np.ndarray | None, kept: np.ndarray) -> np.ndarray | None:
    """The order of a table of which some rows are kept (ascending), by their numbers in what is left.

    >>> of_kept(np.array([3, 1, 0, 2]), np.array([0, 2, 3])).tolist()
    [2, 0, 1]
    """
    if order is None or len(kept) == len(order):
        return order
    number = np.empty(len(order), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    return np.asarray(number[in_order(kept, order)])


def ascending(drawn: np.ndarray) -> np.ndarray:
    """The places of drawn numbers of 64 bits in their order, equal ones as they stand: what a stable argsort gives.

    Their first bits tell most of them apart, and leave room for the place behind them: one array is sorted in itself,
    and the few that begin alike are put in order after that.

    >>> ascending(np.array([7, 2**63, 3, 7], dtype=np.uint64)).tolist()
    [2, 0, 3, 1]
    """
    room = np.uint64(max(1, (len(drawn) - 1).bit_length()))
    packed = drawn >> room
    packed <<= room
    for begin in range(0, len(drawn), _AT_ONCE):
        part = packed[begin : begin + _AT_ONCE]
        part |= np.arange(begin, begin + len(part), dtype=np.uint64)
    packed.sort()
    begins = range(0, len(drawn), _AT_ONCE)
    close = np.concatenate([_alike(packed[at : at + _AT_ONCE + 1] >> room) + at for at in begins] or [packed[:0]])
    packed &= np.uint64((1 << int(room)) - 1)
    order = packed.view(np.int64)
    if len(close):
        where = np.union1d(close, close + 1)
        there = order[where]
        order[where] = there[np.lexsort((there, drawn[there]))]
    return order


def _alike(ascending: np.ndarray) -> np.ndarray:
    """The places of numbers that are equal to the next."""
    return np.flatnonzero(ascending[1:] == ascending[:-1])


def sorted_by_cells(columns: list[pl.Series]) -> np.ndarray:
    """The rows in the order of their cells, the first column first: numbers and dates by value, all else by its text,
    missing cells before all others. Equal rows keep their order."""
    keys = [as_text(column) if is_text(column.dtype) else column for column in columns]
    frame = pl.DataFrame([key.alias(f"{i}") for i, key in enumerate(keys)])
    return frame.select(pl.arg_sort_by(frame.columns, maintain_order=True)).to_series().to_numpy().astype(np.int64)
