"""Slicing (Li, Li, Zhang, Molloy 2012): blocks of columns change places inside buckets of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import InfeasibleError, PlanError
from paravent.kernels.cutting import Rule
from paravent.methods.label_space import LabelSpace
from paravent.methods.method import Beside, OutputType, Recoding, RoleName, Task
from paravent.methods.mondrian.table_cuts import TableCuts, class_numbers
from paravent.methods.tables.blocks import Blocks, by_association, given_blocks
from paravent.methods.tables.bucketization import permuted
from paravent.methods.tables.grouped_method import GroupedMethod, codes_of
from paravent.methods.tables.knowing import knowing
from paravent.privacy.derivation import Derivation
from paravent.privacy.l_diversity import LDiversity
from paravent.privacy.model import Model, SensitiveModel, check_whole
from paravent.privacy.slices import BLOCKS, Slices, blocks_table
from paravent.published import Permuted


@dataclass(frozen=True, kw_only=True)
class Slicing(GroupedMethod):
    """Columns that belong together stay together in blocks, rows that are near go into buckets, and inside each bucket
    the blocks are permuted against one another, by chance.

    `columns` lists the blocks, each quasi-identifier and the sensitive column in one of them; or `correlation` finds
    `blocks` of them: k-medoids of the columns by how much they tell about one another
    (`methods/tables/association.py`). What is in the block of the sensitive column is published beside its values:
    where these columns tell too much for the models, the least associated leave it until the models hold.
    Buckets are those of Mondrian's median cuts, as long as every model holds in both parts, `l` too: among the rows of
    a bucket that share the quasi-identifiers of the sensitive block no value has more than 1 / l. The source checks
    the mean of these shares over all buckets that may be a person's. That is never more, but who has the release and
    not the original cannot compute it, since nobody sees which rows were real: a promise is what can be derived.
    `permute="values"` breaks the links inside blocks, too (Ben Fredj 2017, §5.6): every column by itself.

    Two tables: `release` with the number of each row's bucket, drawn by chance, in the column `bucket`, and `blocks`,
    which says what is published together. One sensitive column, one row a person. Ties: those of Mondrian.

    >>> Slicing(3, columns=[["age"], ["zip", "disease"]])
    Slicing(l=3, columns=(('age',), ('zip', 'disease')), blocks=2, permute='blocks', bucket='bucket')
    """

    columns: Literal["correlation"] | Sequence[Sequence[str]] = "correlation"
    blocks: int = 2
    permute: Literal["blocks", "values"] = "blocks"
    bucket: str = "bucket"

    title: ClassVar[str] = "Slicing"
    source: ClassVar[str] = (
        "Li, Li, Zhang, Molloy: Slicing: a new approach for privacy preserving data publishing. TKDE 2012"
    )
    gives: ClassVar[OutputType] = "slices"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("Slicing: blocks", self.blocks, low=2)
        if not isinstance(self.columns, str):
            object.__setattr__(self, "columns", tuple(tuple(block) for block in self.columns))

    @property
    def adds(self) -> tuple[str, ...]:
        return (self.bucket,)

    @property
    def derivation(self) -> Derivation:
        return Slices(self.bucket)

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(name for name, role in roles.items() if role in ("quasi", "sensitive"))

    def run(self, task: Task) -> Recoding:
        column = self.the_sensitive(task)
        self.refuse_identity(task)
        models = self._models(task, column)
        asked = replace(task, models=models, sensitive={column: codes_of(task, column)}, populations={})
        blocks, words = self._blocks(asked, column)
        own = next(block for block in blocks if column in block)
        judged = knowing(asked, column, [name for name in own if name != column])
        self._check_feasible(judged, own)
        space = LabelSpace.of(task.axes, "interval")
        partition = TableCuts.of(judged, space, rule=Rule.MEDIAN).made(record=False)
        n_buckets = len(partition.starts) - 1
        number = task.generator(repr(self)).permutation(n_buckets).astype(np.int32)
        of_row = number[class_numbers(partition)]
        cells = {}
        for place, block in enumerate(blocks):
            source = permuted(of_row, task.generator(repr(self), "permutation", place))
            for name in block:
                cells[name] = Permuted(task.cells[name].gather(source), of_row)
        sizes = np.diff(partition.starts)
        told = " | ".join(", ".join(map(repr, block)) for block in blocks)
        return Recoding(
            of_row,
            n_buckets,
            cells,
            (
                *words,
                f"Permuted the blocks {told} inside {n_buckets} buckets of {sizes.min()} to {sizes.max()} rows.",
            ),
            added={self.bucket: pl.Series(of_row) + 1},
            beside={BLOCKS: Beside(blocks_table(blocks))},
        )

    def _models(self, task: Task, column: str) -> tuple[Model, ...]:
        """What must hold in the sensitive block of every bucket."""
        models = [model for model in task.models if model.guards]
        if self.l is not None:
            models.append(LDiversity(self.l, column, kind="frequency"))
        if not models:
            raise self.says_nothing("bucket")
        for model in models:
            if not isinstance(model, SensitiveModel) or not model.monotone_under_generalization:
                raise PlanError(
                    f"Slicing: {model.describe()} cannot be told of somebody who fits several buckets. Ask for another "
                    "model, or for another method."
                )
        return tuple(models)

    def _blocks(self, task: Task, column: str) -> tuple[Blocks, tuple[str, ...]]:
        names = [*(axis.name for axis in task.axes), column]
        given = None if isinstance(self.columns, str) else given_blocks(self.columns, names)
        if self.permute == "values":
            return tuple((name,) for name in names), ()
        return by_association(task, column, self.blocks) if given is None else (given, ())

    def _check_feasible(self, judged: Task, own: Sequence[str]) -> None:
        whole = judged.classes(np.zeros(judged.n_rows, dtype=np.int32), 1)
        for model in judged.models:
            assert isinstance(model, SensitiveModel)
            seen, _ = judged.statistics.seen_by(model, whole)
            if model.holds(seen).all():
                continue
            beside = ", ".join(repr(name) for name in own if name != model.column)
            diverse = isinstance(model, LDiversity) and model.kind in ("distinct", "entropy", "frequency")
            raise InfeasibleError(
                f"Slicing: {replace(model, knowing=None).describe()} cannot hold"  # type: ignore[type-var]
                + (f" among the rows that share {beside}, which stand in one block with it" if beside else "")
                + ", even with all rows in one bucket."
                + (f" The largest l possible is {model.level(seen):.4g}." if diverse else "")
                + (" Put these columns into another block, or ask for less." if beside else " Ask for less.")
            )
