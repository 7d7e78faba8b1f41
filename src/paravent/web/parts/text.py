"""Texts in elements of their own. Nothing in them is taken for HTML, whatever a column is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

if TYPE_CHECKING:
    from paravent.web.page import Page


def text(words: str, tag: str = "span", classes: str = "") -> TextElement:
    """`text("Rows", "h2")`: an element of this tag that holds the words."""
    made = TextElement(tag=tag, text=words)
    if classes:
        made.classes(classes)
    return made


def capital(words: str) -> str:
    """Words that begin a line.

    >>> capital("guiding metric")
    'Guiding metric'
    """
    return words[:1].upper() + words[1:]


def attribute(value: str) -> str:
    """A text as the value of a property in `.props(…)`.

    >>> attribute('a "b"')
    '"a \\\\"b\\\\""'
    """
    import json

    return json.dumps(value, ensure_ascii=False)


def labelled(element: Any, words: str) -> Any:
    """The element with a name for those who do not see it. (`props("aria-label=…")` would parse the words.)"""
    element.props["aria-label"] = words
    return element


def in_english(page: Page, element: Any) -> Any:
    """Mark a sentence of the library: it is English whatever the page speaks, and is read aloud as such."""
    if page.say.language != "en":
        element.props["lang"] = "en"
    return element


def library(page: Page, sentence: str, tag: str = "span", classes: str = "") -> TextElement:
    """A sentence of the library: in the page's language where it has been put into it, else in English and marked."""
    said = page.say.said(sentence)
    made = text(sentence if said is None else said, tag, classes)
    if said is None:
        in_english(page, made)
    return made


def of_guide(page: Page, sentence: str) -> TextElement:
    """A sentence of the guide, which speaks the page's language itself. What it quotes at its end is the library's: it
    is put into the language, or the whole is marked."""
    if page.say.language == "en":
        return text(sentence)
    sentence = page.say.written(sentence)
    said, colon, quoted = sentence.partition(" : ")
    french = page.say.said(quoted) if colon else ""
    if not colon or french:
        return text(f"{said}{colon}{french}")
    return in_english(page, text(sentence)) if page.say.said(sentence) is None else library(page, sentence)


def box(classes: str, tag: str = "div") -> ui.element:
    """An element that holds others: `with box("pv-card"): …`."""
    return ui.element(tag).classes(classes)


def button(
    words: str,
    act: Callable[..., Any] | None = None,
    *,
    icon: str | None = None,
    kind: str = "plain",
    label: str | None = None,
    keep: str | None = None,
) -> ui.button:
    """A button. `kind`: "main" for the one thing to do, "plain", "quiet" or "danger"; without words, an icon with a
    `label` for those who do not see it. `keep` names it, so that it keeps the focus when the screen is built anew."""
    made = ui.button(words, on_click=act, icon=icon, color=None)
    made.props("no-caps unelevated").classes(f"pv-button pv-button--{kind}")
    if not words:
        made.props("round flat").classes("pv-button--icon")
    if label:
        labelled(made, label)
        if not words:
            made.tooltip(label)
    if keep:
        made.props["data-keep"] = keep
    return made


def problem(sentence: str, *, of: Page | None = None) -> None:
    """A sentence about what is wrong, where the content would be. With the page `of` which it is, the library's."""
    with box("pv-problem").props('role="alert"'):
        ui.icon("error_outline")
        _own_or_library(sentence, of)


def note(sentence: str, icon: str = "info_outline", *, of: Page | None = None) -> None:
    """A sentence that is good to know. With the page `of` which it is, the library's."""
    with box("pv-hint"):
        ui.icon(icon)
        _own_or_library(sentence, of)


def notes(page: Page, sentences: Sequence[str]) -> None:
    """Several sentences of the library that are good to know, in one box."""
    if sentences:
        with box("pv-notes", "ul"):
            for sentence in sentences:
                with box("", "li"):
                    ui.icon("warning_amber")
                    library(page, sentence)


def _own_or_library(sentence: str, page: Page | None) -> None:
    if page is None:
        text(sentence, "p")
    else:
        library(page, sentence, "p")
