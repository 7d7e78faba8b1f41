"""The screens of the page, found where they lie: a file of this package that holds `SCREEN` (or `SCREENS`) is one.

To add a screen, write `screens/mine.py`:

    from paravent.web.screens import Screen
    from paravent.web.page import Page

    def build(page: Page) -> None:                  # may be async; NiceGUI elements made here land in the content
        page.heading("mine.title", "mine.lead")     # keys of paravent.web.words
        page.script(python="…", shell="…")          # what "Show me the script" shows
        ...

    SCREEN = Screen("mine", "mine.title", build, group="guide", place=35, modes=frozenset({"suggestive", "full"}))

It is served at `/p/<project>/mine`, stands in the step line in the order of `place`, and gets its tick from `done`.
`page.project` is the project, `page.document` what it holds, `page.say` the texts in the person's language,
`page.change("what, in plain words", field=value)` makes one step that can be undone and shows the screen anew.
Screens with `group=None` are reached by links only (a page about one method, say); their `path` may be followed by
one name, which is `page.rest`: `/p/<project>/method/datafly`.
Parts that several screens use lie in `paravent.web.parts`, texts in a module of `paravent.web.words`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from paravent.web.page import Page
    from paravent.web.workspace import Document

Group = Literal["prepare", "guide", "direct", "results", "knowledge"]
GROUPS: tuple[Group, ...] = ("prepare", "guide", "direct", "results", "knowledge")
"""The parts of the step line, from top to bottom."""

MODES = frozenset({"predefined", "informative", "suggestive", "full"})


def never(document: Document) -> bool:  # noqa: ARG001
    """For screens that are looked at rather than finished."""
    return False


@dataclass(frozen=True)
class Screen:
    """One thing to do. `place` orders the screens of the step line; `modes` are the guidance modes in which it stands
    there; `expert` is True for screens of experts only, False for those that experts do not see, None for both;
    `done` says from the document whether it has its tick; `needs_data` sends people to the data first."""

    path: str
    title: str
    build: Callable[[Page], Awaitable[None] | None]
    group: Group | None = None
    place: int = 0
    modes: frozenset[str] = MODES
    expert: bool | None = None
    done: Callable[[Document], bool] = never
    needs_data: bool = True

    def shows(self, mode: str, expert: bool) -> bool:
        """Whether it stands in the step line."""
        return self.group is not None and mode in self.modes and (self.expert is None or self.expert is expert)


@cache
def screens() -> tuple[Screen, ...]:
    """Every screen, in the order of the step line."""
    found: list[Screen] = []
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem == "__init__":
            continue
        module = import_module(f"{__name__}.{path.stem}")
        found += getattr(module, "SCREENS", None) or [module.SCREEN]
    return tuple(sorted(found, key=lambda screen: (GROUPS.index(screen.group) if screen.group else 9, screen.place)))


def screen_at(path: str) -> Screen | None:
    return next((screen for screen in screens() if screen.path == path), None)


def step_line(mode: str, expert: bool) -> list[Screen]:
    """The screens that a person goes through, in order."""
    return [screen for screen in screens() if screen.shows(mode, expert)]


def mount() -> None:
    """Make the screens known to the page."""
    from paravent.web.shell import mount as mount_shell

    mount_shell()
