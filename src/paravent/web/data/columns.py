"""Columns with their pictures, and the role of each: proposed with a reason, corrected by a click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from paravent.profiling.column import ColumnProfile
from paravent.web.looks import Look
from paravent.web.page import Page
from paravent.web.parts.picture import bars, drawn
from paravent.web.parts.text import box, button, labelled, library, note, notes, text
from paravent.web.roles import ROLES, named, proposed_plan, proposed_role, role_in, with_role

_SHOWN = 40


def columns(page: Page, look: Look) -> None:
    """The columns, those first that fit what is looked for."""
    say, profile = page.say, look.profile
    state = {"find": "", "shown": _SHOWN}
    with box("pv-legend", "dl"):
        for role in ROLES:
            with box(""):
                text(say(f"data.role.{role}"), "dt", f"pv-role pv-role--{role}")
                text(say(f"data.role.{role}.what"), "dd", "pv-small")
    notes(page, profile.warnings)
    need = box("pv-stack")

    def check() -> None:
        need.clear()
        if not named(page.document.plan, "quasi"):
            with need:
                note(say("data.role.need"), "warning_amber")
        if repeating := _repeating(page, look):
            with need:
                note(say("data.person.say", column=repeating), "warning_amber")

    with box("pv-row pv-row--between"):
        find = ui.input(say("data.find"), on_change=lambda event: search(event.value)).props("outlined dense clearable")
        find.classes("pv-find")
        with box("pv-row pv-row--end"):
            _person(page, look, check)
            button(say("data.roles.reset"), lambda: _reset(page, look), icon="restart_alt", kind="quiet")
    listed = box("pv-columns", "ul")

    def search(wanted: str | None) -> None:
        state["find"], state["shown"] = (wanted or "").lower(), _SHOWN
        draw()

    def draw() -> None:
        listed.clear()
        found = [column for column in profile if str(state["find"]) in column.name.lower()]
        limit = int(str(state["shown"]))
        with listed:
            for column in found[:limit]:
                _column(page, look, column, check)
            if len(found) > limit:
                with box("", "li"):
                    button(say("data.more", n=len(found) - limit), more, icon="expand_more")

    def more() -> None:
        state["shown"] = int(str(state["shown"])) + 4 * _SHOWN
        draw()

    check()
    draw()


def _column(page: Page, look: Look, column: ColumnProfile, check: Any) -> None:
    say, name = page.say, column.name
    facts = [
        say(f"data.kind.{column.kind.value}"),
        say("data.values", n=column.distinct),
        say("data.missing", share=say.percent(column.missing / max(column.rows, 1)))
        if column.missing
        else say("data.missing.none"),
    ]
    with box("pv-column", "li"):
        with box("pv-column__what"):
            text(name, "h3", "pv-break")
            text(" · ".join(facts), "p", "pv-small")
        with box("pv-column__picture"):
            found = look.histograms[name]
            said = say("data.picture", column=name, kind=facts[0], values=facts[1])
            drawn(bars(found, said, width=180, height=44), say)
            if found.measured:
                with box("pv-ends").props("aria-hidden=true"):
                    text(_number(say, found.low))
                    text(_number(say, found.high))
        with box("pv-column__role"):
            toggle = ui.toggle(
                {role: say(f"data.role.{role}") for role in ROLES}, value=role_in(page.document.plan, name)
            ).props("no-caps unelevated")
            labelled(toggle.classes("pv-roles"), say("data.role.of", column=name)).props('role="group"')
            why = text("", "p", "pv-small pv-break")
            _say_why(page, column, look, why)
            for warning in column.warnings:
                library(page, warning, "p", "pv-small pv-warned")

        def choose(event: Any) -> None:
            role = event.value
            if role == role_in(page.document.plan, name):
                return
            what = say("data.role.changed", column=name, role=say(f"data.role.{role}"))
            plan = with_role(page.document.plan, look.profile, name, role)
            trees = {key: tree for key, tree in page.document.trees.items() if key != name}
            if page.change(what, refresh=False, plan=plan, trees=trees, release=None):
                _say_why(page, column, look, why)
                check()

        toggle.on_value_change(choose)
        if not page.visitor.may_change:
            toggle.disable()


def _say_why(page: Page, column: ColumnProfile, look: Look, why: Any) -> None:
    say, proposal = page.say, column.proposal
    wanted = proposed_role(look.profile, column.name)
    if role_in(page.document.plan, column.name) == wanted:
        proposed = say("data.role.proposed", reason=say.heard(proposal.reason))
        why.text = f"{proposed} ({say(f'data.role.{proposal.confidence.value}')})"
    else:
        why.text = say("data.role.yours", role=say(f"data.role.{wanted}"), reason=say.heard(proposal.reason))


def _repeating(page: Page, look: Look) -> str:
    """The first column that names people and names one twice, where nobody has said whose each row is."""
    plan = page.document.plan
    if "person" in plan:
        return ""
    names = (each for each in look.profile if role_in(plan, each.name) == "identifier")
    return next((each.name for each in names if each.distinct < each.rows - each.missing), "")


def _person(page: Page, look: Look, check: Callable[[], None]) -> None:
    """The column that says whose each row is."""
    say, plan = page.say, page.document.plan
    now = plan.get("person")
    repeats = [each.name for each in look.profile if role_in(plan, each.name) in ("identifier", "drop")]
    choices = {"": say("data.person.unsaid"), "=": say("data.person.each"), **{f"+{name}": name for name in repeats}}
    value = "=" if now is False else f"+{now}" if isinstance(now, str) and now in repeats else ""

    def choose(event: Any) -> None:
        changed = {key: entry for key, entry in page.document.plan.items() if key != "person"}
        if event.value:
            changed["person"] = False if event.value == "=" else event.value[1:]
        page.change(say("data.person.changed"), refresh=False, plan=changed, release=None)
        check()

    ui.select(choices, value=value, label=say("data.person"), on_change=choose).props("outlined dense").classes(
        "pv-person"
    )


def _reset(page: Page, look: Look) -> None:
    page.change(
        page.say("data.roles.reset"), plan={**page.document.plan, **proposed_plan(look.profile)}, trees={}, release=None
    )


def _number(say: Any, value: Any) -> str:
    return (
        say.number(int(value))
        if isinstance(value, float) and value.is_integer()
        else say.number(value)
        if isinstance(value, float)
        else str(value)[:10]
    )
