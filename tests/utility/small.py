"""Tiny tables with trees, and releases of every kind made from them, for laws and for counting by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from hypothesis import strategies as st

from paravent.hierarchy.labels import interval_label, set_label
from paravent.methods.method import Axis
from paravent.privacy.k_anonymity import KAnonymity
from paravent.utility.subject import Subject

from .conftest import axis_of

JOBS = [
    ["clerk", "office", "indoors", "*"],
    ["lawyer", "office", "indoors", "*"],
    ["cook", "kitchen", "indoors", "*"],
    ["smith", "smith", "outdoors", "*"],
    ["farmer", "farmer", "outdoors", "*"],
    ["fisher", "fisher", "outdoors", "*"],
]
AGES = [
    [str(age), f"[{age // 5 * 5}, {age // 5 * 5 + 5}[", f"[{age // 20 * 20}, {age // 20 * 20 + 20}[", "*"]
    for age in range(20, 40, 3)
]
PATHS = {"age": AGES, "job": JOBS}
KINDS = ("untouched", "tree", "full-domain", "set", "interval", "star", "microaggregated", "perturbed", "written")


@dataclass(frozen=True, eq=False)
class Small:
    """A table of ages, jobs and diseases."""

    ages: list[str]
    jobs: list[str]
    disease: list[int]

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return axis_of("age", self.ages, numeric=True, paths=AGES), axis_of("job", self.jobs, paths=JOBS)

    @property
    def original(self) -> pl.DataFrame:
        return pl.DataFrame({"age": [int(age) for age in self.ages], "job": self.jobs, "disease": self.disease})

    def cells(self, name: str) -> list[str]:
        return self.ages if name == "age" else self.jobs

    def subject(self, released: dict[str, list[str]] | pl.DataFrame, kept: list[int] | None = None) -> Subject:
        rows = list(range(len(self.ages))) if kept is None else kept
        frame = released if isinstance(released, pl.DataFrame) else pl.DataFrame(released)
        if "disease" not in frame.columns:
            frame = frame.with_columns(disease=pl.Series([self.disease[row] for row in rows]))
        return Subject(
            self.axes,
            frame,
            np.array(rows, dtype=np.int64),
            (KAnonymity(1),),
            {"disease": np.array(self.disease, dtype=np.int64)},
            marked=np.zeros(frame.height, dtype=bool),
            original=self.original,
        )


@st.composite
def tables(draw: st.DrawFn) -> Small:
    rows = draw(st.integers(2, 12))
    ages = draw(st.lists(st.sampled_from([path[0] for path in AGES]), min_size=rows, max_size=rows))
    jobs = draw(st.lists(st.sampled_from([path[0] for path in JOBS]), min_size=rows, max_size=rows))
    disease = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    return Small(ages, jobs, disease)


@st.composite
def releases(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> tuple[Small, Subject, str]:
    """A table, a release of it and of what kind it is; some rows may be dropped."""
    table = draw(tables())
    kind = draw(st.sampled_from(kinds))
    kept = [row for row in range(len(table.ages)) if draw(st.integers(0, 5))] or [0]
    released = {}
    for axis in table.axes:
        level = draw(st.integers(0, 3))
        released[axis.name] = [draw(_cell(table, axis, kind, axis.values[axis.codes[row]], level)) for row in kept]
    return table, table.subject(released, kept), kind


def climbed(name: str, value: str, level: int) -> str:
    return next(path for path in PATHS[name] if path[0] == value)[level]


@st.composite
def _cell(draw: st.DrawFn, table: Small, axis: Axis, kind: str, value: str, level: int) -> str:
    others = st.sampled_from(sorted(set(table.cells(axis.name))))
    if kind == "tree":
        return climbed(axis.name, value, draw(st.integers(0, 3)))
    if kind == "full-domain":
        return climbed(axis.name, value, level)
    if kind == "set":
        return set_label(sorted({value, draw(others)}))
    if kind == "interval" and axis.name == "age":
        ends = sorted([value, draw(others)], key=float)
        return interval_label(*ends)
    if kind == "star":
        return "*" if draw(st.booleans()) else value
    if kind == "microaggregated" and axis.name == "age":
        return str(draw(st.integers(20, 39)) + 0.5)
    if kind == "perturbed":
        return draw(others)
    if kind == "written" and axis.name == "age":
        low = int(value) - draw(st.integers(0, 4))
        return f"[{low}, {int(value) + draw(st.integers(1, 4))}["
    return value
