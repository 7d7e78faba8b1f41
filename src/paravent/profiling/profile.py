"""Profile: what is in a table and what it gives away, before anything is decided.

A profile is printed and passed on. It holds counts, shares and shapes; no value of the table is in what it prints or
in `to_dict()`. The exact lowest and highest values stand in `ColumnProfile.low` and `.high` (and may stand in
`.tree_reason`), those that look alike in `.alike`, for the person at work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paravent.arguments import check_call
from paravent.errors import TableError
from paravent.profiling.column import ColumnProfile, by_vocabulary, look_at, profile_column
from paravent.profiling.context import in_context
from paravent.profiling.detect import detect
from paravent.profiling.distribution import Distribution
from paravent.profiling.lexicon import Role
from paravent.profiling.redundancy import Redundancy, redundancies
from paravent.profiling.subsets import SubsetProfile, profile_subsets
from paravent.profiling.warnings import table_warnings
from paravent.table.domain import Coded
from paravent.table.table import Table


@dataclass(frozen=True, repr=False)
class Profile:
    """What a table holds, column by column, and which sets of its columns single people out. Prints as a table.

    `redundancies` are the columns that follow from another one.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    subsets: tuple[SubsetProfile, ...]
    warnings: tuple[str, ...]
    redundancies: tuple[Redundancy, ...] = ()

    def __getitem__(self, name: str) -> ColumnProfile:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ColumnProfile]:
        return iter(self.columns)

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns proposed for a role."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def distribution(self) -> Distribution | None:
        """The table's own: that of most of its quasi-identifiers, dense where they are halved; None without any."""
        spread = [column.distribution for column in self.columns if column.role is Role.QUASI]
        if not spread:
            return None
        uniform = sum(each is Distribution.UNIFORM for each in spread)
        return Distribution.UNIFORM if 2 * uniform > len(spread) else Distribution.DENSE

    def quasi_identifiers(self) -> tuple[SubsetProfile, ...]:
        """The column sets that single out somebody, those that single out most first, among equals the smallest."""
        found = [subset for subset in self.subsets if subset.is_quasi_identifier]
        return tuple(sorted(found, key=lambda subset: (-subset.singled_out, len(subset.columns), subset.columns)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "distribution": self.distribution.value if self.distribution else None,
            "columns": [column.to_dict() for column in self.columns],
            "subsets": [
                {
                    "columns": list(subset.columns),
                    "distinct": subset.distinct,
                    "distinction": subset.distinction,
                    "separation": subset.separation,
                    "singled_out": subset.singled_out,
                }
                for subset in self.subsets
            ],
            "redundancies": [
                {"given": found.given, "follows": found.follows, "mutual": found.mutual} for found in self.redundancies
            ],
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        from paravent.profiling.printing import written

        return written(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from paravent.profiling.printing import as_html

        return as_html(self)


def profile(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    max_subset: int | None = None,
    vocabularies: Sequence[str | Path] = (),
) -> Profile:
    """Look at every column, and at sets of the proposed quasi-identifiers (or of `columns`) up to `max_subset`.

    `source` is a table, or whatever `pv.read` makes one of. Without `max_subset` the sets are as large as a few
    seconds allow; the set of all columns is always there. `vocabularies` are tree files of places, branches and the
    like: a column all of whose values stand in one is taken for a quasi-identifier with that tree.

    >>> import polars as pl
    >>> found = profile(pl.DataFrame({"zip": [13053, 13068, 13053], "disease": ["flu", "flu", "cancer"]}))
    >>> [(column.name, str(column.role)) for column in found]
    [('zip', 'quasi-identifier'), ('disease', 'sensitive')]
    >>> found.subsets[0].singled_out
    1
    """
    check_call(profile, locals(), TableError)
    table = _as_table(source)
    coded: dict[str, Coded] = {}
    seen = {name: look_at(table, name, coded) for name in table.names}
    facts = {name: each.facts for name, each in seen.items()}
    roles = in_context(facts, {name: detect(each) for name, each in facts.items()})
    for name, each in seen.items() if vocabularies else ():
        roles[name] = by_vocabulary(table, each, roles[name], vocabularies)
    profiled = tuple(profile_column(table, each, roles[name], vocabularies) for name, each in seen.items())
    if columns is None:
        columns = [column.name for column in profiled if column.role is Role.QUASI]
    subsets = profile_subsets(table, columns, max_subset=max_subset, coded=coded)
    whole = next((subset for subset in subsets if len(subset.columns) == len(columns)), None)
    judged = (name for name in coded if roles[name].role in (Role.QUASI, Role.SENSITIVE))
    follows = redundancies({name: coded[name].codes for name in judged})
    return Profile(len(table), profiled, subsets, table_warnings(len(table), roles, whole, follows), follows)


def _as_table(source: Any) -> Table:
    if isinstance(source, Table):
        return source
    from paravent.table.read import read

    return read(source)
