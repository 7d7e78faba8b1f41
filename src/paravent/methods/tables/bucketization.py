"""Bucketization (Xiao, Tao 2006; Martin et al. 2007): sensitive values change places inside buckets of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paravent.methods.method import Recoding, Task
from paravent.methods.tables.dealt_method import DealtMethod, numbers, told
from paravent.privacy.derivation import Derivation
from paravent.privacy.groups import Groups
from paravent.published import Permuted, Untouched


@dataclass(frozen=True, kw_only=True)
class Bucketization(DealtMethod):
    """One table: the quasi-identifiers as they are, the number of each row's bucket, and the sensitive column with its
    values permuted inside each bucket, by chance.

    A bucket has l rows or more, no two with the same sensitive value, so that whoever finds a row knows its value with
    a probability of 1 / l at most: distinct, entropy and frequency l-diversity hold, and recursive with any c above 1.
    Who is in the table, and in which row, is not hidden. One sensitive column, one row a person. Rows of values too
    frequent for l are suppressed, as few as can be, where the plan allows it. `bucket` names the column of numbers,
    which are drawn by chance. Rows are dealt as `methods/tables/dealing.py` says, by chance alone: there are no ties.

    >>> Bucketization(3)
    Bucketization(l=3, bucket='bucket')
    """

    bucket: str = "bucket"

    title: ClassVar[str] = "Bucketization"
    source: ClassVar[str] = "Xiao, Tao: Anatomy: simple and effective privacy preservation. VLDB 2006"

    @property
    def adds(self) -> tuple[str, ...]:
        return (self.bucket,)

    @property
    def derivation(self) -> Derivation:
        return Groups(self.bucket)

    def run(self, task: Task) -> Recoding:
        column, dealt = self.dealt(task)
        source = permuted(dealt.of_row, task.generator(repr(self), "permutation"))
        return Recoding(
            dealt.of_row,
            dealt.n_groups,
            {
                **{axis.name: Untouched() for axis in task.axes},
                column: Permuted(task.cells[column].gather(source), dealt.of_row),
            },
            (told(dealt, column), f"Permuted {column!r} inside each group, by chance."),
            added={self.bucket: numbers(dealt)},
        )


def permuted(groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each row, a row of its own group: inside each group every permutation is equally likely.

    >>> permuted(np.array([0, 1, 1]), np.random.default_rng(0))[0]
    np.int64(0)
    """
    narrow = groups.astype(np.min_scalar_type(-int(groups.max(initial=0)) - 1))
    drawn = rng.permutation(len(groups))
    source = np.empty(len(groups), dtype=np.int64)
    source[np.argsort(narrow, kind="stable")] = drawn[np.argsort(narrow[drawn], kind="stable")]
    return source
