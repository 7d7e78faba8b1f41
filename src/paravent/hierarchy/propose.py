"""A tree for a column nobody has written one for, with the reason in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import numpy as np
import polars as pl

from paravent.errors import TreeError
from paravent.hierarchy.builders import balanced, by_frequency, dates, flat, intervals, prefixes
from paravent.hierarchy.spec import TreeSpec
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

Proposal = tuple[TreeSpec, str]

_FEW = 3
_FEW_NAMES = 12
_FINEST = 20  # intervals on the lowest level, at most
_CROWDED = 0.5  # share of rows in one interval from which equal widths say too little
_CODE_NAME = re.compile(r"(^|[\W_])(zip|zipcode|postal|postcode|plz|cp|code[\W_]?postal)([\W_]|code|$)", re.IGNORECASE)
_AGE_NAME = re.compile(r"(^|[\W_])(age|alter|âge|edad)([\W_]|$)", re.IGNORECASE)


def propose(domain: Domain) -> Proposal:
    """A spec that builds for this column, and why it was chosen.

    >>> domain = Domain("age", Kind.INTEGER, pl.Series(range(17, 91)), np.ones(74, dtype=np.int64))
    >>> propose(domain)
    (pv.intervals(5, 10, 20, closed='both'), 'ages from 17 to 90: intervals of 5, 10, 20 years')
    """
    for spec, reason in _candidates(domain):
        try:
            spec.build(domain)
        except TreeError:
            continue  # a label of the tree is itself a value, or numbers are beyond intervals: take the next
        return spec, reason
    return flat(), "kept or hidden: nothing better fits these values"


def _candidates(domain: Domain) -> Iterator[Proposal]:
    n = len(domain)
    if n <= _FEW:
        yield flat(), f"{n} value{'s' if n != 1 else ''}: each is kept or hidden"
        return
    if domain.kind is not Kind.FLOAT and domain.kind is not Kind.DATE:
        yield from _codes(domain)
    if domain.kind.is_numeric:
        yield from _numbers(domain)
    elif domain.kind is Kind.DATE:
        yield from _moments(domain)
    elif domain.kind is Kind.ORDINAL:
        yield balanced(), f"{n} ordered values: neighbours are merged two by two"
    elif domain.kind is Kind.NOMINAL and n > _FEW_NAMES:
        yield (
            by_frequency(),
            f"{n} values without an order: frequent ones apart, rare ones gathered; a tree by meaning "
            "(regions, branches) keeps more, write one if you can",
        )
    elif domain.kind is Kind.NOMINAL:
        yield flat(), f"{n} values without an order: each is kept or hidden; write groups if some belong together"
    elif domain.kind is Kind.TEXT:
        yield flat(), "free text: each value is kept or hidden; better leave this column out"


def _codes(domain: Domain) -> Iterator[Proposal]:
    """Codes of one length that contain digits, such as ZIP codes: the front says where, the end says exactly where."""
    text = pl.Series("text", domain.text, dtype=pl.String)
    length = text.str.len_chars()
    low, high = int(length.min()), int(length.max())  # type: ignore[arg-type]
    named = _CODE_NAME.search(domain.name) is not None
    if not named and (domain.kind is Kind.INTEGER or domain.kind is Kind.ORDINAL):
        return
    if not 3 <= high <= 12 or (low != high and not (named and domain.kind is Kind.INTEGER and high - low == 1)):
        return
    if not text.str.contains(r"^[0-9A-Za-z.\-]*[0-9][0-9A-Za-z.\-]*$").all():
        return
    if text.str.slice(0, high - 1).n_unique() < len(text) or named:
        yield prefixes(), f"codes of {high} characters: masked from the end, one character a level"


def _numbers(domain: Domain) -> Iterator[Proposal]:
    values = domain.values.cast(pl.Float64).to_numpy()
    if not np.isfinite(values).all():
        yield balanced(), "numbers with infinite ones among them: neighbours are merged two by two"
        return
    low, high = float(values.min()), float(values.max())
    whole = domain.kind is Kind.INTEGER
    width = _nice_width((high - low) / _FINEST, whole)
    ages = whole and _AGE_NAME.search(domain.name) is not None and low >= 0 and 20 <= high <= 130
    widths = (5, 10, 20) if ages else (width, _twice(width), _twice(_twice(width)))
    named = ", ".join(f"{width:g}" for width in widths)
    if ages:
        reason = f"ages from {low:g} to {high:g}: intervals of {named} years"
    else:
        reason = f"numbers from {low:g} to {high:g}: intervals of {named}"
    keys = np.floor(values / widths[0])
    _, inverse = np.unique(keys, return_inverse=True)
    fullest = np.bincount(inverse, weights=domain.counts).max() / domain.counts.sum()
    distinct_alone = domain.counts.max() / domain.counts.sum()
    if not ages and fullest > _CROWDED and len(domain) > _FINEST:
        crowd = f"{fullest:.0%} of the rows lie within {widths[0]:g}"
        if distinct_alone > _CROWDED:
            crowd = f"{distinct_alone:.0%} of the rows hold one value"
        yield balanced(), f"{crowd}, so equal widths would say little: neighbours are merged two by two"
    with suppress(TreeError):  # widths beyond those of intervals
        spec = intervals(*widths, closed="both" if whole else "left")
        yield spec, reason
    yield balanced(), "numbers too far apart for intervals: neighbours are merged two by two"


def _nice_width(about: float, whole: bool) -> float:
    """The least of 1, 2, 5 times a power of ten that is at least `about` (for whole numbers at least 2)."""
    if about <= 0:
        return 2 if whole else 1
    power = math.floor(math.log10(about))
    for factor, exponent in ((1, power), (2, power), (5, power), (1, power + 1)):
        width = float(f"{factor}e{exponent}")
        if width >= about * (1 - 1e-9) and (not whole or width >= 2):
            return int(width) if width >= 1 else width
    return 2


def _twice(width: float) -> float:
    return float(f"{2 * width:.6g}") if isinstance(width, float) else 2 * width


def _moments(domain: Domain) -> Iterator[Proposal]:
    if domain.values.dtype == pl.Time:
        yield dates("hour"), "times of day: by the hour"
        return
    begin, end = domain.values.min(), domain.values.max()
    span = end - begin  # type: ignore[operator]
    days = span / timedelta(days=1) if isinstance(span, timedelta) else 0.0
    stamps = domain.values.dtype != pl.Date
    if days <= 2 and stamps:
        units: tuple[str, ...] = ("hour", "day")
    elif days <= 60:
        units = ("day", "week") if stamps else ("week",)
    elif days <= 2 * 366:
        units = ("month", "quarter")
    elif days <= 15 * 366:
        units = ("month", "quarter", "year")
    else:
        units = ("month", "year", "decade")
    reach = f"{days / 365.25:.0f} years" if days > 2 * 366 else f"{days:.0f} days"
    yield dates(*units), f"dates over {reach}: by {', '.join(units)}"
    yield balanced(), "dates: neighbours are merged two by two"
