"""What a run would do and take, told before it is started."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from paravent.engine.spark.domains import dtypes_of, quoted
from paravent.engine.spark.faults import one_sentence
from paravent.engine.spark.options import Spark
from paravent.engine.spark.reading import Source
from paravent.engine.spark.serves import BLOCKS, FULL_DOMAIN, SAMPLED, check_serves, check_treatment
from paravent.engine.spark.treating import is_of_cells, shape_of
from paravent.engine.spark.writing import ROWS_OF_A_FILE
from paravent.errors import PlanError
from paravent.near import suggest
from paravent.plan.order import order_of
from paravent.plan.plan import Plan
from paravent.treatments.sample import Sample
from paravent.treatments.treatment import Treatment

CORE_SECONDS = {"full-domain": 40.0, "blocks": 6.0}
"""Core seconds for a million rows of eight quasi-identifiers: Mondrian took 42 for one million and 91 for ten on two
quiet cores, that is 5.5 for each further million. Datafly is rounded from a single run of 1 million on a busy machine.
Other methods take what they take in their blocks, and are not foretold."""
START = 36.0
"""Core seconds of jobs that have hardly anything to do: processes start, and load what they need."""
TUPLE_BYTES = 120


@dataclass(frozen=True)
class Estimate:
    """The steps of a run, how long it may take, what moves between machines and what the driver holds."""

    rows: int
    cores: int
    steps: tuple[str, ...]
    seconds: float
    shuffled: int
    driver: int
    physical: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "cores": self.cores,
            "steps": list(self.steps),
            "seconds": round(self.seconds, 1),
            "shuffled_bytes": self.shuffled,
            "driver_bytes": self.driver,
            "physical_plan": self.physical,
        }

    def __str__(self) -> str:
        numbered = "\n".join(f"{i}. {step}" for i, step in enumerate(self.steps, 1))
        return (
            f"{numbered}\n\n{self.rows} rows on {self.cores} core{'s' if self.cores > 1 else ''}: about "
            f"{self.seconds:.0f} s, {_size(self.shuffled)} between machines, at most {_size(self.driver)} on the "
            f"driver. A rough estimate, from another table: disks and the network are not in it."
            f"\n\n{self.physical}"
        )


def estimate(session: Any, source: Source, plan: Plan, options: Spark) -> Estimate:
    """What a plan would do on a table. Rows are counted, nothing else is read."""
    check_serves(plan)
    types = dtypes_of(source.frame)
    for name in plan.columns:
        if name not in types:
            raise PlanError(f"columns: the table has no column {name!r}. {suggest(name, list(types))}")
    with one_sentence("counting rows"):
        rows = source.frame.count()
    sampled = type(plan.method).__name__ in SAMPLED
    shown = [name for name in types if name not in plan.left_out] if sampled else plan.judged
    named = list(dict.fromkeys([*plan.quasi, *shown]))
    read = source.frame.select(*map(quoted, named))
    physical = str(read._jdf.queryExecution().explainString(_mode(session))).strip()
    cores = max(1, int(session.sparkContext.defaultParallelism))
    full = sampled or type(plan.method).__name__ in FULL_DOMAIN
    block = options.block or BLOCKS.get(type(plan.method).__name__, 0)
    width = sum(_width(types[name]) for name in types if name not in plan.left_out)
    shape = shape_of(source)
    treated = [step for step in plan.treat if not is_of_cells(step, shape)]
    for place, step in enumerate(plan.treat):
        if step in treated:
            check_treatment(f"treat[{place}]", step)
    steps = (
        *(f"{_reaching(step)}, and check in another job what it left alone." for step in treated),
        f"Count the values of {', '.join(named)} on the cluster.",
        *(
            (
                "Count the distinct rows of these columns on the cluster.",
                f"{'Charge the ledger, then draw rows' if sampled else 'Search the levels'} on the driver "
                f"({type(plan.method).__name__}).",
                "Send every drawn row to workers, as often as it was drawn."
                if sampled
                else "Recode every row where it lies.",
            )
            if full
            else (
                f"Cut the table into about {max(1, ceil(rows / max(block, 1)))} blocks by a sample of at most "
                f"{options.sample} distinct rows; count all rows by block, and take back cuts that leave a block "
                "in which a promise fails.",
                f"Bring every block to one process and run {type(plan.method).__name__} in it.",
            )
        ),
        "Write files to a hidden staging folder, rows sorted by their released cells."
        if order_of(plan) == "sorted"
        else f"Write {options.files or max(1, ceil(rows / ROWS_OF_A_FILE))} files to a hidden staging folder, rows "
        "dealt and ordered by a hash of their released cells.",
        "Verify the written files in a second job: classes are found anew, and every promise is judged.",
        "Rename the folder.",
    )
    seconds = (START + rows / 1e6 * CORE_SECONDS["full-domain" if full else "blocks"]) / cores
    held = options.tuples if full else options.values
    return Estimate(
        rows, cores, steps, seconds, rows * width * (2 if full else 3), min(rows, held) * TUPLE_BYTES, physical
    )


def _reaching(step: Treatment) -> str:
    if isinstance(step, Sample):
        return f"Draw the rows that stay ({step!r}) by keyed hashes of their cells"
    where = {
        "rows": "in parts that a keyed hash deals",
        "groups": f"in parts of whole groups of {', '.join(step.reads)}",
    }.get(step.reach or "", "in one process, if it takes them")
    return f"Treat rows ({step!r}) {where}"


def _mode(session: Any) -> Any:
    return session._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("simple")


def _width(dtype: Any) -> int:
    return 16 if str(dtype) == "String" else 8


def _size(n: int) -> str:
    """
    >>> _size(1_500_000_000)
    '1.5 GB'
    """
    value = float(n)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TB"
