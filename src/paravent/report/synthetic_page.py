"""The report of synthetic rows: what was spent, what it is worth, and how near the rows are to the original.

There is nobody in such a release who could be found, and no cell that lost detail: pages about classes say nothing of
it. The page holds no row of the original; the synthetic ones on it are those of the release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paravent.measures import Measures
from paravent.plan.toml_text import plan_text
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.report import verdict_words, words
from paravent.report.templates import style, template
from paravent.report.works import works
from paravent.table.text import as_text

if TYPE_CHECKING:
    from paravent.plan.release import Release

_ROWS, _COLUMNS = 8, 8
_NEAR = ("utility.marginals", "utility.correlations")


def render_synthetic(release: Release, facts: list[tuple[str, str]], front: list[tuple[str, str]]) -> str:
    """The whole page as HTML."""
    plan, measures, cautions = release.plan, release.measure(), release.cautions
    source = words.file_name(release.table.origin.description)
    names = release.frame.columns
    return template("synthetic").render(
        title=f"Report of a synthetic release: {plan.about.title or source or 'a table'}",
        source=source,
        style=style("page"),
        about=plan.about,
        front=front,
        names=names,
        released=release.frame.height,
        holds=release.verdict.holds,
        headline=release.verdict.headline,
        how=verdict_words.how_known(release.verdict),
        promises=[promise.describe() for promise in plan.protect],
        serious=sum(caution.serious for caution in cautions),
        cautions=cautions,
        tiles=_tiles(release, measures),
        checks=[
            (
                check.promise.describe(),
                f"{check.level:.6g}",
                ". ".join(filter(None, [check.known_by.capitalize(), check.words])),
                check.promise.protects,
                check.promise.leaves_open,
            )
            for check in release.verdict.checks
        ],
        notes=release.verdict.notes,
        account=[
            (entry.what, ", ".join(f"{name} = {spent:.6g}" for name, spent in entry.spent.items()))
            for entry in release.account
        ],
        shown=names[:_COLUMNS],
        sample=_sample(release),
        more_names=max(0, len(names) - _COLUMNS),
        near=[
            (measure.title, measure.text, measure.meaning)
            for measure in measures.details()
            if measure.name.startswith(_NEAR)
        ],
        works=works(plan),
        method={"title": plan.method.title, "source": plan.method.source, "call": repr(plan.method)},
        trace=list(release.trace),
        facts=facts,
        toml=plan_text(plan.to_document()),
        measures=[
            (measure.name, measure.text, "" if measure.better == "neither" else measure.better, measure.meaning)
            for measure in measures.details()
        ],
        fingerprint=release.fingerprint,
    )


def _tiles(release: Release, measures: Measures) -> list[tuple[str, str, str]]:
    """The figures on top: what, how much, and beside what."""
    found = [("Rows", words.number(release.frame.height), "all synthetic")]
    for promise in release.plan.protect:
        if isinstance(promise, DifferentialPrivacy):
            private = promise.unsafe_seed is None
            reached = release.verdict.levels.get(promise.key, float("nan"))
            found.append(("Epsilon", f"{reached:.4g}" if private else "none", f"at delta = {promise.delta:g}"))
    beside: dict[str, tuple[str, str]] = {
        "utility.marginals.1.mean": ("Single columns", "mean distance from the original"),
        "utility.marginals.2.mean": ("Pairs of columns", "mean distance from the original"),
    }
    return [*found, *((what, measures.about(n).text, said) for n, (what, said) in beside.items() if n in measures)]


def _sample(release: Release) -> list[tuple[Any, ...]]:
    first = release.frame.head(_ROWS)
    cells = [as_text(first[name].alias("cells")).fill_null("").to_list() for name in first.columns[:_COLUMNS]]
    return list(zip(*cells, strict=True))
