"""A plan by hand: method, promises, treatments, rows; everything that the registry knows can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nicegui import ui

from paravent import registry
from paravent.errors import ParaventError
from paravent.web.direct.budget import budget
from paravent.web.direct.called import called, method_called
from paravent.web.page import Page
from paravent.web.parts.forms import form
from paravent.web.parts.help import help_button
from paravent.web.parts.progress import progress
from paravent.web.parts.text import box, button, note, text
from paravent.web.scripts import direct_script

if TYPE_CHECKING:
    from paravent import Table

MOST = 12
STARTS: Mapping[str, dict[str, Any]] = {
    "KAnonymity": {"k": 5},
    "LDiversity": {"l": 2},
    "TCloseness": {"t": 0.3},
    "MaximumRisk": {"risk": 0.2},
    "AverageRisk": {"risk": 0.05},
    "SampleUniqueness": {"share": 0.0},
    "ColumnAnonymity": {"k": 5},
    "AlphaKAnonymity": {"alpha": 0.5, "k": 5},
    "BetaLikeness": {"beta": 1.0},
    "DeltaDisclosure": {"delta": 1.0},
    "HiddenFailure": {"share": 0.05},
    "LinkageRisk": {"share": 0.05},
    "IntervalDisclosure": {"share": 0.1, "width": 0.1},
    "DifferentialPrivacy": {"epsilon": 1.0, "delta": 1e-6},
    "Round": {"base": 5.0},
    "Relocate": {"k": 5},
    "Sample": {"share": 0.5},
    "TopCode": {"share": 0.05},
    "BottomCode": {"share": 0.05},
    "Recode": {"groups": 4},
    "Suppress": {"rarer": 5},
    "Mask": {"last": 2},
}
"""Values to begin with, for parameters that have no default."""


async def plan(page: Page, table: Table) -> None:
    """The forms, and what is still missing in words."""
    say, document, names = page.say, page.document, table.names
    told = document.plan

    def put(what: str, **entries: Any) -> None:
        page.change(what, plan={**page.document.plan, **entries})

    def tune(what: str, **entries: Any) -> None:
        """A parameter alone: the forms stay, for somebody may be typing in the next field already."""
        if page.change(what, refresh=False, plan={**page.document.plan, **entries}):
            page.script(*direct_script(page.project, "plan"))
            run.judge()

    run = _Run(page, table)
    if draws(told):
        await budget(page)
    with box("pv-halves"):
        with box("pv-card", "section"):
            _method(page, told.get("method") or {"name": "Mondrian"}, names, put, tune)
        with box("pv-card", "section"):
            text(say("direct.rest"), "h2")
            _rest(page, told, tune)
    with box("pv-card", "section"):
        text(say("direct.protect"), "h2")
        _entries(page, "protect", "model", registry.classes("model"), names, put, tune)
    with box("pv-card", "section"):
        text(say("direct.treat"), "h2")
        _entries(page, "treat", "treatment", registry.classes("treatment"), names, put, tune)


def draws(told: Mapping[str, Any]) -> bool:
    """Whether the method of a plan is a mechanism of differential privacy, which spends a budget."""
    method = registry.classes("method").get(str((told.get("method") or {}).get("name", "")))
    return method is not None and bool(method.is_mechanism())


class _Run:
    """Whether the plan can run, and the buttons that run it or put it aside. They stay while the plan is changed:
    somebody may be about to press one."""

    def __init__(self, page: Page, table: Table) -> None:
        self.page, self.table, say = page, table, page.say
        jobs = [job for job in page.project.jobs.list() if job.kind == "anonymize"]
        self.working = any(not job.over for job in jobs)
        with box("pv-card pv-card--run", "section"):
            with box("pv-row pv-row--between"):
                self.said = box("pv-grow")
                with box("pv-row pv-row--end"):
                    self.add = button(say("direct.add"), lambda: _add(page), icon="playlist_add")
                    self.run = button(say("direct.run"), lambda: _start(page), icon="play_arrow", kind="main")
            if jobs and jobs[0].state != "done":
                progress(page, jobs[0], say("direct.running"), lambda job: _finished(page, job))
        self.judge()

    def judge(self) -> None:
        """What is still missing in the plan as it is now."""
        problem = ""
        try:
            self.page.project.plan().check(self.table)
        except ParaventError as error:
            problem = str(error)
        self.said.clear()
        with self.said:
            if problem:
                text(self.page.say("direct.invalid"), "p", "pv-strong")
                note(problem, "warning_amber", of=self.page)
            else:
                with box("pv-valid"):
                    ui.icon("check_circle")
                    text(self.page.say("direct.valid"), "p")
        self.add.set_enabled(not problem)
        self.run.set_enabled(not problem and not self.working and self.page.visitor.may_change)


def _start(page: Page) -> None:
    with page.mistakes():
        page.project.jobs.start("anonymize", plan=page.document.plan)
        page.refresh()


def _finished(page: Page, job: Any) -> None:
    if job.state == "done":
        page.change(page.say("direct.run"), refresh=False, release=job.id)
        page.go("analysis")
    else:
        page.refresh()


def _add(page: Page) -> None:
    if len(page.document.candidates) >= MOST:
        page.warn(page.say("direct.full"))
        return
    page.change(page.say("direct.added"), candidates=(*page.document.candidates, page.document.plan))
    page.tell(page.say("direct.added"))


def _method(
    page: Page, entry: Mapping[str, Any], names: list[str], put: Callable[..., None], tune: Callable[..., None]
) -> None:
    say, classes = page.say, registry.classes("method")
    name = str(entry["name"])

    def choose(event: Any) -> None:
        if event.value != name:
            made = {"name": event.value, **_start_of(classes[event.value], event.value, names, page)}
            put(say("direct.method.changed", name=event.value), method=made)

    def changed(field: str, value: Any) -> None:
        now = page.document.plan.get("method") or entry
        tune(say("direct.parameter.changed", name=field, what=name), method=_with(now, field, value))

    with box("pv-row"):
        known = {each: method_called(page, each, cls) for each, cls in sorted(classes.items())}
        select = ui.select(known, value=name, label=say("direct.method"), on_change=choose, with_input=True)
        select.props("outlined").classes("pv-grow").props["data-keep"] = "method"
        help_button(page, name, name)
    text(str(getattr(classes[name], "source", "")), "p", "pv-small")
    text(say("direct.parameters"), "h3")
    if not form(page, classes[name], entry, changed, names, about=name):
        text(say("direct.parameters.none"), "p", "pv-muted")


def _rest(page: Page, told: Mapping[str, Any], tune: Callable[..., None]) -> None:
    say = page.say

    def entry(name: str) -> Callable[[Any], None]:
        return lambda event: tune(say("direct.entry.changed", name=say(f"direct.{name}")), **{name: event.value})

    share = ui.number(
        say("direct.suppression"),
        value=told.get("suppression", 0.0),
        min=0,
        max=1,
        step=0.01,
        on_change=entry("suppression"),
    )
    share.props("outlined dense debounce=500").classes("pv-field").props["data-keep"] = "suppression"
    kinds = {each: say(f"direct.suppressed.{each}") for each in ("drop", "mark")}
    ui.select(
        kinds, value=told.get("suppressed", "drop"), label=say("direct.suppressed"), on_change=entry("suppressed")
    ).props("outlined dense").classes("pv-field")
    orders = {each: say(f"direct.order.{each}") for each in ("shuffled", "source", "sorted")}
    ui.select(orders, value=told.get("order", "shuffled"), label=say("direct.order"), on_change=entry("order")).props(
        "outlined dense"
    ).classes("pv-field")

    def seed(event: Any) -> None:
        tune(say("direct.entry.changed", name=say("direct.seed")), seed=int(event.value or 0))

    ui.number(say("direct.seed"), value=told.get("seed", 0), step=1, on_change=seed).props(
        "outlined dense debounce=500"
    ).classes("pv-field")


def _entries(
    page: Page,
    part: str,
    tag: str,
    classes: Mapping[str, type],
    names: list[str],
    put: Callable[..., None],
    tune: Callable[..., None],
) -> None:
    """The promises or treatments of the plan, each with its form, and a select that adds another."""
    say = page.say
    entries = list(page.document.plan.get(part) or [])
    for at, entry in enumerate(entries):
        name = str(entry[tag])

        def changed(field: str, value: Any, at: int = at, name: str = name) -> None:
            now = list(page.document.plan.get(part) or [])
            tune(
                say("direct.parameter.changed", name=field, what=name),
                **{part: [*now[:at], _with(now[at], field, value), *now[at + 1 :]]},
            )

        def remove(at: int = at, name: str = name) -> None:
            now = list(page.document.plan.get(part) or [])
            put(say("direct.protect.removed", name=name), **{part: [*now[:at], *now[at + 1 :]]})

        with box("pv-entry"):
            with box("pv-row pv-row--between"):
                text(called(page, name), "h3")
                with box("pv-row pv-row--end"):
                    help_button(page, name, name)
                    button("", remove, icon="close", kind="quiet", label=say("direct.remove", name=name))
            form(page, classes[name], entry, changed, names, about=f"{part} {at} {name}")

    def added(event: Any) -> None:
        if event.value:
            made = {tag: event.value, **_start_of(classes[event.value], event.value, names, page)}
            now = list(page.document.plan.get(part) or [])
            put(say("direct.protect.added", name=event.value), **{part: [*now, made]})

    label = say(f"direct.{part}.add")
    known = {each: called(page, each) for each in sorted(classes)}
    select = ui.select(known, label=label, on_change=added).props("outlined dense").classes("pv-narrow")
    select.props["data-keep"] = f"add {part}"


def _start_of(cls: type, name: str, names: list[str], page: Page) -> dict[str, Any]:
    """Parameters without a default get a value to begin with: a sensitive column, or the first one."""
    import dataclasses

    made = dict(STARTS.get(name, {}))
    roles = page.document.plan.get("columns") or {}
    sensitive = [each for each in names if (roles.get(each) or {}).get("role") == "sensitive"]
    quasi = [each for each in names if (roles.get(each) or {}).get("role") == "quasi"]
    for field in dataclasses.fields(cls):
        if (
            field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING
            and field.name not in made
        ):
            if field.name == "column":
                made["column"] = (sensitive or quasi or names)[0]
            elif field.name == "target":
                made["target"] = (sensitive or names)[0]
            elif field.name == "domains":
                made["domains"] = {}
            elif field.name == "of":
                made["of"] = names[0]
    return made


def _with(entry: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    changed = {**entry, field: value}
    return {name: each for name, each in changed.items() if each is not None}
