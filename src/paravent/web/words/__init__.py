"""The texts of the page, in English and French; every text that a person sees goes through here.

A module of this package holds `TEXTS`: by key, the English and the French text. Keys begin with the name of the module
(`shell.undo` lives in `shell.py`). What varies stands in braces. Where `n` is given and is 1, the key with `.one`
behind it is used, if there is one. To add texts, add to a module or add a module: nothing lists them.

A screen asks its page: `page.say("trees.people", n=3)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from paravent.web.words.library import in_french

LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "fr": "Français"})
"""The languages, each by its own name."""

Texts = Mapping[str, tuple[str, str]]
_POINT = re.compile(r"(?<![\w.])(\d+)\.(\d+)(?![\w.])")
_HOLE = re.compile(r"\\\{(\w+)\\\}")


@cache
def texts() -> Texts:
    """Every text by its key: English, French.

    >>> texts()["shell.undo"]
    ('Undo', 'Annuler')
    """
    found: dict[str, tuple[str, str]] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem != "__init__":
            found |= import_module(f"{__name__}.{path.stem}").TEXTS
    return MappingProxyType(found)


@dataclass(frozen=True)
class Words:
    """The texts in one language.

    >>> Words("fr")("shell.redo"), Words("en").number(30162), Words("en").percent(0.0312)
    ('Rétablir', '30,162', '3.1 %')
    """

    language: str = "en"

    def __call__(self, key: str, **values: Any) -> str:
        known = texts()
        if values.get("n") == 1 and f"{key}.one" in known:
            key = f"{key}.one"
        text = known[key][1 if self.language == "fr" else 0]
        shown = {name: self.number(value) if _is_count(value) else value for name, value in values.items()}
        return text.format(**shown) if shown else text

    def said(self, sentence: str) -> str | None:
        """A sentence of the library in this language; None where nobody has put it into it.

        >>> Words("fr").said("5-anonymity cannot hold: the table has fewer rows. Ask for a smaller k.")
        'Le 5-anonymat est impossible : la table a moins de lignes. Demandez un k plus petit.'
        """
        if self.language == "en":
            return sentence
        for pattern, key in _patterns():
            found = pattern.fullmatch(sentence)
            if found is not None:
                return self(key, **{name: self.heard(value) for name, value in found.groupdict().items()})
        french = in_french(sentence)
        if french is None:
            return None
        named = french.split()[0] == sentence.split(maxsplit=1)[0]  # it begins with a name, which stays as it is
        return french if named or not french.endswith(".") else french[:1].upper() + french[1:]

    def heard(self, sentence: str) -> str:
        """A sentence of the library in this language, or as it is."""
        said = self.said(sentence)
        return sentence if said is None else said

    def has(self, key: str) -> bool:
        return key in texts()

    def number(self, value: float, digits: int = 4) -> str:
        """A number as people of the language write it."""
        written = (
            f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}g}" if abs(value) < 1e6 else f"{value:.3g}"
        )
        return written.translate({44: "\u202f", 46: ","}) if self.language == "fr" else written

    def written(self, figures: str) -> str:
        """Figures that have been written as text, with the decimal sign of the language.

        >>> Words("fr").written("20.1 % of 3.5"), Words("en").written("0.0185")
        ('20,1 % of 3,5', '0.0185')
        """
        return _POINT.sub(r"\1,\2", figures) if self.language == "fr" else figures

    def percent(self, share: float) -> str:
        """A share in percent; one that is small but not 0 does not look like 0."""
        if 0 < share < 0.001:
            return f"< {self.number(0.1)} %"
        shown = f"{100 * share:.1f}".removesuffix(".0")
        return f"{shown.replace('.', ',') if self.language == 'fr' else shown} %"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The sentences of the library (`said.…`), as patterns: what stands in braces may be anything."""
    return tuple(
        (re.compile(_HOLE.sub(r"(?P<\1>.+?)", re.escape(english)), re.DOTALL | re.IGNORECASE), key)
        for key, (english, _) in texts().items()
        if key.startswith("said.")
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
