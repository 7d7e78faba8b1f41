"""Compare, sweep, workbench: jobs over several plans, and their pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from paravent.web.jobs.job import Job
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.picture import drawn, lines
from paravent.web.parts.progress import progress
from paravent.web.parts.text import box, button, library, note, text

ACCURACY, DISTORTION, FAILURE = "utility.learning.logistic", "utility.distortion", "risk.hidden_failure.rate"


def latest(page: Page, kind: str, use: str) -> Job | None:
    """The last job of a kind that this part of the screen started."""
    return next((job for job in page.project.jobs.list() if job.kind == kind and job.arguments.get("use") == use), None)


def compare(page: Page) -> None:
    """The plans that were put aside, and how they compare."""
    say, plans = page.say, list(page.document.candidates)
    text(say("direct.compare.lead"), "p", "pv-muted")
    if not plans:
        note(say("direct.compare.none"))
        return
    named = {f"{i + 1}. {_in_short(plan)}": plan for i, plan in enumerate(plans)}
    with box("pv-plans", "ol"):
        for i, name in enumerate(named):
            with box("pv-row pv-row--between", "li"):
                text(name, "span", "pv-break")
                with box("pv-row pv-row--end"):
                    button(
                        say("direct.compare.use"),
                        lambda i=i: _use(page, i),
                        kind="quiet",
                        label=f"{say('direct.compare.use')}: {name}",
                    )
                    button(
                        "",
                        lambda i=i: _remove(page, i),
                        icon="close",
                        kind="quiet",
                        label=say("direct.remove", name=name),
                    )
    job = latest(page, "compare", "compare")
    with box("pv-row"):
        button(
            say("direct.compare.do"),
            lambda: _start(page, "compare", use="compare", plans=named),
            icon="balance",
            kind="main",
        )
    result = _shown(page, job, say("direct.compare.do"))
    if result is not None:
        _compared(page, result)


def _in_short(plan: Mapping[str, Any]) -> str:
    method = str((plan.get("method") or {}).get("name", "Mondrian"))
    said = []
    for model in plan.get("protect") or ():
        values = [
            f"{key}={value}"
            for key, value in model.items()
            if key != "model" and isinstance(value, int | float | str) and not isinstance(value, bool)
        ]
        said.append(f"{model['model']}({', '.join(values[:2])})")
    return f"{method}, {' + '.join(said) or '–'}"


def _use(page: Page, at: int) -> None:
    page.change(page.say("direct.compare.used"), plan=page.document.candidates[at], release=None)
    page.go("direct/plan")


def _remove(page: Page, at: int) -> None:
    kept = [each for i, each in enumerate(page.document.candidates) if i != at]
    page.change(page.say("direct.compare.remove"), candidates=tuple(kept))


def _start(page: Page, kind: str, **arguments: Any) -> None:
    with page.mistakes():
        page.project.jobs.start(kind, **arguments)
        page.refresh()


def _shown(page: Page, job: Job | None, title: str) -> Mapping[str, Any] | None:
    """The result of a job; while there is none, how far it is."""
    if job is None:
        return None
    if job.state != "done":
        progress(page, job, title)
        return None
    return job.result


def _compared(page: Page, result: Mapping[str, Any]) -> None:
    say, titles = page.say, dict(result["titles"])
    heads = [say("direct.compare.plan"), *map(say.heard, titles.values())]
    rows: list[list[str | None]] = []
    kinds: dict[tuple[int, int], str] = {}
    for r, entry in enumerate(result["entries"]):
        if entry["status"] != "done" and entry["why"]:
            rows.append([entry["name"], say("direct.failed", why=say.heard(entry["why"])), *([""] * (len(titles) - 1))])
            continue
        best = entry["name"] in result["best"]
        rows.append(
            [
                f"{entry['name']}{' ★ ' + say('direct.compare.best') if best else ''}",
                *(say.written(entry["measures"][name]["text"]) for name in titles),
            ]
        )
        if best:
            kinds[r, 0] = "pv-best"
    grid(
        heads, rows, say("direct.compare.do"), right=frozenset(range(1, len(heads))), classes=kinds, wrap=frozenset({0})
    )
    with box("pv-list", "ul"):
        for sentence in result["sentences"]:
            library(page, sentence, "li", "pv-small")


def sweep(page: Page) -> None:
    """k varied."""
    say = page.say
    text(say("direct.sweep.lead"), "p", "pv-muted")
    job = latest(page, "sweep", "sweep")
    now = (job.arguments.get("over") or {}).get("k") if job else None
    with box("pv-row"):
        ks = ui.input(say("direct.sweep.values"), value=", ".join(map(str, now or (2, 3, 5, 10, 20, 50)))).props(
            "outlined"
        )
        ks.classes("pv-narrow").props["data-keep"] = "ks"

        def start() -> None:
            values = _numbers(page, ks.value)
            if values:
                _start(page, "sweep", use="sweep", plan=page.document.plan, over={"k": values})

        button(say("direct.sweep.do"), start, icon="show_chart", kind="main", keep="sweep")
    result = _shown(page, job, say("direct.tab.sweep"))
    if result is None:
        return
    with box("pv-halves"):
        for name in ("utility.gcp", "risk.prosecutor.average", "rows.suppressed", DISTORTION):
            if name in result["titles"]:
                _curve(page, result, "k", name, say.heard(result["titles"][name]))
    _compared(page, result)


def workbench(page: Page, names: Sequence[str]) -> None:
    """Accuracy, distortion and failure rate against k and l."""
    say = page.say
    text(say("direct.workbench.lead"), "p", "pv-muted")
    roles = page.document.plan.get("columns") or {}
    sensitive = [name for name in names if (roles.get(name) or {}).get("role") == "sensitive"]
    by_k, by_l = latest(page, "sweep", "workbench k"), latest(page, "sweep", "workbench l")
    guarded = [model for model in page.document.plan.get("protect") or () if model.get("model") == "LDiversity"]
    now = by_k.arguments if by_k else {}
    with box("pv-row"):
        target = ui.select(
            list(names), value=now.get("target") or (sensitive or list(names))[-1], label=say("direct.workbench.target")
        )
        target.props("outlined").classes("pv-find")
        ks = ui.input(
            say("direct.sweep.values"), value=", ".join(map(str, (now.get("over") or {}).get("k") or (2, 5, 20)))
        ).props("outlined")
        ls = ui.input(say("direct.sweep.l"), value="2, 3").props("outlined")
        ls.set_enabled(bool(guarded))

        def start() -> None:
            first, second = _numbers(page, ks.value), _numbers(page, ls.value) if guarded else []
            if not first:
                return
            with page.mistakes():
                told = page.document.plan
                page.project.jobs.start("sweep", use="workbench k", plan=told, over={"k": first}, target=target.value)
                if second and len(guarded) == 1:
                    page.project.jobs.start(
                        "sweep", use="workbench l", plan=told, over={"l": second}, target=target.value
                    )
            page.refresh()

        button(say("direct.sweep.do"), start, icon="biotech", kind="main", keep="workbench")
    for along, job in (("k", by_k), ("l", by_l)):
        result = _shown(page, job, f"{say('direct.tab.workbench')}: {along}")
        if result is not None:
            with box("pv-thirds"):
                for name, key in ((ACCURACY, "accuracy"), (DISTORTION, "distortion"), (FAILURE, "failure")):
                    _curve(page, result, along, name, say(f"direct.workbench.{key}"))


def _curve(page: Page, result: Mapping[str, Any], along: str, measure: str, title: str) -> None:
    points = [
        (entry["settings"].get(along), entry["measures"].get(measure, {}).get("value")) for entry in result["entries"]
    ]
    known = [(float(x), y) for x, y in points if x is not None]
    said = page.say("direct.workbench.against", what=title, along=along)
    told = "; ".join(f"{along} = {x:g}: {y:.4g}" for x, y in known if y is not None)
    with box("pv-card", "section"):
        text(said, "h3")
        drawn(lines([x for x, _ in known], [("", [y for _, y in known])], f"{said}. {told}", along=along), page.say)


def _numbers(page: Page, written: str | None) -> list[int]:
    try:
        found = sorted({int(part) for part in (written or "").replace(";", ",").split(",") if part.strip()})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        page.warn(page.say("direct.numbers"))
        return []
    return found
