"""Values that look alike: `flu`, `Flu`, `flu ` and `flu` with an invisible sign are four texts and one disease.

The rule is Unicode's own: compatibility normal form (NFKC) and case folding, so that composed and decomposed accents,
full-width and small letters are the same; signs that are not printed (zero-width spaces and joiners, soft hyphens,
marks of direction, variation selectors, controls) are removed, and runs of blanks become one, none at the ends.
Letters of different alphabets that happen to look the same (Latin and Cyrillic a) stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from paravent.table.text import is_text

_UNPRINTED = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks without a shape, which Unicode does not count among its format signs."""
_SELECTORS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def fold(text: str) -> str:
    """The form that all values which look like this one share.

    >>> fold("  Grippe\\u200b  A "), fold("STRASSE") == fold("Straße"), fold("e\\u0301t\\u00e9") == fold("été")
    ('grippe a', True, True)
    """
    while True:  # a composed letter can fold to one that composes anew; twice is enough in practice
        folded = _folded(text)
        if folded == text:
            return folded
        text = folded


def _folded(text: str) -> str:
    if text.isascii():
        return _spaced(text if text.isprintable() else _printed(text)).lower()
    return _spaced(_encoded(_printed(_encoded(text)).casefold()))


def _is_shown(sign: str) -> bool:
    return sign.isspace() or not (unicodedata.category(sign) in ("Cf", "Cc") or sign in _UNPRINTED)


def folded(cells: pl.Series) -> pl.Series:
    """The column with every text folded; one in which nothing is to be seen is missing. Other types stay as they are.

    >>> folded(pl.Series(["Flu", "flu ", "\\u200b", None])).to_list()
    ['flu', 'flu', None, None]
    """
    if not is_text(cells.dtype):
        return cells
    texts = cells.alias("cells").cast(pl.String)  # polars reads names such as `*` as patterns
    found = texts.drop_nulls().unique()
    forms = pl.Series([fold(text) or None for text in found.to_list()], dtype=pl.String)
    return texts.replace_strict(found, forms, default=None, return_dtype=pl.String).rename(cells.name)


def with_folded(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """The frame with some of its columns folded; names that it does not have are passed over."""
    wanted = frozenset(names)
    if wanted.isdisjoint(frame.columns):
        return frame
    return pl.DataFrame([folded(cells) if cells.name in wanted else cells for cells in frame])


def look_alikes(values: Iterable[str]) -> list[tuple[str, ...]]:
    """The different values that look alike, group by group, each sorted.

    >>> look_alikes(["flu", "cold", "Flu", "flu "])
    [('Flu', 'flu', 'flu ')]
    """
    groups: dict[str, set[str]] = {}
    for value in values:
        groups.setdefault(fold(value), set()).add(value)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def _encoded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _printed(text: str) -> str:
    return "".join(filter(_is_shown, _SELECTORS.sub("", text)))


_WAYS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("capitals", str.casefold),
    ("blanks", _spaced),
    ("invisible signs", _printed),
    ("how accents or signs are encoded", _encoded),
)


def differ_in(group: Sequence[str]) -> str:
    """What tells values that look alike apart, in words that name no value.

    >>> differ_in(["flu", "Flu"]), differ_in(["flu", "flu\\u200b", "flu "])
    ('capitals', 'blanks, invisible signs')
    """
    told = [name for name, same in _WAYS if len({same(text) for text in group}) < len(set(group))]
    return ", ".join(told) or "several of capitals, blanks, invisible and accented signs"


def one_spelling(counts: Mapping[str, int]) -> dict[str, str]:
    """For each value that looks like another, the spelling that stands for its group: one without odd blanks or signs
    before one with them, then the most frequent, then the first in the order of their code points.

    >>> one_spelling({"flu ": 5, "Flu": 2, "flu": 2, "cold": 1})
    {'Flu': 'Flu', 'flu': 'Flu', 'flu ': 'Flu'}
    """
    chosen = {}
    for group in look_alikes(counts):
        best = min(group, key=lambda text: (not _is_tidy(text), -counts[text], text))
        chosen.update(dict.fromkeys(group, best))
    return chosen


def _is_tidy(text: str) -> bool:
    return text == _spaced(unicodedata.normalize("NFC", _printed(text)))
