"""What a treatment has left alone, looked at again: another job compares the rows before and after, by sums of hashes.

Every column that the treatment does not name must be the same, row for row, beside which cells of the treated ones are
missing; of a sample, every row must have been there, as often. That the treated cells themselves are of the kind that
they should be is checked where they are made, by the code of one machine.
"""

from __future__ import annotations

from typing import Any

from paravent.engine.spark.domains import quoted
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.fingerprint import fingerprint
from paravent.engine.spark.parts import Part
from paravent.engine.spark.translation import Translated
from paravent.errors import UnsafeReleaseError
from paravent.treatments.sample import Sample


def check_treated(before: Any, after: Any, part: Part) -> None:
    """Raise UnsafeReleaseError where something has changed that should not."""
    step = part.step
    if isinstance(step, Sample):
        with one_sentence("checking the sample"):
            strange = after.exceptAll(before).limit(1).count()
        if strange:
            raise UnsafeReleaseError("a sampled row was not in the table, or not as often. Nothing is released.")
        return
    same = [name for name in before.columns if name not in step.columns]
    told = [] if step.coarsens else list(step.columns)
    looked = [_left(frame, same, told, part.known if frame is before else {}) for frame in (before, after)]
    if fingerprint(looked[0]) != fingerprint(looked[1]):
        raise UnsafeReleaseError(
            f"treat[{part.place}]: {type(step).__name__} has changed more than the columns that it names. "
            "Nothing is released."
        )


def _left(frame: Any, same: list[str], told: list[str], known: dict[str, Translated] | Any) -> Any:
    from pyspark.sql import functions as f

    flags = []
    for i, name in enumerate(told):
        cell = f.col(quoted(name))
        missing = cell.isNull()
        if frame.schema[name].dataType.typeName() in ("float", "double"):
            missing = missing | f.isnan(cell)
        silent = known[name].raw.filter(known[name].place < 0).to_list() if name in known else []
        flags.append((missing | cell.isin(silent) if silent else missing).alias(f"__missing{i}"))
    return frame.select(*map(quoted, same), *flags)
