"""PRAM: categories that are published as others, by probabilities that analysts know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from paravent.errors import PlanError, quote
from paravent.methods.method import RoleName
from paravent.privacy.grouping import group_rows
from paravent.published import Randomised
from paravent.table.domain import Coded
from paravent.table.kinds import Kind
from paravent.table.table import Table
from paravent.table.text import as_text
from paravent.treatments.pram.transitions import invariant_matrix, mixed, transition, two_stages, uniform_matrix
from paravent.treatments.strata import check_apart, groups_of, names, slices
from paravent.treatments.treatment import OnColumns, Reach, Tabled, Told, Treated, Work

_MOST_VALUES = 1000
_ROUNDED = 1e-6
"""What the probabilities of a row may miss of 1, for they are written with few digits."""


@dataclass(frozen=True, repr=False)
class PRAM(OnColumns):
    """The post-randomisation method: each value is published as another with a known probability.

    Every value stays with probability `minimum` or more (one number, or one for each value; values that are not named
    stay). The matrix is `invariant`: values that change are drawn from the distribution of the column, so that the
    released counts estimate the original ones without correction. `invariant=False` takes all other values as equally
    likely. `matrix` gives the probabilities themselves, value by value (`invariant=True` then sends values through it
    and back). `alpha` is the share of the way from no change to the matrix. Within the groups of `within` only values
    of the group are drawn.

    The matrix is published beside the release, for `pv.treatments.true_counts`. One that depends on the data is made of
    the released column, for the original frequencies would tell more; of quasi-identifiers and groups there is none.

    >>> import polars as pl
    >>> import paravent as pv
    >>> rows = pl.DataFrame({"job": ["nurse", "cook"] * 20, "sex": ["f", "m"] * 20})
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(5), treat=[PRAM("job", minimum=0.7)])
    >>> pv.anonymize(rows, plan).tables["pram_job"].columns
    ['from', 'to', 'probability']
    """

    _: KW_ONLY
    minimum: float | Mapping[str, float] = 0.8
    alpha: float = 1.0
    matrix: Mapping[str, Mapping[str, float]] | None = None
    invariant: bool | None = None
    within: tuple[str, ...] = ()

    title: ClassVar[str] = "Post-randomisation"
    source: ClassVar[str] = "Gouweleeuw, Kooiman, Willenborg and de Wolf 1998"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "within", names(self.within))
        least = self.minimum.values() if isinstance(self.minimum, Mapping) else (self.minimum,)
        if not all(0 <= share <= 1 for share in least):
            raise PlanError("PRAM: minimum must lie between 0 and 1: the probability with which a value stays.")
        if not 0 < self.alpha <= 1:
            raise PlanError(f"PRAM: alpha must be above 0 and at most 1, not {self.alpha!r}.")
        if self.matrix is not None:
            self._check_matrix(self.matrix)
        elif self.invariant is False and self.within:
            raise PlanError(
                "PRAM: invariant=False within groups needs a matrix: analysts could not correct what they cannot know. "
                "Give one, or leave invariant out."
            )
        check_apart(self, within=self.within)

    def _check_matrix(self, matrix: Mapping[str, Mapping[str, float]]) -> None:
        if len(self.columns) > 1 or isinstance(self.minimum, Mapping) or self.minimum != PRAM.minimum:
            raise PlanError("PRAM: a matrix is for one column, and in place of minimum.")
        for value, row in matrix.items():
            total = sum(row.values())
            if any(not 0 <= chance <= 1 for chance in row.values()) or abs(total - 1) > _ROUNDED:
                raise PlanError(
                    f"PRAM: the probabilities of {value!r} in the matrix must lie between 0 and 1 and add up to 1, not "
                    f"to {total:.6g}."
                )
            for to in row:
                if to not in matrix:
                    raise PlanError(f"PRAM: the matrix has no row for {to!r}, which {value!r} may become. Add it.")

    @property
    def coarsens(self) -> bool:
        return False

    @property
    def reads(self) -> tuple[str, ...]:
        return self.within

    @property
    def reach(self) -> Reach:
        return "groups" if self.within else "rows"

    @property
    def _is_invariant(self) -> bool:
        return self.matrix is None if self.invariant is None else self.invariant

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            kind = table.columns[name].kind
            if kind in (Kind.FLOAT, Kind.DATE):
                raise PlanError(
                    f"PRAM: column {name!r} is {kind}, and PRAM is for categories. Recode it first, or take Noise."
                )
            found = as_text(table.frame[name].alias("cells")).drop_nulls().unique().to_list()
            if len(found) > _MOST_VALUES:
                raise PlanError(
                    f"PRAM: column {name!r} has {len(found)} different values, and a matrix of more than "
                    f"{_MOST_VALUES} is too large. Recode it first."
                )
            if self.matrix is not None:
                self._check_values(self.matrix, found, name, table.frame.schema[name])
            if isinstance(self.minimum, Mapping):
                unknown = [value for value in self.minimum if value not in found]
                if unknown:
                    raise PlanError(f"PRAM: column {name!r} has no value {unknown[0]!r}, which minimum names.")

    def _check_values(
        self, matrix: Mapping[str, Mapping[str, float]], found: Sequence[str], name: str, dtype: pl.DataType
    ) -> None:
        for value in found:
            if value not in matrix:
                raise PlanError(f"PRAM: the matrix has no row for the value {quote(value)} of column {name!r}. Add it.")
        for value in matrix:
            if _typed([value], dtype).null_count():
                raise PlanError(f"PRAM: column {name!r} holds {dtype}, and {value!r} in the matrix is none.")

    def run(self, work: Work) -> Treated:
        cells: dict[str, Randomised] = {}
        told: list[str] = []
        figures: dict[str, float] = {}
        for name in self.columns:
            coded = Coded.of(work.table, name)
            whole = coded.domain if self.within else work.counts.get(name, coded.domain)
            values = whole.text if self.matrix is None else sorted(self.matrix)
            place = {value: at for at, value in enumerate(values)}
            codes = np.array([*(place[value] for value in coded.domain.text), -1])[coded.codes]
            counts = np.zeros(len(values), dtype=np.int64)
            counts[[place[value] for value in whole.text]] = whole.counts
            drawn = self._drawn(work, codes, values, counts)
            dtype = work.frame.schema[name]
            known = _typed(values, dtype)
            cells[name] = Randomised(known.gather(pl.Series(drawn).replace(-1, None)), tuple(known.to_list()))
            changed = int((drawn != codes).sum())
            told.append(f"PRAM: {changed} of {len(codes)} cells of {name!r} have another value{self._promised()}.")
            figures[f"changed.{name}"] = float(changed)
        beside = {name: _told(column, make) for name, (column, make) in self.tables(work.roles).items()}
        return Treated(cells, trace=tuple(told), figures=figures, beside=beside)

    def _promised(self) -> str:
        """The probability with which every value stays, by the plan alone: that of the data tells its frequencies."""
        if self.matrix is not None:
            return ""
        least = min(self.minimum.values(), default=1.0) if isinstance(self.minimum, Mapping) else self.minimum
        return f"; each stays with probability {1 - self.alpha * (1 - least):g} or more"

    def _drawn(self, work: Work, codes: np.ndarray, values: Sequence[str], whole: np.ndarray) -> np.ndarray:
        """The published codes (−1: missing); `whole` says how often each value occurs in all rows."""
        draw = work.rng.random(len(codes))
        if work.persons is not None:  # one draw for a person and a value: several would show which is the true one
            alike, _ = group_rows([work.persons.astype(np.int32), (codes + 1).astype(np.int32)], len(codes))
            draw = draw[_first_of(alike)]
        groups = groups_of(work.frame, self.within)
        drawn = codes.copy()
        for group in slices(groups):
            rows = group[codes[group] >= 0]
            counts = np.bincount(codes[rows], minlength=len(values)) if self.within else whole
            here = np.flatnonzero(counts) if self.matrix is None else np.arange(len(values))
            held = [values[at] for at in here.tolist()]
            matrix = self.chances(held, counts[here])
            if self.within:
                self._check_group(matrix, counts[here], held)
            local = np.full(len(values), -1)
            local[here] = np.arange(len(here))
            drawn[rows] = here[transition(local[codes[rows]], matrix, draw[rows])]
        return drawn

    def chances(self, values: Sequence[str], counts: np.ndarray) -> np.ndarray:
        """The matrix for a column with these values, each so often: row by row, in the order of the values."""
        if self.matrix is not None:
            given = np.array([[self.matrix[value].get(to, 0.0) for to in values] for value in values])
            given = given.reshape(len(values), len(values)) / given.sum(axis=1, keepdims=True)
            return mixed(two_stages(given, counts) if self._is_invariant else given, self.alpha)
        if isinstance(self.minimum, Mapping):
            least = np.array([self.minimum.get(value, 1.0) for value in values], dtype=np.float64)
        else:
            least = np.full(len(values), float(self.minimum))
        return mixed(invariant_matrix(least, counts) if self._is_invariant else uniform_matrix(least), self.alpha)

    def _check_group(self, matrix: np.ndarray, counts: np.ndarray, values: Sequence[str]) -> None:
        """Refuse a matrix that brings a value into a group where nobody has it."""
        foreign = np.flatnonzero((counts == 0) & (matrix[counts > 0].sum(axis=0) > 0))
        if len(foreign):
            raise PlanError(
                f"PRAM: the matrix brings the value {quote(values[int(foreign[0])])} into a group of within where no "
                "row has it. Leave within out, or give no matrix."
            )

    def tables(self, roles: Mapping[str, RoleName]) -> dict[str, tuple[str, Tabled]]:
        """The matrix of each column. Of quasi-identifiers and groups there is none that depends on the data."""
        if self.within and self.matrix is None:
            return {}
        open_ones = [name for name in self.columns if self.matrix is not None or roles.get(name) != "quasi"]
        return {f"pram_{re.sub(r'[^0-9A-Za-z]+', '_', name)}": (name, self._table) for name in open_ones}

    def _table(self, found: Mapping[str, int]) -> pl.DataFrame:
        """A matrix as a table, given the released values and how often each occurs."""
        values = sorted(found) if self.matrix is None else sorted(self.matrix)
        matrix = self.chances(values, np.array([found.get(value, 0) for value in values]))
        start, end = np.nonzero(matrix)
        return pl.DataFrame(
            {
                "from": [values[at] for at in start],
                "to": [values[at] for at in end],
                "probability": matrix[start, end],
            },
            schema={"from": pl.String, "to": pl.String, "probability": pl.Float64},
        )


def _told(name: str, make: Tabled) -> Told:
    def told(released: pl.DataFrame) -> pl.DataFrame | None:
        if name not in released.columns:
            return None
        texts = as_text(released[name].alias("cells")).drop_nulls()
        return make(dict(texts.value_counts().iter_rows()))

    return told


def _typed(values: Sequence[str], dtype: pl.DataType) -> pl.Series:
    """Values by their texts; missing where the type has none such."""
    texts = pl.Series("cells", values, dtype=pl.String)
    if dtype == pl.Boolean:
        return texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    return texts.cast(dtype, strict=False)


def _first_of(groups: np.ndarray) -> np.ndarray:
    """For each row the first one of its group."""
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(first[which])
