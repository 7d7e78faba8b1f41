"""Values that tell what a column is by being words of one small vocabulary: sexes, countries, religions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paravent.profiling.lexicon import plain


@dataclass(frozen=True)
class Vocabulary:
    """The words of one concept. A column speaks it when `share` of its different values are among them, and at least
    `least` of them occur."""

    concept: str
    title: str
    share: float
    least: int
    words: frozenset[str]

    def spoken_by(self, values: Sequence[str]) -> int:
        """How many of the (different) values are words of it; 0 when these are too few to tell."""
        hits = sum(value in self.words for value in values)
        return hits if hits >= self.least and hits >= self.share * len(values) else 0


@cache
def vocabularies() -> tuple[Vocabulary, ...]:
    document = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return tuple(
        Vocabulary(**{**entry, "words": frozenset(" ".join(word.split()) for word in entry["words"].split(","))})
        for entry in document["vocabulary"]
    )


def spoken(values: Sequence[str]) -> tuple[Vocabulary, int] | None:
    """The vocabulary that the different values of a column speak, with how many of them do.

    >>> vocabulary, hits = spoken(["Männlich", "Weiblich"])
    >>> vocabulary.concept, hits
    ('sex', 2)
    """
    forms = {re.sub(r"[\s_./-]+", " ", plain(value)).strip() if len(value) > 3 else plain(value) for value in values}
    found = ((vocabulary, vocabulary.spoken_by(list(forms))) for vocabulary in vocabularies())
    return next(((vocabulary, hits) for vocabulary, hits in found if hits), None)
