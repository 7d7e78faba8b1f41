"""Replay: the synthetic table that a transcript stands for. Methods make theirs by it, and so does whoever checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError
from paravent.methods.synthetic.coding import Coding, from_document, typed
from paravent.near import suggest
from paravent.private.graphical.fit import estimated_total, fit
from paravent.private.graphical.junction import Columns
from paravent.private.graphical.network import walk
from paravent.private.graphical.sample import sample, sample_given
from paravent.private.public_rows import exact_counts, first_parameters
from paravent.private.transcript import Transcript

STEPS = 160
"""The steps of the last fit: more bring counts nearer to their noise, not to the table."""


def replay(transcript: Transcript) -> pl.DataFrame:
    """The rows, by the sampling seed. Fitting and sampling see nothing but the transcript."""
    codings = [from_document(coding) for coding in transcript.codings]
    sizes = [coding.size for coding in codings]
    measured = [step.noisy(sizes) for step in transcript.measured]
    never = with_last(constraints(transcript.impossible, codings), transcript.ruled_out, sizes)
    rng = np.random.default_rng([transcript.seed, 1])
    kept, ordered = public_cells(transcript), ordered_of(codings)
    if kept:
        known = {column: codings[column].codes(cells) for column, cells in kept.items()}
        exact, total = exact_counts(known, sizes), float(transcript.rows)
        start = first_parameters(exact, total)
        fitted = fit(
            sizes, [*exact, *measured], impossible=never, ordered=ordered, start=start, steps=STEPS, total=total
        )
        codes = sample_given(fitted.beliefs, known, transcript.rows, rng)
    elif transcript.parents is None:
        total = estimated_total(measured)
        fitted = fit(sizes, measured, impossible=never, ordered=ordered, steps=STEPS, total=total)
        codes = sample(fitted.beliefs, transcript.rows, rng)
    else:
        tables = {noisy.columns: noisy for noisy in measured}
        codes = walk(sizes, dict(transcript.parents), tables, transcript.rows, rng, never)
    for columns, mask in never.items():
        if mask[tuple(codes[column] for column in columns)].any():
            raise InfeasibleError("impossible: rows were drawn that cannot be. Rule out less.")
    written = enumerate(zip(codings, transcript.types, codes, strict=True))
    return pl.DataFrame(
        [
            (kept[at] if at in kept else coding.values(cells, dtype_of(kind), rng)).alias(coding.name)
            for at, (coding, kind, cells) in written
        ]
    )


def public_cells(transcript: Transcript) -> dict[int, pl.Series]:
    """The cells of public columns, row by row, in the types of their columns."""
    public = transcript.public
    if public is None:
        return {}
    types = [dtype_of(transcript.types[column]) for column in public.columns]
    return {
        column: typed(texts, dtype) for column, texts, dtype in zip(public.columns, public.texts(), types, strict=True)
    }


_TYPES: Mapping[str, pl.DataType] = {
    str(dtype): dtype
    for dtype in (
        pl.String(), pl.Boolean(), pl.Date(), pl.Float32(), pl.Float64(), pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(),
        pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64(),
    )
}  # fmt: skip


def dtype_of(name: str) -> pl.DataType:
    """The type of a column by its name; texts where it is another."""
    return _TYPES.get(name, pl.String())


def ordered_of(codings: Sequence[Coding]) -> Columns:
    """The columns whose cells have an order."""
    return tuple(column for column, coding in enumerate(codings) if coding.ordered)


def constraints(told: Sequence[Mapping[str, object]], codings: Sequence[Coding]) -> dict[Columns, np.ndarray]:
    """The cells that nobody can be in. Each constraint names values of some columns that never occur together."""
    place = {coding.name: i for i, coding in enumerate(codings)}
    found: dict[Columns, np.ndarray] = {}
    for each in told:
        for name in each:
            if name not in place:
                raise PlanError(f"impossible: the release has no column {name!r}. {suggest(name, place)}")
        columns = tuple(sorted(place[name] for name in each))
        mask = np.ones([codings[column].size for column in columns], dtype=bool)
        for axis, column in enumerate(columns):
            cells = codings[column].cells_of(each[codings[column].name])
            mask &= cells.reshape([-1 if i == axis else 1 for i in range(len(columns))])
        found[columns] = found[columns] | mask if columns in found else mask
    return found


def with_last(
    never: Mapping[Columns, np.ndarray], ruled_out: Sequence[int], sizes: Sequence[int]
) -> dict[Columns, np.ndarray]:
    """What cannot be, and that no row is in the last cell of some columns."""
    found = dict(never)
    for column in ruled_out:
        mask = np.arange(sizes[column]) == sizes[column] - 1
        found[(column,)] = found[(column,)] | mask if (column,) in found else mask
    return found
