"""Changes that no test can notice, because the program does the same: listed by hand, each with the reason."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tools.mutation.judge import ROOT
from tools.mutation.operators import Mutation

LIST = Path(__file__).with_name("equivalent.toml")


class Equivalent:
    """A change is known by its file, the text of its line and what is changed there, so that it is still known when
    lines above it come and go."""

    def __init__(self, path: Path = LIST, root: Path = ROOT) -> None:
        self._root = root
        listed = tomllib.loads(path.read_text(encoding="utf-8"))["change"]
        self._why = {(one["file"], one["line"], one["change"]): str(one["why"]) for one in listed}

    def why(self, change: Mutation) -> str | None:
        """Why nobody can notice a change; None where somebody could."""
        line = change.path.read_text(encoding="utf-8").splitlines()[change.line - 1].strip()
        return self._why.get((str(change.path.relative_to(self._root)), line, change.words))
