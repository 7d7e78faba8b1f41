"""Near matches: what somebody probably meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches


def suggest(name: str, known: Iterable[str]) -> str:
    """The remedy for an unknown name: the closest known one, or a list of them.

    >>> suggest("agee", ["age", "zip"]), suggest("x", ["age", "zip"])
    ("Did you mean 'age'?", "The choices are 'age', 'zip'.")
    >>> suggest("AGE", ["Âge", "zip"])
    "Did you mean 'Âge'?"
    """
    names = sorted(known)
    folded = {_plain(other): other for other in reversed(names)}
    close = get_close_matches(_plain(name), list(folded), n=1, cutoff=0.6)
    if close:
        return f"Did you mean {folded[close[0]]!r}?"
    if not names:
        return "There is none to choose from."
    shown = ", ".join(map(repr, names[:8]))
    return f"The choices are {shown}{', …' if len(names) > 8 else ''}."


def _plain(name: str) -> str:
    """A name without case and accents."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(sign))
