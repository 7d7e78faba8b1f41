"""pv.risk and pv.quasi_identifiers: who could be found in a table, original or released."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import PlanError, TableError, either
from paravent.near import suggest
from paravent.plan.coded_people import coded_people
from paravent.plan.judge import as_frame, check_column, marked_rows, persons_behind, uncounted
from paravent.plan.matching import match_rows
from paravent.plan.plan import Plan
from paravent.plan.population import Population as Register
from paravent.plan.population import axes_of, people_of_cells
from paravent.plan.release import Release
from paravent.plan.roles import Quasi
from paravent.plan.runner import as_plan, as_table
from paravent.plan.treat import Base, base_of
from paravent.plan.verification import wildcards
from paravent.privacy.classes import Classes
from paravent.privacy.grouping import cell_codes, group_rows
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.risk.assessment import Assessment
from paravent.privacy.risk.attackers import THRESHOLDS, Journalist, Risk
from paravent.privacy.risk.hidden_failure import LeftAsTheyWere, hidden_failure
from paravent.privacy.risk.household import HouseholdRisk, household_risk
from paravent.privacy.risk.individual import IndividualRisk, individual_risk
from paravent.privacy.risk.numeric import NumericRisk, numeric_risk
from paravent.privacy.risk.perturbed import numeric_columns
from paravent.privacy.risk.population import Population
from paravent.privacy.risk.subsets import QuasiIdentifiers
from paravent.privacy.risk.subsets import quasi_identifiers as search
from paravent.privacy.risk.suda import suda as search_uniques
from paravent.privacy.risk.uniqueness import population_uniqueness
from paravent.privacy.verify_people import people_classes
from paravent.table.table import Table


def risk(
    released: Any,
    plan: Plan | str | os.PathLike[str] | Sequence[str],
    *,
    population: Any = None,
    weights: str | None = None,
    household: str | None = None,
    suda: int | None = None,
    original: Any = None,
    numbers: Sequence[str] | None = None,
    exact: bool = False,
    thresholds: Sequence[float] = THRESHOLDS,
    person: str | None = None,
    persons: Any = None,
) -> Assessment:
    """The risk of being found in a table, original or released, by the quasi-identifiers of a plan (or of a list).

    `population` is the number of people that the table was drawn from, the share of them in it (a fraction in (0, 1]),
    or a table of all of them. `weights` is a column with survey weights, `household` one that names each row's
    household. `suda` searches for sets of up to so many columns that single somebody out. `original` is the table that
    a release was made from: its perturbed `numbers` (by default all that are numbers in both) are linked back, and
    rows that are left as they were are counted. Missing cells are equal to one another. `person` is a column that says
    whose each row is (as the plan says): people are counted then, not rows, and one with several rows is as exposed as
    the most exposed of these. Where the table lacks that column, `persons` says it, row by row.

    >>> import paravent as pv
    >>> people = pl.DataFrame({"age": [20, 20, 30], "sex": ["f", "f", "m"]})
    >>> found = pv.risk(people, ["age", "sex"], population=300, suda=1)
    >>> found["risk.uniques"], found["risk.population.uniques"] < found["risk.uniques"], found.suda.sets_of(2)
    (0.3333333333333333, True, (('age',), ('sex',)))
    """
    check_call(risk, locals())
    bare = not isinstance(plan, Plan | str | os.PathLike)  # names alone say nothing about rows: they match in order
    plan = _plan_of(plan)
    if person is not None:
        plan = plan.replace(person=person)
    frame = whole = released.frame if isinstance(released, Table) else as_frame(released, plan)
    quasi = tuple(plan.quasi)
    for name in quasi:
        check_column(frame, name)
    whose = _persons(released, frame, plan, persons)
    marked = marked_rows(frame, plan)
    kept = np.arange(frame.height) if marked is None else np.flatnonzero(~marked)
    if marked is not None:
        frame = frame.filter(~marked)
        whose = None if whose is None else whose[kept]
    of_row, _ = group_rows([cell_codes(frame[name]) for name in quasi], frame.height)
    found = Faces.of(of_row, whose)
    sizes, classes = found.classes.sizes, found.classes
    _check_thresholds(thresholds)
    base = released.base if isinstance(released, Release) else None
    people, register = _population(population, plan, found.people, base)
    individual = None
    if weights is not None:
        individual = found.spread(individual_risk(frame[found.row], quasi, weights, exact=exact), whose)
    own = 1 / sizes[of_row] if individual is None else individual.risk
    if household is not None and household not in frame.columns:
        raise TableError(f"household: the table has no column {household!r}. {suggest(household, frame.columns)}")
    beside = _Beside()
    if original is not None:
        source = original if isinstance(original, pl.DataFrame) else as_table(original).frame
        height, rows = _height(marked, frame), None
        if isinstance(released, Release) and released.kept is not None and source.height == len(released.table):
            source, rows = source[released.kept.tolist()], np.arange(height)  # a release knows which rows it kept
        elif source.height == height and not bare:
            rows = match_rows(base_of(as_table(original), plan), whole, plan, marked)
        elif source.height == height:
            rows = np.arange(height)
        beside = _compare(source, frame, numbers, None if rows is None else rows[kept], apart=(weights, household))
    elif numbers is not None:
        raise PlanError(
            "numbers are compared with an original. Give it with " + either("original=….", "--original FILE.")
        )
    return Assessment(
        quasi,
        Risk.of_classes(classes, thresholds),
        sizes[of_row],
        journalist=None if register is None else _journalist(register, plan, frame, sizes[of_row]),
        population=None if people is None else population_uniqueness(sizes, people),
        individual=individual,
        household=None if household is None else _household(own, frame[household], whose),
        suda=None
        if suda is None
        else search_uniques(
            frame, quasi, max_size=suda, fraction=None if people is None else people.fraction, persons=whose
        ),
        numeric=beside.numeric,
        hidden_failure=beside.failure,
        notes=(*_wildcard_note(frame, plan), *beside.notes),
        counted="rows" if whose is None else "people",
    )


@dataclass(frozen=True, eq=False)
class Faces:
    """The rows of a table as somebody sees them who looks for people: everybody once in each class they are in.

    `row[i]` is a row of face i, `of_row[j]` the face of row j, `people` how many there are.
    """

    classes: Classes
    row: np.ndarray
    of_row: np.ndarray
    people: int

    @classmethod
    def of(cls, of_row: np.ndarray, persons: np.ndarray | None) -> Faces:
        if persons is None:
            everybody = np.arange(len(of_row))
            return cls(Classes(np.bincount(of_row), {}), everybody, everybody, len(of_row))
        _, row, face = np.unique(np.stack([of_row, persons]), axis=1, return_index=True, return_inverse=True)
        return cls(people_classes(of_row, persons, {}), row, face.reshape(-1), len(np.unique(persons)))

    def spread(self, found: IndividualRisk, persons: np.ndarray | None) -> IndividualRisk:
        """What was found for each face, for each row."""
        return replace(
            found,
            risk=found.risk[self.of_row],
            class_size=found.class_size[self.of_row],
            population_size=found.population_size[self.of_row],
            persons=persons,
        )


def _persons(released: Any, frame: pl.DataFrame, plan: Plan, persons: Any) -> np.ndarray | None:
    whose = persons_behind(released, frame, plan, persons)
    if whose is None and isinstance(plan.person, str):
        raise TableError(f"{uncounted(plan.person)}.")
    return whose


def _household(own: np.ndarray, homes: pl.Series, persons: np.ndarray | None) -> HouseholdRisk:
    """The risk of each row's household; somebody with several rows in it counts once, with their highest risk."""
    if persons is None:
        return household_risk(own, homes)
    codes = cell_codes(homes)
    _, first, of_row = np.unique(np.stack([codes, persons]), axis=1, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1)
    highest = np.zeros(len(first))
    np.maximum.at(highest, of_row, own)
    found = household_risk(highest, homes[first])
    return replace(found, risk=found.risk[of_row], persons=persons)


def quasi_identifiers(source: Any, columns: Sequence[str] | None = None, *, max_size: int = 3) -> QuasiIdentifiers:
    """Which sets of up to `max_size` columns single out how many people.

    >>> import paravent as pv
    >>> found = pv.quasi_identifiers(pl.DataFrame({"zip": [1, 1, 2, 2], "sex": ["m", "f", "f", "m"]}))
    >>> [subset.columns for subset in found.minimal]
    [('zip', 'sex')]
    """
    check_call(quasi_identifiers, locals())
    frame = source if isinstance(source, pl.DataFrame) else as_table(source).frame
    return search(frame, columns, max_size=max_size)


def _plan_of(plan: Plan | str | os.PathLike[str] | Sequence[str]) -> Plan:
    if isinstance(plan, Plan | str | os.PathLike):
        return as_plan(plan)
    names = list(plan)
    if not names:
        raise PlanError("no quasi-identifier is named. Name the columns that others may know about a person.")
    return Plan({name: Quasi() for name in names}, KAnonymity(1))


def _population(given: Any, plan: Plan, people: int, base: Base | None) -> tuple[Population | None, Register | None]:
    """How many people there are, and all of them where a table was given."""
    if given is None:
        return None, None
    if isinstance(given, int | float):
        return Population.of(given, rows=people), None
    table = coded_people(given if isinstance(given, Table) else as_table(given), plan, base, "population")
    register = Register.of(table, plan, name="given", count=None)
    if register.total < people:
        raise TableError(
            f"population: the table of all people has {register.total} rows, fewer than the {people} that were "
            "drawn from it. Give everybody."
        )
    return Population(float(register.total), people), register


@dataclass(frozen=True)
class _Beside:
    """What a comparison with the original shows."""

    numeric: NumericRisk | None = None
    failure: LeftAsTheyWere | None = None
    notes: tuple[str, ...] = ()


def _compare(
    source: pl.DataFrame,
    frame: pl.DataFrame,
    numbers: Sequence[str] | None,
    rows: np.ndarray | None,
    *,
    apart: tuple[str | None, ...],
) -> _Beside:
    """`rows` are those of the original that the rows of `frame` come from; None when nobody knows."""
    failure = hidden_failure(source, frame)
    columns = list(numbers or [name for name in numeric_columns(source, frame) if name not in apart])
    if rows is not None:
        return _Beside(numeric_risk(source[rows.tolist()], frame, columns) if columns else None, failure)
    if numbers is not None:
        raise TableError(
            "numbers: they are compared one by one, but rows were left out or stand in another order than those of the "
            "original. Give a Release, or a table without dropped rows and a plan with order='source'."
        )
    note = (
        "Rows were left out or stand in another order, so perturbed numbers cannot be compared with the original row "
        "by row."
    )
    return _Beside(None, failure, (note,) if columns else ())


def _journalist(register: Register, plan: Plan, frame: pl.DataFrame, rows: np.ndarray) -> Journalist:
    people, _ = people_of_cells(axes_of(register, plan), register, frame)
    short = people < rows
    if short.any():
        raise TableError(
            f"population: for {int(short.sum())} rows (first: row {int(short.argmax()) + 1}) it has fewer people than "
            "the table itself. It must be the population that the table was drawn from."
        )
    return Journalist(people)


def _wildcard_note(frame: pl.DataFrame, plan: Plan) -> tuple[str, ...]:
    names = [name for name in wildcards(plan) if frame[name].null_count()]
    if not names:
        return ()
    return (
        f"Missing cells of {', '.join(map(repr, names))} are equal to one another here; the plan lets them be "
        "anything, which would hide people better.",
    )


def _height(marked: np.ndarray | None, frame: pl.DataFrame) -> int:
    """The rows of the release with those that stand for suppressed ones."""
    return frame.height if marked is None else len(marked)


def _check_thresholds(thresholds: Sequence[float]) -> None:
    for limit in thresholds:
        if not 0 <= limit < 1:
            raise PlanError(f"thresholds: {limit!r} is no risk. Give chances from 0 up to (not with) 1.")
