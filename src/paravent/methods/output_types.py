"""Which type of generalization a result is, whatever method made it.

full-domain       all cells of a column stand on one level of its tree
subtree           a value is published the same way in every row, and so are all values under one label
multidimensional  neither: the same value is published in different ways
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import polars as pl

from paravent.hierarchy.cells import CellReader
from paravent.hierarchy.levels import ROOT_LABEL
from paravent.methods.method import Axis, OutputType, Recoding
from paravent.privacy.verify import blank_rows
from paravent.published import ByClass


class Released(Protocol):
    """What these predicates read of a release: row i of `frame` is row `kept[i]` of the rows of `axes`."""

    @property
    def frame(self) -> pl.DataFrame: ...
    @property
    def kept(self) -> np.ndarray: ...
    @property
    def axes(self) -> tuple[Axis, ...]: ...
    @property
    def plan(self) -> Any: ...


def output_type(found: Recoding | Released, axes: Sequence[Axis] | None = None, *, blanks: bool = True) -> OutputType:
    """The most regular type that a result is of. A Recoding needs the axes it was made from.

    `blanks=False` leaves out cells that say nothing (`*`): local suppression does not change a type then.
    """
    if is_full_domain(found, axes, blanks=blanks):
        return "full-domain"
    return "subtree" if is_subtree(found, axes, blanks=blanks) else "multidimensional"


def is_full_domain(found: Recoding | Released, axes: Sequence[Axis] | None = None, *, blanks: bool = True) -> bool:
    """Whether every column stands on one level of its tree (without a tree: as it is, or at `*`)."""
    for axis, pairs in _published(found, axes, blanks):
        levels = [list(axis.values), [ROOT_LABEL] * len(axis)]
        if axis.tree is not None:
            levels = [[level.labels[code] for code in level.codes.tolist()] for level in axis.tree.levels]
        if not any(all(level[code] == label for code, label in pairs) for level in levels):
            return False
    return True


def is_subtree(found: Recoding | Released, axes: Sequence[Axis] | None = None, *, blanks: bool = True) -> bool:
    """Whether each value is published in one way, and a label stands for all values that it covers."""
    for axis, pairs in _published(found, axes, blanks):
        label_of = dict(pairs)
        if len(label_of) < len(pairs):
            return False
        reader = CellReader.of(axis)
        for label in set(label_of.values()):
            covered = reader.covers(label)
            if covered is None or any(label_of.get(code, label) != label for code in covered):
                return False
    return True


def is_multidimensional(found: Recoding | Released, axes: Sequence[Axis] | None = None, *, blanks: bool = True) -> bool:
    """Whether some value is published in several ways."""
    return not is_subtree(found, axes, blanks=blanks)


def _published(
    found: Recoding | Released, axes: Sequence[Axis] | None, blanks: bool
) -> Iterator[tuple[Axis, set[tuple[int, str]]]]:
    """For each column, which values are published under which labels. Suppressed rows are not."""
    if isinstance(found, Recoding):
        kept = found.of_row >= 0
        for axis in axes or ():
            published = found.cells[axis.name]
            assert isinstance(published, ByClass), "types of generalization are about classes"
            cells = published.labelled(axis)
            yield axis, _pairs(axis.codes[kept], np.asarray(cells.codes)[found.of_row[kept]], cells.labels, blanks)
        return
    frame, rows = found.frame, found.kept
    if found.plan.suppressed == "mark":
        real = ~blank_rows(frame, list(found.plan.quasi))
        frame, rows = frame.filter(real), rows[real]
    for axis in found.axes:
        column = frame[axis.name].alias("cells").cast(pl.String)
        told = column.is_not_null().to_numpy()
        labels, codes = np.unique(column.drop_nulls().to_numpy().astype(str), return_inverse=True)
        yield axis, _pairs(axis.codes[rows[told]], codes.reshape(-1), tuple(map(str, labels)), blanks)


def _pairs(values: np.ndarray, codes: np.ndarray, labels: Sequence[str], blanks: bool) -> set[tuple[int, str]]:
    distinct = np.unique(np.stack([values.astype(np.int64), codes.astype(np.int64)], axis=1), axis=0)
    return {(value, labels[code]) for value, code in distinct.tolist() if blanks or labels[code] != ROOT_LABEL}
