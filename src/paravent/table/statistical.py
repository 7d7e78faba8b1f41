"""Files of SPSS, Stata and SAS, by pyreadstat (extra `stats`).

Numbers that stand for words (value labels) become the words, where every number that occurs has one of its own. What
the file declares to be missing is missing: system missing values, user-defined ones and empty texts, for which these
formats have no other way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from paravent.errors import Note, TableError
from paravent.table.fingerprint import FileStamp
from paravent.table.formats import Format, suffix_of
from paravent.table.names import check_names
from paravent.table.raw import Raw, reading
from paravent.table.rows import exact_texts
from paravent.table.whole import whole_numbers


def pyreadstat() -> Any:
    try:
        import pyreadstat as module
    except ImportError:
        raise TableError("SPSS, Stata and SAS files need one more package: pip install 'paravent[stats]'.") from None
    return module


def read_statistical(path: Path, found: Format, format_choice: str, *, exact: bool = False) -> Raw:
    library, stamp = pyreadstat(), FileStamp.of(path)
    reader = _reader(library, path, found)
    keeps_tags = {} if found is Format.SAS and reader is library.read_xport else {"user_missing": True}
    with reading(str(path)):
        frame, about = reader(path, output_format="polars")
        check_names(frame.columns, str(path), "Rename it in the program that wrote the file.")
        tagged, _ = reader(path, output_format="dict", disable_datetime_conversion=True, **keeps_tags)
        columns = [_column(values, about, tagged[values.name]) for values in frame.get_columns()]
        cells = pl.DataFrame([exact_texts(n, tagged[n], str(path)) for n in frame.columns]) if exact else None
    return Raw(
        pl.DataFrame([column.values for column in columns]),
        str(path),
        {"format": format_choice},
        tuple(note for column in columns for note in column.notes),
        source=stamp,
        orders={column.values.name: column.order for column in columns if column.order is not None},
        reasons={column.values.name: column.reason for column in columns if column.reason},
        exact=cells,
    )


def _reader(library: Any, path: Path, found: Format) -> Any:
    if found is Format.SPSS:
        return library.read_sav
    if found is Format.STATA:
        return library.read_dta
    with path.open("rb") as file:
        is_transport = file.read(6) == b"HEADER" or suffix_of(path) in ("xpt", "xport")
    return library.read_xport if is_transport else library.read_sas7bdat


@dataclass(frozen=True)
class _Column:
    values: pl.Series
    notes: tuple[Note, ...] = ()
    order: tuple[str, ...] | None = None
    reason: str = ""


def _column(values: pl.Series, about: Any, tagged: list[Any]) -> _Column:
    name, notes = values.name, []
    declared = sum(value is not None for value in tagged) - (len(values) - values.null_count())
    if declared:
        notes.append(Note(f"column {name!r}: {declared} cells hold what the file declares to be missing."))
    if values.dtype == pl.String:
        return _Column(values.replace("", None), tuple(notes))
    if values.dtype == pl.Null:
        return _Column(values.cast(pl.String), tuple(notes))
    labels = about.variable_value_labels.get(name, {})
    if labels and values.dtype.is_numeric():
        return _labelled(values, labels, about.variable_measure.get(name) == "ordinal", notes)
    return _Column(whole_numbers(values), tuple(notes))


def _labelled(values: pl.Series, labels: Mapping[Any, str], ordinal: bool, notes: list[Note]) -> _Column:
    """The words that numbers stand for; the numbers themselves where some have no word or share one."""
    name = values.name
    words = {float(code): str(word) for code, word in labels.items() if isinstance(code, int | float)}
    present = [float(code) for code in values.drop_nulls().unique().sort().to_list()]
    if any(code not in words for code in present):
        if any(code in words for code in present):
            notes.append(Note(f"column {name!r}: only some of its numbers have labels, so it stays numbers."))
        return _Column(whole_numbers(values), tuple(notes))
    if len({words[code] for code in present}) < len(present) or not all(words[code] for code in present):
        notes.append(Note(f"column {name!r}: numbers share a label or have an empty one, so it stays numbers."))
        return _Column(whole_numbers(values), tuple(notes))
    taken = values.replace_strict(present, [words[code] for code in present], return_dtype=pl.String)
    every = [words[code] for code in sorted(words)]
    order = tuple(every) if ordinal and len(set(every)) == len(every) else None
    return _Column(taken, tuple(notes), order, "labels of the file in place of its numbers")
