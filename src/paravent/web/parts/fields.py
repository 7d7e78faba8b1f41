"""Fields of the guide: a label, the help of the knowledge beside it, and a change when somebody leaves the field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from paravent.web.page import Page
from paravent.web.parts.bars import VALUE
from paravent.web.parts.help import help_button
from paravent.web.parts.text import box, text


def number(
    page: Page,
    label: str,
    value: float | None,
    changed: Callable[[float | None], object],
    *,
    low: float,
    high: float,
    entry: str = "",
    keep: str = "",
    empty: str | None = None,
    whole: bool = False,
    note: str = "",
) -> ui.number:
    """A number between two ends; where `empty` is given, there may be none, and it says what that means. `changed` is
    called once somebody leaves the field, with a number that is right."""
    say = page.say

    def wrong(now: float | None) -> str | None:
        if now is None:
            return None if empty is not None else say("guide.number", low=say.number(low), high=say.number(high))
        if not low <= now <= high or (whole and now != int(now)):
            return say("guide.whole" if whole else "guide.number", low=say.number(low), high=say.number(high))
        return None

    with box("pv-helped"):
        with box("pv-grow"):
            field = ui.number(label=label, value=value, validation=wrong, format="%.6g").props("outlined stack-label")
            field.classes("pv-field").props(f'inputmode="{"numeric" if whole else "decimal"}"')
            if empty is not None:
                field.props["placeholder"] = empty
            if keep:
                field.props["data-keep"] = keep
            if note:
                text(note, "p", "pv-small")
        if entry:
            help_button(page, entry, label)
    last = {"value": value}

    def commit() -> None:
        now = field.value
        if now != last["value"] and wrong(now) is None:
            last["value"] = now
            changed(now)

    field.on("blur", commit, args=[])
    field.on("keydown.enter", commit, args=[])
    return field


def choice(
    page: Page,
    label: str,
    options: Mapping[str, str],
    value: str | None,
    changed: Callable[[str], object],
    *,
    entry: str = "",
    keep: str = "",
) -> ui.select:
    """One of some options."""
    with box("pv-helped"):
        with box("pv-grow"):
            field = ui.select(dict(options), label=label, value=value, on_change=lambda event: changed(event.value))
            field.props("outlined options-dense").classes("pv-field")
            if keep:
                field.props["data-keep"] = keep
        if entry:
            help_button(page, entry, label)
    return field


def tick(
    page: Page, label: str, value: bool, changed: Callable[[bool], object], *, entry: str = "", keep: str = ""
) -> None:
    """Something that is so or not."""
    with box("pv-helped"):
        with box("pv-option pv-grow", "label"):
            field = box("pv-tick", "input").props('type="checkbox"')
            field.props["checked"] = value
            field.props["data-keep"] = keep
            field.on(
                "change", lambda event: changed(bool(event.args)), js_handler="(event) => emit(event.target.checked)"
            )
            text(label)
        if entry:
            help_button(page, entry, label)


def options(
    legend: str, name: str, choices: Mapping[str, str], value: str | None, changed: Callable[[str], object]
) -> ui.element:
    """A question with its answers, one of which can be taken. What is put into it stands below the answers."""
    holder = box("pv-question", "fieldset")
    with holder:
        text(legend, "legend")
        with box("pv-options"):
            for key, label in choices.items():
                with box("pv-option" + " pv-option--here" * (key == value), "label"):
                    field = box("pv-radio", "input").props(f'type="radio" name="{name}" value="{key}"')
                    field.props["checked"] = key == value
                    field.props["data-keep"] = f"{name}-{key}"
                    field.on("change", lambda event: changed(str(event.args)), js_handler=VALUE)
                    text(label)
    return holder


def figure(label: str, value: str, note: str = "") -> None:
    """A number with what it is."""
    with box("pv-tile"):
        text(label, "span", "pv-tile__what")
        text(value, "span", "pv-tile__value")
        if note:
            text(note, "span", "pv-tile__beside")


def plain(told: Mapping[str, Any]) -> str:
    """Arguments as Python writes them.

    >>> plain({"risk": 0.2, "use": "counting"})
    "risk=0.2, use='counting'"
    """
    return ", ".join(f"{name}={value!r}" for name, value in told.items())
