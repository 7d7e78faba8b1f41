"""What methods, promises and treatments are called in direct mode: as the code has them, and in the page's language."""

from __future__ import annotations

from paravent.errors import ParaventError
from paravent.knowledge import load
from paravent.web.page import Page


def called(page: Page, name: str) -> str:
    """A method, promise or treatment; in English, as its code does."""
    if page.say.language == "en":
        return name
    try:
        label = load(language=page.say.language).entry(name).label
    except ParaventError:  # an extension's own, or one that the knowledge has under several names
        return name
    return name if label.casefold() == name.casefold() else f"{name}\u00a0: {label}"


def method_called(page: Page, name: str, cls: type) -> str:
    """A method by its name and its title, where that says more."""
    return titled(name, str(getattr(cls, "title", name))) if page.say.language == "en" else called(page, name)


def titled(name: str, title: str) -> str:
    """
    >>> titled("Mondrian", "Mondrian"), titled("GkAA", "Greedy merging"), titled("MDAV", "MDAV with means")
    ('Mondrian', 'GkAA: Greedy merging', 'MDAV with means')
    """
    return title if title.startswith(name) else f"{name}: {title}"
