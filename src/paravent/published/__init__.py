"""What is published in a column, and in which sense it is true."""

from paravent.published.by_class import Averages, ByClass, Labels, Representatives
from paravent.published.by_row import ByRow, Drawn, Permuted, Randomised, Untouched, check_same
from paravent.published.coding import Blanked, Capped, Coded, Masked, Rounded
from paravent.published.published import Place, Published, Source

__all__ = [
    "Averages",
    "Blanked",
    "ByClass",
    "ByRow",
    "Capped",
    "Coded",
    "Drawn",
    "Labels",
    "Masked",
    "Permuted",
    "Place",
    "Published",
    "Randomised",
    "Representatives",
    "Rounded",
    "Source",
    "Untouched",
    "check_same",
]
