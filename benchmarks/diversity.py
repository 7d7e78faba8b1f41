"""Models beside k-anonymity on Adult, method by method, and the rule that none may lose more than Mondrian.

`python -m benchmarks.diversity [--rows N] [--skewed]`

The sensitive columns are occupation, marital status and the salary class, each in turn; the other two are left out,
the remaining columns are quasi-identifiers. `--skewed` adds a drawn table: 10 000 rows, 7 quasi-identifiers, a disease
of 18 values of which one is as frequent as all others together. Loss is GCP. Exits with 1 where a method that gives
multidimensional classes loses more than Mondrian under the same models.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import print_table
from benchmarks.tables import QUASI, adult, enlarged, tree_of
from paravent.methods.method import Method
from paravent.plan.roles import Role
from paravent.privacy.model import Model

SENSITIVE = ("occupation", "marital-status", "salary-class")
BESIDE = ("Mondrian", "LocalSuppression")
"""Mondrian is the yardstick; local suppression blanks cells and does not cut."""
SLOW = ("G3kPk", "G2kP2kPkConv", "G4kP2kPkConv")
"""Like the others of their family, and skipped unless asked for."""


_GIVES = "multidimensional"


def multidimensional(*, every: bool) -> list[str]:
    left = (*BESIDE, *(() if every else SLOW))
    kinds = {name: getattr(pv.methods, name) for name in pv.methods.__all__ if name not in left}
    return [
        name
        for name, kind in kinds.items()
        if isinstance(kind, type) and issubclass(kind, Method) and kind is not Method and kind.gives == _GIVES
    ]


def demands(column: str, values: int) -> dict[str, list[Model]]:
    most = min(3, values)
    return {
        f"{most}-diversity": [pv.KAnonymity(5), pv.LDiversity(most, column)],
        "entropy 1.5-diversity" if values == 2 else "entropy 2-diversity": [
            pv.KAnonymity(5),
            pv.LDiversity(1.5 if values == 2 else 2, column, kind="entropy"),
        ],
        "0.3-closeness": [pv.KAnonymity(5), pv.TCloseness(0.3, column)],
    }


def skewed(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    frame = enlarged(adult().select(q for q in QUASI if q != "marital-status"), rows, redrawn=0.5)
    chance = 1 / np.arange(1, 19) ** 2.6
    disease = rng.choice(18, rows, p=chance / chance.sum())
    near = rng.random(rows) < 0.12
    disease = np.where(near, np.minimum(17, (frame["age"].to_numpy() - 17) // 12), disease)
    return frame.with_columns(disease=pl.Series([f"d{i:02}" for i in disease.tolist()]))


def run(table: pl.DataFrame, column: str, names: list[str]) -> list[str]:
    """Print what each method loses, and return the names of those that break the rule."""
    quasi = [name for name in table.columns if name != column]
    columns: dict[str, Role] = {name: pv.Quasi(tree_of(name)) for name in quasi}
    columns[column] = pv.Sensitive()
    asked = demands(column, table[column].n_unique())
    broken, rows, most = [], [], dict.fromkeys(asked, 1.0)
    for name in ("Mondrian", *names):
        row: list[object] = [name]
        for words, models in asked.items():
            begun = time.perf_counter()
            try:
                release = pv.anonymize(table, pv.Plan(columns, models, getattr(pv.methods, name)()))
            except pv.InfeasibleError:
                row.append("infeasible")
                continue
            seconds, loss = time.perf_counter() - begun, release.summary()["utility.gcp"]
            if name == "Mondrian":
                most[words] = loss
            worse = loss > most[words] + 1e-9
            row.append(f"{loss:.4f}{' (worse)' if worse else ''}, {seconds:.1f} s")
            if worse:
                broken.append(f"{name} under {words} of {column}: {loss:.4f}, Mondrian {most[words]:.4f}")
        rows.append(row)
    print_table(f"{len(table)} rows, {len(quasi)} quasi-identifiers, {column}", ["method", *asked], rows)
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3_000, help="rows of Adult that are drawn (0: all)")
    parser.add_argument("--every", action="store_true", help="all construction algorithms too")
    parser.add_argument("--skewed", action="store_true", help="the drawn table too")
    asked = parser.parse_args()
    names, broken = multidimensional(every=asked.every), []
    whole = adult()
    if asked.rows:
        whole = whole[np.sort(np.random.default_rng(1).permutation(len(whole))[: asked.rows])]
    for column in SENSITIVE:
        beside = [name for name in SENSITIVE if name != column]
        broken += run(whole.select(name for name in (*QUASI, "salary-class") if name not in beside), column, names)
    if asked.skewed:
        broken += run(skewed(10_000), "disease", names)
    if broken:
        print("\nThese lose more than Mondrian:", *broken, sep="\n")
        sys.exit(1)
    print("\nNo method loses more than Mondrian under the same models.")


if __name__ == "__main__":
    main()
