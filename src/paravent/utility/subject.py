"""Subject: what is measured. The original table as codes, the finished release as cells, and how their rows match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from paravent import kernels
from paravent.errors import TableError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.tree import ROOT_LABEL
from paravent.measures import Absent, Measure
from paravent.privacy.classes import Classes
from paravent.privacy.grouping import cell_codes, fold_rows, group_rows
from paravent.privacy.k_anonymity import k_asked
from paravent.privacy.model import Model
from paravent.privacy.verify_people import Values, people_classes
from paravent.table.alike import with_folded
from paravent.table.narrow import narrow
from paravent.table.side_by_side import side_by_side
from paravent.table.text import as_text
from paravent.utility.reading import Reading


@dataclass(frozen=True, eq=False)
class Subject:
    """A release beside its original.

    `axes` hold all rows of the original. `kept[i]` is the original row of released row i; None when nobody knows
    (a file read back with rows dropped): what needs the match is then not measured. `sensitive` holds the codes of
    the original's sensitive columns. `marked` are the released rows that only stand for suppressed ones (None: those
    that look so), `wildcard` the columns whose missing cells may be anything, `levels` the levels of the models and
    `class_sizes` the sizes of the classes where a verifier has found them already. `original` is the original table
    with all its columns; without it only quasi-identifiers and sensitive columns are measured. In the sensitive
    columns `alike`, whose codes follow suit, values that look alike are one. `persons` says whose each released row is
    and `persons_before` whose each original row is, where people are counted; `links` groups the rows that the release
    shows to belong together. `averages`: a value in the release may stand for others, as averages do.
    `synthetic`: released rows are rows of nobody, as many as there may be. `derived` are the classes as a
    verifier finds them in several tables, where they are not those of equal cells, and `parted` gives the parts of the
    tables whose columns stand together. `before` groups the rows of the original by their own quasi-identifiers, where
    treatments have changed what the axes hold: they have changed the columns `treated`. Cells of the columns
    `perturbed` may be false of their rows. `left_out` rows were never to be released, for a sample was drawn: they have
    lost no detail. `drawn` are the columns of synthetic rows that nobody calls quasi-identifying, over all rows of the
    original. `measured` keeps what quick families have found, by their names: several ask for the same.
    """

    axes: tuple[Axis, ...]
    released: pl.DataFrame
    kept: np.ndarray | None
    models: tuple[Model, ...] = ()
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    marked: np.ndarray | None = None
    wildcard: frozenset[str] = frozenset()
    levels: Mapping[str, float] | None = None
    original: pl.DataFrame | None = None
    class_sizes: np.ndarray | None = None
    alike: frozenset[str] = frozenset()
    persons: np.ndarray | None = None
    persons_before: np.ndarray | None = None
    links: np.ndarray | None = None
    averages: bool = False
    synthetic: bool = False
    derived: Classes | None = None
    parted: Callable[[], tuple[Together, ...]] | None = None
    before: np.ndarray | None = None
    perturbed: frozenset[str] = frozenset()
    treated: frozenset[str] = frozenset()
    left_out: int = 0
    drawn: tuple[Axis, ...] = ()
    measured: dict[str, tuple[Measure | Absent, ...]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if self.kept is not None and len(self.kept) != self.released.height:
            raise TableError(f"the release has {self.released.height} rows, but {len(self.kept)} are said to be kept.")
        if self.released.height > self.n_rows and not self.synthetic:
            raise TableError(
                f"the release has {self.released.height} rows, its original only {self.n_rows}. "
                "Give the table that it was made from."
            )

    @property
    def n_rows(self) -> int:
        """Rows of the original."""
        if self.axes:
            return len(self.axes[0].codes)
        return self.released.height if self.original is None else self.original.height

    @property
    def astray(self) -> str:
        """Why rows that look alike do not tell who could be found; empty where they do. Cells that may be false lead
        elsewhere, unless classes were made of them: then nobody is surer than a class allows."""
        false = [axis.name for axis in self.axes if axis.name in self.perturbed]
        return "" if not false or (self.models and self.derived is None) else astray(false)

    @property
    def undetailed(self) -> str:
        """Why a loss of detail does not tell what the release costs; empty where it does."""
        false = [axis.name for axis in self.axes if axis.name in self.perturbed]
        if false:
            return undetailed(false)
        if self.derived is not None:
            return (
                "quasi-identifiers are not generalized: what is lost is which sensitive value is whose. See the family "
                "`queries`."
            )
        return ""

    @property
    def k(self) -> int | None:
        """The k that was asked for, if any."""
        return k_asked(self.models)

    @cached_property
    def parts(self) -> tuple[Together, ...]:
        """The parts of a release whose columns do not all stand together; none where they do."""
        return () if self.parted is None else self.parted()

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        def read(axis: Axis) -> Reading:
            return Reading.of(axis, self.released, wildcard=axis.name in self.wildcard)

        return tuple(side_by_side(read, self.axes, rows=self.released.height))

    @cached_property
    def placeholder(self) -> np.ndarray:
        """Which released rows are only marks of suppressed ones: `*` in every quasi-identifier, nothing elsewhere."""
        if self.marked is not None:
            return self.marked
        return placeholders(self.released, [axis.name for axis in self.axes])

    @cached_property
    def of_row(self) -> np.ndarray:
        """The class of each released row, −1 for placeholders."""
        return self._grouped[0]

    @cached_property
    def _grouped(self) -> tuple[np.ndarray, int]:
        real = ~self.placeholder
        if real.all():
            return group_rows([reading.codes for reading in self.readings], self.released.height)
        of_row = np.full(self.released.height, -1, dtype=np.int64)
        of_row[real], count = group_rows([reading.codes[real] for reading in self.readings], int(real.sum()))
        return of_row, count

    @cached_property
    def classes(self) -> Classes:
        """The classes of rows that are equal in the finished release, missing cells equal to one another, with
        histograms of the sensitive columns."""
        of_row, count = self._grouped
        if self.kept is None:
            return Classes.of(of_row, count, self._matched)
        tables = {name: np.bincount(codes) for name, codes in self.sensitive.items()}
        return Classes.of(of_row, count, self._matched, tables)

    @cached_property
    def _matched(self) -> Mapping[str, np.ndarray]:
        """The sensitive codes of the released rows; none where the tables do not tell which row has which."""
        if self.derived is not None:
            return {}
        if self.kept is None:  # sensitive columns are released as they are: they can be read there as well
            seen = with_folded(self.released, self.alike)
            return {name: cell_codes(seen[name]) for name in self.sensitive if name in seen.columns}
        found = self.sensitive.items()
        return {name: narrow(codes, int(codes.max(initial=0)) + 1)[self.kept] for name, codes in found}

    @property
    def counted(self) -> str:
        """What is counted, in a word."""
        return "rows" if self.persons is None else "people"

    @cached_property
    def people(self) -> Classes:
        """The classes as somebody sees them who looks for people: of different people where they are counted, else of
        rows."""
        if self.persons is None:
            return self.sized if not self.sensitive else self.classes
        real = ~self.placeholder
        values = {}
        for name, codes in self._matched.items():
            values[name] = Values(codes[real], int(codes.max(initial=0)) + 1)
        links = None if self.links is None else self.links[real]
        return people_classes(self.of_row[real], self.persons[real], values, links=links)

    @property
    def sized(self) -> Classes:
        """The classes of `people` for somebody who asks for their sizes alone: as a verifier has counted them."""
        if self.persons is not None:
            return self.people
        return self.classes if self.class_sizes is None else Classes(self.class_sizes, {})

    @property
    def disclosing(self) -> Classes:
        """The classes that tell something about sensitive columns: those of `people`, or, where they show in other
        tables, the derived ones. Whom a row belongs to is another question, and never asked of these."""
        return self.people if self.derived is None else self.derived

    @cached_property
    def people_before(self) -> Classes:
        """The same of the original."""
        if self.persons_before is None:
            return Classes(self.original_sizes if self.before is None else np.bincount(self.before), {})
        of_row, _ = group_rows(
            [axis.codes for axis in self.axes] if self.before is None else [self.before], self.n_rows
        )
        return people_classes(of_row, self.persons_before, {})

    @cached_property
    def representative(self) -> np.ndarray:
        """A released row of each class."""
        of_row, count = self._grouped
        found = np.zeros(count, dtype=np.int64)
        real = np.flatnonzero(of_row >= 0)
        found[of_row[real]] = real
        return found

    @cached_property
    def class_labels(self) -> tuple[np.ndarray, ...]:
        """For each quasi-identifier, the label of each class."""
        return tuple(reading.codes[self.representative] for reading in self.readings)

    @cached_property
    def pairs(self) -> tuple[Pairs, ...] | None:
        """For each quasi-identifier, how often each label stands for each original value; None without the match."""
        if self.kept is None:
            return None
        kept = self.kept
        everything = len(kept) == self.n_rows and bool(np.array_equal(kept, np.arange(self.n_rows)))

        def found(reading: Reading) -> Pairs:
            return Pairs.of(reading.codes, reading.axis.codes, len(reading.axis), None if everything else kept)

        return tuple(side_by_side(found, self.readings, rows=len(kept)))

    def pairs_of(self, reading: Reading) -> Pairs:
        """How often each label of one quasi-identifier stands for each original value, where rows are matched."""
        assert self.pairs is not None
        return self.pairs[self.readings.index(reading)]

    @cached_property
    def false_share(self) -> float:
        """The share of released cells that do not cover the original value: 0 unless values were perturbed. Where rows
        cannot be matched, only numbers that the original lacks can be seen."""
        cells = self.released.height * len(self.axes)
        if cells == 0:
            return 0.0
        if self.pairs is None:
            return sum(int(reading.counts[reading.moved].sum()) for reading in self.readings) / cells
        wrong = 0
        for reading, pairs in zip(self.readings, self.pairs, strict=True):
            wrong += int(pairs.count[~reading.hold(pairs.label, pairs.rank)].sum())
        return wrong / cells

    @cached_property
    def original_tuples(self) -> tuple[np.ndarray, np.ndarray]:
        """A row of the original for each distinct combination of quasi-identifiers, and how many rows share it."""
        if not self.axes or not self.n_rows:
            some = min(self.n_rows, 1)
            return np.zeros(some, dtype=np.int64), np.full(some, self.n_rows, dtype=np.int64)
        folded = fold_rows([axis.codes for axis in self.axes])
        return folded.representative.astype(np.int64), folded.weight.astype(np.int64)

    @property
    def original_sizes(self) -> np.ndarray:
        """The sizes of the classes that the original's rows form by themselves."""
        return self.original_tuples[1]

    @cached_property
    def n_suppressed(self) -> int:
        """Rows that were to be released and are absent or only marked."""
        return 0 if self.synthetic else self.n_asked - self.released.height + int(self.placeholder.sum())

    @property
    def n_asked(self) -> int:
        """Rows of the original that were to be released: all, or those of the sample."""
        return self.n_rows - self.left_out


def astray(false: Sequence[str]) -> str:
    """Why rows that look alike do not tell who could be found, where cells of some columns may be false."""
    return (
        f"cells of {', '.join(map(repr, false))} may be false of their rows, so that rows which look alike are not "
        "those that could be a person's. The family `relinking` tells how many lead back to the original."
    )


def undetailed(false: Sequence[str]) -> str:
    """Why a loss of detail does not tell what a release costs, where cells of some columns may be false."""
    return (
        f"cells of {', '.join(map(repr, false))} may be false of their rows: what that costs is no loss of "
        "detail. See utility.distortion, utility.il1s and the family `queries`."
    )


@dataclass(frozen=True, eq=False)
class Together:
    """Columns that stand together in rows, with the bucket of each row; between such parts nothing is told but the
    bucket. `first`: the rows are those of the release that are no placeholders. `sensitive` has the codes of sensitive
    columns among them, those of the original."""

    names: frozenset[str]
    bucket: np.ndarray
    first: bool
    sensitive: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Pairs:
    """A released column beside its original: `count` rows of value `rank` are published as `label`."""

    label: np.ndarray
    rank: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray, ranks: np.ndarray, width: int, rows: np.ndarray | None = None) -> Pairs:
        """The pairs of a label and the rank of its row: row i has rank `ranks[rows[i]]` (without `rows`: `ranks[i]`).

        >>> found = Pairs.of(np.array([0, 1, 0, 0]), np.array([2, 0, 2, 1]), 3)
        >>> list(zip(found.label.tolist(), found.rank.tolist(), found.count.tolist()))
        [(0, 1, 1), (0, 2, 2), (1, 0, 1)]
        """
        width, n_labels = max(width, 1), int(labels.max(initial=-1)) + 1
        ranks = narrow(ranks, width)
        if n_labels * width <= 4 * len(labels) + 1024:
            table = kernels.count_pairs(labels, n_labels, ranks, width, rows).reshape(-1)
            keys = np.flatnonzero(table)
            counts = table[keys]
        else:
            key = np.multiply(labels, width, dtype=np.int64)
            key += ranks if rows is None else ranks[rows]
            keys, counts = np.unique(key, return_counts=True)
        return cls(keys // width, keys % width, counts.astype(np.int64, copy=False))


def placeholders(released: pl.DataFrame, quasi: list[str]) -> np.ndarray:
    """Rows that stand for a suppressed one: every quasi-identifier `*` and every other cell empty.

    >>> frame = pl.DataFrame({"age": ["*", "*", "[1, 2]"], "disease": [None, "flu", "flu"]})
    >>> placeholders(frame, ["age"]).tolist()
    [True, False, False]
    """
    mask = np.ones(released.height, dtype=bool)
    present = [name for name in quasi if name in released.columns]
    if not present:
        return ~mask
    for name in present:
        column = released[name]
        if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
            return np.zeros(released.height, dtype=bool)
        mask &= (column.cast(pl.String) == ROOT_LABEL).fill_null(False).to_numpy()
        if not mask.any():
            return mask
    for name in released.columns:
        if name not in present:
            column = released[name]
            empty = column.is_null() | (as_text(column) == "").fill_null(False)
            mask &= empty.to_numpy()
    return mask
