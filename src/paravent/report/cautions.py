"""Cautions: what a careful colleague would say about a release, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from paravent.plan.plan import Plan
from paravent.plan.roles import WILDCARD, Identifier, Sensitive
from paravent.privacy.grouping import class_sizes
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.risk import Risk
from paravent.report.words import counted, listed
from paravent.utility.measures import Measures, as_percent
from paravent.utility.subject import Subject


@dataclass(frozen=True)
class Caution:
    """`serious` ones can undo the protection or the use of the release; the others are good to know."""

    title: str
    text: str
    serious: bool = False


@dataclass(frozen=True, eq=False)
class Case:
    """What the cautions look at. `missing` counts the missing values of each original column."""

    plan: Plan
    subject: Subject
    measures: Measures
    missing: dict[str, int]

    @property
    def frame(self) -> pl.DataFrame:
        """The release without the marks of suppressed rows."""
        marks = self.subject.placeholder
        return self.subject.released.filter(~marks) if marks.any() else self.subject.released


def cautions(case: Case) -> list[Caution]:
    """All that apply, the serious ones first."""
    found = [caution for check in _CHECKS for caution in check(case)]
    return sorted(found, key=lambda caution: not caution.serious)


def _nothing_left(case: Case) -> Iterator[Caution]:
    if not len(case.subject.classes):
        yield Caution("The release is empty", "Every row was suppressed. Allow coarser labels or ask for less.", True)


def _small_groups(case: Case) -> Iterator[Caution]:
    k = case.subject.k
    if k is None and len(case.subject.classes):
        smallest = int(case.subject.classes.sizes.min())
        yield Caution(
            "No k was asked for",
            f"The plan does not say how many rows must look alike. The smallest group has {counted(smallest, 'row')}.",
            smallest < 3,
        )
    elif k is not None and k < 5:
        yield Caution(
            f"k = {k} is low",
            f"A guess among {k} rows is right once in {k} times. Groups of 5 or more are usual among people who are "
            "bound by contract, groups of 10 or more for a table that anybody can get.",
            k < 3,
        )


def _given_away(case: Case) -> Iterator[Caution]:
    for name in case.subject.classes.histograms:
        share = case.measures.get(f"risk.attribute.disclosed.{name}", 0.0)
        belief = case.measures.get(f"risk.attribute.belief.{name}", 0.0)
        if share > 0:
            yield Caution(
                f"“{name}” is given away for {as_percent(share)} of the rows",
                f"In some groups everybody has the same “{name}”. Who knows that a person is in such a group knows "
                f"their “{name}” without finding their row. Ask for l-diversity of “{name}” to prevent it.",
                True,
            )
        elif belief >= 0.9:
            yield Caution(
                f"“{name}” can be guessed with {as_percent(belief)} confidence",
                f"In at least one group nearly everybody has the same “{name}”.",
            )


def _unguarded(case: Case) -> Iterator[Caution]:
    if not case.plan.sensitive:
        yield Caution(
            "No column is called sensitive",
            "The release hides who a row belongs to. Whether it gives away something about people was not looked at, "
            "because no column was named whose values nobody should learn.",
        )
    guarded = {name for model in case.plan.protect for name in model.guards}
    bare = [name for name in case.plan.sensitive if name not in guarded]
    if bare:
        yield Caution(
            f"No model guards {_quoted(bare)}",
            "Groups were made large enough, but nothing makes them mixed: one sensitive value may dominate a group. "
            "Compare the table of sensitive columns below.",
        )


def _other_columns(case: Case) -> Iterator[Caution]:
    """Columns that nobody called quasi-identifying can still single people out, alone or beside the others."""
    frame, plan = case.frame, case.plan
    if frame.height < 2:
        return
    hidden = (Sensitive, Identifier)
    others = [name for name in frame.columns if name not in plan.quasi and not isinstance(plan.role(name), hidden)]
    for name in list(others):
        distinct = frame[name].n_unique()
        if distinct > max(2, frame.height / 2):
            others.remove(name)
            yield Caution(
                f"“{name}” can identify people by itself",
                f"It is released as it is: {counted(distinct, 'different value')} in {counted(frame.height, 'row')}. "
                "If anybody else holds these values, drop it or make it a quasi-identifier.",
                True,
            )
    if others:
        known = Risk.of_sizes(class_sizes(frame, [*(name for name in plan.quasi if name in frame.columns), *others]))
        if known.uniques > 0:
            yield Caution(
                f"Who also knows {_quoted(others)} can single out {as_percent(known.uniques)} of the rows",
                "These columns were called insensitive and are released as they are. The promise above is about people "
                "who know the quasi-identifiers alone. If outsiders may know these columns too, make them "
                "quasi-identifiers.",
                known.uniques >= 0.05,
            )


def _blank_columns(case: Case) -> Iterator[Caution]:
    for reading in case.subject.readings:
        name = reading.axis.name
        loss = case.measures[f"utility.loss.{name}"]
        kept = (~case.subject.placeholder).sum()
        everywhere = kept > 0 and bool(
            (reading.n_covered[reading.codes[~case.subject.placeholder]] == len(reading.axis)).all()
        )
        if everywhere and len(reading.axis) > 1:
            yield Caution(
                f"“{name}” says nothing any more",
                "Every row shows the widest label. Leave the column out, which lets the others keep more detail, or "
                "give it a finer tree or a greater weight.",
            )
        elif loss >= 0.75:
            yield Caution(
                f"“{name}” lost {as_percent(loss)} of its detail",
                "Little can be learned from it. Give it a greater weight if it matters, or leave it out.",
            )


def _high_loss(case: Case) -> Iterator[Caution]:
    loss = case.measures["utility.gcp"]
    if loss >= 0.5:
        yield Caution(
            f"{as_percent(loss)} of all detail is gone",
            "Conclusions drawn from this release will be coarse. Fewer quasi-identifiers, a smaller k, finer trees or "
            "some suppression may give a better table for the same protection.",
            loss >= 0.8,
        )


def _suppression(case: Case) -> Iterator[Caution]:
    share = 1 - case.measures.get("utility.completeness", 1.0)
    if share > 0.05 and len(case.subject.classes):
        yield Caution(
            f"{as_percent(share)} of the rows are missing from the release",
            "Suppressed rows are those of unusual people. Counts and averages lean towards the usual ones.",
            share > 0.2,
        )


def _missing_as_wildcard(case: Case) -> Iterator[Caution]:
    read = [n for n in case.plan.quasi if case.missing.get(n) and case.plan.meaning_of_missing(n) == WILDCARD]
    if not read or not len(case.subject.classes):
        return
    smallest, k = int(case.subject.classes.sizes.min()), case.subject.k or 1
    outcome = f"the smallest group has {counted(smallest, 'row')}"
    yield Caution(
        f"Missing values of {_quoted(read)} are read as anything",
        "Somebody who knows which values are missing knows more than the promise allows for: read strictly, where a "
        f"missing value matches only missing ones, {outcome}{f', not {k}' if smallest < k else ' all the same'}.",
        smallest < k,
    )


def _exactly_k(case: Case) -> Iterator[Caution]:
    k, sizes = case.subject.k, case.subject.classes.sizes
    if k is not None and k > 1 and len(sizes) >= 20:
        share = float((sizes == k).mean())
        if share >= 0.5:
            yield Caution(
                f"{as_percent(share)} of the groups have exactly {k} rows",
                "That keeps much detail, and leaves no margin: one person who recognises their own row, or one row "
                f"that is known to be somebody else's, makes it {k - 1}.",
            )


def _few_rows(case: Case) -> Iterator[Caution]:
    if 0 < case.subject.n_rows < 100:
        yield Caution(
            f"The table has only {counted(case.subject.n_rows, 'row')}",
            "Shares and averages of so few people say little, and everybody in the table may be easy to guess.",
        )


def _weak_k(case: Case) -> Iterator[Caution]:
    """Two quasi-identifier columns that repeat one another are no harm; a promise over one column is a thin one."""
    asked = any(isinstance(model, KAnonymity) for model in case.plan.protect)
    if asked and len(case.plan.quasi) == 1:
        yield Caution(
            "Only one column is called a quasi-identifier",
            "People are rarely known by one thing alone. Check which other columns an outsider may know.",
        )


def _quoted(names: list[str]) -> str:
    return listed([f"“{name}”" for name in names], most=4)


_CHECKS: tuple[Callable[[Case], Iterator[Caution]], ...] = (
    _nothing_left,
    _given_away,
    _small_groups,
    _other_columns,
    _unguarded,
    _high_loss,
    _blank_columns,
    _suppression,
    _missing_as_wildcard,
    _exactly_k,
    _weak_k,
    _few_rows,
)
