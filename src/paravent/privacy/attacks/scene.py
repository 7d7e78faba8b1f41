"""Scene: what an attacker sees and knows. A release, how its cells are meant, and the people somebody can name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from paravent.arguments import Checked
from paravent.errors import TableError
from paravent.privacy.attacks.covering import Covering
from paravent.privacy.attacks.links import Links
from paravent.privacy.classes import Histogram
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.privacy.language import Language


@dataclass(frozen=True, eq=False)
class Population(Checked):
    """A table of people. `row_of[j]` is the released row of person j, −1 where they are not in the release; None where
    nobody knows. The `is_original` population is the one that the release was made from. `called` is how messages
    name it. `persons` says whose each row of the table is, where somebody may have several.
    """

    frame: pl.DataFrame
    row_of: np.ndarray | None = None
    called: str = "table of people"
    is_original: bool = False
    persons: np.ndarray | None = None

    def __len__(self) -> int:
        return self.frame.height

    @property
    def members(self) -> np.ndarray:
        """The people who are in the release; all of them where nobody knows."""
        return np.arange(len(self)) if self.row_of is None else np.flatnonzero(self.row_of >= 0)


@dataclass(frozen=True, eq=False)
class Scene(Checked):
    """A release under attack.

    `released` holds the rows that are about somebody; `rows[i]` is where row i stands in the frame that was given.
    `people` are those an attacker can name, `original` those whom the release is about, `control` others like them who
    are not in it. `trees` say which values of sensitive columns belong together, and `hidden` columns (pseudonyms) are
    known to nobody. `persons` says whose each released row is, where people are counted: sizes of classes, shares and
    beliefs are then those of different people. `groups` is the class of each released row where it is known already.
    `told` is the view of the tables of a release, row for row, in which sensitive values show class by class where no
    cell of a row tells them (`pv.methods.Anatomy`). `synthetic`: released rows are nobody's.
    """

    released: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    languages: Mapping[str, Language] = field(default_factory=dict)
    people: Population | None = None
    original: Population | None = None
    control: Population | None = None
    trees: Mapping[str, object] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    rows: np.ndarray | None = None
    persons: np.ndarray | None = None
    groups: np.ndarray | None = None
    told: Scene | None = None
    synthetic: bool = False
    _coverings: dict[tuple[int, str], Covering] = field(default_factory=dict, init=False, repr=False)
    _links: dict[tuple[int, tuple[str, ...]], Links] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in (*self.quasi, *self.sensitive):
            if name not in self.released.columns:
                raise TableError(f"the release has no column {name!r}. Attack what it holds: name another column.")

    @property
    def n_rows(self) -> int:
        return self.released.height

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Where released rows stand in the frame that was given."""
        return rows if self.rows is None else self.rows[rows]

    @cached_property
    def _classes(self) -> tuple[np.ndarray, int]:
        if self.groups is not None:
            return self.groups, int(self.groups.max(initial=-1)) + 1
        return group_rows([cell_codes(self.released[name].alias("cells")) for name in self.quasi], self.n_rows)

    @property
    def of_row(self) -> np.ndarray:
        """The class of each released row: the rows that look alike in all quasi-identifiers."""
        return self._classes[0]

    @cached_property
    def sizes(self) -> np.ndarray:
        """The rows of each class, or the different people in it."""
        return self.people_in(self.of_row, self._classes[1])

    @property
    def total(self) -> int:
        """The rows of the release, or the different people in it; at least 1."""
        return max(self.n_rows if self.persons is None else len(np.unique(self.persons)), 1)

    @property
    def counted(self) -> str:
        """What is counted, in a word."""
        return "rows" if self.persons is None else "people"

    def share(self, rows: np.ndarray) -> float:
        """How much of the release some rows are: their share, or that of the people they are about."""
        return (len(rows) if self.persons is None else len(np.unique(self.persons[rows]))) / self.total

    def people_in(self, group: np.ndarray, n_groups: int) -> np.ndarray:
        """How many rows, or different people, each group of released rows has."""
        if self.persons is None:
            return np.bincount(group, minlength=n_groups)
        return np.bincount(group[self.one_each(group)], minlength=n_groups)

    def one_each(self, *columns: np.ndarray) -> np.ndarray:
        """Rows such that everybody has one for each combination of these columns that their rows have: the first."""
        if self.persons is None:
            return np.arange(self.n_rows)
        told = pl.DataFrame([pl.Series(str(at), column) for at, column in enumerate((*columns, self.persons))])
        first = told.with_row_index("row").unique(told.columns, keep="first", maintain_order=True)
        return first["row"].to_numpy().astype(np.int64)

    def values(self, column: str) -> tuple[np.ndarray, pl.Series]:
        """The sensitive value of each released row as a code, and the value of each code, in order; missing first."""
        if column not in self.released.columns:
            raise TableError(f"the release has no column {column!r}. Name a sensitive column that it holds.")
        cells = self.released[column].alias("cells")
        if isinstance(cells.dtype, pl.Categorical | pl.Enum):
            cells = cells.cast(pl.String)
        distinct = cells.unique().sort(nulls_last=False)
        ranked = pl.DataFrame({"cells": distinct, "code": np.arange(len(distinct))})
        codes = cells.to_frame().join(ranked, on="cells", how="left", nulls_equal=True, maintain_order="left")["code"]
        return codes.to_numpy().astype(np.int64), distinct

    def histogram(self, column: str) -> Histogram:
        """How often each value of a sensitive column occurs in each class."""
        codes, values = self.values(column)
        return self.counts(self.of_row, len(self.sizes), codes, len(values))

    def counts(self, group: np.ndarray, n_groups: int, codes: np.ndarray, width: int) -> Histogram:
        """How many rows, or different people, of each group of rows hold each value."""
        if self.persons is None:
            return Histogram.of(group, n_groups, codes, np.bincount(codes, minlength=width))
        once = self.one_each(group, codes)
        whole = np.bincount(codes[self.one_each(codes)], minlength=width)
        found = Histogram.of(group[once], n_groups, codes[once], whole)
        return replace(found, people=self.people_in(group, n_groups), everybody=self.total)

    def exposed(self, of_class: np.ndarray) -> np.ndarray:
        """The rows of the classes that are marked."""
        return np.flatnonzero(of_class[self.of_row])

    def shared(self, population: Population, columns: Sequence[str] | None = None) -> tuple[str, ...]:
        """The columns by which people can be looked for: those asked for, else all quasi-identifiers they share."""
        for name in columns or ():
            for frame, called in ((self.released, "release"), (population.frame, population.called)):
                if name not in frame.columns:
                    raise TableError(f"the {called} has no column {name!r}. Name columns that both tables hold.")
        found = tuple(columns or (name for name in self.quasi if name in population.frame.columns))
        if not found:
            raise TableError(
                f"the {population.called} shares no quasi-identifier with the release. Give its columns the same names."
            )
        return found

    def common(self, population: Population) -> tuple[str, ...]:
        """All columns that the release shares with a population, apart from hidden ones."""
        return tuple(
            name for name in self.released.columns if name in population.frame.columns and name not in self.hidden
        )

    def covering(self, population: Population, column: str) -> Covering:
        key = (id(population), column)
        if key not in self._coverings:
            self._coverings[key] = Covering.of(
                self.released[column], population.frame[column], self.languages.get(column)
            )
        return self._coverings[key]

    def links(self, population: Population, columns: Sequence[str]) -> Links:
        """Who of a population fits which rows, by these columns."""
        key = (id(population), tuple(columns))
        if key not in self._links:
            self._links[key] = Links(tuple(self.covering(population, name) for name in columns))
        return self._links[key]
