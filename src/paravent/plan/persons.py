"""Whose each row is: people with several rows are counted once.

A table of visits, sales or measurements holds many rows of one person. k rows of one person hide nobody, so a plan says
which column tells people apart (`person="patient"`), or that every row is another person (`person=None`). Where it
says neither, an identifier that repeats is refused: nothing is guessed.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from paravent.arguments import shown
from paravent.errors import PlanError, TableError, either
from paravent.methods.method import Axis, Recoding, Task
from paravent.methods.trace import Change, LazySteps, Step
from paravent.near import suggest
from paravent.plan.exposed import naming
from paravent.plan.plan import UNSAID, Plan
from paravent.plan.roles import Insensitive
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.model import Model
from paravent.privacy.people import OfPeople
from paravent.table.table import Table
from paravent.table.text import as_text


def check_person(plan: Plan, table: Table) -> None:
    """Raise PlanError when a plan says too little, or what cannot be, about whose the rows are."""
    if plan.person is None:
        return
    if plan.person is not UNSAID:
        assert isinstance(plan.person, str)
        if plan.person not in table.columns:
            raise PlanError(f"person: the table has no column {plan.person!r}. {suggest(plan.person, table.names)}")
        cells = table.frame[plan.person].alias("cells")
        unknown = cells.is_null() | (cells.is_nan() if cells.dtype.is_float() else False)
        if unknown.any():
            row = int(table.rows[int(unknown.arg_max() or 0)]) + 1
            raise PlanError(
                f"person: column {plan.person!r} is missing in {int(unknown.sum())} rows (first: row {row}), so nobody "
                "knows whose they are. Fill it in, or leave these rows out."
            )
        return
    kept = [name for name, role in plan.columns.items() if isinstance(role, Insensitive)]
    for name in (*plan.identifiers, *naming(table, kept)):
        check_repeats(name, table.frame[name].alias("cells"))


def check_repeats(name: str, cells: pl.Series) -> None:
    """Refuse a column that names people where it names one twice and nobody has said what that means."""
    known = cells.drop_nans().drop_nulls() if cells.dtype.is_float() else cells.drop_nulls()
    different = known.n_unique()
    if different < len(known):
        shell = shlex.quote(name)
        raise PlanError(
            f"column {name!r} names people and repeats: {different} values in {len(known)} rows, so somebody may have "
            f"several rows, and k rows need not be k people. Write {either(f'person={name!r}', f'--person {shell}')} "
            f"to count people, or {either('person=None', '--no-person')} to insist that every row is another person"
            + either(".", f" (in a plan: person = {name!r} or person = false).")
        )


def persons_of(frame: pl.DataFrame, name: str) -> np.ndarray:
    """Integers from 0, equal where the cells that name people are equal as text."""
    texts = as_text(frame[name].alias("cells"))
    return texts.rank("dense").fill_null(0).to_numpy().astype(np.int32) - np.int32(1)


def persons_in(table: Table, plan: Plan) -> np.ndarray | None:
    """Whose each row of the table is; None where every row is another person."""
    return persons_of(table.frame, plan.person) if isinstance(plan.person, str) else None


def links_in(frame: pl.DataFrame, plan: Plan) -> np.ndarray | None:
    """For each row of a released frame the group of rows that it shows to belong together; None where it shows none.

    Rows that agree in any linking column belong together, and so do those that a third row links.
    """
    groups: np.ndarray | None = None
    for name in plan.linking:
        if name not in frame.columns:
            continue
        texts = as_text(frame[name].alias("cells"))
        codes = texts.rank("dense").to_numpy().astype(np.float64)
        alone = np.isnan(codes)  # a missing cell links with nothing
        codes[alone] = np.nanmax(codes, initial=0.0) + 1 + np.arange(int(alone.sum()))
        found = codes.astype(np.int64)
        groups = found if groups is None else _joined(groups, found)
    return groups


def _joined(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The finest groups that both kinds of groups fit into."""
    label = np.arange(len(a))
    while True:
        before = label
        for groups in (a, b):
            _, place = np.unique(groups, return_inverse=True)
            place = place.reshape(-1)
            least = np.full(int(place.max(initial=-1)) + 1, len(a))
            np.minimum.at(least, place, label)
            label = least[place]
        if np.array_equal(label, before):
            return label


def checked_persons(given: object, frame: pl.DataFrame) -> np.ndarray:
    """Whose each row of a frame is, from a column of cells given beside it."""
    height = frame.height
    cells = _cells(given[: height + 1] if isinstance(given, range) else given)  # not all of range(10**15)
    if len(cells) != height:
        count = len(cells) if len(cells) < height else f"more than {height}"
        raise TableError(f"persons: {count} are given for {height} rows. Give one for each row.")
    if cells.null_count():
        raise TableError("persons: some are missing. Say whose every row is.")
    return persons_of(cells.to_frame(), "person")


def _cells(given: object) -> pl.Series:
    """What was given as a column of texts, where NaN is missing as it is in the column of a table."""
    try:
        if isinstance(given, bytes | pl.DataFrame):  # polars would take the numbers of the bytes, or whole rows
            raise TypeError
        cells = given if isinstance(given, pl.Series) else pl.Series(given)  # type: ignore[arg-type]
        if cells.dtype.is_nested():
            raise TypeError
        return as_text(cells.fill_nan(None) if cells.dtype.is_float() else cells).alias("person")
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise TableError(
            f"persons: {shown(given)} is not one column of cells. Give a cell for each row, all texts or all numbers."
        ) from None


def of_people(models: Sequence[Model], *, apart: bool) -> tuple[Model, ...]:
    """The models as a method must ask them where people have several rows.

    The rows that any class of such people has go first, since methods know how to look for a size.
    """
    asked = [OfPeople(model, apart) for model in models]
    return (KAnonymity(max((model.least_size for model in asked), default=1)), *asked)


def one_row_each(task: Task) -> np.ndarray | None:
    """A row of each person, where all their rows are the same to the method and the models; else None.

    Then a method can work on people as if each were one row.
    """
    assert task.persons is not None
    first = np.full(int(task.persons.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[task.persons[::-1]] = np.arange(task.n_rows)[::-1]
    for codes in _read_by_row(task):
        if not np.array_equal(codes, codes[first][task.persons]):
            return None
    return first


def constant_quasi(axes: Sequence[Axis], persons: np.ndarray) -> bool:
    """Whether all rows of a person have the same quasi-identifiers: nobody is in two classes then."""
    first = np.zeros(int(persons.max(initial=0)) + 1, dtype=np.int64)
    first[persons] = np.arange(len(persons))
    return all(np.array_equal(axis.codes, axis.codes[first][persons]) for axis in axes)


def _read_by_row(task: Task) -> list[np.ndarray]:
    found = [axis.codes for axis in task.axes]
    found += [axis.unknown for axis in task.axes if axis.unknown is not None]
    return [*found, *task.sensitive.values(), *(target.codes for target in task.targets.values())]


def folded(task: Task, first: np.ndarray, models: Sequence[Model]) -> Task:
    """The task with one row for each person. As many of them may be suppressed as have rows that may be, whoever they
    are."""
    assert task.persons is not None
    most = np.sort(np.bincount(task.persons))[::-1]
    return replace(
        task,
        n_rows=len(first),
        axes=tuple(
            replace(axis, codes=axis.codes[first], unknown=None if axis.unknown is None else axis.unknown[first])
            for axis in task.axes
        ),
        models=tuple(models),
        sensitive={name: codes[first] for name, codes in task.sensitive.items()},
        max_suppressed=int(np.searchsorted(np.cumsum(most), task.max_suppressed, side="right")),
        populations={
            name: replace(population, alike=population.alike[first]) for name, population in task.populations.items()
        },
        targets={name: replace(target, codes=target.codes[first]) for name, target in task.targets.items()},
        persons=None,
    )


def unfolded(recoding: Recoding, persons: np.ndarray) -> Recoding:
    """What a method gave for one row of each person, for all their rows. What it says of costs is about people."""
    steps, people = recoding.steps, int(persons.max(initial=-1)) + 1
    told = (*recoding.trace, counts_people(people, len(persons)))
    moved = LazySteps(lambda: _all_rows(steps, persons)) if len(persons) else ()
    trace = told if people < len(persons) else recoding.trace
    return replace(recoding, of_row=recoding.of_row[persons], steps=moved, trace=trace)


def counts_people(people: int, rows: int) -> str:
    """What a trace says where one row stood for each person."""
    return f"{people} people have {rows} rows: sizes and costs above count each person once."


def _all_rows(steps: Sequence[Step], persons: np.ndarray) -> list[Step]:
    order = np.argsort(persons, kind="stable")
    n_people = int(persons.max(initial=-1)) + 1

    def rows(people: np.ndarray) -> np.ndarray:
        chosen = np.zeros(n_people, dtype=bool)
        chosen[people] = True
        return np.sort(order[chosen[persons[order]]])

    def moved(change: Change) -> Change:
        return change if change.rows is None else replace(change, rows=rows(change.rows))

    return [replace(step, changes=tuple(map(moved, step.changes)), suppressed=rows(step.suppressed)) for step in steps]
