"""Labels: how a set of values is written in one cell of a released table. `hierarchy.cells` reads them back.

    v             the value itself, or the label of a tree node
    *             any value
    [17, 24]      the numbers or dates from 17 to 24, both included
    [2.5, 5[      those from 2.5 on and below 5
    b~e           the values from b to e in the order of the column or its tree
    {a, c}        exactly these values

Values that hold one of the signs of this grammar are written in double quotes inside ranges and sets.
"""

from __future__ import annotations

from collections.abc import Sequence

from paravent.hierarchy.cells.grammar import as_member


def interval_label(low: str, high: str) -> str:
    """
    >>> interval_label("17", "24")
    '[17, 24]'
    """
    return low if low == high else f"[{low}, {high}]"


def half_open_label(low: str, high: str) -> str:
    """
    >>> half_open_label("2.5", "5")
    '[2.5, 5['
    """
    return f"[{low}, {high}["


def range_label(low: str, high: str) -> str:
    """
    >>> range_label("10th", "12th"), range_label("a~b", "c")
    ('10th~12th', '"a~b"~c')
    """
    return low if low == high else f"{as_member(low)}~{as_member(high)}"


def set_label(values: Sequence[str]) -> str:
    """
    >>> set_label(["a"]), set_label(["a", "b, c"])
    ('a', '{a, "b, c"}')
    """
    return values[0] if len(values) == 1 else f"{{{', '.join(map(as_member, values))}}}"
