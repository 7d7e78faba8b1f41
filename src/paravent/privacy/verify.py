"""The verifier: it reads a finished frame as a stranger would and says what it protects.

It shares nothing with methods or with the encoding. Two rows are alike when the strings in their quasi-identifiers
are equal; classes are found by grouping the frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from paravent.errors import PlanError, TableError
from paravent.privacy.classes import Classes, Histogram
from paravent.privacy.model import Model
from paravent.privacy.replaced import NOTE, faults_of_form
from paravent.privacy.verdict import Check, Verdict, counted
from paravent.privacy.verify_people import Values, people_classes
from paravent.privacy.wildcards import compatible_classes
from paravent.table.alike import with_folded
from paravent.table.domain import Domain
from paravent.table.exact import exactly
from paravent.table.kinds import Kind
from paravent.table.text import is_text

ANYTHING = "*"
_WIDEST = 2**62

CountPeople = Callable[[pl.DataFrame], Mapping[str, tuple[np.ndarray, int]]]
"""For each population: how many of its people the cells of each row of a frame cover, and how many no row covers."""


def verify_frame(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    models: Sequence[Model],
    *,
    wildcard: Iterable[str] = (),
    marked: np.ndarray | None = None,
    allowed: int | None = None,
    dropped: int = 0,
    absent: Iterable[str] = (),
    alike: Iterable[str] = (),
    cells: float = 1.0,
    replaced: Mapping[str, int | None] | None = None,
    blanks: bool = False,
    count_people: CountPeople | None = None,
    persons: np.ndarray | None = None,
    links: np.ndarray | None = None,
    faults: Iterable[str] = (),
) -> Verdict:
    """Judge a finished frame.

    `wildcard` names the columns whose missing cells match anything. With `blanks` the cells `*` of quasi-identifiers
    do so too: a weaker promise, and the verdict says so. `marked` tells which rows stand for suppressed
    ones: they must be blank, and count as suppressed like the `dropped` rows that are not in the frame. At most
    `allowed` may be suppressed in all, and of the quasi-identifier cells of the other rows at most the share `cells`
    may be `*`. The columns `absent` must not be there, and those `replaced` must have their form (see
    `faults_of_form`). In the sensitive columns `alike`, values that look alike are one (`table.alike`), unless a model
    takes them as known. `count_people` tells, for the populations that models name, how many people each row covers and
    how many none does. `persons` says whose each row is: then people are counted, not rows. `links` is the group of
    rows that the frame itself shows each row to belong to: then all rows of a group together must be like those of
    others. `faults` were found before.

    >>> from paravent.privacy.k_anonymity import KAnonymity
    >>> frame = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "31"], "disease": ["flu", "cold", "flu"]})
    >>> print(verify_frame(frame, ["age"], [KAnonymity(2)]))
    FAILS  2-anonymity  (privacy.k = 1; 1 class short of it)
    3 rows, 2 classes, 0 rows suppressed
    """
    _check_columns(frame, (*quasi, *(name for model in models for name in model.needs)))
    faults = [*faults, *(f"column {name!r} must not be in the release" for name in absent if name in frame.columns)]
    faults += faults_of_form(frame, replaced or {})
    suppressed = dropped
    if marked is not None and marked.any():
        suppressed += int(marked.sum())
        if not bool(np.all(blank_rows(frame, quasi)[marked])):
            faults.append("a row that stands for a suppressed one is not blank")
        frame = frame.filter(~marked)
        persons = None if persons is None else persons[~marked]
        links = None if links is None else links[~marked]
    if allowed is not None and suppressed > allowed:
        faults.append(
            f"{counted(suppressed, 'row is', 'rows are')} suppressed, {counted(allowed, 'is', 'are')} allowed"
        )
    starred = suppressed_cells(frame, quasi)
    if starred > cells:
        faults.append(f"{starred:.2%} of the quasi-identifier cells are suppressed, {cells:.2%} are allowed")
    sensitive = list(dict.fromkeys(name for model in models for name in model.needs))
    asked = {model.needs[0] for model in models if model.reads_values}
    same = frozenset(alike).difference(quasi)
    seen = with_folded(frame, same)
    whose = None if persons is None else _Whose.of(persons, links)
    linked = whose is not None and whose.links is not None
    strict = derive_classes(seen, quasi, sensitive, asked, whose)
    strict_k = int(strict.sizes.min()) if len(strict) else 0
    reading = ""
    if blanks and starred:
        frame, seen = (_without_stars(each, quasi) for each in (frame, seen))
        wildcard, reading = quasi, "with blanked cells as wildcards (weaker)"
    open_cells = [name for name in wildcard if name in quasi and frame[name].null_count() and not linked]
    classes = compatible_classes(seen, quasi, open_cells, sensitive, persons) if open_cells else strict
    if count_people is not None and len(classes):
        if linked:
            raise PlanError(
                "people of a population cannot be counted where the release shows which rows are one person's. "
                "Drop that column, or leave out the model of a population."
            )
        classes = _with_people(classes, frame, quasi, count_people, in_order=bool(open_cells))
    notes = _notes(
        frame, strict_k, blanks=bool(reading), wildcards=bool(open_cells), replaced=replaced or {}, linked=linked
    )

    divided: dict[tuple[str, ...], Classes] = {(): classes}

    def seen_by(model: Model) -> Classes:
        """Columns that a model takes as known tell people apart like quasi-identifiers."""
        if model.known not in divided:
            apart = [*quasi, *(name for name in model.known if name not in quasi)]
            judged = list(dict.fromkeys(other.needs[0] for other in models if other.known == model.known))
            cells = with_folded(frame, same.difference(model.known))  # who knows a value may know its spelling
            divided[model.known] = (
                compatible_classes(cells, apart, open_cells, judged, persons)
                if open_cells
                else derive_classes(cells, apart, judged, asked, whose)
            )
        return divided[model.known]

    def judged(model: Model) -> Check:
        """A model of each column is judged for each of them, and holds where all do."""
        if not model.by_column:
            return _judge(model, seen_by(model))
        columns = [
            compatible_classes(frame, [name], [name], [], persons)
            if name in open_cells
            else derive_classes(frame, [name], [], whose=whose)
            for name in quasi
        ]
        checks = [_judge(model, found) for found in columns]
        return Check(
            model,
            min((check.level for check in checks), default=0),
            bool(checks) and all(check.holds for check in checks),
            sum(check.failing for check in checks),
        )

    return Verdict(
        tuple(replace(judged(model), reading=reading) for model in models),
        rows=frame.height,
        suppressed=suppressed,
        allowed=allowed,
        strict_k=strict_k,
        faults=tuple(faults),
        notes=notes,
        people=None if persons is None else len(np.unique(persons)),
        classes=classes,
    )


def _notes(
    frame: pl.DataFrame, strict_k: int, *, blanks: bool, wildcards: bool, replaced: Iterable[str], linked: bool
) -> tuple[str, ...]:
    """What a reader of the verdict has to know about how it was reached."""
    notes = []
    if blanks:
        notes.append(
            "Blanked cells count as wildcards. That is weaker than k-anonymity: rows may be told apart by which cells "
            f"of theirs are blank, and where these match only one another, k is {strict_k}."
        )
    elif wildcards:
        notes.append(f"Missing cells count as wildcards; where they match only one another, k is {strict_k}.")
    if any(name in frame.columns for name in replaced):
        notes.append(NOTE)
    if linked:
        notes.append("The release shows which rows belong together: k counts people all of whose rows look the same.")
    return tuple(notes)


class _Whose(NamedTuple):
    """Whose each row is, and the rows that the frame itself shows to belong together."""

    persons: np.ndarray
    links: np.ndarray | None

    @classmethod
    def of(cls, persons: np.ndarray, links: np.ndarray | None) -> _Whose:
        """Links that link nothing are none."""
        return cls(persons, links if links is not None and len(np.unique(links)) < len(links) else None)


def derive_classes(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    with_values: Iterable[str] = (),
    whose: _Whose | None = None,
) -> Classes:
    """The classes of the rows that are equal in every quasi-identifier, missing cells equal to one another.

    The codes of the columns `with_values` stand in the order of their values, and the histograms tell what they are.
    With `whose`, people are counted.
    """
    key = _key_of_rows([_cells(frame, name) for name in quasi], frame.height)
    if whose is not None:
        asked = set(with_values)
        values = {
            name: Values(*(_values(_cells(frame, name), name) if name in asked else _cell_codes(_cells(frame, name))))
            for name in sensitive
        }
        return people_classes(key, whose.persons, values, links=whose.links)
    keys, sizes = _runs(key)
    told = set(with_values)
    return Classes(
        sizes, {name: _histogram(key, keys, _cells(frame, name), name if name in told else None) for name in sensitive}
    )


def _with_people(
    classes: Classes, frame: pl.DataFrame, quasi: Sequence[str], count_people: CountPeople, *, in_order: bool
) -> Classes:
    """The classes with the people whom the cells of each cover. Compatible classes stand in order of appearance."""
    key = _key_of_rows([_cells(frame, name) for name in quasi], frame.height)
    firsts = pl.DataFrame({"key": key}).with_row_index("row").group_by("key").agg(pl.col("row").min())
    rows = firsts.sort("row" if in_order else "key")["row"].to_numpy()
    counted = count_people(frame)
    return replace(
        classes,
        people={name: of_row[rows] for name, (of_row, _) in counted.items()},
        beyond={name: beyond for name, (_, beyond) in counted.items()},
    )


def suppressed_cells(frame: pl.DataFrame, quasi: Sequence[str]) -> float:
    """The share of quasi-identifier cells that are `*`."""
    starred = 0
    for name in quasi:
        cells = frame[name]
        if is_text(cells.dtype) and _knows(cells, ANYTHING):
            starred += int((cells == ANYTHING).sum())
    return starred / max(frame.height * len(quasi), 1)


def _without_stars(frame: pl.DataFrame, quasi: Sequence[str]) -> pl.DataFrame:
    """The frame with nothing in place of every `*` among the quasi-identifiers."""
    columns = []
    for name in frame.columns:
        cells = frame[name]
        if name in quasi and is_text(cells.dtype) and _knows(cells, ANYTHING):
            text = _cells(frame, name).cast(pl.String)
            cells = text.set(text == ANYTHING, None).alias(name)
        columns.append(cells)
    return pl.DataFrame(columns)


def blank_rows(frame: pl.DataFrame, quasi: Sequence[str]) -> np.ndarray:
    """Rows that say nothing: `*` in every quasi-identifier (numbers: nothing), nothing in every other column."""
    blank = np.ones(frame.height, dtype=bool)
    for name in frame.columns:
        cells = _cells(frame, name)
        if name in quasi:
            if not is_text(cells.dtype):  # numbers that stayed numbers: nothing is written as nothing
                blank &= cells.is_null().to_numpy()
            else:
                blank &= (cells == ANYTHING).fill_null(False).to_numpy() if _knows(cells, ANYTHING) else False
        else:
            blank &= cells.is_null().to_numpy()
        if not blank.any():
            break
    return blank


def _cells(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column under a harmless name: polars reads `*` and `^…$` as patterns."""
    return frame[name].alias("cells")


def _knows(cells: pl.Series, label: str) -> bool:
    return not isinstance(cells.dtype, pl.Enum) or label in cells.dtype.categories


def _judge(model: Model, classes: Classes) -> Check:
    failing = int((~model.holds(classes)).sum())
    # A frame without a single row discloses nothing, but it is no release either.
    return Check(model, model.level(classes), failing == 0 and len(classes) > 0, failing)


def _check_columns(frame: pl.DataFrame, names: Iterable[str]) -> None:
    schema = frame.schema
    for name in names:
        if name not in schema:
            raise TableError(f"the release has no column {name!r}, which its plan speaks of. Is it the right file?")
        dtype = schema[name]
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Unknown):
            raise TableError(
                f"the release: column {name!r} holds {dtype}, not plain values, so nobody can say which are equal. "
                "Turn it into text."
            )


def _cell_codes(cells: pl.Series) -> tuple[np.ndarray, int]:
    """Integers from 0, equal exactly where cells are equal (missing ones equal each other), and how many there are."""
    if cells.dtype == pl.Null:
        return np.zeros(len(cells), dtype=np.int64), 1
    if isinstance(cells.dtype, pl.Enum):
        categories = cells.dtype.categories
        if categories.n_unique() != len(categories):  # codes stand for strings only while these are unique
            cells = cells.cast(pl.String)
    if cells.dtype == pl.String:
        cells = cells.cast(pl.Categorical(pl.Categories.random("paravent")))
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        physical = cells.to_physical()
    else:
        physical = _ranked(exactly(cells))
    highest = physical.max()
    width = int(str(highest)) + 1 if highest is not None else 0
    if physical.null_count():
        physical = physical.cast(pl.Int64).fill_null(width)
        width += 1
    return physical.to_numpy(), max(width, 1)


def _ranked(cells: pl.Series) -> pl.Series:
    """Integers that are equal where cells are; those of a narrow range by their distance to the lowest."""
    if cells.dtype == pl.Boolean:
        return cells.cast(pl.UInt8)
    if cells.dtype.is_integer() and len(cells) > cells.null_count():
        low, high = int(str(cells.min())), int(str(cells.max()))
        if high - low <= len(cells) and high < 2**62 and low > -(2**62):
            return cells.cast(pl.Int64) - low
    return cells.rank("dense")


def _key_of_rows(columns: Sequence[pl.Series], height: int) -> np.ndarray:
    """One integer a row, equal exactly where all cells are: the codes of the cells in mixed radix."""
    key, span = np.zeros(height, dtype=np.int64), 1
    for cells in columns:
        codes, width = _cell_codes(cells)
        if span * width >= _WIDEST:  # renumber the keys that occur
            key = pl.Series(key).rank("dense").to_numpy().astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key *= width
        np.add(key, codes, out=key, casting="unsafe")
        span *= width
    return key


def _runs(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers, ascending, and how often each occurs."""
    ordered = np.sort(numbers)
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return ordered[first], np.diff(first, append=len(ordered)).astype(np.int64)


def _values(cells: pl.Series, name: str) -> tuple[np.ndarray, int, Domain]:
    """Codes in the order of the values, and the values. A missing cell has the code after the last."""
    if cells.dtype.is_float() and cells.is_nan().any():
        if cells.null_count():
            raise TableError(
                f"the release: column {name!r} holds missing cells and cells that are not a number (NaN), which the "
                "models of its plan cannot tell apart. Write them alike."
            )
        cells = cells.fill_nan(None)
    codes, width = _cell_codes(cells)
    some_row = np.full(width, -1, dtype=np.int64)
    some_row[codes] = np.arange(len(codes))
    values = cells.gather(some_row[some_row >= 0])
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        values = values.cast(pl.String)
    order = values.arg_sort(nulls_last=True).to_numpy()
    rank = np.zeros(width, dtype=np.int64)
    rank[np.flatnonzero(some_row >= 0)[order]] = np.arange(len(order))
    codes = rank[codes]
    present = len(values) - values.null_count()
    kind = Kind.FLOAT if cells.dtype.is_numeric() else Kind.DATE if cells.dtype.is_temporal() else Kind.NOMINAL
    counts = np.bincount(codes, minlength=present)[:present]
    return codes, len(values), Domain(name, kind, values.gather(order[:present]), counts)


def _histogram(key: np.ndarray, keys: np.ndarray, cells: pl.Series, name: str | None = None) -> Histogram:
    domain = None
    if name is None:
        codes, width = _cell_codes(cells)
    else:
        codes, width, domain = _values(cells, name)
    if int(key.max(initial=0)) * width >= _WIDEST:
        key, keys = np.searchsorted(keys, key), np.arange(len(keys))
    pairs, count = _runs(key * width + codes)
    start = np.append(np.searchsorted(pairs, keys * width), len(pairs))
    table = np.bincount(codes, minlength=width)
    return Histogram(start, (pairs % width).astype(np.int32), count, table, domain)
