"""One grammar: whoever reads a released cell takes it to cover the same values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import ParaventError, UnsafeReleaseError
from paravent.hierarchy.axis import Axis
from paravent.hierarchy.cells import CellReader, Form
from paravent.plan.attack import scene_of
from paravent.plan.encode import encode
from paravent.privacy.attacks.covering import Covering
from paravent.published.coverage import check_coverage
from paravent.table.text import as_text
from paravent.utility.reading import Reading

REFUSED = "refused"

JOBS = pv.groups({"care": ["nurse", "vet"], "law": ["clerk", "judge"]})
COLUMNS: dict[str, tuple[list[Any], pv.Quasi]] = {
    "age": ([17, 20, 24, 38, 45, 60], pv.Quasi()),
    "aged": ([17, 20, 24, 38, 45, 60], pv.Quasi(pv.intervals(10, 20))),
    "pay": ([0.5, 1.0, 2.25, 1000.0], pv.Quasi()),
    "zip": (["13053", "13068", "14850", "130"], pv.Quasi()),
    "code": (["13053", "13068", "14850", "130"], pv.Quasi(pv.prefixes())),
    "job": (["nurse", "vet", "clerk", "judge"], pv.Quasi(JOBS)),
    "word": (["a", "b, c", "x~y", "00-950"], pv.Quasi()),
    "school": (["9th", "10th", "11th", "12th"], pv.Quasi()),
    "grade": (["9th", "10th", "11th", "12th"], pv.Quasi()),
    "day": ([dt.date(2020, 1, 1), dt.date(2020, 1, 31), dt.date(2020, 2, 1), dt.date(2021, 5, 5)], pv.Quasi()),
    "month": ([dt.date(2020, 1, 1), dt.date(2020, 1, 31), dt.date(2020, 2, 1)], pv.Quasi(pv.dates("month", "year"))),
    "moment": ([dt.datetime(2020, 1, 1, 5), dt.datetime(2020, 1, 1, 6), dt.datetime(2020, 1, 2)], pv.Quasi()),
    "hour": ([dt.time(0, 30), dt.time(6), dt.time(23, 59, 59)], pv.Quasi()),
}
EVERY = "every value"

# Each form with a label for it, and what it covers: texts of values, all of them, or nobody can say.
FORMS: list[tuple[str, str, Any]] = [
    ("age", "20", ["20"]),
    ("age", "20.0", ["20"]),
    ("age", "*", EVERY),
    ("age", "[17, 24]", ["17", "20", "24"]),
    ("age", "[17, 24[", ["17", "20"]),
    ("age", "]17, 24]", ["20", "24"]),
    ("age", "]17, 24[", ["20"]),
    ("age", "[17, 24)", ["17", "20"]),
    ("age", "(17, 24]", ["20", "24"]),
    ("age", "[17; 24]", ["17", "20", "24"]),
    ("age", "[17:24]", ["17", "20", "24"]),
    ("age", "[30, 40[", ["38"]),
    ("age", "[30, 40]", ["38"]),
    ("age", "17-24", ["17", "20", "24"]),
    ("age", "17 – 24", ["17", "20", "24"]),
    ("age", "17..24", ["17", "20", "24"]),
    ("age", "17~24", ["17", "20", "24"]),
    ("age", "15~23", ["17", "20"]),
    ("age", "≤ 20", ["17", "20"]),
    ("age", "<= 20", ["17", "20"]),
    ("age", "< 20", ["17"]),
    ("age", "> 38", ["45", "60"]),
    ("age", "≥ 38", ["38", "45", "60"]),
    ("age", ">= 38", ["38", "45", "60"]),
    ("age", "{17, 38}", ["17", "38"]),
    ("age", "[24, 17]", REFUSED),
    ("age", "young", REFUSED),
    ("age", "[17, 24", REFUSED),
    ("age", "[2020-01-01, 2020-02-01]", REFUSED),
    ("aged", "[20, 30[", ["20", "24"]),
    ("aged", "[20, 40[", ["20", "24", "38"]),
    ("aged", "17-24", ["17", "20", "24"]),
    ("aged", "> 38", ["45", "60"]),
    ("pay", "[0.5, 2.25[", ["0.5", "1.0"]),
    ("pay", "1", ["1.0"]),
    ("pay", "> 1e2", ["1000.0"]),
    ("pay", "0.5-1", ["0.5", "1.0"]),
    ("code", "130**", ["130", "13053", "13068"]),
    ("code", "1****", EVERY),
    ("code", "{13053, 14850}", ["13053", "14850"]),
    ("job", "care", ["nurse", "vet"]),
    ("job", "nurse", ["nurse"]),
    ("job", "{clerk, vet}", ["clerk", "vet"]),
    ("job", "nurse~clerk", ["nurse", "vet", "clerk"]),
    ("job", "clerk~nurse", REFUSED),
    ("job", "sailors", REFUSED),
    ("word", '{a, "b, c"}', ["a", "b, c"]),
    ("word", '{a, "x~y"}', ["a", "x~y"]),
    ("word", "00-950", ["00-950"]),
    ("word", "{a", REFUSED),
    ("day", "2020-01-31", ["2020-01-31"]),
    ("day", "[2020-01-01, 2020-01-31]", ["2020-01-01", "2020-01-31"]),
    ("day", "[2020-01-01, 2020-01-31[", ["2020-01-01"]),
    ("day", "2020-01-15~2020-12-31", ["2020-01-31", "2020-02-01"]),
    ("day", "2020-01-15..2020-12-31", ["2020-01-31", "2020-02-01"]),
    ("day", "< 2020-02-01", ["2020-01-01", "2020-01-31"]),
    ("day", "[20, 30]", REFUSED),
    ("month", "2020-01", ["2020-01-01", "2020-01-31"]),
    ("month", "2020", EVERY),
    ("month", "≥ 2020-01-31", ["2020-01-31", "2020-02-01"]),
    ("moment", "[2020-01-01 05:00:00, 2020-01-01 06:00:00[", ["2020-01-01 05:00:00.000000"]),
    ("moment", "≥ 2020-01-01T06:00:00", ["2020-01-01 06:00:00.000000", "2020-01-02 00:00:00.000000"]),
    ("hour", "[06:00:00, 24:00:00[", ["06:00:00", "23:59:59"]),
    ("hour", "< 06:00:00", ["00:30:00"]),
]


SCALE = ["9th", "10th", "11th", "12th", "13th"]
KINDS: dict[str, Any] = {"school": SCALE[:-1], "grade": SCALE, "zip": "nominal", "code": "nominal"}


def table_of(column: str, **more: list[int]) -> pv.Table:
    kinds = {column: KINDS[column]} if column in KINDS else None
    return pv.read(pl.DataFrame({column: COLUMNS[column][0], **more}), kinds=kinds)


def plan_of(column: str, *protect: Any) -> pv.Plan:
    return pv.Plan({column: COLUMNS[column][1]}, list(protect) or [pv.KAnonymity(1)])


def axis_of(column: str) -> Axis:
    return encode(table_of(column), plan_of(column))[0]


def texts_of(column: str) -> list[str]:
    return as_text(table_of(column).frame[column]).to_list()


def measured(column: str, label: str) -> Any:
    axis = axis_of(column)
    reading = Reading.of(axis, pl.DataFrame({column: [label]}))
    return [] if reading.moved[0] else [axis.values[rank] for rank in reading.covers[0]]


def _attacked(column: str, label: str, **known: Any) -> Any:
    people = table_of(column).frame
    scene = scene_of(pl.DataFrame({column: [label]}), plan_of(column), **known)
    covering = Covering.of(scene.released[column], people[column], scene.languages[column])
    covered = covering.covered(int(covering.labels[0]))
    return [text for text, value in zip(texts_of(column), covering.values.tolist(), strict=True) if covered[value]]


def attacked_with_the_original(column: str, label: str) -> Any:
    return _attacked(column, label, original=table_of(column))


def attacked_with_people(column: str, label: str) -> Any:
    return _attacked(column, label, against=table_of(column))


def verified(column: str, label: str) -> Any:
    """The values that may stand behind a cell without the verifier refusing the release."""
    axis, found = axis_of(column), []
    for rank, value in enumerate(axis.values):
        row = np.flatnonzero(axis.codes == rank)[:1]
        try:
            check_coverage(axis, pl.Series(column, [label]), row, np.zeros(1, dtype=bool))
        except UnsafeReleaseError as error:
            if "says nothing" in str(error):
                raise
            continue
        found.append(value)
    return found


def counted_in_a_population(column: str, label: str) -> Any:
    """The people of whom k-map counts one."""
    found, texts = [], texts_of(column)
    plan = plan_of(column, pv.KMap(1, population="all", count="n"))
    for i, text in enumerate(texts):
        people = table_of(column, n=[int(i == j) for j in range(len(texts))])
        verdict = pv.verify(pl.DataFrame({column: [label]}), plan, populations={"all": people})
        if verdict.levels["privacy.k_map"]:
            found.append(text)
    return found


USERS: list[Callable[[str, str], Any]] = [
    measured,
    attacked_with_the_original,
    attacked_with_people,
    verified,
    counted_in_a_population,
]

GUARANTEES = {"verified", "counted_in_a_population"}
BY_THE_ORIGINAL = {"measured", *GUARANTEES}
ATTACKS = {"attacked_with_the_original", "attacked_with_people"}

# Where some have a meaning of their own, as the page of labels says: the form, who refuses it, what others read.
OWN: list[tuple[str, str, set[str], Any]] = [
    ("zip", "130**", GUARANTEES, ["130", "13053", "13068"]),  # no tree says what the stars stand for
    ("zip", "***50", GUARANTEES, ["14850"]),
    ("age", "", GUARANTEES, EVERY),  # it may be a value that the column lacks
    ("age", "22.5", GUARANTEES, []),  # an average: it lies among values and is none
    ("age", "{17, 99}", BY_THE_ORIGINAL, ["17"]),  # people may be others than those of the original
    ("aged", "22.5", GUARANTEES | ATTACKS, []),  # in a generalized column it might be a group that nobody knows
    ("age", "[30, 35]", set(), []),  # read, and nobody is there
    ("grade", "13th", GUARANTEES, []),  # a category that no row has
    ("word", "zebra", BY_THE_ORIGINAL, []),  # a word that nobody has
    ("school", "10th~12th", {"attacked_with_people"}, ["10th", "11th", "12th"]),  # only the original tells the order
]


def outcome(user: Callable[[str, str], Any], column: str, label: str) -> Any:
    try:
        return sorted(user(column, label))
    except ParaventError:
        return REFUSED


@pytest.mark.parametrize("user", USERS, ids=lambda user: user.__name__)
@pytest.mark.parametrize(("column", "label", "expected"), FORMS, ids=lambda part: part if isinstance(part, str) else "")
def test_every_form_is_read_the_same_way_by_everybody(
    column: str, label: str, expected: Any, user: Callable[[str, str], Any]
) -> None:
    held_to(user, column, label, expected)


@pytest.mark.parametrize("user", USERS, ids=lambda user: user.__name__)
@pytest.mark.parametrize(
    ("column", "label", "refusing", "expected"), OWN, ids=lambda part: part if isinstance(part, str) else ""
)
def test_who_refuses_what_others_read(
    column: str, label: str, refusing: set[str], expected: Any, user: Callable[[str, str], Any]
) -> None:
    held_to(user, column, label, REFUSED if user.__name__ in refusing else expected)


def held_to(user: Callable[[str, str], Any], column: str, label: str, expected: Any) -> None:
    if expected == EVERY:
        expected = texts_of(column)
    assert outcome(user, column, label) == (expected if expected == REFUSED else sorted(expected))


def test_every_form_is_here() -> None:
    cells = [CellReader.of(axis_of(column)).read(label) for column, label, *_ in [*FORMS, *OWN]]
    assert {cell.form for cell in cells if cell is not None} == set(Form) - {Form.UNREAD}


@pytest.mark.parametrize("column", COLUMNS)
def test_the_verifier_takes_cells_that_mean_the_same_for_different_ones(column: str) -> None:
    """Whoever holds the file can tell them apart: every way of writing is a class of its own."""
    labels = [label for name, label, *_ in [*FORMS, *OWN] if name == column and label]
    frame = pl.DataFrame({column: [label for label in labels for _ in range(3)]})
    verdict = pv.verify(frame, plan_of(column, pv.KAnonymity(3)))
    assert verdict.holds
    assert verdict.levels["privacy.k"] == 3
    assert len(verdict.classes.sizes) == len(labels)
