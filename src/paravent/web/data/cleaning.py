"""Cleaning: steps that are switched on one by one, and a list of what each takes out and why."""

from __future__ import annotations

from typing import Any, get_args

from nicegui import ui

import paravent as pv
from paravent.errors import ParaventError
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.grid import grid
from paravent.web.parts.text import box, labelled, problem, text
from paravent.web.workspace import CleaningStep

KINDS: tuple[str, ...] = get_args(CleaningStep.model_fields["kind"].annotation)
_EXCLUDE = {"missing_rows": "impute", "impute": "missing_rows"}
_FIRST = 8


async def cleaning(page: Page, table: pv.Table) -> None:
    """The steps, then what they do to the table."""
    say, names = page.say, table.names
    empty = [name for name, column in table.columns.items() if column.missing == len(table)]
    text(say("data.clean.lead"), "p", "pv-muted")
    on = {step.kind: step for step in page.document.cleaning}
    with box("pv-card pv-card--flat"):
        for kind in KINDS:
            _step(page, kind, on.get(kind), names, empty)
    text(say("data.clean.would"), "h2")
    try:
        found = await aside(page.project.cleaning)
    except ParaventError as error:
        problem(str(error), of=page)
        return
    told = found.to_dict()
    text(
        say(
            "data.clean.from.to",
            rows=told["rows"]["before"],
            columns=told["columns"]["before"],
            rows_after=told["rows"]["after"],
            columns_after=told["columns"]["after"],
        ),
        "p",
    )
    if not found.steps:
        text(say("data.clean.nothing"), "p", "pv-muted")
        return
    rows = [
        [
            say.heard(step.what),
            say.heard(str(step.why)),
            ""
            if step.rows is None
            else ", ".join(str(int(row) + 1) for row in step.rows[:_FIRST]) + (" …" if len(step.rows) > _FIRST else ""),
        ]
        for step in found.steps
    ]
    grid([say("data.clean.step"), say("data.clean.why"), say("data.clean.rows")], rows, say("data.clean.would"))


def _step(page: Page, kind: str, step: CleaningStep | None, names: list[str], empty: list[str]) -> None:
    say = page.say
    title = say(f"data.clean.{kind}")
    with box("pv-clean"):
        switch = ui.switch(title, value=step is not None, on_change=lambda event: choose(bool(event.value), None))
        switch.props["data-keep"] = f"clean {kind}"
        if step is not None and kind != "empty_columns":
            chosen = ui.select(
                names, value=list(step.columns or ()), multiple=True, label=say("data.clean.columns"),
                on_change=lambda event: choose(True, tuple(event.value) or None),
            ).props("outlined dense use-chips")  # fmt: skip
            labelled(chosen.classes("pv-field"), f"{title}: {say('data.clean.columns')}")

    def choose(wanted: bool, columns: tuple[str, ...] | None) -> None:
        others = [each for each in page.document.cleaning if each.kind != kind and each.kind != _EXCLUDE.get(kind)]
        made: list[Any] = [*others, CleaningStep(kind=kind, columns=columns)] if wanted else others
        key = "data.clean.changed" if wanted else "data.clean.removed"
        ordered = sorted(made, key=lambda each: KINDS.index(each.kind))
        plan = page.document.plan
        if kind == "empty_columns" and wanted:  # a column that goes has no role any more
            kept = {name: entry for name, entry in (plan.get("columns") or {}).items() if name not in empty}
            plan = {**plan, "columns": kept}
        page.change(say(key, what=title), cleaning=tuple(ordered), plan=plan, release=None)
