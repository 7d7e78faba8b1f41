"""Synthesis: what methods share that draw rows of nobody from differentially private counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError, either
from paravent.methods.method import Method, OutputType, Recoding, RoleName, Task
from paravent.methods.synthetic.coding import MOST_BINS, Coding, Grid, Listed, coding_of, plain_domain
from paravent.methods.synthetic.public import check_cells_of, check_public, check_rows_possible, public_coding
from paravent.methods.synthetic.replay import constraints, ordered_of, replay, with_last
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.loss import account_of
from paravent.private import mechanisms
from paravent.private.accounting import Cost, rho_of
from paravent.private.curator import Curator, Mechanisms, Purse, quantile_starts
from paravent.private.graphical.fit import Noisy, estimated_total
from paravent.private.graphical.junction import Columns, cells_of
from paravent.private.graphical.network import dead_ends
from paravent.private.public_rows import PublicRows
from paravent.private.transcript import Transcript
from paravent.published import Untouched
from paravent.table.randomness import generator

_FOR_BINS = Fraction(1, 10)
"""The share of the budget by which numbers are cut into cells, where the plan leaves the cuts to the data."""
_RESERVE = 1 - Fraction(1, 10**11)
"""The share that is spent at most: what rounding adds stays within the promise."""
_MOST_NOISE = 100_000
"""Where the number of rows would be off by more, it is not drawn by itself: the noise alone could fill the memory."""
LARGEST = 2**26
"""The cells of the largest table of counts."""

Masks = dict[Columns, np.ndarray]


@dataclass(frozen=True)
class Learned:
    """What a method found out: the network to draw along, or None where a model is fitted to all counts; and the
    columns in whose last cell there is nobody, as far as noise can tell."""

    parents: Mapping[int, Columns] | None = None
    ruled_out: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Synthesis(Method):
    """What every synthesis can be told.

    `domains` says what a column can hold, where no tree file does: values (`["f", "m"]`), whole numbers
    (`range(17, 91)`), the path of a tree file, or numbers between bounds (`{"from": 0, "to": 99999, "bins": 20}`, cut
    into cells by private quantiles; `"cuts": [18, 65]` gives the cells, `"step": 0.5` the grid on which they are
    written back). It is never read from the data. Cells for anything else, missing values among them, come by
    themselves. `rows` is the number of synthetic rows (by default about as many as there are, with noise).
    `impossible` lists combinations that never occur: `{"age": {"to": 14}, "marital": ["married"]}`. Where a plan names
    a `person`, the first `rows_each` rows of each count, and the promise is about people.
    """

    domains: Mapping[str, Any] = field(default_factory=dict)
    rows: int | None = None
    impossible: tuple[Mapping[str, Any], ...] = ()
    bins: int = 16
    rows_each: int = 1

    gives: ClassVar[OutputType] = "synthetic"
    makes_classes: ClassVar[bool] = False
    draws_rows: ClassVar[bool] = True
    pure: ClassVar[bool] = False
    """Whether it spends pure epsilon, so that delta may be 0."""

    def __post_init__(self) -> None:
        name = type(self).__name__
        told = {column: plain_domain(value) for column, value in self.domains.items()}
        given = (self.impossible,) if isinstance(self.impossible, Mapping) else self.impossible
        never = tuple({column: plain_domain(value) for column, value in each.items()} for each in given)
        object.__setattr__(self, "domains", told)
        object.__setattr__(self, "impossible", never)
        public: Any = self.given
        if public:
            if isinstance(public, str):
                raise PlanError(f"{name}: public must be a list of columns, such as [{public!r}], not one text.")
            object.__setattr__(self, "public", tuple(public))
            if self.rows is not None:
                raise PlanError(f"{name}: with public columns there are as many rows as they have. Leave rows out.")
        if self.rows is not None and not 1 <= self.rows <= 10**9:
            raise PlanError(f"{name}: rows must be from 1 to 10^9, not {self.rows}.")
        if not 2 <= self.bins <= MOST_BINS:
            raise PlanError(f"{name}: bins must be from 2 to {MOST_BINS}, not {self.bins}.")
        if self.rows_each < 1:
            raise PlanError(f"{name}: rows_each must be at least 1, not {self.rows_each}.")

    @property
    def weighs(self) -> bool:
        return False

    @property
    def given(self) -> tuple[str, ...]:
        """Columns that are released as they are, and not protected."""
        return ()

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(roles)

    def check_names(self, names: Sequence[str]) -> None:
        """Raise PlanError when a column that it names is not released: before anything is spent."""

    def check_domains(self, roles: Mapping[str, RoleName], declared: Mapping[str, Sequence[str]]) -> None:
        check_public(self.given, roles, list(roles), self.impossible)
        for name in self.domains:
            if name not in roles:
                raise PlanError(f"domains: column {name!r} is not in the release. Leave it out of domains.")
        for name in roles:
            if name not in self.domains and name not in self.given and name not in declared:
                raise PlanError(
                    f"columns.{name}: nothing says what it can hold, and that must not be read from the data. Name it "
                    f"in domains= of {type(self).__name__}, such as ['f', 'm'] or range(0, 121), give it a tree file, "
                    f"or leave it out with {either('pv.Drop()', '--drop')}."
                )

    @abstractmethod
    def learn(self, curator: Curator, never: Masks) -> Learned:
        """Ask the curator, within what may be spent. `never` are the cells that nobody can be in."""

    def run(self, task: Task) -> Recoding:
        promise = self._promise(task)
        if task.persons is None and self.rows_each > 1:
            raise PlanError(
                f"{type(self).__name__}: rows_each is for people with several rows, and the plan names no "
                f"{either('person=', '--person')} column. Name it, or leave rows_each out."
            )
        kept = _first_rows(task, self.rows_each)
        cells = {name: own if kept is None else own.gather(kept) for name, own in task.cells.items()}
        self.check_domains({name: task.roles[name] for name in cells}, task.leaves)
        codings = self._codings(task, cells)
        names = [coding.name for coding in codings]
        public = tuple(names.index(name) for name in sorted(self.given, key=names.index))
        self.check_names(names)
        self._check_possible(codings, public, cells)  # before anything is spent
        purse = self._purse(promise, task)
        beside = f", {len(public)} of them public" if public else ""
        task.charge(
            f"{type(self).__name__}: a synthetic table of {len(names)} columns{beside}", _cost(promise, pure=self.pure)
        )
        codings = [self._cut(coding, cells[coding.name], purse, codings) for coding in codings]
        sizes = tuple(coding.size for coding in codings)
        never = constraints(self.impossible, codings)
        codes = [coding.codes(cells[coding.name]) for coding in codings]
        learned = self.learn(Curator(codes, sizes, purse, names, public, ordered_of(codings)), never)
        rows = PublicRows.of(public, [cells[names[column]] for column in public]) if public else None
        transcript = Transcript(
            repr(self),
            tuple(coding.to_document() for coding in codings),
            tuple(str(cells[coding.name].dtype if at in public else coding.dtype) for at, coding in enumerate(codings)),
            tuple(purse.steps),
            1 if rows is None else rows.rows,
            task.seed,
            self.impossible,
            None if learned.parents is None else tuple(learned.parents.items()),
            learned.ruled_out,
            promise.unsafe_seed is None,
            rows,
        )
        if rows is None:
            total = estimated_total([step.noisy(sizes) for step in transcript.measured])
            transcript = transcript.redrawn(rows=self.rows or max(1, round(total)))
        return Recoding(
            np.zeros(task.n_rows, dtype=np.int32),
            1,
            {axis.name: Untouched() for axis in task.axes},
            told(transcript),
            synthetic=replay(transcript),
            account=account_of(transcript.to_document()),
            transcript=transcript,
        )

    def _promise(self, task: Task) -> DifferentialPrivacy:
        found = [promise for promise in task.promises if isinstance(promise, DifferentialPrivacy)]
        name = type(self).__name__
        if len(found) != 1:
            raise PlanError(
                f"method: {name} spends a budget that the plan must name, once: "
                + either("protect=[pv.DifferentialPrivacy(epsilon=1)].", "--epsilon 1.")
            )
        if not self.pure and not found[0].delta:
            raise PlanError(
                f"method: {name} adds Gaussian noise, which needs a delta above 0. Allow one far below 1 / the number "
                "of people, such as 1e-6, or take PrivBayes or NaiveBayes, which need none."
            )
        return found[0]

    def _purse(self, promise: DifferentialPrivacy, task: Task) -> Purse:
        epsilon, delta = Fraction(str(promise.epsilon)), Fraction(str(promise.delta))
        allowed = _RESERVE * (epsilon if self.pure else rho_of(epsilon, delta))
        # the noise on the number of rows, were all spent on that: b = m / epsilon, or s² = m² / 2 rho
        own = Fraction(self.rows_each)
        wide = own > _MOST_NOISE * allowed if self.pure else own**2 > 2 * allowed * _MOST_NOISE**2
        if wide and self.rows is None and not self.given:
            raise PlanError(
                f"epsilon = {promise.epsilon:g} buys so much noise that even the number of rows would be off by "
                f"{_MOST_NOISE} and more. Spend more, or say how many to draw: {either('rows=1000', '--rows 1000')}."
            )
        drawn: Mechanisms = mechanisms
        if promise.unsafe_seed is not None:
            drawn = Seeded(generator(promise.unsafe_seed, "noise of a known seed"))
        return Purse(
            allowed, drawn, self.pure, self.rows_each, lambda share: task.progress("counting with noise", share)
        )

    def _codings(self, task: Task, cells: Mapping[str, pl.Series]) -> list[Coding]:
        """How the columns that may be released are counted: by what the plan says of them, or, where they are public,
        by what they hold."""
        found: list[Coding] = []
        for name in task.cells:
            told = self._told(name, task)
            if name in self.given:
                coding = public_coding(name, cells[name], told)
                found.append(self._cut_where_told(coding) if isinstance(coding, Grid) else coding)
            else:
                assert told is not None
                found.append(told)
        if not found:
            raise PlanError("columns: every column is left out, so there is nothing to synthesize.")
        return found

    def _told(self, name: str, task: Task) -> Coding | None:
        if isinstance(self.domains.get(name), str):
            from paravent.hierarchy.builders import tree_file

            return Listed(name, tree_file(self.domains[name]).declared(name))
        if name in self.domains:
            return coding_of(name, self.domains[name], self.bins)
        return Listed(name, task.leaves[name]) if name in task.leaves else None

    def _cut(self, coding: Coding, cells: pl.Series, purse: Purse, others: list[Coding]) -> Coding:
        """A grid with its cells: as the plan cuts it, or by private quantiles, and where a constraint ends."""
        if not isinstance(coding, Grid):
            return coding
        if coding.bins is not None:
            waiting = sum(isinstance(other, Grid) and other.bins is not None for other in others)
            cost = purse.allowed * _FOR_BINS / waiting
            starts = quantile_starts(coding.name, coding.places(cells), coding.points, coding.bins, cost, purse)
            coding = coding.cut_at(starts)
        return self._cut_where_told(coding)

    def _cut_where_told(self, coding: Grid) -> Grid:
        told = [each[coding.name] for each in self.impossible if coding.name in each]
        return coding.cut_at([end for value in told for span in coding.spans(value) for end in span])

    def _check_possible(self, codings: Sequence[Coding], public: Columns, cells: Mapping[str, pl.Series]) -> None:
        """Raise where the constraints leave no row, even were the cells for unforeseen values ruled out."""
        cut = [self._cut_where_told(coding) if isinstance(coding, Grid) else coding for coding in codings]
        never, sizes = constraints(self.impossible, cut), [coding.size for coding in cut]
        never = with_last(never, [column for column in range(len(cut)) if column not in public], sizes)
        if not public:
            dead_ends(range(len(cut)), sizes, never)
            return
        check_cells_of(public, sizes, [coding.name for coding in codings])
        check_rows_possible({column: cut[column].codes(cells[cut[column].name]) for column in public}, sizes, never)


class Seeded:
    """Mechanisms whose noise can be drawn again: not private."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def gaussian(self, counts: np.ndarray, sigma2: Fraction) -> np.ndarray:
        return mechanisms.gaussian(counts, sigma2, unsafe=self.rng)

    def laplace(self, counts: np.ndarray, scale: Fraction) -> np.ndarray:
        return mechanisms.laplace(counts, scale, unsafe=self.rng)

    def select(self, scores: np.ndarray, epsilon: Fraction, sensitivity: int) -> int:
        return mechanisms.select(scores, epsilon, sensitivity, unsafe=self.rng)


def one_way(curator: Curator, cost: Fraction) -> tuple[list[Noisy], tuple[int, ...]]:
    """Counts of every column by itself that is not public, and the columns whose last cell seems empty: what it shows
    is within the noise."""
    measured = [curator.measure((column,), cost) for column in curator.hidden]
    return measured, tuple(noisy.columns[0] for noisy in measured if noisy.counts[-1] < 3 * noisy.sigma)


def check_cells(columns: Columns, curator: Curator) -> None:
    """Refuse counts that no memory holds."""
    if cells_of(columns, curator.sizes) > LARGEST:
        names = " and ".join(repr(curator.names[column]) for column in columns)
        raise PlanError(f"domains: columns {names} together have too many cells to count. Cut them into fewer bins.")


def told(transcript: Transcript) -> tuple[str, ...]:
    """What was asked, in words."""
    names = transcript.names
    lines = [
        f"Measured {', '.join(names[column] for column in step.columns)} with noise of standard deviation "
        f"{step.sigma:.4g}."
        for step in transcript.measured
    ]
    if transcript.public is not None:
        kept = ", ".join(names[column] for column in transcript.public.columns)
        lines.insert(0, f"Kept {kept} as they are: public, and not protected.")
    return (*lines, f"Drew {transcript.rows} rows of nobody by the sampling seed {transcript.seed}.")


def _first_rows(task: Task, most: int) -> np.ndarray | None:
    """The rows that count where people have several: the first of each person, in the order of the table."""
    if task.persons is None:
        return None
    order = np.argsort(task.persons, kind="stable")
    persons = task.persons[order]
    begins = np.flatnonzero(np.r_[True, persons[1:] != persons[:-1]])
    place = np.arange(len(order)) - np.repeat(begins, np.diff(np.r_[begins, len(order)]))
    return np.sort(order[place < most])


def _cost(promise: DifferentialPrivacy, *, pure: bool) -> Cost:
    epsilon, delta = Fraction(str(promise.epsilon)), Fraction(str(promise.delta))
    return Cost.pure(epsilon) if pure else Cost.zcdp(rho_of(epsilon, delta))
