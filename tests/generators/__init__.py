"""Random tables and plans for the tests of every room, a new kind of column, tree, model or method added once:
`cases` and `case_of` (any table, any plan), `wide_table` (small, beside brute force), `tasks` (as methods get them)."""

from .cases import Case, case_of, cases
from .dice import Dice
from .methods import METHODS, MONDRIANS, TABLES
from .wide import WideTable, wide_table

__all__ = ["METHODS", "MONDRIANS", "TABLES", "Case", "Dice", "WideTable", "case_of", "cases", "wide_table"]
