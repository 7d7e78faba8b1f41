"""Strict Mondrian as one would write it on a whiteboard: the baseline of the comparisons, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence


def plain_mondrian(rows: Sequence[Sequence[int]], ruler: Sequence[Sequence[float]], k: int) -> list[list[int]]:
    """Classes of row numbers. `rows` holds codes; `ruler[j][code]` places a code of column j between 0 and 1."""
    classes: list[list[int]] = []
    open_groups = [list(range(len(rows)))]
    while open_groups:
        group = open_groups.pop()
        parts = _cut(rows, ruler, k, group)
        if parts is None:
            classes.append(group)
        else:
            open_groups += parts
    return classes


def _cut(
    rows: Sequence[Sequence[int]], ruler: Sequence[Sequence[float]], k: int, group: list[int]
) -> tuple[list[int], list[int]] | None:
    """The widest column first, at its median; None when no column can be cut."""
    spans = []
    for j, place in enumerate(ruler):
        codes = [rows[i][j] for i in group]
        spans.append((place[max(codes)] - place[min(codes)], -j))
    for width, j in sorted(spans, reverse=True):
        if width == 0:
            return None
        codes = sorted(rows[i][-j] for i in group)
        median = codes[(len(codes) - 1) // 2]
        left = [i for i in group if rows[i][-j] <= median]
        right = [i for i in group if rows[i][-j] > median]
        if len(left) >= k and len(right) >= k:
            return left, right
    return None
