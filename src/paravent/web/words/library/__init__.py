"""The sentences of the library in French: refusals, cautions, verdicts, reasons, figures.

The library speaks English; what it says reaches the page as finished sentences. `fr/*.po` holds each of them as it
stands in the source, with a number in braces for whatever is put in (`column {0}: no value is left.`), and its French.
There `{0}` is what was put in, itself in French where it is known, and `{1[s=lignes|=ligne|*=…]}` chooses words by it
(`{}` in them is what was put in); `{0[&]}` is a list of names, with its last "and" in French; `{0[!]}` has to be
French itself, or else the sentence is another one.
`python -m tools.french` adds what is new in the source and takes out what is gone; a test asks for every French text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from paravent.web.words.library.catalogue import read

FOLDER = Path(__file__).parent / "fr"
_HOLE = re.compile(r"\{(\d+)(?:\[([^\]]*)\])?\}")
_NUMBER = re.compile(r"(?<![\w.'])(\d+)\.(\d+)(?![\w.'])")
_CONTINUES = (",", ";", ":", " ")
_DEEPEST = 6
_NEXT = re.compile(r"\. (?=[A-Z])|\? (?=[A-Z])")
_PHRASE = re.compile(r" |^\d[\d.]*-[a-z]+$")
"""What is put in and may be French: several words, or a demand such as `5-anonymity`. One word is a name."""
_WORD = re.compile(r"[a-z]{2,}")
_QUOTED = re.compile(r"“([^”]*)”")


@dataclass(frozen=True)
class Sentence:
    """One sentence of the source. `parts` are the words between the places where something is put in."""

    parts: tuple[str, ...]
    french: str

    @property
    def weight(self) -> int:
        """How much of a sentence it says itself: of two that fit, the one that says more is meant."""
        return sum(map(len, self.parts))

    def fits(self, sentence: str) -> list[str] | None:
        """What was put in, if this is the sentence. Each place takes as little as it can; the last takes the rest."""
        first, *rest = self.parts
        if not sentence.startswith(first):
            return None
        if not rest:
            return [] if sentence == first else None
        found, at = [], len(first)
        for part in rest[:-1]:
            end = sentence.find(part, at)
            if end < 0:
                return None
            found.append(sentence[at:end])
            at = end + len(part)
        end = len(sentence) - len(rest[-1])
        if end < at or not sentence.endswith(rest[-1]):
            return None
        return [*found, sentence[at:end]]


@lru_cache(maxsize=4096)
def in_french(sentence: str) -> str | None:
    """
    >>> in_french("“job” says nothing any more")
    '«\\xa0job\\xa0» ne dit plus rien'
    >>> in_french("Nobody has ever said this.") is None
    True
    """
    said = _said(str(sentence), 0)
    return None if said is None else said.text


@dataclass(frozen=True)
class _Said:
    """A French sentence, and how many signs of what was put into it stayed English words: of two sentences that fit,
    the one that leaves less is meant."""

    text: str
    left: int


@lru_cache(maxsize=4096)
def _said(sentence: str, depth: int) -> _Said | None:
    best: _Said | None = None
    for known in sentences():
        found = known.fits(sentence)
        if found is None:
            continue
        said = _filled(known.french, found, depth)
        if said is None:
            continue
        if not said.left:
            return said
        if best is None or said.left < best.left:
            best = said
    for way in (_continued, _one_after_the_other, _inside):
        said = way(sentence, depth)
        if said is not None and (best is None or said.left < best.left):
            best = said
    return best


def _continued(sentence: str, depth: int) -> _Said | None:
    """A sentence that is continued by another one (`…, and so says the header`), where both are known."""
    for known in sentences():
        at = sentence.rfind(known.parts[0]) if known.parts[0][:1] in _CONTINUES else 0
        found = known.fits(sentence[at:]) if at > 0 else None
        if found is not None and (begun := _said(sentence[:at], depth)) is not None:
            rest = _filled(known.french, found, depth)
            if rest is not None:
                return _Said(begun.text + rest.text, begun.left + rest.left)
    return None


def _one_after_the_other(sentence: str, depth: int) -> _Said | None:
    """Several sentences, where each is known."""
    for end in _NEXT.finditer(sentence):
        begun = _said(sentence[: end.start() + 1], depth)
        rest = None if begun is None else _said(sentence[end.end() :], depth)
        if begun is not None and rest is not None:
            return _Said(f"{begun.text} {rest.text}", begun.left + rest.left)
    return None


def _inside(sentence: str, depth: int) -> _Said | None:
    """A title that stands inside of a sentence, in small letters."""
    if depth == 0 or not sentence[:1].islower():
        return None
    said = _said(sentence[:1].upper() + sentence[1:], depth)
    return None if said is None else _Said(said.text[:1].lower() + said.text[1:], said.left)


def _filled(french: str, found: list[str], depth: int) -> _Said | None:
    """The French with what was put in; None where something that has to be French is not."""
    left, unknown = 0, False

    def put(match: re.Match[str]) -> str:
        nonlocal left, unknown
        value = found[int(match[1])]
        if match[2] == "&":
            return re.sub(r" and (\S+)$", r" et \1", value)
        plain = match[2] is None or match[2] == "!"
        chosen = {"*": "{}"} if plain else dict(each.split("=", 1) for each in match[2].split("|"))
        known = chosen.get(value, chosen.get(value.strip(), chosen.get("*", "")))
        if "{}" not in known:
            return known
        inner = _said(value, depth + 1) if depth < _DEEPEST and _PHRASE.search(value.strip()) else None
        unknown = unknown or (inner is None and match[2] == "!")
        left += _words(value) if inner is None else inner.left
        return known.replace("{}", _written(value) if inner is None else inner.text)

    text = _HOLE.sub(put, french)
    return None if unknown else _Said(text, left)


def _words(value: str) -> int:
    """How many signs of a value are those of a phrase: a single word is a name."""
    return len(value) if len(_WORD.findall(value)) > 1 else 0


def _written(value: str) -> str:
    """Numbers and quotation marks as they are written in French; names and values of the table stay as they are."""
    value = _QUOTED.sub("«\u00a0\\1\u00a0»", value)
    value = re.sub(r"» and («|\d)", r"» et \1", value)
    value = re.sub(r" et (\d+) more$", r" et \1 de plus", value)
    value = re.sub(r"(\d) %", "\\1\u00a0%", value)
    return value if value[:1] in "'\"" else _NUMBER.sub(r"\1,\2", value)


@cache
def sentences() -> tuple[Sentence, ...]:
    """Every sentence that has its French, those that say most themselves first."""
    found = [
        Sentence(parts(english), french)
        for path in sorted(FOLDER.glob("*.po"))
        for english, french in read(path).items()
        if french
    ]
    return tuple(sorted(found, key=lambda each: -each.weight))


def parts(english: str) -> tuple[str, ...]:
    """
    >>> parts("column {0}: {1} values.")
    ('column ', ': ', ' values.')
    """
    return tuple(re.split(r"\{\d+\}", english))
