"""What column headers mean, in English, French, German and Spanish.

A concept is one sort of column: its role in a release, and the words that name it in a header. Words are written
without accents and plural endings, little words (of, de, der …) left out, as `header_words` leaves them.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path


class Role(StrEnum):
    """What a column is to somebody who wants to find a person in the table."""

    IDENTIFIER = "identifier"
    QUASI = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


@dataclass(frozen=True)
class Concept:
    """One sort of column. A `weak` one gives way to any other that the header names as well (`country code`); the
    phrases of a `whole` one count only where they are the whole header (`last`)."""

    key: str
    role: Role
    title: str
    words: str
    weak: bool = False
    special: bool = False
    whole: bool = False

    @property
    def phrases(self) -> Iterator[tuple[str, ...]]:
        return (tuple(header_words(phrase)) for phrase in self.words.split(","))


@cache
def concepts() -> tuple[Concept, ...]:
    """The whole lexicon, in the order of its file."""
    document = tomllib.loads(Path(__file__).with_name("concepts.toml").read_text(encoding="utf-8"))
    return tuple(Concept(**{**entry, "role": Role(entry["role"])}) for entry in document["concept"])


@cache
def concept(key: str) -> Concept:
    return next(each for each in concepts() if each.key == key)


# fmt: off
_FILLERS = frozenset((
    "of", "the", "a", "an", "and", "in", "at", "for", "to", "s", "de", "du", "la", "le", "les", "des", "d", "l", "et",
    "en", "au", "un", "une", "der", "die", "das", "dem", "den", "und", "von", "vom", "zu", "im", "del", "el", "los",
    "las", "val", "value", "code", "col", "column", "field", "champ", "feld", "campo",
))
# fmt: on
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def plain(text: str) -> str:
    """Small letters without accents.

    >>> plain("Né le, Straße")
    'ne le, strasse'
    """
    decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("œ", "oe"))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).lower()


def header_words(header: str) -> list[str]:
    """The words of a column's name, in the form in which the lexicon has them.

    >>> header_words("dateDeNaissance"), header_words("ZIP_Codes"), header_words("hours-per-week")
    (['date', 'naissance'], ['zip'], ['hour', 'per', 'week'])
    """
    words = re.split(r"[^a-z0-9]+", plain(_CAMEL.sub(" ", header)))
    words = [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]
    return [word for word in words if word and word not in _FILLERS] or [word for word in words if word]


@cache
def _index() -> dict[tuple[str, ...], Concept]:
    index: dict[tuple[str, ...], Concept] = {}
    for each in concepts():
        for phrase in each.phrases:
            index.setdefault(phrase, each)
    return index


@cache
def _words() -> frozenset[str]:
    """Every word that stands in a phrase of the lexicon."""
    return frozenset(word for phrase in _index() for word in phrase)


# fmt: off
_GERMAN_HEADS = (
    "nummer", "datum", "alter", "geschlecht", "gehalt", "lohn", "einkommen", "vermogen", "kosten", "miete", "betrag",
    "diagnose", "krankheit", "erkrankung", "behandlung", "therapie", "medikament", "beruf", "abschluss", "abteilung",
    "adresse", "anschrift", "strasse", "stadt", "gemeinde", "bezirk", "kreis", "gebiet",
)
# fmt: on
"""Compound words are what their last part is: a Grundgehalt is a Gehalt."""
_SHORTEST = 3


@cache
def _known(word: str) -> str:
    """The word itself, or the form of it that the lexicon has: without a number at its end (`phone2`), with ü written
    as ue, in the singular (`Diagnosen`), or the last part of a German compound (`Grundgehalt`)."""
    bare = word.rstrip("0123456789")
    single = _words()
    folded = bare.replace("oe", "o").replace("ue", "u").replace("ae", "a")
    for form in (word, bare, folded, *(stem[: -len(end)] for stem in (bare, folded) for end in ("en", "n", "e"))):
        if form in single and (form in (word, bare) or len(form) > _SHORTEST):
            return form
    for head in _GERMAN_HEADS:
        if any(form.endswith(head) and len(form) >= len(head) + _SHORTEST for form in (bare, folded)):
            return head
    return bare


def named_by(header: str) -> Concept | None:
    """The concept that a header names: the longest phrase wins, then one that is not weak, then the later word.

    >>> named_by("country_code").key, named_by("Nom de famille").key, named_by("Geburtsdatum").key
    ('country', 'person name', 'birth date')
    >>> named_by("x7") is None
    True
    """
    words = [known for word in header_words(header) if (known := _known(word))]
    found = []
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + 4, len(words)) + 1):
            named = _index().get(tuple(words[begin:end]))
            if named is not None and (not named.whole or end - begin == len(words)):
                found.append((end - begin, not named.weak, begin, named))
    return max(found, key=lambda match: match[:3])[3] if found else None
