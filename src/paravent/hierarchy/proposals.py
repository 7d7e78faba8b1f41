"""A tree for a column nobody has written one for, with the reason in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl

from paravent.errors import TreeError
from paravent.hierarchy.builders import balanced, by_frequency, dates, flat, groups, icd, intervals, prefixes, tree_file
from paravent.hierarchy.builders.icd import share_of_codes
from paravent.hierarchy.spec import TreeSpec
from paravent.hierarchy.stretches import stretches_in_order
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

Proposal = tuple[TreeSpec, str]

_FEW = 3
_FEW_NAMES = 12
_MANY = 10_000
_FINEST = 200  # intervals on the lowest level, at most
_MOST_LEVELS = 6
_CROWD = 20
_CROWDED = 0.5  # share of rows in one interval from which equal widths say too little
_CODE_NAME = re.compile(r"(^|[\W_])(zip|zipcode|postal|postcode|plz|cp|code[\W_]?postal)([\W_]|code|$)", re.IGNORECASE)
_DISEASE_NAME = re.compile(
    r"(^|[\W_\d])(icd|cim|cie|diag|dx|diagnos\w*|disease|maladie|krankheit\w*|\w*diagnosen?)([\W_\d]|$)", re.IGNORECASE
)
_DOTTED = re.compile(r"[A-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}", re.IGNORECASE)
_CODES = 0.9  # share of the values
_AGE_NAME = re.compile(r"(^|[\W_])(age|alter|âge|edad)([\W_]|$)", re.IGNORECASE)


def propose(domain: Domain, vocabularies: Sequence[str | Path] = ()) -> Proposal:
    """A spec that builds for this column, and why it was chosen. `vocabularies` are tree files that are at hand, such
    as counties by region: the first that knows all values of a column goes before anything else.

    >>> domain = Domain("age", Kind.INTEGER, pl.Series(range(17, 91)), np.ones(74, dtype=np.int64))
    >>> propose(domain)
    (pv.intervals(5, 10, 20), 'ages from 17 to 90: intervals of 5, 10, 20 years')
    """
    known = in_vocabulary(domain, vocabularies)
    if known is not None:
        return known
    trial = _thinned(domain)
    for spec, reason in _candidates(domain):
        try:
            spec.build(trial)
        except TreeError:
            continue  # a label of the tree is itself a value, or numbers are beyond intervals: take the next
        return spec, reason
    return flat(), "kept or hidden: nothing better fits these values"


def in_vocabulary(domain: Domain, vocabularies: Sequence[str | Path]) -> Proposal | None:
    """The first tree file that knows every value of a column. Few values prove nothing, nor do numbers.

    TreeError where a file is no tree.
    """
    texts = set(domain.text)
    for path in vocabularies if len(texts) > 1 and not domain.kind.is_numeric else ():
        spec = tree_file(path)
        if texts <= set(spec.build(domain).leaves):
            return spec, f"all {len(texts)} values stand in {Path(path).name}"
    return None


def _thinned(domain: Domain) -> Domain:
    """A part of a very large domain that builds if all of it does.

    Whether numbers and dates build depends on their extremes alone; among texts any value may be a label as well.
    """
    if len(domain) <= _MANY or domain.positions is None:
        return domain
    some = np.unique(np.linspace(0, len(domain) - 1, _MANY).astype(np.int64))
    return Domain(domain.name, domain.kind, domain.values[some], domain.counts[some])


def _candidates(domain: Domain) -> Iterator[Proposal]:
    n = len(domain)
    if n <= _FEW:
        yield flat(), f"{n} value{'s' if n != 1 else ''}: each is kept or hidden"
        return
    if domain.kind is Kind.NOMINAL and (stretches := stretches_in_order(domain.text)) is not None:
        yield groups(stretches), f"{n} intervals, written as texts: neighbours are merged two by two"
    if domain.kind is not Kind.DATE:
        yield from _diseases(domain)
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


def _diseases(domain: Domain) -> Iterator[Proposal]:
    """Codes of the International Classification of Diseases: told by the name of the column, or by their dots."""
    texts = domain.text[:_MANY]
    named = _DISEASE_NAME.search(domain.name) is not None
    dotted = sum(_DOTTED.fullmatch(text) is not None for text in texts[:_CROWD])
    if not named and (domain.positions is not None or 2 * dotted <= len(texts[:_CROWD])):
        return
    shares = {version: share_of_codes(texts, version) for version in (10, 9)}
    version = max(shares, key=lambda each: shares[each])
    if shares[version] >= _CODES and (named or version == 10):
        yield icd(version), f"codes of diseases (ICD-{version}): by category, block and chapter"


def _codes(domain: Domain) -> Iterator[Proposal]:
    """Codes of one length that contain digits, such as ZIP codes: the front says where, the end says exactly where."""
    named = _CODE_NAME.search(domain.name) is not None
    if not named and domain.kind in (Kind.INTEGER, Kind.ORDINAL):
        return
    text = pl.Series("text", domain.text, dtype=pl.String)
    length = text.str.len_chars()
    low, high = int(length.min()), int(length.max())  # type: ignore[arg-type]
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
    if not math.isfinite(high - low):
        yield balanced(), "numbers too far apart for intervals: neighbours are merged two by two"
        return
    whole = domain.kind is Kind.INTEGER
    ages = whole and _AGE_NAME.search(domain.name) is not None and low >= 0 and 20 <= high <= 130
    widths = (5, 10, 20) if ages else _nice_widths(low, high, len(domain), whole)
    named = ", ".join(map(str, widths))
    what, unit = ("ages", " years") if ages else ("numbers", "")
    reason = f"{what} from {low:.15g} to {high:.15g}: intervals of {named}{unit}"
    fullest = np.bincount(np.unique(values // widths[0], return_inverse=True)[1], weights=domain.counts).max()
    rows = domain.counts.sum()
    if not ages and fullest > _CROWDED * rows and len(domain) > _CROWD:
        one = domain.counts.max() / rows
        crowd = (
            f"{one:.0%} of the rows hold one value" if one > _CROWDED else f"{fullest / rows:.0%} lie in one interval"
        )
        yield balanced(), f"{crowd}, so equal widths would say little: neighbours are merged two by two"
    with suppress(TreeError):  # widths beyond those of intervals
        yield intervals(*widths), reason
    yield balanced(), "numbers too far apart for intervals: neighbours are merged two by two"


def _nice_widths(low: float, high: float, distinct: int, whole: bool) -> tuple[float, ...]:
    """Widths of 1, 2 or 5 times a power of ten, each a multiple of the one before (5, 10, 20, 100, 200, 1000 …).

    The finest holds two values or more on average, the coarsest is no wider than the range.
    """
    finest = max((high - low) / min(distinct / 2, _FINEST), 2 if whole else 0)
    power = math.floor(math.log10(finest))
    digit, power = next(
        (digit, p)
        for digit, p in ((1, power), (2, power), (5, power), (1, power + 1))
        if float(f"{digit}e{p}") >= finest * (1 - 1e-9)
    )
    widths: list[float] = []
    while True:
        width = float(f"{digit}e{power}")
        if widths and (width > high - low or len(widths) == _MOST_LEVELS):
            return tuple(widths)
        widths.append(int(f"{digit}{'0' * power}") if power >= 0 else width)
        digit, power = {1: (2, power), 2: (1, power + 1), 5: (1, power + 1)}[digit]


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
    reach = (
        f"{days / 365.25:.0f} years"
        if days > 2 * 366
        else f"{days:.0f} days"
        if days >= 2
        else f"{days * 24:.0f} hours"
    )
    yield dates(*units), f"dates over {reach}: by {', '.join(units)}"
    yield balanced(), "dates: neighbours are merged two by two"
