"""Values that look alike get one spelling, so that they are counted as the one value that people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from paravent.errors import Note, quote
from paravent.table.alike import one_spelling
from paravent.table.cleaning import Step, counted
from paravent.table.table import Table
from paravent.table.text import is_text

_MOST_NAMED = 5


def unify(table: Table, names: Sequence[str]) -> tuple[Table, list[Step]]:
    """The table with one spelling for texts that look alike in the named columns, and what was changed.

    >>> from paravent.table.read import read
    >>> table, steps = unify(read(pl.DataFrame({"disease": ["flu", "Flu", "flu", "flu\\u200b"]})), ["disease"])
    >>> table.frame["disease"].to_list()
    ['flu', 'flu', 'flu', 'flu']
    >>> print(*steps)
    unified 2 values: 'disease': 'Flu' → 'flu' (1), 'flu\\u200b' → 'flu' (1)
    """
    frame, columns, steps = table.frame, dict(table.columns), []
    for name in names:
        if not is_text(frame.schema[name]):
            continue
        cells = frame[name].alias("cells").cast(pl.String)
        counted_values = dict(cells.drop_nulls().value_counts(sort=True, name="n").iter_rows())
        changes = {old: new for old, new in one_spelling(counted_values).items() if old != new}
        if not changes:
            continue
        where = cells.is_in(list(changes)).fill_null(False).to_numpy()
        frame = frame.with_columns(cells.replace(changes).cast(frame.schema[name]).alias(name))
        order = columns[name].order
        if order is not None:
            columns[name] = replace(columns[name], order=tuple(text for text in order if text not in changes))
        said = [f"{quote(old)} → {quote(new)} ({counted_values[old]})" for old, new in changes.items()]
        more = f" and {len(said) - _MOST_NAMED} more" if len(said) > _MOST_NAMED else ""
        why = Note(f"{name!r}: {', '.join(said[:_MOST_NAMED])}{more}")
        steps.append(Step(f"unified {counted(len(changes), 'value')}", why, (name,), table.rows[where]))
    if not steps:
        return table, []
    source = table.frame if table.origin.source is None else table.origin.source
    return replace(table, frame=frame, columns=columns, origin=replace(table.origin, source=source)), steps
