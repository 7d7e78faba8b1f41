"""The report: one page that stands by itself, prints well, and gives nobody away.

Figures are aggregates: whatever is about fewer people than `smallest_group` says is lumped. Texts that could name a
value pass the `Screen`. Rendering depends on the release alone: the day on the page is that of the run (or of the
plan), and how long things took is not on it, so that the same table, plan and day give the same page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from paravent.measures import Measures, as_percent
from paravent.plan.toml_text import plan_text
from paravent.report import charts, verdict_words, words
from paravent.report.dangers import ATTEMPTS, dangers, untried
from paravent.report.exposure import exposure
from paravent.report.sample import exposed_groups, sample_rows
from paravent.report.screen import Screen
from paravent.report.synthetic_page import render_synthetic
from paravent.report.templates import style, template
from paravent.report.works import works
from paravent.utility.bins import size_bounds
from paravent.utility.lumping import Bar, distribution, smallest_group
from paravent.utility.subject import Subject

if TYPE_CHECKING:
    from paravent.plan.release import Release

MOST_FIGURES = 24
_SECTIONS = {
    "cautions": "Before you hand it on",
    "asked": "What was asked",
    "sample": "What the release looks like",
    "holds": "What holds, and what it is worth",
    "risk": "The risk of being found",
    "exposure": "Who could still be found",
    "dangers": "What could still go wrong",
    "groups": "Who hides among how many",
    "loss": "What it cost",
    "distributions": "Columns before and after",
    "sign": "Approval",
    "appendix": "Appendix: the plan, and all figures",
}
_NUMBERS = ("utility.distortion", "utility.cells.changed", "utility.il")
_RISKS = ("prosecutor.max", "prosecutor.average", "uniques", "above.0.2")


@dataclass(frozen=True)
class Figure:
    """A drawing, what stands under it, the column it is about, and the same for a narrow screen."""

    svg: Markup
    caption: str
    name: str = ""
    narrow: Markup | None = None


def render(release: Release) -> str:
    """The whole page as HTML."""
    subject, plan = release.subject, release.plan
    if subject.synthetic:
        return render_synthetic(release, _facts(release), _front(release))
    measures = release.measure("relinking") if subject.astray else release.measure()
    released = int(subject.classes.sizes.sum())
    missing = {name: column.missing for name, column in release.table.columns.items()}
    source = words.file_name(release.table.origin.description)
    attacks = release.attack(attempts=ATTEMPTS, strict=False)
    fewest = smallest_group(plan.models, int(subject.people.sizes.min(initial=released)))
    screen = Screen.of(release, fewest)
    found = exposure(release, fewest)
    shown: dict[str, Any] = {
        "cautions": [
            replace(
                caution,
                title=screen.sentence(caution.title),
                sentence=screen.sentence(caution.sentence),
                remedy=screen.sentence(caution.remedy),
            )
            for caution in release.cautions
        ],
        "sample": sample_rows(release, screen),
        "exposure": replace(found, sentences=tuple(map(screen.sentence, found.sentences))),
        "dangers": [replace(danger, brings=screen.sentence(danger.brings)) for danger in dangers(attacks)],
        "figures": _distributions(subject, measures, screen),
        "sizes": _sizes(subject),
    }
    return template("page").render(
        title=f"Anonymization report: {plan.about.title or source or 'a table'}",
        source=source,
        style=style("page"),
        about=plan.about,
        person=plan.person if isinstance(plan.person, str) else "",
        front=_front(release),
        contents=_contents(shown),
        verdict=verdict_words.verdict(plan, subject, measures, release.verdict),
        holds=release.verdict.holds,
        headline=release.verdict.headline,
        how=verdict_words.how_known(release.verdict),
        promises=[model.describe() for model in plan.protect],
        tiles=_tiles(subject, measures, released),
        serious=sum(caution.serious for caution in release.cautions),
        columns=[(column.name, column.role, column.treatment, column.says) for column in words.columns(plan, missing)],
        plan=plan,
        method=_method(plan.method),
        works=works(plan),
        checks=[
            (
                check.promise.describe(),
                _level(check.level),
                screen.sentence(". ".join(filter(None, [check.known_by.capitalize(), check.words]))),
                check.promise.protects,
                check.promise.leaves_open,
            )
            for check in release.verdict.checks
        ],
        notes=[screen.sentence(note) for note in release.verdict.notes],
        risk=_risk(measures),
        risk_rows=_pairs(measures),
        astray=screen.sentence(subject.astray),
        undetailed=screen.sentence(subject.undetailed),
        linked=_told(measures, "risk.relinked"),
        numbers=_told(measures, *_NUMBERS) if subject.undetailed else [],
        tables=_tables(release) if release.beside else [],
        exposed=exposed_groups(release, screen),
        untried=untried(attacks),
        losses=_losses(subject, measures),
        loss_rows=_loss_rows(subject, measures),
        more_columns=max(0, len(subject.axes) - MOST_FIGURES),
        undrawn=[axis.name for axis in subject.axes if axis.name in subject.treated],
        fewest=fewest,
        sensitive=_sensitive(plan.sensitive, measures),
        measures=[
            (measure.name, measure.text, "" if measure.better == "neither" else measure.better, measure.meaning)
            for measure in (*measures.details(), *attacks.measures.details())
        ],
        suppressed=int(measures["rows.suppressed"]),
        rows=subject.n_rows,
        released=released,
        trace=[screen.sentence(step) for step in release.trace],
        facts=_facts(release),
        fingerprint=release.fingerprint,
        left_out=release.provenance["rows"]["dropped_for_missing"],
        toml=plan_text(plan.to_document()),
        **shown,
    )


def _front(release: Release) -> list[tuple[str, str]]:
    """What stands below the title: the day, and what the plan says about the release."""
    about = release.plan.about
    said = {"Responsible": about.responsible, "Purpose": about.purpose, "Recipient": about.recipient}
    day = about.date or str(release.provenance["date"])
    return [("Date", day), *((what, text) for what, text in said.items() if text is not None)]


def _contents(shown: dict[str, Any]) -> list[tuple[str, str]]:
    """The sections in their order, those left out that have nothing to show."""
    there = {
        "sample": bool(shown["sample"].rows),
        "exposure": bool(shown["exposure"].sentences),
        "dangers": bool(shown["dangers"]),
        "groups": shown["sizes"] is not None,
        "distributions": bool(shown["figures"]),
    }
    return [(name, heading) for name, heading in _SECTIONS.items() if there.get(name, True)]


def _tiles(subject: Subject, measures: Measures, released: int) -> list[tuple[str, str, str]]:
    """The figures on top, those that say something of such a release: what, how much, and beside what."""
    tiles = []
    if not subject.astray:
        one = "row" if subject.persons is None else "person"
        smallest = words.counted(int(measures["utility.class_size.min"]), one) if released else "–"
        tiles.append(("Smallest group", smallest, "that look alike"))
    before = measures.about("risk.before.prosecutor.average").text
    beside = {
        "risk.relinked.distance": ("Linked back", "by distance to the originals"),
        "risk.prosecutor.max": ("Highest risk", "of finding a person's row"),
        "risk.prosecutor.average": ("Average risk", f"{before} before"),
        "utility.gcp": ("Detail lost", "of the quasi-identifiers"),
    }
    if subject.undetailed:
        beside["utility.distortion"] = ("Cells changed", "of the whole table")
    tiles += [(what, measures.about(n).text, words_) for n, (what, words_) in beside.items() if n in measures]
    suppressed = words.number(measures["rows.suppressed"])
    return [*tiles, ("Rows suppressed", suppressed, f"of {words.number(measures['rows.original'])}")]


def _risk(measures: Measures) -> Figure | None:
    if any(f"risk.{name}" not in measures for name in _RISKS):
        return None
    rows = [(measures.about(f"risk.{n}").title, measures[f"risk.before.{n}"], measures[f"risk.{n}"]) for n in _RISKS]
    said = "; ".join(
        f"{title}: {as_percent(before)} before, {as_percent(after)} after" for title, before, after in rows
    )
    wide, narrow = (_drawn(charts.risks(rows, said, narrow=narrow)) for narrow in (False, True))
    return Figure(wide, "The risk of being found, before and after.", narrow=narrow)


def _pairs(measures: Measures) -> list[tuple[str, str, str, str]]:
    found = []
    for name in measures.under("risk.before"):
        after = name.replace("risk.before.", "risk.", 1)
        if after not in measures:
            continue
        about = measures.about(after)
        found.append((about.title, measures.about(name).text, about.text, about.meaning))
    return found


def _told(measures: Measures, *names: str) -> list[tuple[str, str, str]]:
    """Some measures with what they mean, and those below them."""
    found = [measure for measure in measures.details() if measure.name.startswith(names)]
    return [(measure.title, measure.text, measure.meaning) for measure in found]


def _tables(release: Release) -> list[tuple[str, str, str]]:
    """The tables of a release that has several."""
    return [
        (name, words.number(frame.height), words.listed(frame.columns, most=12))
        for name, frame in release.tables.items()
    ]


def _sizes(subject: Subject) -> Figure | None:
    if subject.astray:
        return None
    before, after = subject.people_before.sizes, subject.people.sizes
    largest = max((int(sizes.max()) for sizes in (before, after) if len(sizes)), default=1)
    bounds = size_bounds(subject.k, largest)
    bars = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        rows = [float(s[(s >= low) & (s < (high or np.inf))].sum()) for s in (before, after)]
        label = f"{low}+" if high is None else str(low) if high == low + 1 else f"{low}–{high - 1}"
        bars.append(Bar(label, rows[0], rows[1]))
    said = "; ".join(_said(bar, bars) for bar in bars if bar.before or bar.after)
    caption = f"Share of the {subject.counted} by the number of {subject.counted} that look alike."
    if subject.k is not None:
        caption += f" {subject.k} or more were asked for."
    wide, narrow = (_drawn(charts.class_sizes(bars, said, narrow=narrow)) for narrow in (False, True))
    return Figure(wide, caption, narrow=narrow)


def _said(bar: Bar, bars: Sequence[Bar]) -> str:
    before, after = (sum(getattr(b, when) for b in bars) or 1 for when in ("before", "after"))
    return f"{bar.label}: {as_percent(bar.before / before)} before, {as_percent(bar.after / after)} after"


def _losses(subject: Subject, measures: Measures) -> Figure | None:
    if subject.undetailed and not any(measures[f"utility.loss.{axis.name}"] for axis in subject.axes):
        return None
    columns = sorted(((axis.name, measures[f"utility.loss.{axis.name}"]) for axis in subject.axes), key=lambda c: -c[1])
    said = "; ".join(f"{name}: {as_percent(loss)}" for name, loss in columns)
    wide, narrow = (_drawn(charts.losses(columns[: 2 * MOST_FIGURES], said, narrow=narrow)) for narrow in (False, True))
    caption = "Detail lost in each quasi-identifier: 0 % is the original, 100 % says nothing any more."
    return Figure(wide, caption, narrow=narrow)


def _loss_rows(subject: Subject, measures: Measures) -> list[tuple[str, ...]]:
    """For each column: its name, values before, different cells after, loss and shift of its distribution."""
    rows: list[tuple[str, ...]] = []
    for reading in subject.readings:
        name = reading.axis.name
        shift = measures.about(f"utility.shift.{name}").text if f"utility.shift.{name}" in measures else "–"
        shown = np.unique(reading.codes[~subject.placeholder])
        counts = (words.number(len(reading.axis)), words.number(len(shown)))
        rows.append((name, *counts, measures.about(f"utility.loss.{name}").text, shift))
    return rows


def _distributions(subject: Subject, measures: Measures, screen: Screen) -> list[Figure]:
    if not len(subject.classes):
        return []
    figures = []
    drawn_of = [reading for reading in subject.readings if reading.axis.name not in subject.treated]
    worst = sorted(drawn_of, key=lambda r: -measures[f"utility.loss.{r.axis.name}"])
    for reading in worst[:MOST_FIGURES]:
        name = reading.axis.name
        bars = distribution(
            reading.axis,
            reading.spread(~subject.placeholder),
            fewest=screen.fewest,
            persons=screen.persons,
            original=None if subject.original is None else subject.original[name],
            shows=lambda labels, name=name: all(screen.shows(name, labels).values()),  # type: ignore[misc]
        )
        if not bars:
            continue
        said = f"{name}: " + "; ".join(_said(bar, bars) for bar in bars)
        drawn = charts.before_and_after(bars, said, upright=reading.axis.line is not None)
        caption = f"{measures.about(f'utility.loss.{name}').text} of the detail lost"
        figures.append(Figure(_drawn(drawn), caption, name))
    return figures


def _sensitive(names: Sequence[str] | dict[str, Any], measures: Measures) -> list[tuple[str, str, str]]:
    rows = []
    for name in names:
        if f"risk.attribute.disclosed.{name}" in measures:
            disclosed, belief = (measures.about(f"risk.attribute.{what}.{name}") for what in ("disclosed", "belief"))
            rows.append((name, disclosed.text, belief.text))
    return rows


def _method(method: Any) -> dict[str, str]:
    return {"title": method.title, "source": method.source, "call": repr(method)}


def _level(level: float) -> str:
    return f"{level:.6g}"


_ORDERS = {
    "shuffled": "shuffled; only who has the original table can tell which row stood where",
    "source": "that of the original table, which may tell who is who",
    "sorted": "sorted by their released cells",
}


def _facts(release: Release) -> list[tuple[str, str]]:
    """What is needed to repeat the run, beside the plan."""
    known = release.provenance
    versions = ", ".join(f"{name} {version}" for name, version in known["versions"].items())
    return [
        ("Day of the run", str(known["date"])),
        ("Input", f"{words.counted(len(release.table), 'row')}, {words.counted(len(release.table.names), 'column')}"),
        ("Fingerprint of the input", str(known["input"]["fingerprint"])),
        ("Seed", str(known["seed"])),
        ("Order of the rows", _ORDERS[release.plan.order]),
        ("Versions", versions),
    ]


def _drawn(svg: str) -> Markup:
    """charts escapes what it draws; its result may stand in the page as it is."""
    return Markup(svg)
