"""Looking at any frame with the eyes of a plan: verify, measure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from paravent.arguments import check_call
from paravent.errors import TableError
from paravent.near import suggest
from paravent.plan.encode import encode_original
from paravent.plan.file import resolved
from paravent.plan.matching import match_rows
from paravent.plan.persons import checked_persons, links_in, persons_in, persons_of
from paravent.plan.plan import Plan
from paravent.plan.population import axes_of, people_of_cells, populations_of
from paravent.plan.release import Release, evidence_in
from paravent.plan.replayed import replayed
from paravent.plan.runner import as_plan, as_table
from paravent.plan.short_form import ShortForm
from paravent.plan.subject import subject_of
from paravent.plan.treat import base_of
from paravent.plan.verification import quasi_in, wildcards
from paravent.plan.write import lying_beside
from paravent.privacy.promise import Entry, Evidence, Limit
from paravent.privacy.verdict import Verdict
from paravent.privacy.verify import blank_rows, verify_frame
from paravent.private.transcript import Transcript
from paravent.table.formulas import unguarded
from paravent.table.released import as_it_stands

if TYPE_CHECKING:
    from paravent.measures import Measures


def as_frame(released: Any, plan: Plan) -> pl.DataFrame:
    """A released table from wherever it is, its cells as they stand: `1`, `01` and `1.0` are different."""
    return released.frame if isinstance(released, Release) else as_it_stands(released, as_written(plan))


def as_written(plan: Plan) -> list[str]:
    """The columns of a release that are text wherever the file is: labels and pseudonyms."""
    return [*plan.quasi, *(name for name, digits in plan.replaced.items() if digits is not None)]


def beside_of(released: Any, plan: Plan, given: Mapping[str, Any] | None = None) -> Mapping[str, pl.DataFrame]:
    """The further tables of a release that its method says classes show in: those given, those of a Release, or those
    that were written with the first."""
    if given is None and isinstance(released, Release):
        return released.beside
    derivation, found = plan.method.derivation, {}
    for name in () if derivation is None else derivation.tables:
        where = (given or {}).get(name)
        if where is None and given is None and isinstance(released, str | os.PathLike):
            where = lying_beside(released, name)
        if where is not None:
            found[name] = as_it_stands(where, as_written(plan))
    return found


def before_writing(released: Any, plan: Plan) -> pl.DataFrame:
    """A released table as it was before it was written: a file may hold apostrophes that guard against formulas. They
    change no class, and are of no interest to whoever looks at values."""
    frame = as_frame(released, plan)
    return unguarded(frame) if isinstance(released, str | os.PathLike) else frame


def check_column(frame: pl.DataFrame, name: str) -> None:
    if name not in frame.columns:
        raise TableError(
            f"the table has no column {name!r}, which the plan calls a quasi-identifier. {suggest(name, frame.columns)}"
        )


def verify(
    released: Any,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    populations: Mapping[str, Any] | None = None,
    persons: Any = None,
    beside: Mapping[str, Any] | None = None,
    transcript: Transcript | str | os.PathLike[str] | None = None,
    **wished: Unpack[ShortForm],
) -> Verdict:
    """Whether a finished table keeps what a plan promises, whoever made it.

    With `suppressed="mark"` blank rows count as suppressed ones, and so does a row of a class of `*` that was empty in
    the original: the two look the same. How many rows were dropped cannot be seen in a frame.
    `populations` holds tables of people by the names that models of the plan give them, where these are not files.
    In the place of a plan, columns and models can be named as in `anonymize`.
    `persons` says whose each row is, where the plan counts people and the table lacks the column that tells.
    `beside` holds the further tables of a release by name, where its method publishes several (`pv.methods.Anatomy`)
    and they are not files beside the first.
    `transcript` is that of a synthetic release, or its file: what was spent is worked out from it, and its rows are
    drawn again and compared.

    >>> import paravent as pv
    >>> plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)])
    >>> released = pl.DataFrame({"age": ["*", "*", "*"], "disease": ["flu", "cold", "flu"]})
    >>> bool(verify(released, plan)), bool(verify(released, quasi=["age"], k=4))
    (True, False)
    """
    check_call(verify, locals())
    plan = as_plan(plan, wished)
    frame = as_frame(released, plan)
    whose = persons_behind(released, frame, plan, persons)
    unknown = whose is None and isinstance(plan.person, str)
    unknown = unknown and not plan.method.is_mechanism()
    faults = (uncounted(str(plan.person)),) if unknown else ()
    account: Sequence[Entry] | None = None
    if transcript is None and isinstance(released, Release):
        transcript, account = released.transcript, released.account or None
    if transcript is not None:
        told = transcript if isinstance(transcript, Transcript) else Transcript.load(transcript)
        account, more = replayed(told, frame)
        faults = (*faults, *more)
    limited = isinstance(released, Release) and any(isinstance(promise, Limit) for promise in plan.protect)
    return judge(
        frame,
        plan,
        populations,
        whose,
        links_in(frame, plan),
        faults,
        beside_of(released, plan, beside),
        account,
        evidence_in(released) if limited else None,
    )


def judge(
    frame: pl.DataFrame,
    plan: Plan,
    populations: Mapping[str, Any] | None = None,
    persons: np.ndarray | None = None,
    links: np.ndarray | None = None,
    faults: Sequence[str] = (),
    beside: Mapping[str, pl.DataFrame] | None = None,
    account: Sequence[Entry] | None = None,
    evidence: Evidence | None = None,
) -> Verdict:
    """The verdict on a frame whose rows are known to be those of `persons`; see `verify_frame`."""
    for name in plan.quasi if plan.method.derivation is None else ():
        check_column(frame, name)
    marked = marked_rows(frame, plan)
    people = populations_of(plan, populations)

    def count_people(rows: pl.DataFrame) -> dict[str, tuple[np.ndarray, int]]:
        return {name: people_of_cells(axes_of(found, plan), found, rows) for name, found in people.items()}

    return verify_frame(
        frame,
        quasi_in(frame, plan),
        resolved(plan).protect,
        wildcard=wildcards(plan),
        marked=marked,
        allowed=plan.allowed(frame.height) if marked is not None else None,
        cells=plan.cell_suppression,
        blanks=plan.method.wildcards,
        absent=plan.left_out,
        alike=plan.alike,
        replaced=plan.replaced,
        count_people=count_people if people else None,
        persons=persons,
        links=links,
        faults=faults,
        derivation=plan.method.derivation,
        beside=beside,
        evidence=evidence,
        account=account,
    )


def persons_behind(released: Any, frame: pl.DataFrame, plan: Plan, persons: Any = None) -> np.ndarray | None:
    """Whose each row of a released frame is: as a Release knows, as it is said, or as the frame shows; else None."""
    if persons is not None:
        return checked_persons(persons, frame)
    if isinstance(released, Release) and released.plan.person == plan.person:
        return released.persons
    if isinstance(plan.person, str) and plan.person in frame.columns:
        return persons_of(frame, plan.person)
    return None


def uncounted(person: str) -> str:
    return (
        f"the plan counts people by {person!r}, which the table does not have: its rows can be counted, people cannot "
        "(say whose each row is: persons=… in Python, --persons FILE on the command line)"
    )


def marked_rows(frame: pl.DataFrame, plan: Plan) -> np.ndarray | None:
    """Which rows stand for suppressed ones; None where the plan marks none.

    In a frame of quasi-identifiers alone a class of `*` looks just like suppressed rows: more of them than may be
    suppressed are such a class.
    """
    if plan.suppressed != "mark":
        return None
    blank = blank_rows(frame, list(plan.quasi))
    nothing_else = all(name in plan.quasi for name in frame.columns)
    if nothing_else and int(blank.sum()) > plan.allowed(frame.height):
        return np.zeros(frame.height, dtype=bool)
    return blank


def measure(source: Any, released: Any, plan: Plan | str | os.PathLike[str], *more: str, **study: Any) -> Measures:
    """Measure a released table against its original.

    Rows are matched where none is left out: a plan with `order="source"` says how, a shuffle is made again, and cells
    that contradict the match undo it. What needs a match that nobody knows is not measured.
    Families of measures that take longer run when they are named, as in `Release.measure`.
    """
    check_call(measure, locals())
    from paravent.utility.family import study_of
    from paravent.utility.measure import measure as measure_subject

    if isinstance(released, Release):
        return released.measure(*more, **study)
    plan, table = as_plan(plan), as_table(source)
    plan.check(table)
    frame = before_writing(released, plan)
    base = base_of(table, plan)
    marked, axes = marked_rows(frame, plan), encode_original(base, plan)
    kept = match_rows(base, frame, plan, marked, axes)
    whose = persons_behind(released, frame, plan)
    if whose is None and kept is not None:
        persons = persons_in(table, plan)
        whose = None if persons is None else persons[kept]
    beside = beside_of(released, plan)
    verdict = verify(frame, plan, persons=whose, beside=beside)
    subject = subject_of(base, frame, plan, verdict, kept=kept, marked=marked, axes=axes, persons=whose, beside=beside)
    return measure_subject(subject, *more, study=study_of(study))
