# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.hierarchy.builders.dates import dates
from paravent.hierarchy.builders.file import tree_file
from paravent.hierarchy.builders.flat import flat
from paravent.hierarchy.builders.frequency import by_frequency
from paravent.hierarchy.builders.groups import groups
from paravent.hierarchy.builders.icd import icd
from paravent.hierarchy.builders.intervals import intervals
from paravent.hierarchy.builders.ordered import balanced
from paravent.hierarchy.builders.ordered import ordered_groups
from paravent.hierarchy.builders.ordered import quantiles
from paravent.hierarchy.builders.prefixes import prefixes

__all__ = [
    "balanced",
    "by_frequency",
    "dates",
    "flat",
    "groups",
    "icd",
    "intervals",
    "ordered_groups",
    "prefixes",
    "quantiles",
    "tree_file",
]
