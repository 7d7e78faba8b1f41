"""Orders that words carry by themselves: sizes, grades of agreement, weekdays, bands of numbers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection

_MOST_VALUES = 60
_SCALES: tuple[tuple[str, ...], ...] = (
    ("very low", "low", "medium", "high", "very high"),
    ("very low", "low", "moderate", "high", "very high"),
    ("very low", "low", "average", "high", "very high"),
    ("low", "normal", "high", "very high"),
    ("very small", "small", "medium", "large", "very large"),
    ("none", "mild", "moderate", "severe", "very severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("never", "seldom", "sometimes", "usually", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "neutral", "likely", "very likely"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    (
        "january", "february", "march", "april", "may", "june",
        "july", "august", "september", "october", "november", "december",
    ),
    ("beginner", "intermediate", "advanced", "expert"),
    ("junior", "mid", "senior"),
)  # fmt: skip
_CLOTHES = ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl")
_RANK = re.compile(r"(\d+)(?:st|nd|rd|th)")
_BAND = re.compile(r"(\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(\d+(?:\.\d+)?)")
_BELOW = re.compile(r"(?:<|<=|≤|under\s|below\s|up to\s)\s*(\d+(?:\.\d+)?)")
_ABOVE = re.compile(r"(?:>|>=|≥|over\s|above\s)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:\+|and over|or more)")


def known_order(values: Collection[str]) -> tuple[tuple[str, ...], str] | None:
    """The values from lowest to highest, and how we know, if their own words leave no doubt.

    >>> known_order({"high", "low", "medium"})
    (('low', 'medium', 'high'), 'words of the scale low … high')
    >>> known_order({"65+", "18-24", "25-64"})
    (('18-24', '25-64', '65+'), 'bands of numbers that do not overlap')
    >>> known_order({"medium", "rare"}) is None
    True
    """
    plain = {value: " ".join(re.split(r"[\s_-]+", value.strip().lower())) for value in values}
    if not 2 <= len(values) <= _MOST_VALUES or len(set(plain.values())) < len(values):
        return None
    return _by_scale(plain) or _by_rank(plain) or _by_band(values)


def _by_scale(plain: dict[str, str]) -> tuple[tuple[str, ...], str] | None:
    words = set(plain.values())
    for scale in _SCALES:
        if words <= set(scale):
            order = tuple(sorted(plain, key=lambda value: scale.index(plain[value])))
            return order, f"words of the scale {_name(order)}"
    # Single letters mean many things; only with an XS or XL among three sizes or more are they clothes for certain.
    if words <= set(_CLOTHES) and len(words) >= 3 and any("x" in word for word in words):
        return tuple(sorted(plain, key=lambda value: _CLOTHES.index(plain[value]))), "sizes of clothes"
    return None


def _name(order: tuple[str, ...]) -> str:
    return f"{order[0]} … {order[-1]}"


def _by_rank(plain: dict[str, str]) -> tuple[tuple[str, ...], str] | None:
    found = {value: _RANK.fullmatch(word) for value, word in plain.items()}
    if not all(found.values()):
        return None
    return tuple(sorted(found, key=lambda value: int(found[value][1]))), "ranks (1st, 2nd, …)"  # type: ignore[index]


def _by_band(values: Collection[str]) -> tuple[tuple[str, ...], str] | None:
    bands = []
    for value in values:
        text = value.strip().lower()
        if found := _BAND.fullmatch(text):
            bands.append((float(found[1]), float(found[2]), value))
        elif found := _BELOW.fullmatch(text):
            bands.append((float("-inf"), float(found[1]), value))
        elif found := _ABOVE.fullmatch(text):
            bands.append((float(found[1] or found[2]), float("inf"), value))
        else:
            return None
    bands.sort()
    rising = all(low <= high for low, high, _ in bands)
    apart = all(first[1] <= second[0] for first, second in itertools.pairwise(bands))
    if len(bands) < 3 or not rising or not apart:
        return None
    return tuple(value for _, _, value in bands), "bands of numbers that do not overlap"
