"""Cautions about the groups of rows that look alike, and what they say of the people in them."""

from __future__ import annotations

from collections.abc import Iterator

from paravent.cautions.case import Case, quoted, rows
from paravent.cautions.caution import Caution
from paravent.measures import as_percent
from paravent.plan.roles import WILDCARD
from paravent.privacy.k_anonymity import k_asked
from paravent.privacy.promise import Limit


def nothing_left(case: Case) -> Iterator[Caution]:
    if not len(case.subject.classes):
        yield Caution(
            "empty-release",
            "serious",
            (),
            "The release is empty",
            "Every row was suppressed.",
            "Allow coarser labels or ask for less.",
        )


def small_groups(case: Case) -> Iterator[Caution]:
    k = case.subject.k
    if k is None and case.plan.method.derivation is not None:
        moved = ", in the group of their row if not in it" if case.subject.astray else ""
        yield Caution(
            "no-k",
            "serious",
            tuple(case.plan.quasi),
            "Anybody can be found in the release",
            f"{type(case.plan.method).__name__} does not generalize: what others know about a person stands in the "
            f"release as it is{moved}. Only which sensitive value is whose is hidden.",
            "Where it must not be known that somebody is in the table, generalize.",
        )
    elif k is None and case.subject.astray:
        false = tuple(axis.name for axis in case.subject.axes if axis.name in case.subject.perturbed)
        limits = [promise.describe() for promise in case.plan.protect if isinstance(promise, Limit)]
        yield Caution(
            "no-k",
            "note" if limits else "serious",
            false,
            "Who could be found was measured, not proven" if limits else "Nothing bounds who could be found",
            f"Cells of {quoted(false)} may be false of their rows, which confuses who looks for somebody and proves "
            "nothing: an unusual person may still be the only one near. "
            + (f"What was measured: {'; '.join(limits)}." if limits else "No limit was asked for."),
            f"Ask for {'k-anonymity as well' if limits else 'a limit such as LinkageRisk, or for k-anonymity'}: it is "
            "derived from what is published.",
        )
    elif k is None and len(case.subject.classes):
        smallest = int(case.subject.people.sizes.min())
        yield Caution(
            "no-k",
            "serious" if smallest < 3 else "note",
            (),
            "No k was asked for",
            f"The plan does not say how many rows must look alike. The smallest group has {rows(smallest)}.",
            "Ask for k-anonymity as well.",
        )
    elif k is not None and k < 5:
        yield Caution(
            "low-k",
            "serious" if k < 3 else "note",
            (),
            f"k = {k} is low",
            f"A guess among {k} rows is right once in {k} times.",
            "Groups of 5 or more are usual among people who are bound by contract, groups of 10 or more for a table "
            "that anybody can get.",
        )


def given_away(case: Case) -> Iterator[Caution]:
    for name in case.subject.classes.histograms:
        share = case.measures.get(f"risk.attribute.disclosed.{name}", 0.0)
        belief = case.measures.get(f"risk.attribute.belief.{name}", 0.0)
        if share > 0:
            yield Caution(
                "given-away",
                "serious",
                (name,),
                f"“{name}” is given away for {as_percent(share)} of the rows",
                f"In some groups everybody has the same “{name}”. Who knows that a person is in such a group knows "
                f"their “{name}” without finding their row.",
                f"Ask for l-diversity of “{name}” to prevent it."
                if case.subject.persons is None  # with several rows a person, one of many values may be everybody's
                else f"Ask for (α, k)-anonymity of “{name}” with an α below 1: then no value is that of everybody.",
            )
        elif belief >= 0.9:
            yield Caution(
                "sure-guess",
                "note",
                (name,),
                f"“{name}” can be guessed with {as_percent(belief)} confidence",
                f"In at least one group nearly everybody has the same “{name}”.",
                f"Ask for a greater l-diversity or for t-closeness of “{name}”.",
            )


def unguarded(case: Case) -> Iterator[Caution]:
    if not case.plan.sensitive:
        yield Caution(
            "no-sensitive-column",
            "note",
            (),
            "No column is called sensitive",
            "The release hides who a row belongs to. Whether it gives away something about people was not looked at.",
            "Name the columns whose values nobody should learn.",
        )
    guarded = {name for model in case.plan.models for name in model.guards}
    bare = tuple(name for name in case.plan.sensitive if name not in guarded)
    if bare:
        yield Caution(
            "unguarded",
            "note",
            bare,
            f"No model guards {quoted(bare)}",
            "Groups were made large enough, but nothing makes them mixed: one sensitive value may dominate a group."
            if k_asked(case.plan.models) is not None
            else "Whoever finds a person's row learns what stands in it.",
            f"Ask for l-diversity or t-closeness of {quoted(bare)}.",
        )


def missing_as_wildcard(case: Case) -> Iterator[Caution]:
    plan = case.plan
    read = tuple(
        name for name in plan.quasi if case.table.columns[name].missing and plan.meaning_of_missing(name) == WILDCARD
    )
    if not read or not len(case.subject.classes):
        return
    smallest, k = int(case.subject.people.sizes.min()), case.subject.k or 1
    outcome = f"the smallest group has {rows(smallest)}"
    yield Caution(
        "wildcards",
        "serious" if smallest < k else "note",
        read,
        f"Missing values of {quoted(read)} are read as anything",
        "Somebody who knows which values are missing knows more than the promise allows for: read strictly, where a "
        f"missing value matches only missing ones, {outcome}{f', not {k}' if smallest < k else ' all the same'}.",
        "Let a missing value count as a value of its own if outsiders may know what is missing.",
    )


def exactly_k(case: Case) -> Iterator[Caution]:
    k, sizes = case.subject.k, case.subject.people.sizes
    if k is not None and k > 1 and len(sizes) >= 20:
        share = float((sizes == k).mean())
        if share >= 0.5:
            yield Caution(
                "no-margin",
                "note",
                (),
                f"{as_percent(share)} of the groups have exactly {k} {case.subject.counted}",
                "That keeps much detail, and leaves no margin: one person who recognises their own row, or one row "
                f"that is known to be somebody else's, makes it {k - 1}.",
                "Ask for a greater k if that may happen.",
            )


def weak_k(case: Case) -> Iterator[Caution]:
    """Two quasi-identifier columns that repeat one another are no harm; a promise over one column is a thin one."""
    if k_asked(case.plan.models) is not None and len(case.plan.quasi) == 1:
        yield Caution(
            "one-quasi-identifier",
            "note",
            tuple(case.plan.quasi),
            "Only one column is called a quasi-identifier",
            "People are rarely known by one thing alone.",
            "Check which other columns an outsider may know.",
        )


def few_rows(case: Case) -> Iterator[Caution]:
    if 0 < case.subject.n_rows < 100:
        yield Caution(
            "few-rows",
            "note",
            (),
            f"The table has only {rows(case.subject.n_rows)}",
            "Shares and averages of so few people say little, and everybody in the table may be easy to guess.",
            "",
        )
