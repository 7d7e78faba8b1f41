"""The button that runs the candidates that are selected, or a sentence where none is."""

from __future__ import annotations

from collections.abc import Sequence

from paravent.web.aside import aside
from paravent.web.guiding.decisions import note
from paravent.web.guiding.runs import run_candidates
from paravent.web.page import Page
from paravent.web.parts.text import button, text


class RunSelected:
    """Texts are `<words>.go` (with how many) and `<words>.none`. The button stays the same one when the selection
    changes: somebody may be about to press it."""

    def __init__(self, page: Page, words: str, selected: Sequence[str]) -> None:
        self._page, self._words = page, words
        self._go = button("", self._run, icon="play_arrow", kind="main", keep="run-selected")
        self._none = text(page.say(f"{words}.none"), "p", "pv-muted")
        self.show(selected)

    def show(self, selected: Sequence[str]) -> None:
        """What is selected now."""
        self._selected = tuple(selected)
        self._go.text = self._page.say(f"{self._words}.go", n=len(selected))
        self._go.set_visibility(bool(selected))
        self._none.set_visibility(not selected)

    async def _run(self) -> None:
        page = self._page
        if page.visitor.may_change:
            with page.mistakes():
                await aside(run_candidates, page.project, self._selected)
                note(page.project, "run", asked=len(self._selected))
        page.go("run")
