"""Shares as bars, and names by which an element is found again."""

from __future__ import annotations

from nicegui import ui

from paravent.web.parts.text import attribute, box

BEGINS_AT = "^value"
"""Where a native field stands at first. As an attribute and not as a property: once somebody has moved it, what is
drawn anew does not pull it back."""
VALUE = "(event) => emit(event.target.value)"
"""What a native field sends when somebody moves it: its value, as text."""


def bar(share: float) -> ui.element:
    """A share of 1 as a bar; what it says stands beside it as a figure."""
    found = box("pv-share", "span").props('aria-hidden="true"')
    with found:
        box("pv-share__fill", "span")
    fill(found, share)
    return found


def fill(bar: ui.element, share: float) -> None:
    """Another share in a bar that stands."""
    bar.default_slot.children[0].style(replace=f"width: {100 * min(1.0, max(0.0, share)):.2f}%")


def keep(name: str) -> str:
    """The property that names an element, so that it keeps the focus when a screen is built anew."""
    return f"data-keep={attribute(name)}"


def name(of: str) -> str:
    """The property that tells programs which figure an element holds."""
    return f"data-name={attribute(of)}"
