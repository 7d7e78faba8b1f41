"""Global recoding: every value of a column becomes the label of its group."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from paravent.errors import PlanError, quote
from paravent.hierarchy.builders.ordered import equal_frequency
from paravent.hierarchy.fitting import fit
from paravent.hierarchy.levels import Level
from paravent.hierarchy.spec import TreeSpec, span_level, spec_from_document
from paravent.methods.method import RoleName
from paravent.published import Coded as CodedCells
from paravent.published.by_row import missing_cells
from paravent.table.domain import Coded, Domain
from paravent.table.kinds import Kind
from paravent.table.table import Table
from paravent.table.whole import as_integers
from paravent.treatments.recomputed import is_between, is_mapped, is_parted, is_wide
from paravent.treatments.treatment import OnColumns, Treated, Work
from paravent.treatments.values import check_ordered, text_of, value_of

_WAYS = ("width", "breaks", "groups", "mapping", "tree")


@dataclass(frozen=True, repr=False)
class Recode(OnColumns):
    """Every value becomes the label of its interval or group, in one of five ways.

    `width`: intervals of this width, `[150, 200[`. `breaks`: from each limit to the next, the last one included; what
    lies outside becomes `<150` or `>300`. `groups`: so many intervals `by` "frequency", each with about as many rows,
    or by "width", equally wide (rounded up to 1, 2, 2.5 or 5 times a power of ten, so that no limit is a person's
    value; there may be one more or fewer). `mapping`: a label for each value, `other` for the rest. `tree`: the nodes
    on a `level` of a tree, by a builder or from a file. `labels` name the intervals between `breaks`.

    >>> import paravent as pv
    >>> rows = pl.DataFrame({"age": [16, 17, 31, 38], "sex": ["f", "f", "m", "m"]})
    >>> plan = pv.Plan({"sex": pv.Quasi()}, pv.KAnonymity(2), treat=[Recode("age", width=10)], order="source")
    >>> pv.anonymize(rows, plan).frame["age"].to_list()
    ['[10, 20[', '[10, 20[', '[30, 40[', '[30, 40[']
    """

    _: KW_ONLY
    width: float | None = None
    breaks: tuple[float | str, ...] | None = None
    groups: int | None = None
    by: Literal["frequency", "width"] = "frequency"
    mapping: Mapping[str, str] | None = None
    other: str | None = None
    tree: str | TreeSpec | None = None
    level: int = 1
    labels: tuple[str, ...] | None = None

    title: ClassVar[str] = "Global recoding"
    source: ClassVar[str] = "Hundepool et al. 2012"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [way for way in _WAYS if getattr(self, way) is not None]
        if len(given) != 1:
            found = f"{' and '.join(given)} are given" if given else "nothing says how"
            raise PlanError(f"Recode: {found}. Give one of {', '.join(_WAYS)}.")
        for name in ("breaks", "labels"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, (value,) if isinstance(value, str | numbers.Real) else tuple(value))
        if self.width is not None and not 0 < self.width < math.inf:
            raise PlanError(f"Recode: width must be a positive number, not {self.width!r}.")
        if self.groups is not None and self.groups < 2:
            raise PlanError(f"Recode: groups must be at least 2, not {self.groups!r}.")
        if self.breaks is not None and len(self.breaks) < 2:
            raise PlanError("Recode: breaks need at least two limits, from the lowest to the highest.")
        if self.labels is not None and (self.breaks is None or len(self.labels) != len(self.breaks) - 1):
            raise PlanError("Recode: labels name the intervals between breaks, one label for each.")
        if self.labels is not None and len(set(self.labels)) < len(self.labels):
            raise PlanError("Recode: two labels are the same. Give each interval its own.")
        if self.other is not None and self.mapping is None:
            raise PlanError("Recode: other is the label of values that a mapping leaves out. Give a mapping.")
        if self.level < 0:
            raise PlanError(f"Recode: level must be 0 or more, not {self.level!r}.")

    @property
    def coarsens(self) -> bool:
        return True

    def by_row(self, table: Table) -> bool:
        if self.tree is None:
            return self.groups is None
        fixed = [
            spec_from_document(self.tree, name=name).fixed_levels(name, table.columns[name].kind)
            for name in self.columns
        ]
        return all(top is not None and self.level <= top for top in fixed)

    def check(self, table: Table, roles: Mapping[str, RoleName]) -> None:  # noqa: ARG002
        for name in self.columns:
            column = table.columns[name]
            by_width = self.width is not None or (self.groups is not None and self.by == "width")
            if by_width and not column.kind.is_numeric:
                raise PlanError(
                    f"Recode: column {name!r} is {column.kind}, and only numbers can be cut into equal widths. "
                    "Give breaks, groups by frequency, a mapping or a tree."
                )
            if by_width:
                _check_reach(table.frame[name].alias("cells"), name, self._width(table, name) or 1.0)
            if self.groups is not None:
                check_ordered("Recode", column)
            if self.breaks is not None:
                if column.kind is Kind.ORDINAL:
                    raise PlanError(f"Recode: column {name!r} is ordinal and has no limits. Give a mapping or groups.")
                limits = [value_of("Recode", table, name, limit) for limit in self.breaks]
                if any(not low < high for low, high in pairwise(limits)):
                    raise PlanError("Recode: breaks must ascend, each limit once.")

    def is_kept(self, table: Table, name: str, shown: pl.Series) -> bool:
        if missing_cells(table.frame[name]).all():
            return bool(missing_cells(shown).all())
        if self.mapping is not None:
            mapping = self.mapping
            return is_mapped(table.frame[name], shown, lambda text: mapping.get(text, self.other))
        if self.breaks is not None:
            limits = [value_of("Recode", table, name, limit) for limit in self.breaks]
            return is_between(table, name, shown, limits, self.labels)
        if self.width is not None or (self.groups is not None and self.by == "width"):
            return is_wide(table, name, shown, self.width, self.groups)
        if self.groups is not None:
            return is_parted(table, name, shown, self.groups)
        tree = self._spec(name).build(Domain.of(table, name))
        level, leaf_of = tree.levels[self.level], tree.leaf_of
        return is_mapped(table.frame[name], shown, lambda text: level.labels[level.codes[leaf_of[text]]])

    def run(self, work: Work) -> Treated:
        cells: dict[str, CodedCells] = {}
        orders: dict[str, tuple[str, ...]] = {}
        trace = []
        for name in self.columns:
            if missing_cells(work.cells(name)).all():
                cells[name] = CodedCells(work.cells(name).clear(len(work.table)).cast(pl.String))
                continue
            codes, labels = self._labelled(work.table, name)
            used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(labels))).tolist()
            if work.table.columns[name].kind.is_ordered and self.mapping is None:
                orders[name] = tuple(labels[code] for code in used)
            texts = pl.Series("cells", labels, dtype=pl.String)
            shown = texts.gather(pl.Series(codes).replace(-1, None))
            by_limits = self.breaks is not None or self._width(work.table, name) is not None
            cells[name] = CodedCells(shown, covers=by_limits and self.labels is None)
            trace.append(f"Recode: column {name!r} has {len(used)} labels.")
        return Treated(cells, orders=orders, trace=tuple(trace))

    def _labelled(self, table: Table, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
        """The number of each row's label (−1: its cell is missing), and the labels."""
        width = self._width(table, name)
        if width is not None:
            return _by_width(table.frame[name].alias("cells"), width)
        if self.breaks is not None:
            return self._between(table, name)
        coded = Coded.of(table, name)
        level = self._level(coded.domain)
        return np.append(level.codes.astype(np.int64), -1)[coded.codes], level.labels

    def _width(self, table: Table, name: str) -> float | None:
        """The width of equally wide intervals, where they are asked for."""
        if self.groups is not None and self.by == "width":
            return _easy_width(table.frame[name].alias("cells"), self.groups)
        return self.width

    def _level(self, domain: Domain) -> Level:
        """The label of each value of the domain."""
        if self.mapping is not None:
            return self._mapped(domain, self.mapping)
        if self.groups is not None:
            return span_level(domain, equal_frequency(domain.counts, self.groups))
        fitted = fit(self._spec(domain.name).build(domain), domain)
        levels = fitted.tree.levels
        if self.level >= len(levels):
            raise PlanError(
                f"Recode: the tree of column {domain.name!r} has levels 0 to {len(levels) - 1}, not {self.level}."
            )
        return Level(levels[self.level].codes[fitted.order], levels[self.level].labels)

    def _spec(self, name: str) -> TreeSpec:
        spec = spec_from_document(self.tree, name=name) if isinstance(self.tree, str) else self.tree
        assert spec is not None
        return spec

    def _mapped(self, domain: Domain, mapping: Mapping[str, str]) -> Level:
        left_out = [text for text in domain.text if text not in mapping]
        if left_out and self.other is None:
            raise PlanError(
                f"Recode: the mapping leaves out {len(left_out)} values of column {domain.name!r} (first: "
                f"{quote(left_out[0])}). Add them, or give other, a label for the rest."
            )
        return Level.of([mapping.get(text, self.other or "") for text in domain.text])

    def _between(self, table: Table, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
        """Labels by the limits given: the group of a value is the number of limits that it reaches, the last limit
        reached only by what lies beyond it."""
        assert self.breaks is not None
        limits = [value_of("Recode", table, name, limit) for limit in self.breaks]
        cells = table.frame[name].alias("cells")
        there = ~missing_cells(cells)
        whole = as_integers(cells)
        if whole is not None:  # compared as whole numbers, which are exact
            values = whole.fill_null(0).to_numpy()
            places, last = np.array([math.ceil(each) for each in limits]), math.floor(limits[-1])
        else:
            line = cells.to_physical() if cells.dtype.is_temporal() else cells.cast(pl.Float64)
            values, dtype = line.fill_null(0).to_numpy(), cells.dtype if cells.dtype.is_temporal() else pl.Float64()
            places = pl.Series(limits, dtype=dtype).to_physical().to_numpy()
            last = places[-1]
        codes = np.searchsorted(places[:-1], values, side="right")
        codes[values > last] = len(limits)
        codes[~there] = -1
        texts = [text_of(limit, cells.dtype) for limit in limits]
        between = [f"[{low}, {high}[" for low, high in pairwise(texts[:-1])] + [f"[{texts[-2]}, {texts[-1]}]"]
        if self.labels is not None:
            outside = int(((codes == 0) | (codes == len(limits))).sum())
            if outside:
                raise PlanError(
                    f"Recode: {outside} cells of column {name!r} lie outside the breaks and have no label. "
                    "Widen the breaks, or leave labels out."
                )
            between = list(self.labels)
        return codes.astype(np.int64), (f"<{texts[0]}", *between, f">{texts[-1]}")


def _check_reach(cells: pl.Series, name: str, width: float) -> None:
    numbers = cells.cast(pl.Float64).drop_nans()
    most = max((abs(float(end)) for end in (numbers.min(), numbers.max()) if end is not None), default=0.0)  # type: ignore[arg-type]
    if not most / width < 2.0**52:
        raise PlanError(f"Recode: column {name!r} has numbers too large for a width of {width:g}. Give breaks.")


def _by_width(cells: pl.Series, width: float) -> tuple[np.ndarray, tuple[str, ...]]:
    """Intervals `[k · width, (k + 1) · width[`. Their limits are the nearest doubles of their decimals, and decide."""
    exact, there = Fraction(str(width)), ~missing_cells(cells)
    whole = as_integers(cells)
    if whole is not None and exact.denominator == 1:
        steps = whole.fill_null(0).to_numpy() // exact.numerator
    else:
        values = cells.cast(pl.Float64).fill_null(0).fill_nan(0).to_numpy()
        steps = np.floor(values * exact.denominator / exact.numerator)
        steps -= steps * exact.numerator / exact.denominator > values
        steps += (steps + 1) * exact.numerator / exact.denominator <= values
        steps = steps.astype(np.int64)
    used = np.unique(steps[there])
    codes = np.where(there, np.searchsorted(used, steps), -1)
    unit = Decimal(str(width))
    texts = {step: f"{(step * unit).normalize():f}" for step in {*used.tolist(), *(used + 1).tolist()}}
    return codes, tuple(f"[{texts[step]}, {texts[step + 1]}[" for step in used.tolist())


def _easy_width(cells: pl.Series, groups: int) -> float:
    """A width that is easily read, so that about so many intervals reach from the lowest value to the highest."""
    numbers = cells.cast(pl.Float64).drop_nulls().drop_nans()
    span = float(numbers.max()) - float(numbers.min()) if len(numbers) else 0.0  # type: ignore[arg-type]
    if not 0 < span < math.inf:
        return 1.0
    least = span / groups
    power = math.floor(math.log10(least))
    wide = next(factor * 10.0**power for factor in (1, 2, 2.5, 5, 10) if factor * 10.0**power >= least)
    return int(wide) if wide == int(wide) else wide
