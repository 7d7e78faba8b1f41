"""What criteria are called and mean, in the words of the knowledge."""

from __future__ import annotations

from paravent.guide.goals import ROOT
from paravent.knowledge import CRITERIA, load
from paravent.knowledge.entry import Entry
from paravent.web.words import Words

_INNER = {ROOT: "useful-and-secure", "cost": "performance", "usage": "usage-preservation"}


def entry_of(language: str, criterion: str) -> Entry:
    """The entry of the knowledge that a criterion, or a goal above some, is.

    >>> entry_of("en", "distributions").key, entry_of("fr", "quality").label
    ('distribution-preservation', 'Qualité')
    """
    key = CRITERIA[criterion].key if criterion in CRITERIA else _INNER.get(criterion, criterion)
    return load(language=language).entry(key)


def label_of(language: str, criterion: str) -> str:
    return entry_of(language, criterion).label


def value_of(say: Words, criterion: str, value: float) -> str:
    """A value of a criterion as it is read.

    >>> value_of(Words("fr"), "security", 0.125), value_of(Words("en"), "time", 0.0123)
    ('12,5 %', '0.0123 s')
    """
    metric = CRITERIA[criterion].metric
    if metric.unit == "share":
        return say.percent(value)
    return say.number(value, 3) + {"seconds": " s", "megabytes": " MB"}.get(metric.unit, "")


def metric_label(language: str, criterion: str) -> str:
    """What a criterion is measured by, in the words of the knowledge."""
    name = CRITERIA[criterion].metric.name
    try:
        return load(language=language).entry(name).label
    except LookupError:
        return CRITERIA[criterion].metric.title
