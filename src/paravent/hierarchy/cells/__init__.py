"""Reading the cells of released columns: one grammar for whoever verifies, measures, attacks or counts people."""

from paravent.hierarchy.cells.columns import ReadColumn
from paravent.hierarchy.cells.grammar import looks_like_label
from paravent.hierarchy.cells.interval import Interval, read_interval
from paravent.hierarchy.cells.places import Line, place_of, places_of
from paravent.hierarchy.cells.reader import Cell, CellReader, Form

__all__ = [
    "Cell",
    "CellReader",
    "Form",
    "Interval",
    "Line",
    "ReadColumn",
    "looks_like_label",
    "place_of",
    "places_of",
    "read_interval",
]
