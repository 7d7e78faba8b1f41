"""The report: one page that stands by itself, prints well, and holds no row of the table.

Everything shown is an aggregate. Whatever is about fewer people than `words.smallest_group` is lumped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import tomli_w
from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from paravent.report import charts, words
from paravent.report.bins import size_bounds
from paravent.report.dangers import ATTEMPTS, dangers, untried
from paravent.report.exposure import exposure
from paravent.report.lumping import Bar, distribution
from paravent.utility.measures import Measures, as_percent
from paravent.utility.reading import places
from paravent.utility.subject import Subject

if TYPE_CHECKING:
    from paravent.plan.release import Release

MOST_FIGURES = 24
_RISKS = ("prosecutor.max", "prosecutor.average", "uniques", "above.0.2")


@dataclass(frozen=True)
class Figure:
    """A drawing, what stands under it, and the column it is about."""

    svg: Markup
    caption: str
    name: str = ""


def render(release: Release) -> str:
    """The whole page as HTML."""
    subject, measures, plan = release.subject, release.measure(), release.plan
    released = int(subject.classes.sizes.sum())
    missing = {name: column.missing for name, column in release.table.columns.items()}
    source = words.file_name(release.table.origin.description)
    attacks = release.attack(attempts=ATTEMPTS, strict=False)
    return _page().render(
        title=f"Anonymization report: {source or 'a table'}",
        source=source,
        style=Markup((files(__package__) / "page.css").read_text(encoding="utf-8")),
        verdict=words.verdict(plan, measures, release.verdict),
        holds=release.verdict.holds,
        promises=[model.describe() for model in plan.protect],
        tiles=_tiles(measures, released),
        cautions=release.cautions,
        serious=sum(caution.serious for caution in release.cautions),
        columns=words.columns(plan, missing),
        plan=plan,
        method=_method(plan.method),
        checks=[(check.model, _level(check.level)) for check in release.verdict.checks],
        notes=release.verdict.notes,
        risk=_risk(measures),
        risk_rows=_pairs(measures),
        exposure=exposure(release, words.smallest_group(plan)),
        dangers=dangers(attacks),
        untried=untried(attacks),
        sizes=_sizes(subject),
        losses=_losses(subject, measures),
        loss_rows=_loss_rows(subject, measures),
        figures=_distributions(subject, measures, words.smallest_group(plan)),
        more_columns=max(0, len(subject.axes) - MOST_FIGURES),
        fewest=words.smallest_group(plan),
        sensitive=_sensitive(plan.sensitive, measures),
        measures=(*measures.details(), *attacks.measures.details()),
        suppressed=int(measures["rows.suppressed"]),
        rows=subject.n_rows,
        released=released,
        trace=release.trace,
        facts=_facts(release),
        left_out=release.provenance["rows"]["dropped_for_missing"],
        toml=tomli_w.dumps(plan.to_document()),
    )


@cache
def _page() -> Template:
    around = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    around.filters.update(number=words.number, percent=as_percent, listed=words.listed)
    return around.from_string((files(__package__) / "page.html.jinja").read_text(encoding="utf-8"))


def _tiles(measures: Measures, released: int) -> list[tuple[str, str, str]]:
    """The four figures on top: what, how much, and beside what."""
    before = measures.about("risk.before.prosecutor.average").text
    suppressed = int(measures["rows.suppressed"])
    smallest = words.number(measures["utility.class_size.min"]) if released else "–"
    return [
        ("Smallest group", smallest, "rows that look alike"),
        ("Highest risk", measures.about("risk.prosecutor.max").text, "of finding a person's row"),
        ("Average risk", measures.about("risk.prosecutor.average").text, f"{before} before"),
        ("Detail lost", measures.about("utility.gcp").text, "of the quasi-identifiers"),
        ("Rows suppressed", words.number(suppressed), f"of {words.number(measures['rows.original'])}"),
    ]


def _risk(measures: Measures) -> Figure:
    rows = [(measures.about(f"risk.{n}").title, measures[f"risk.before.{n}"], measures[f"risk.{n}"]) for n in _RISKS]
    said = "; ".join(
        f"{title}: {as_percent(before)} before, {as_percent(after)} after" for title, before, after in rows
    )
    return Figure(_drawn(charts.risks(rows, said)), "The risk of being found, before and after.")


def _pairs(measures: Measures) -> list[tuple[str, str, str, str]]:
    found = []
    for name in measures.under("risk.before"):
        after = name.replace("risk.before.", "risk.", 1)
        about = measures.about(after)
        found.append((about.title, measures.about(name).text, about.text, about.meaning))
    return found


def _sizes(subject: Subject) -> Figure:
    before, after = subject.original_sizes, subject.classes.sizes
    largest = max((int(sizes.max()) for sizes in (before, after) if len(sizes)), default=1)
    bounds = size_bounds(subject.k, largest)
    bars = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        rows = [float(s[(s >= low) & (s < (high or np.inf))].sum()) for s in (before, after)]
        label = f"{low}+" if high is None else str(low) if high == low + 1 else f"{low}–{high - 1}"
        bars.append(Bar(label, *rows))
    said = "; ".join(_said(bar, bars) for bar in bars if bar.before or bar.after)
    caption = "Share of the rows by the number of rows that look alike."
    if subject.k is not None:
        caption += f" {subject.k} or more were asked for."
    return Figure(_drawn(charts.class_sizes(bars, said)), caption)


def _said(bar: Bar, bars: Sequence[Bar]) -> str:
    before, after = (sum(getattr(b, when) for b in bars) or 1 for when in ("before", "after"))
    return f"{bar.label}: {as_percent(bar.before / before)} before, {as_percent(bar.after / after)} after"


def _losses(subject: Subject, measures: Measures) -> Figure:
    columns = sorted(((axis.name, measures[f"utility.loss.{axis.name}"]) for axis in subject.axes), key=lambda c: -c[1])
    said = "; ".join(f"{name}: {as_percent(loss)}" for name, loss in columns)
    return Figure(
        _drawn(charts.losses(columns[: 2 * MOST_FIGURES], said)),
        "Detail lost in each quasi-identifier: 0 % is the original, 100 % says nothing any more.",
    )


def _loss_rows(subject: Subject, measures: Measures) -> list[tuple[str, int, int, str, str]]:
    """For each column: its name, values before, different cells after, loss and shift of its distribution."""
    rows = []
    for reading in subject.readings:
        name = reading.axis.name
        shift = measures.about(f"utility.shift.{name}").text if f"utility.shift.{name}" in measures else "–"
        shown = np.unique(reading.codes[~subject.placeholder])
        rows.append((name, len(reading.axis), len(shown), measures.about(f"utility.loss.{name}").text, shift))
    return rows


def _distributions(subject: Subject, measures: Measures, fewest: int) -> list[Figure]:
    if not len(subject.classes):
        return []
    figures = []
    worst = sorted(subject.readings, key=lambda r: -measures[f"utility.loss.{r.axis.name}"])
    for reading in worst[:MOST_FIGURES]:
        name = reading.axis.name
        bars = distribution(reading.axis, reading.spread(~subject.placeholder), fewest=fewest)
        if not bars:
            continue
        said = f"{name}: " + "; ".join(_said(bar, bars) for bar in bars)
        drawn = charts.before_and_after(bars, said, upright=places(reading.axis) is not None)
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


def _facts(release: Release) -> list[tuple[str, str]]:
    """What is needed to repeat the run, beside the plan."""
    known = release.provenance
    versions = ", ".join(f"{name} {version}" for name, version in known["versions"].items())
    times = ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in release.timings.items())
    return [
        ("Input", f"{words.counted(len(release.table), 'row')}, {words.counted(len(release.table.names), 'column')}"),
        ("Fingerprint of the input", str(known["input"]["fingerprint"])),
        ("Seed", str(known["seed"])),
        ("Versions", versions),
        ("Time", times),
    ]


def _drawn(svg: str) -> Markup:
    """charts escapes what it draws; its result may stand in the page as it is."""
    return Markup(svg)
