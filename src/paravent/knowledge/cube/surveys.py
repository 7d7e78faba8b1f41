"""Surveys and registers about people that do not ship: how a file of `--data` becomes a table of the grid.

They lie in `surveys/` of that folder, in the files that their packages have, unchanged: `Ecdat/` and `carData/` as the
collection Rdatasets holds these packages of R, `statsmodels/` as that package of Python carries them. Most are from the
archives of the Journal of Applied Econometrics and the Journal of Business & Economic Statistics; `election` is the
American National Election Study of 1996, `marriages` the survey of Fair 1978, `chile` the plebiscite survey of 1988.
Rows that lack one of the cells are left out. A tree follows from what a column holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from paravent.hierarchy.builders import balanced, flat, intervals, ordered_groups, quantiles
from paravent.hierarchy.spec import TreeSpec

FOLDER = "surveys"
_MANY = 120
"""A number with more different values has a tree by quantiles."""
_FEW = 4
"""A column with fewer different values has no level between them and the root."""


@dataclass(frozen=True)
class Survey:
    """The file, the class and the number to predict, and the quasi-identifiers."""

    file: str
    class_of: str
    number: str
    quasi: tuple[str, ...]

    def read(self, place: Path) -> pl.DataFrame:
        """The columns of the file that lies at a place."""
        tabs = "\t" in place.open(encoding="utf-8").readline()
        frame = pl.read_csv(
            place,
            separator="\t" if tabs else ",",
            quote_char="'" if tabs else '"',
            null_values=["NA"],
            infer_schema_length=None,
        )
        return frame.select(*self.quasi, self.class_of, self.number).drop_nulls()


def _survey(file: str, class_of: str, number: str, quasi: str) -> Survey:
    return Survey(file, class_of, number, tuple(quasi.split()))


SURVEYS: Mapping[str, Survey] = {
    "benefits": _survey(
        "Ecdat/Benefits.csv", "joblost", "rr", "age sex tenure state married bluecol smsa school12 statemb"
    ),
    "chile": _survey("carData/Chile.csv", "vote", "statusquo", "region population sex age education income"),
    "contacts": _survey(
        "Ecdat/DoctorContacts.csv", "health", "mdu", "age sex educdec linc lfam ndisease physlim child black"
    ),
    "election": _survey("statsmodels/anes96.csv", "PID", "popul", "TVnews selfLR ClinLR DoleLR age educ income vote"),
    "hours": _survey(
        "Ecdat/Workinghours.csv",
        "occupation",
        "hours",
        "income age education child5 child13 child17 nonwhite owned unemp",
    ),
    "kakadu": _survey(
        "Ecdat/Kakadu.csv", "answer", "tvenv", "sex age schooling income major recparks jobs lowrisk wildlife"
    ),
    "males": _survey(
        "Ecdat/Males.csv", "occupation", "wage", "year school exper union ethn maried health industry residence"
    ),
    "marriages": _survey(
        "statsmodels/fair.csv",
        "rate_marriage",
        "affairs",
        "age yrs_married children religious educ occupation occupation_husb",
    ),
    "medicare": _survey("Ecdat/OFP.csv", "hlth", "ofp", "age sex numchron school faminc region black maried employed"),
    "panel": _survey("Ecdat/PSID.csv", "married", "earnings", "age educatn kids hours persnum"),
    "schooling": _survey(
        "Ecdat/Schooling.csv", "nearc4", "wage76", "age76 ed66 daded momed south66 smsa66 black famed kww"
    ),
    "star": _survey("Ecdat/Star.csv", "classk", "tmathssk", "treadssk totexpk sex freelunk race schidkn"),
    "vietnam": _survey(
        "Ecdat/VietNamI.csv", "insurance", "lnhhexp", "age sex married educ illness illdays actdays pharvis commune"
    ),
    "wives": _survey(
        "Ecdat/HI.csv", "whi", "husby", "education race hispanic experience kidslt6 kids618 region whrswk hhi"
    ),
}


def tree_of(cells: pl.Series) -> TreeSpec:
    """The tree of a column by what it holds.

    >>> tree_of(pl.Series([1, 2])), tree_of(pl.Series(range(50)))
    (pv.flat(), pv.intervals(5, 10, 20, 40))
    """
    values = cells.n_unique()
    if values < _FEW:
        return flat()
    if not cells.dtype.is_numeric():
        return balanced() if values > 8 else flat()
    if values > _MANY:
        return quantiles(64, 16, 4)
    if cells.dtype.is_float():
        return quantiles(16, 4) if values > 24 else balanced()
    span = float(str(cells.max())) - float(str(cells.min()))
    if span >= 400:
        return quantiles(16, 4)
    if span >= 30:
        return intervals(5, 10, 20, 40)
    return ordered_groups(3, 2)
