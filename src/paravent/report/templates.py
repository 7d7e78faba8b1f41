"""The templates of the pages: what they share is in `parts.html.jinja`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from paravent.measures import as_percent
from paravent.report import words


@cache
def template(name: str) -> Template:
    """A page by the name of its template; whatever it is given is escaped."""
    around = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    around.filters.update(number=words.number, percent=as_percent, listed=words.listed)
    return around.get_template(f"{name}.html.jinja")


@cache
def style(*names: str) -> Markup:
    """Some style sheets, one after another."""
    return Markup("".join(_text(f"{name}.css") for name in names))


def _text(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
