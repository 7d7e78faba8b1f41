"""Forms made from the fields of methods, promises and treatments: what the code declares is what can be said."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from nicegui import ui

from paravent.web.page import Page
from paravent.web.parts.domains import Domains
from paravent.web.parts.text import box

COLUMN = frozenset({"column", "target", "own_k", "by", "household", "of", "count"})
"""Fields that name a column of the table, where they are texts."""
COLUMNS = frozenset({"columns", "within", "given", "along", "risk", "strata", "groups", "importance", "knowing"})
"""Fields that name several."""

Changed = Callable[[str, Any], None]


def form(
    page: Page, cls: type, values: Mapping[str, Any], changed: Changed, columns: Sequence[str], *, about: str
) -> int:
    """A field for each parameter of a class; `changed` is told its name and its value (None: not set). Gives how many
    there are. `about` names the thing for those who do not see the form."""
    hints = get_type_hints(cls)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    with box("pv-form"):
        for field in fields:
            if field.name == "domains":
                Domains(page, values.get("domains") or {}, columns, lambda told: changed("domains", told or None))
                continue
            default = None if field.default is dataclasses.MISSING else field.default
            _field(page, field.name, hints[field.name], values.get(field.name, default), changed, columns, about)
    return len(fields)


def _field(page: Page, name: str, hint: Any, value: Any, changed: Changed, columns: Sequence[str], about: str) -> None:
    kinds = [each for each in _parts(hint) if each is not NoneType]
    optional = NoneType in _parts(hint)
    label, keep = _called(page, name), f"{about} {name}"
    choices = [choice for each in kinds if get_origin(each) is Literal for choice in get_args(each)]
    made: Any
    if kinds == [bool]:
        made = ui.switch(label, value=bool(value), on_change=lambda event: changed(name, bool(event.value)))
    elif choices and len(kinds) == 1:
        made = ui.select(choices, value=value, label=label, on_change=lambda event: changed(name, event.value))
    elif name in COLUMN and str in kinds:
        known: dict[Any, str] = {each: each for each in columns}
        if optional:
            known = {None: page.say("direct.field.none"), **known}
        shown = (
            value
            if isinstance(value, str) and value in columns
            else None
            if optional
            else value[0]
            if isinstance(value, list | tuple) and value
            else None
        )
        made = ui.select(known, value=shown, label=label, on_change=lambda event: changed(name, event.value))
    elif name in COLUMNS and any(get_origin(each) is tuple for each in kinds):
        shown = [each for each in value or () if each in columns]
        made = ui.select(
            list(columns),
            value=shown,
            multiple=True,
            label=label,
            on_change=lambda event: changed(name, list(event.value) or None),
        ).props("use-chips")
    elif kinds and all(each in (int, float) for each in kinds):
        whole = float not in kinds
        made = ui.number(label, value=value, step=1 if whole else None).props("debounce=500")
        made.on_value_change(lambda event: changed(name, _number(event.value, whole)))
    elif kinds == [str]:
        made = ui.input(label, value=value or "").props("debounce=500")
        made.on_value_change(lambda event: changed(name, event.value or (None if optional else "")))
    else:
        made = _json(page, name, label, value, changed)
    if not isinstance(made, ui.switch):
        made.props("outlined dense")
    made.classes("pv-form__field").props["data-keep"] = keep


def _called(page: Page, name: str) -> str:
    """A parameter as people read it; one that an extension brings, as its code has it."""
    key = f"parameters.{name}"
    return page.say(key) if page.say.has(key) else name.replace("_", " ")


def _json(page: Page, name: str, label: str, value: Any, changed: Changed) -> Any:
    """Lists and tables are written as JSON; a plain text is taken as such."""
    empty = value is None or (isinstance(value, Mapping | list | tuple) and not value)
    made = ui.input(label, value="" if empty else value if isinstance(value, str) else json.dumps(value)).props(
        "debounce=700"
    )
    made.tooltip(page.say("direct.field.json", name=label))

    def read(event: Any) -> None:
        written = (event.value or "").strip()
        if not written:
            changed(name, None)
            return
        try:
            changed(name, json.loads(written))
        except ValueError:
            if written[0] in "[{":
                page.warn(page.say("direct.field.wrong", name=label, example='{"a": 1}'))
            else:
                changed(name, written)

    made.on_value_change(read)
    return made


def _number(value: Any, whole: bool) -> Any:
    if value is None:
        return None
    return int(value) if whole or float(value).is_integer() else float(value)


def _parts(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
