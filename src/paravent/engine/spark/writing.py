"""Writing a release to its staging folder: rows in an order that tells nothing of the source, in as many files as said.

Rows are dealt to files and stand in them by hashes (128 bits) of their own released cells. That is the same whatever
machines did the work and however the source was divided, and tells nobody anything that the cells do not. In CSV, texts
that a spreadsheet would run get an apostrophe in front, as on one machine; reading takes it off again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from paravent.engine.spark.domains import quoted
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.staging import Folder
from paravent.errors import TableError
from paravent.table.formulas import FORMULA, HARMLESS, begins_formula

# As Java writes them: blanks and digits of every script, and an end that is the end.
_FORMULA, _HARMLESS = f"(?U){FORMULA}", f"(?U){HARMLESS.removesuffix('$')}\\z"
_SPELLED = {"quote": '"', "escape": '"', "ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
"""How texts stand in CSV: blanks at their ends and line ends within them are theirs."""
ROWS_OF_A_FILE = 4_000_000


def staged(rows: Any, folder: Folder, form: str, files: int, order: str) -> None:
    """Write rows that are yet to be computed."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import MapType

    plain = [f.col(quoted(field.name)) for field in rows.schema.fields if not isinstance(field.dataType, MapType)]
    if order == "sorted":
        ordered = rows.orderBy(*plain)
    else:
        # By two hashes: equal rows are many, and comparing their cells one by one would take longer than all the rest.
        keys = [f.xxhash64(*plain), f.xxhash64(f.lit("again"), *plain)] if plain else [f.lit(0), f.lit(0)]
        ordered = rows.withColumns({"__order": keys[0], "__tie": keys[1]}).repartition(files, "__order")
        ordered = ordered.sortWithinPartitions("__order", "__tie").drop("__order", "__tie")
    if form == "csv":
        _refuse_formula_names(ordered.columns)
        ordered = _with_texts(ordered, lambda cell, runs: f.when(runs, f.concat(f.lit("'"), cell)).otherwise(cell))
    writer = ordered.write.mode("error")
    with one_sentence("writing the release"):
        if form == "csv":
            writer.options(header=True, **_SPELLED).csv(str(folder))
        else:
            writer.parquet(str(folder))


def reopened(session: Any, folder: Folder | str, form: str) -> Any:
    """A written release, read again."""
    from pyspark.sql import functions as f

    with one_sentence("reading the release"):
        if form == "csv":
            reader = session.read.options(header=True, multiLine=True, enforceSchema=False, **_SPELLED)
            written = reader.csv(str(folder))
            # Every text that would run has got an apostrophe, and no other begins so: taking it off leaves what was.
            return _with_texts(written, lambda cell, runs: f.when(runs, cell.substr(2, 2**31 - 1)).otherwise(cell))
        return session.read.parquet(str(folder))


def _with_texts(rows: Any, changed: Callable[[Any, Any], Any]) -> Any:
    """The rows with their texts changed, given each and whether a spreadsheet would run it."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType

    cells = []
    for field in rows.schema.fields:
        cell = f.col(quoted(field.name))
        if isinstance(field.dataType, StringType):
            runs = cell.rlike(_FORMULA) & ~cell.rlike(_HARMLESS)
            cell = changed(cell, runs).alias(field.name)
        cells.append(cell)
    return rows.select(*cells)


def _refuse_formula_names(names: list[str]) -> None:
    found = pl.Series(names, dtype=pl.String)
    for name in found.filter(begins_formula(found)).to_list():
        raise TableError(f"column {name!r}: a spreadsheet would run its name as a formula. Rename it.")
