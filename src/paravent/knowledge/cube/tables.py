"""Tables of the grid: made-up ones of seven kinds, and real ones with their sub-tables.

A table has up to nine quasi-identifiers with trees, a sensitive column that is also the class to predict, and a column
of numbers to predict. Nothing of a real table is kept in the cube but what was measured on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from paravent.data import ADULT_TREES, adult, adult_tree_path, simulated
from paravent.errors import TableError
from paravent.hierarchy.builders import balanced, flat, intervals, ordered_groups, quantiles
from paravent.hierarchy.spec import TreeSpec
from paravent.knowledge.cube.surveys import FOLDER as SURVEY_FOLDER
from paravent.knowledge.cube.surveys import SURVEYS, tree_of
from paravent.plan.roles import Insensitive, Quasi, Role, Sensitive
from paravent.table.read import read
from paravent.table.table import Table

Shape = Literal["uniform", "dense", "correlated", "skewed", "sparse", "clustered", "mixed"]
SHAPES: tuple[Shape, ...] = ("uniform", "dense", "correlated", "skewed", "sparse", "clustered", "mixed")
REAL = ("adult", "pima", "census", "tarragona", "eia", "household", "voters", *SURVEYS)
SENSITIVE, NUMBER = "s", "y"


@dataclass(frozen=True)
class Source:
    """A whole table: its quasi-identifiers in order, each with its tree, then the two columns to predict."""

    name: str
    frame: pl.DataFrame
    trees: dict[str, TreeSpec]


@dataclass(frozen=True)
class Sub:
    """A table of the grid: rows and quasi-identifiers of a source, both drawn by `seed` where there are more."""

    source: str
    rows: int
    columns: int
    seed: int

    @property
    def name(self) -> str:
        return f"{self.source}/{self.rows}x{self.columns}#{self.seed}"

    def take(self, source: Source) -> tuple[Table, dict[str, Role]]:
        """The table and the roles of its columns."""
        rng = np.random.default_rng([self.seed, self.rows, self.columns])
        frame = source.frame
        if len(frame) > self.rows:
            frame = frame[np.sort(rng.choice(len(frame), self.rows, replace=False)).tolist()]
        names = [name for name in source.trees if frame[name].n_unique() > 1]
        if self.seed and len(names) > self.columns:
            names = [names[place] for place in np.sort(rng.choice(len(names), self.columns, replace=False)).tolist()]
        names = names[: self.columns]
        roles: dict[str, Role] = {name: Quasi(source.trees[name]) for name in names}
        roles[SENSITIVE] = Sensitive()
        if NUMBER in frame.columns:
            roles[NUMBER] = Insensitive()
        return read(frame.select(list(roles))), roles


# -- made up ---------------------------------------------------------------------------------------------------------

_DOMAINS: dict[Shape, tuple[int, int]] = {
    "uniform": (4, 64),
    "dense": (2, 8),
    "correlated": (4, 80),
    "skewed": (4, 80),
    "sparse": (100, 1000),
    "clustered": (3, 60),
    "mixed": (2, 120),
}
"""The fewest and the most values of a column."""


def made_up(shape: Shape, rows: int, columns: int, seed: int) -> Source:
    """A table of one of seven shapes.

    uniform: every value as likely as any other, columns independent. dense: few values, those in the middle likelier,
    so that many rows are alike. correlated: one hidden number moves all columns. skewed: shares fall as 1 / rank.
    sparse: hundreds of values a column, so that hardly two rows are alike. clustered: rows belong to one of a few
    groups, unequally large, and each column has its values near one that is the group's own. mixed: every column is of
    one of the other shapes, the number has a long tail, and class and number hang on some of the columns alone.
    """
    rng = np.random.default_rng([SHAPES.index(shape), rows, columns, seed])
    low, high = _DOMAINS[shape]
    sizes = np.exp(rng.uniform(np.log(low), np.log(high), columns)).round().astype(int)
    hidden, strength = rng.standard_normal(rows), rng.uniform(0.5, 0.95)
    group = np.zeros(rows, dtype=np.int64)
    if shape in ("clustered", "mixed"):
        group = rng.choice(6, rows, p=np.arange(6, 0, -1) / 21)
    cells, places = {}, []
    for column, size in enumerate(sizes.tolist()):
        kind = SHAPES[rng.integers(0, 4)] if shape == "mixed" else shape
        codes = _codes(rng, kind, rows, size, hidden, strength, group)
        places.append(codes / max(1, size - 1))
        cells[f"q{column + 1}"] = codes
    trees = {name: _tree(int(size), name) for name, size in zip(cells, sizes, strict=True)}
    weights = rng.uniform(0.2, 1.0, columns)
    if shape == "mixed":
        weights *= rng.random(columns) < 0.5
    score = sum((place * weight for place, weight in zip(places, weights, strict=True)))
    score = np.asarray(score) + rng.normal(0, 0.5 * float(np.std(score)) + 0.05, rows)
    if shape == "mixed":
        score = np.exp(1.5 * (score - score.mean()) / score.std())
    frame = pl.DataFrame({**cells, **_to_predict(score, int(rng.integers(2, 7)))})
    return Source(shape, frame, trees)


def _codes(
    rng: np.random.Generator,
    shape: Shape,
    rows: int,
    size: int,
    hidden: np.ndarray,
    strength: float,
    group: np.ndarray,
) -> np.ndarray:
    if shape == "dense":
        return np.clip(np.floor((rng.standard_normal(rows) + 2) / 4 * size), 0, size - 1).astype(np.int64)
    if shape == "correlated":
        own = strength * hidden + np.sqrt(1 - strength**2) * rng.standard_normal(rows)
        return np.asarray(np.clip(np.floor((own + 2.5) / 5 * size), 0, size - 1).astype(np.int64))
    if shape == "skewed":
        shares = 1 / np.arange(1, size + 1)
        return np.asarray(rng.choice(size, rows, p=shares / shares.sum()))
    if shape == "clustered":
        near = rng.uniform(0, size, group.max() + 1)[group] + 0.08 * size * rng.standard_normal(rows)
        return np.asarray(np.clip(np.floor(near), 0, size - 1).astype(np.int64))
    return np.asarray(rng.integers(0, size, rows))


def _tree(size: int, name: str) -> TreeSpec:
    """Intervals by fives for many values, a binary tree for some, none for few; the name decides between two."""
    if size <= 3:
        return flat()
    if size >= 30:
        return intervals(5, 10, 20, 40) if size <= 100 else intervals(10, 50, 250)
    return balanced() if int(name[1:]) % 2 else ordered_groups(3, 2)


def _to_predict(score: np.ndarray, classes: int) -> dict[str, pl.Series]:
    """A class and a number that follow from a score: quantiles of it, and itself on a scale of thousands."""
    bounds = np.quantile(score, np.arange(1, classes) / classes)
    codes = np.searchsorted(bounds, score)
    number = 1000 + 1000 * (score - score.mean()) / (score.std() or 1.0)
    return {
        SENSITIVE: pl.Series([f"s{code}" for code in codes.tolist()]),
        NUMBER: pl.Series(number.round(1)),
    }


# -- real --------------------------------------------------------------------------------------------------------------

_MANY = quantiles(64, 16, 4)


def _adult(folder: Path | None) -> Source:  # noqa: ARG001
    quasi = [name for name in ADULT_TREES if name != "salary-class"]
    frame = adult().frame.select(
        *quasi, "relationship", pl.col("salary-class").alias(SENSITIVE), pl.col("hours-per-week").alias(NUMBER)
    )
    from paravent.hierarchy.builders import tree_file

    trees: dict[str, TreeSpec] = {name: tree_file(str(adult_tree_path(name))) for name in quasi}
    return Source("adult", frame, {**trees, "relationship": flat()})


def _voters(folder: Path | None) -> Source:  # noqa: ARG001
    frame = simulated.voters(20_000, seed=3).frame
    rng = np.random.default_rng(3)
    age = 2020 - frame["birth-year"].cast(pl.String).cast(pl.Int64).to_numpy()
    frame = frame.with_columns(pl.Series(NUMBER, (20 * age + rng.normal(0, 300, len(age))).round(0)))
    trees = {name: tree for name, tree in simulated.voter_trees().items() if name != "party"}
    return Source("voters", frame.rename({"party": SENSITIVE}), trees)


def _pima(folder: Path | None) -> Source:
    names = ["pregnancies", "glucose", "pressure", "triceps", "insulin", "bmi", "pedigree", "age", "class"]
    frame = pl.read_csv(_file(folder, "pima/pima.csv"), has_header=False, new_columns=names)
    frame = frame.with_columns(pl.col("class").cast(pl.String).alias(SENSITIVE), pl.col("glucose").alias(NUMBER))
    quasi = [name for name in names if name not in ("glucose", "class")]
    trees: dict[str, TreeSpec] = {name: quantiles(32, 8, 2) for name in quasi}
    return Source("pima", frame, {**trees, "age": intervals(5, 10, 20, 40), "pregnancies": intervals(2, 4, 8)})


def _casc(name: str) -> Callable[[Path | None], Source]:
    """The CASC sets: numbers all, but for state, year and month of `eia`. The last column but one becomes the class, by
    quarters, and the last is to predict."""

    def load(folder: Path | None) -> Source:
        frame = pl.read_csv(_file(folder, f"casc/{name}.csv"))
        frame = frame.drop([each for each in ("UTILITYID", "UTILNAME") if each in frame.columns])
        *quasi, class_of, number = frame.columns
        score = frame[class_of].to_numpy().astype(float)
        predicted = _to_predict(score, 4)
        frame = frame.with_columns(predicted[SENSITIVE].alias(SENSITIVE), pl.col(number).cast(pl.Float64).alias(NUMBER))
        trees: dict[str, TreeSpec] = dict.fromkeys(quasi[:9], _MANY)
        for each in ("STATE", "YEAR", "MONTH"):
            if each in trees:
                trees[each] = flat() if each == "YEAR" else (balanced() if each == "STATE" else intervals(3, 6))
        return Source(name, frame, trees)

    return load


def _household(folder: Path | None) -> Source:
    frame = pl.read_csv(_file(folder, "golden/testdata.csv"), infer_schema_length=None)
    quasi = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age", "hhcivil"]
    frame = frame.drop_nulls([*quasi, "income", "expend"])
    predicted = _to_predict(frame["income"].to_numpy().astype(float), 4)
    frame = frame.with_columns(predicted[SENSITIVE].alias(SENSITIVE), pl.col("expend").cast(pl.Float64).alias(NUMBER))
    trees: dict[str, TreeSpec] = {name: flat() for name in quasi}
    trees |= {"age": intervals(5, 10, 20, 40), "relat": ordered_groups(3, 2), "water": ordered_groups(3)}
    return Source("household", frame, trees)


def _survey(name: str) -> Callable[[Path | None], Source]:
    def load(folder: Path | None) -> Source:
        survey = SURVEYS[name]
        frame = survey.read(_file(folder, f"{SURVEY_FOLDER}/{survey.file}"))
        frame = frame.select(
            *survey.quasi,
            pl.col(survey.class_of).cast(pl.String).alias(SENSITIVE),
            pl.col(survey.number).cast(pl.Float64).alias(NUMBER),
        )
        return Source(name, frame, {each: tree_of(frame[each]) for each in survey.quasi})

    return load


_LOADERS: dict[str, Callable[[Path | None], Source]] = {
    "adult": _adult,
    "voters": _voters,
    "pima": _pima,
    "household": _household,
    **{name: _casc(name) for name in ("census", "tarragona", "eia")},
    **{name: _survey(name) for name in SURVEYS},
}


def _file(folder: Path | None, name: str) -> Path:
    path = Path(folder or ".") / name
    if folder is None or not path.exists():
        raise TableError(f"the grid asks for {name}, which is not in the folder of --data. Leave it out, or get it.")
    return path


def source_of(sub: Sub, folder: Path | None = None) -> Source:
    """The whole table that a table of the grid is taken from."""
    if sub.source in SHAPES:
        shape = next(shape for shape in SHAPES if shape == sub.source)
        return made_up(shape, sub.rows, sub.columns, sub.seed)
    return _LOADERS[sub.source](folder)
