"""The page of a comparison: it stands by itself like the report of a release, and holds no value of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from paravent.comparison.advice import advice
from paravent.comparison.comparison import Comparison
from paravent.comparison.differences import Differences, differences
from paravent.comparison.entry import Entry
from paravent.comparison.words import (
    cell,
    columns,
    least_missed,
    level_words,
    listed,
    missing_words,
    original_cells,
    other_trees,
    stronger,
)
from paravent.plan.toml_text import plan_text
from paravent.report import words
from paravent.report.multiples import multiples
from paravent.report.ru_map import MOST_NAMES, NARROW, ru_map
from paravent.report.sweep_figures import Drawing, curve_figures, left_out, means, unmoved
from paravent.report.templates import style, template
from paravent.utility.protection import EPSILON

MOST_RANKED = 8
MOST_DETAILS = 12
"""Candidates whose every measure is listed side by side."""


@dataclass(frozen=True)
class Ranked:
    """A line of a ranking: rank, name, figure, what it satisfies beyond the level, whether it is tied."""

    rank: str
    name: str
    value: str
    risk: str
    more: str
    on_front: bool


@dataclass(frozen=True)
class LevelPart:
    """A level of protection with its ranking."""

    title: str
    whole: bool
    ranked: list[Ranked]
    left_out: int


def render(comparison: Comparison) -> str:
    """The whole page as HTML."""
    wanted, done = comparison.wanted, comparison.done
    mapped = bool(done) and _directed(comparison, wanted.risk, wanted.utility)
    on_front = set(comparison.front()) if mapped else set()
    names = columns(comparison)
    source = words.file_name(comparison.table.source)
    shown: dict[str, Any] = {
        "levels": _levels(comparison, on_front),
        "map": _map(comparison) if mapped else None,
        "multiples": multiples(comparison),
        "differing": _differing(comparison),
        "curves": curve_figures(comparison),
        "unmoved": unmoved(comparison),
        "demands": _demands(comparison) if done else [],
    }
    return template("comparison").render(
        title=f"Comparison: {source or 'a table'}",
        source=source,
        style=style("page", "comparison"),
        contents=_contents(shown),
        comparison=comparison,
        quasi=comparison.quasi,
        verdict=_verdict(comparison),
        advice=advice(comparison),
        missing=_missing(comparison),
        by=comparison.about(wanted.by),
        front=_front(comparison, on_front),
        numbered=len(done) > MOST_NAMES,
        heads=[_head(comparison, name) for name in names],
        original=_original(comparison, names),
        rows=_rows(comparison, names, on_front),
        cautions=other_trees(comparison),
        answers=[(entry.name, _answers(comparison, entry)) for entry in done],
        more_curves=left_out(comparison),
        means=means(comparison),
        details=_details(comparison),
        detailed=[entry.name for entry in done[:MOST_DETAILS]],
        more_details=max(0, len(done) - MOST_DETAILS),
        plans=[(entry.name, _toml(entry)) for entry in comparison.entries if entry.plan is not None],
        sweep=_sweep(comparison),
        **shown,
    )


_SECTIONS = {
    "levels": "Which one, at which protection",
    "map": "Risk against utility",
    "side": "Side by side",
    "columns": "What it costs each column",
    "differs": "What differs between the plans",
    "answers": "What each one satisfies",
    "curves": "Along the sweep",
    "appendix": "Appendix: all figures, and the plans",
}


def _contents(shown: dict[str, Any]) -> list[tuple[str, str]]:
    """The sections in their order, those left out that have nothing to show."""
    there = {
        "levels": bool(shown["levels"]),
        "map": shown["map"] is not None,
        "columns": bool(shown["multiples"]),
        "differs": shown["differing"] is not None,
        "answers": bool(shown["demands"]),
        "curves": bool(shown["curves"] or shown["unmoved"]),
    }
    return [(name, heading) for name, heading in _SECTIONS.items() if there.get(name, True)]


def _map(comparison: Comparison) -> Drawing:
    narrow = Markup(ru_map(comparison, width=NARROW))
    return Drawing(Markup(ru_map(comparison)), _map_caption(comparison), narrow=narrow)


def _differing(comparison: Comparison) -> Differences | None:
    """What differs between the plans of the candidates, their names first; None where that is nothing."""
    planned = [(entry.name, entry.plan) for entry in comparison.entries if entry.plan is not None]
    found = differences([plan for _, plan in planned])
    if len(planned) < 2 or not found.entries:
        return None
    rows = tuple((name, *row) for (name, _), row in zip(planned, found.rows, strict=True))
    return Differences(("Candidate", *found.entries), rows)


def _directed(comparison: Comparison, *names: str) -> bool:
    found = [comparison.about(name) for name in names]
    return all(measure is not None and measure.better != "neither" for measure in found)


def _verdict(comparison: Comparison) -> dict[str, Any]:
    done = comparison.done
    if not done:
        return {"kind": "fails", "title": "No candidate has a release", "words": "There is nothing to compare."}
    broken = [entry for entry in done if entry.promise]
    if broken:
        those = "One candidate does" if len(broken) == 1 else f"{len(broken)} candidates do"
        title = f"{those} not hold what {'its' if len(broken) == 1 else 'their'} own plan promises"
        text = "; ".join(f"{entry.name}: {entry.promise}" for entry in broken)
        return {"kind": "mixed", "title": title, "words": f"{text}."}
    promised = level_words(comparison, comparison.levels()[0]) if comparison.comparable and comparison.levels() else ""
    if comparison.comparable and len(done) > 1:
        title = "All candidates protect equally"
        text = f"Each of the {len(done)} satisfies {promised}. The one that loses less is the better one."
        return {"kind": "holds", "title": title, "words": text}
    if comparison.comparable:
        return {"kind": "holds", "title": "One candidate", "words": f"{done[0].name} satisfies {promised}."}
    return {
        "kind": "holds",
        "title": "Each candidate holds what its own plan asks for",
        "words": "The plans ask for different protection, so the candidates are ranked within levels of protection: "
        "each list holds only those that satisfy its demands. One that loses less because it protects less is no "
        "better.",
    }


def _missing(comparison: Comparison) -> list[str]:
    """What is missed by whom, in a sentence each."""
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in comparison.done:
        if comparison.missed(entry):
            alike.setdefault(least_missed(comparison, entry), []).append(entry)
    return [missing_words(comparison, places, entries) for places, entries in alike.items()]


def _levels(comparison: Comparison, on_front: set[str]) -> list[LevelPart]:
    if not _directed(comparison, comparison.wanted.by):
        return []
    found = []
    for level in comparison.levels():
        ranked = []
        places = comparison.ranking(level)
        for place in places[:MOST_RANKED]:
            entry = comparison[place.name]
            rank = "–" if place.rank is None else f"{place.rank}{' (tied)' if place.tied else ''}"
            ranked.append(
                Ranked(
                    rank,
                    place.name,
                    entry.text(comparison.wanted.by),
                    cell(comparison, entry, EPSILON)
                    if comparison.wanted.risk == EPSILON
                    else entry.text(comparison.wanted.risk),
                    stronger(comparison, level, entry),
                    place.name in on_front,
                )
            )
        title = level_words(comparison, level)
        found.append(LevelPart(title, level.whole, ranked, len(places) - len(ranked)))
    return found


def _map_caption(comparison: Comparison) -> str:
    utility, risk = comparison.about(comparison.wanted.utility), comparison.about(comparison.wanted.risk)
    assert utility is not None
    assert risk is not None
    against = f"{risk.title} against {utility.title[:1].lower()}{utility.title[1:]}."
    apart = ""
    if comparison.wanted.risk == EPSILON:
        apart = (
            " Diamonds have no epsilon: no noise was drawn, or nothing says how much, so that nothing bounds what they "
            "tell about one person; their protection is another."
        )
    return (
        f"{against} Full points lie on the Pareto front: nobody who protects as "
        "much is better in one and as good in the other. Hollow points are beaten. The cross is the original table."
        + apart
    )


def _front(comparison: Comparison, on_front: set[str]) -> str:
    names = [name for name in comparison.names if name in on_front]
    if len(names) > MOST_NAMES:
        return f"{len(names)} of {len(comparison.done)} candidates, marked ● in the table below"
    return listed(names, most=MOST_NAMES)


def _head(comparison: Comparison, name: str) -> str:
    if name.startswith("privacy."):
        return name.removeprefix("privacy.").replace("_", " ").replace(".", " of ", 1)
    found = comparison.about(name)
    return name if found is None else found.title


def _original(comparison: Comparison, names: Sequence[str]) -> list[str] | None:
    known = comparison.reference
    return None if known is None else original_cells(known, names)


def _rows(comparison: Comparison, names: Sequence[str], on_front: set[str]) -> list[dict[str, Any]]:
    """The candidates of the table. Those that failed for one reason name it once."""
    rows = [_row(comparison, entry, names, on_front) for entry in comparison.entries]
    first: dict[str, str] = {}
    for row, entry in zip(rows, comparison.entries, strict=True):
        if entry.failure is not None and (other := first.setdefault(entry.failure.redacted, entry.name)) != entry.name:
            row["said"] = f"No release, for the same reason as {other}."
    return rows


def _row(comparison: Comparison, entry: Entry, names: Sequence[str], on_front: set[str]) -> dict[str, Any]:
    said = "" if entry.failure is None else entry.failure.redacted
    if entry.status == "not run":
        said = "Not run: the work was stopped before."
    return {
        "name": entry.name,
        "cells": [cell(comparison, entry, name) for name in names] if entry.status == "done" else None,
        "said": said,
        "broken": entry.promise,
        "on_front": entry.name in on_front,
        "made_by": "" if entry.made_by in ("plan", "release") else entry.made_by,
    }


def _told(comparison: Comparison) -> list[int]:
    """The demands that are worth a column: models, like ones together, and identifiers that somebody does not hide."""
    missed = {place for entry in comparison.done for place in comparison.missed(entry)}
    keys = [demand.model.key for demand in comparison.demands if demand.model is not None]
    ranks = {}
    for place in comparison.demanded:
        model = comparison.demands[place].model
        if model is not None or place in missed:
            ranks[place] = (len(keys) if model is None else keys.index(model.key), place)
    return sorted(ranks, key=lambda place: ranks[place])


def _demands(comparison: Comparison) -> list[str]:
    return [comparison.demands[place].describe(among=comparison.demands) for place in _told(comparison)]


def _answers(comparison: Comparison, entry: Entry) -> list[tuple[str, str, str]]:
    """For each demand: how its answer looks, what it says, and the level reached. What a plan does not ask for and its
    release does not hold is no failure."""
    found = []
    for place in _told(comparison):
        met, own = entry.checks[place], place in entry.asked
        level = f"{met.level:g}" if met.level is not None else met.words if not met.holds else ""
        said = "✓" if met.holds else "✗ missed" if own else "– not asked for,"
        level = f"reaches {level}" if met.level is not None and not met.holds and not own else level
        look = ("yes" if met.holds else "no" if own else "more") + (" own" if own else "")
        found.append((look, said, level))
    return found


def _details(comparison: Comparison) -> list[tuple[str, str, str, list[str]]]:
    """Every measure: name, direction, meaning, and its value for each candidate."""
    names = dict.fromkeys(name for entry in comparison.done if entry.measures is not None for name in entry.measures)
    found = []
    for name in names:
        measure = comparison.about(name)
        assert measure is not None
        better: str = "" if measure.better == "neither" else measure.better
        texts = [entry.text(name) for entry in comparison.done[:MOST_DETAILS]]
        found.append((name, better, measure.title, texts))
    return found


def _toml(entry: Entry) -> str:
    assert entry.plan is not None
    return plan_text(entry.plan.to_document())


def _sweep(comparison: Comparison) -> str:
    """The sweep in words."""
    from paravent.comparison.curves import shown

    sweep = comparison.sweep
    if sweep is None:
        return ""
    parts = [f"{name} = {', '.join(map(shown, values))}" for name, values in sweep.parameters.items()]
    return f"{'; '.join(parts)} ({'one at a time' if sweep.one_at_a_time else 'all combinations'})"
