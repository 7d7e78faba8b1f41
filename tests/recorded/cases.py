"""The cases: some small tables, every method with some settings, and what is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

import paravent as pv

M = pv.methods
METHODS: tuple[Any, ...] = (
    M.Mondrian(),
    M.Mondrian(cut="median", strict=False),
    M.Mondrian(labels="set"),
    M.Mondrian(cut="infogain", target="class"),
    M.Mondrian(cut="lsd", target="age", labels="interval"),
    M.TopDown(target="class"),
    M.BottomUp(target="class"),
    M.Datafly(),
    M.Samarati(),
    M.Incognito(),
    M.Optimal(),
    M.Optimal(metric="dm"),
    M.Optimal(metric="cavg"),
    M.MinGen(),
    M.Filter(levels={"age": 3, "zip": 3, "sex": 1, "job": 2}),
    M.MuArgus(),
    M.LocalSuppression(),
    M.GkAA(),
    M.GkAA(metric="ncp", stubs=True),
    M.GAA(),
    M.GkPk(),
    M.G3kPk(),
    M.G2kPkConv(rounds=6),
    M.G2kP2kPkConv(rounds=4, restarts=1),
    M.G4kP2kPkConv(rounds=4, schedule="down"),
    M.Polish(effort="fast"),
    M.Polish(base="Mondrian()", metric="gcp", effort="fast"),
    M.LocalRecoding(effort="fast"),
    M.KMember(),
    M.KMember(labels="interval"),
    M.KACA(),
    M.OKA(),
    M.GCCG(),
    M.NearestNeighbour(),
    M.MDAV(),
    M.MDAV(median="convex"),
    M.VMDAV(),
    M.RefinedMDAV(effort=2),
    M.IndividualRanking(),
    M.Anatomy(l=2),
    M.Bucketization(l=2),
    M.Slicing(l=2),
)


def table(seed: int, rows: int, *, missing: bool, people: bool) -> pl.DataFrame:
    """Ages, postcodes, a job without a tree, an illness, a wage and a class that hangs on the age."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 70, rows)
    frame = pl.DataFrame(
        {
            "age": age,
            "zip": [f"13{a}{b}" for a, b in zip(rng.integers(0, 3, rows), rng.integers(0, 4, rows), strict=True)],
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice(["nurse", "clerk", "baker", "smith", "cook"], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "ill": rng.choice(["flu", "cold", "gout", "ulcer"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "wage": (1000 + 20 * age + rng.integers(0, 500, rows)).astype(float),
            "class": np.where(age + rng.integers(-10, 10, rows) > 45, "high", "low"),
        }
    )
    if missing:
        gone = pl.Series(rng.random(rows) < 0.08)
        frame = frame.with_columns(job=pl.when(gone).then(None).otherwise(pl.col("job")))
    if people:
        whose = np.sort(rng.integers(0, rows // 2, rows))
        first = np.unique(whose, return_index=True)[1][np.unique(whose, return_inverse=True)[1]]
        frame = pl.DataFrame([pl.Series("patient", whose), *frame.select("age", "zip", "sex", "job")[first.tolist()],
                              *frame.select("ill", "wage", "class")])  # fmt: skip
    return frame


TABLES = {
    "plain": table(1, 90, missing=False, people=False),
    "missing": table(2, 70, missing=True, people=False),
    "people": table(3, 110, missing=False, people=True),
}
DEMANDS: dict[str, tuple[list[Any], float]] = {
    "k": ([pv.KAnonymity(3)], 0.05),
    "k, l": ([pv.KAnonymity(3), pv.LDiversity(2, "ill")], 0.1),
    "k, t": ([pv.KAnonymity(2), pv.TCloseness(0.4, "ill")], 0.0),
}
PAIRS = (("plain", "k"), ("plain", "k, l"), ("missing", "k"), ("missing", "k, t"), ("people", "k"), ("people", "k, l"))


def plan_for(name: str, demand: str, method: Any) -> pv.Plan:
    protect, suppression = DEMANDS[demand]
    columns: dict[str, Any] = {
        "age": pv.Quasi(pv.intervals(5, 10, 20), weight=2.0 if (name, demand) == ("plain", "k, l") else 1.0),
        "zip": pv.Quasi(pv.prefixes()),
        "sex": pv.Quasi(pv.flat()),
        "job": pv.Quasi(pv.groups({"care": ["nurse", "cook"], "hand": ["baker", "smith"], "desk": ["clerk"]})),
        "ill": pv.Sensitive(),
        "wage": pv.Insensitive(),
        "class": pv.Insensitive(),
    }
    if isinstance(method, M.IndividualRanking):  # for numbers alone
        columns |= {"zip": pv.Insensitive(), "sex": pv.Insensitive(), "job": pv.Insensitive(), "wage": pv.Quasi()}
        protect = [pv.ColumnAnonymity(3)]
    person: str | None = None
    if name == "people":
        columns["patient"], person = pv.Identifier(), "patient"
    if method.derivation is not None:
        protect = [pv.LDiversity(2, "ill")]
    return pv.Plan(columns, protect, method, suppression, missing="own value", seed=7, person=person)


def cases() -> Iterator[tuple[str, str, pv.Plan]]:
    """The name of each case, its table and its plan."""
    for method in METHODS:
        for name, demand in PAIRS:
            plan = plan_for(name, demand, method)
            yield f"{method!r}, {name}, {demand}", name, plan
