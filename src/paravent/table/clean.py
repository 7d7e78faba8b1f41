"""clean: take out what cannot be worked with, on request, and say what went and why.

The steps run in this order: empty columns, values that look alike, rows with missing values (or their imputation),
duplicates, outliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import TableError
from paravent.table.clean_spellings import unify
from paravent.table.cleaning import Cleaning, Step, counted
from paravent.table.kinds import Kind
from paravent.table.table import Table

Outliers = str | Mapping[str, Any] | None
"""`"iqr"` for every number column, or by column: (lowest, highest) that is right, or `"iqr"`."""


def clean(
    table: Table,
    *,
    empty_columns: bool = False,
    alike: bool | str | Sequence[str] = False,
    missing_rows: bool | str | Sequence[str] = False,
    duplicates: bool | str | Sequence[str] = False,
    outliers: Outliers = None,
    impute: bool | str | Sequence[str] | Mapping[str, Any] = False,
) -> tuple[Table, Cleaning]:
    """Clean a table. Nothing happens that is not asked for.

    `empty_columns` drops columns without any value; `alike` gives texts that look alike (`flu`, `Flu`, `flu ` and one
    with an invisible sign) one spelling, the most frequent one without odd blanks or signs (in the named columns, or
    in all); `missing_rows` drops rows with a missing value (in the named
    columns, or in any); `impute` fills missing values instead, with the median of numbers and dates and the most
    frequent value of all else; `duplicates` drops rows that repeat an earlier one (in the named columns, or in all);
    `outliers` drops rows with a number outside of what is right for its column, or outside of 1.5 times the
    interquartile range (Tukey's fences) for `"iqr"`.

    >>> from paravent.table.read import read
    >>> table = read(pl.DataFrame({"age": [34, None, 219], "fax": [None, None, None]}))
    >>> cleaned, report = clean(table, empty_columns=True, missing_rows=True, outliers={"age": (0, 110)})
    >>> cleaned.frame.rows(), cleaned.rows.tolist()
    ([(34,)], [0])
    >>> print(report)
    3 rows × 2 columns → 1 rows × 1 columns
      dropped 1 column: 'fax' holds no value
      dropped 1 row: missing values in 'age' (1)
      dropped 1 row: 'age' outside of 0 to 110 (1)
    """
    check_call(clean, locals(), TableError)
    if missing_rows and impute and missing_rows is True and impute is True:
        raise TableError(
            "clean: missing_rows and impute both want the missing values. Choose one, or name their columns."
        )
    before, steps = table, []
    for work in (
        _empty_columns if empty_columns else None,
        (lambda t: unify(t, _names(t, alike, "alike"))) if alike else None,
        (lambda t: _impute(t, impute)) if impute else None,
        (lambda t: _missing_rows(t, missing_rows)) if missing_rows else None,
        (lambda t: _duplicates(t, duplicates)) if duplicates else None,
        (lambda t: _outliers(t, outliers)) if outliers else None,
    ):
        if work is not None:
            table, found = work(table)
            steps.extend(found)
    return table, Cleaning(len(before), len(table), len(before.columns), len(table.columns), tuple(steps))


def _empty_columns(table: Table) -> tuple[Table, list[Step]]:
    empty = [name for name, column in table.columns.items() if column.missing == len(table)]
    if not empty or len(table) == 0:
        return table, []
    if len(empty) == len(table.columns):
        raise TableError("clean: every column is empty, so nothing would be left.")
    kept = {name: column for name, column in table.columns.items() if name not in empty}
    source = table.frame if table.origin.source is None else table.origin.source
    smaller = replace(
        table,
        frame=table.frame.select(list(kept)),
        columns=kept,
        origin=replace(table.origin, source=source, address=None),
    )
    hold = "holds no value" if len(empty) == 1 else "hold no value"
    return smaller, [Step(f"dropped {counted(len(empty), 'column')}", f"{_listed(empty)} {hold}", tuple(empty))]


def _missing_rows(table: Table, wanted: bool | str | Sequence[str]) -> tuple[Table, list[Step]]:
    names = [name for name in _names(table, wanted, "missing_rows") if table.columns[name].missing]
    if not names:
        return table, []
    gone = table.frame.select(pl.any_horizontal(pl.col(names).is_null())).to_series()
    why = "missing values in " + ", ".join(f"{name!r} ({table.columns[name].missing})" for name in names)
    return _without(table, gone, why, tuple(names))


def _duplicates(table: Table, wanted: bool | str | Sequence[str]) -> tuple[Table, list[Step]]:
    names = _names(table, wanted, "duplicates")
    gone = ~table.frame.select(pl.struct(names).is_first_distinct()).to_series()
    same = "in every column" if len(names) == len(table.columns) else f"in {_listed(names)}"
    return _without(table, gone, f"the same as an earlier row {same}", tuple(names))


def _outliers(table: Table, wanted: Outliers) -> tuple[Table, list[Step]]:
    if isinstance(wanted, str):
        wanted = {name: wanted for name, column in table.columns.items() if column.kind.is_numeric}
    gone, reasons = pl.Series(np.zeros(len(table), dtype=bool)), []
    names = _names(table, list(wanted or {}), "outliers")
    for name in names:
        rule = (wanted or {})[name]
        if not table.columns[name].kind.is_numeric or not table.frame.schema[name].is_numeric():
            raise TableError(
                f"clean: outliers are numbers, column {name!r} is {table.columns[name].kind}. Leave it out."
            )
        low, high = _bounds(table.frame[name], name, rule)
        values = table.frame[name]
        outside = pl.Series(np.zeros(len(table), dtype=bool))
        if low is not None:
            outside = outside | (values < low).fill_null(False)
        if high is not None:
            outside = outside | (values > high).fill_null(False)
        if outside.any():
            reasons.append(f"{name!r} outside of {_text(low, '…')} to {_text(high, '…')} ({int(outside.sum())})")
        gone = gone | outside
    return _without(table, gone, ", ".join(reasons), tuple(names))


def _bounds(values: pl.Series, name: str, rule: object) -> tuple[float | None, float | None]:
    if rule == "iqr":
        first, third = values.quantile(0.25, "linear"), values.quantile(0.75, "linear")
        if first is None or third is None:
            return None, None
        reach = 1.5 * (third - first)
        return first - reach, third + reach
    if (
        isinstance(rule, tuple | list)
        and len(rule) == 2
        and all(end is None or isinstance(end, int | float) for end in rule)
    ):
        low, high = rule
        if low is not None and high is not None and low > high:
            raise TableError(f"clean: outliers of {name!r}: {low} is above {high}. Give (lowest, highest).")
        return low, high
    raise TableError(
        f"clean: outliers of {name!r} are (lowest, highest), with None for no limit, or 'iqr'; not {rule!r}."
    )


def _impute(table: Table, wanted: bool | str | Sequence[str] | Mapping[str, str]) -> tuple[Table, list[Step]]:
    rules = dict(wanted) if isinstance(wanted, Mapping) else {}
    names = _names(table, wanted if isinstance(wanted, bool) else list(wanted), "impute")
    columns, frame, steps = dict(table.columns), table.frame, []
    for name in names:
        column, values = columns[name], frame[name]
        if not column.missing:
            continue
        rule = rules.get(name, "median" if column.kind.is_numeric or column.kind is Kind.DATE else "mode")
        if rule not in ("median", "mode"):
            raise TableError(f"clean: impute of {name!r} is 'median' or 'mode', not {rule!r}.")
        if column.missing == len(table):
            raise TableError(f"clean: column {name!r} has no value to impute from. Drop it with empty_columns.")
        if rule == "median" and not (column.kind.is_numeric or column.kind in (Kind.DATE, Kind.ORDINAL)):
            raise TableError(f"clean: column {name!r} is {column.kind} and has no median. Impute its 'mode'.")
        where = values.is_null().to_numpy()
        fill = _median(values, column.order) if rule == "median" else _mode(values)
        frame = frame.with_columns(values.fill_null(fill))
        columns[name] = replace(column, missing=0)
        what = "the median" if rule == "median" else "the most frequent value"
        steps.append(
            Step(f"imputed {counted(column.missing, 'value')}", f"{what} of {name!r}", (name,), table.rows[where])
        )
    source = table.frame if table.origin.source is None else table.origin.source
    return replace(
        table, frame=frame, columns=columns, origin=replace(table.origin, source=source, address=None)
    ), steps


def _median(values: pl.Series, order: tuple[str, ...] | None) -> Any:
    """The lower median: a value that occurs, so that whole numbers stay whole."""
    present = values.drop_nulls()
    if order is not None:
        rank = {text: i for i, text in enumerate(order)}
        places = np.array([rank[text] for text in present.cast(pl.String)])
        return present[int(np.argsort(places, kind="stable")[(len(places) - 1) // 2])]
    return present.sort()[(len(present) - 1) // 2]


def _mode(values: pl.Series) -> Any:
    """The most frequent value; of several, the first in order, so that two runs agree."""
    counted = values.alias("value").drop_nulls().value_counts(name="n")
    return counted.sort(["n", "value"], descending=[True, False])["value"][0]


def _without(table: Table, gone: pl.Series, why: str, columns: tuple[str, ...]) -> tuple[Table, list[Step]]:
    mask = gone.to_numpy()
    if not mask.any():
        return table, []
    step = Step(f"dropped {counted(int(mask.sum()), 'row')}", why, columns, table.rows[mask])
    return table.only_rows(np.flatnonzero(~mask)), [step]


def _names(table: Table, wanted: bool | str | Sequence[str], option: str) -> list[str]:
    if isinstance(wanted, bool):
        return table.names
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in table.columns:
            raise TableError(
                f"clean: {option} names a column {name!r} that is not there. Columns are {', '.join(table.names)}."
            )
    return names


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _text(value: float | None, without: str) -> str:
    return without if value is None else f"{value:g}"
