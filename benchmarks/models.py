"""The models: time of each and of all together, growth, and the ratio to pyCANON. `python -m benchmarks.models`

The table is Adult enlarged (eight quasi-identifiers as they are, so that most classes are small) with three sensitive
columns: salary-class (2 values), an illness drawn from 12 and an income from 60. `verify` is the way from the finished
frame to the verdict, classes included; `judge` is what a model adds once the classes are counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import paravent as pv
from benchmarks.printing import best_of, print_table
from benchmarks.tables import QUASI, adult, enlarged
from paravent.privacy import Model
from paravent.privacy.classes import Classes
from paravent.privacy.verify import derive_classes, verify_frame

ROOT = Path(__file__).parents[1]
ILLNESS = pv.groups({"common": [f"i{i}" for i in range(4)], "rare": {f"r{j}": [f"i{4 + 2 * j}", f"i{5 + 2 * j}"] for j in range(4)}})  # fmt: skip  # noqa: E501


def table(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    chance = np.arange(12, 0, -1) / 78
    drawn = enlarged(adult(), rows, redrawn=0.2).with_columns(
        illness=pl.Series([f"i{i}" for i in range(12)]).gather(rng.choice(12, rows, p=chance)),
        income=pl.Series(rng.integers(0, 60, rows) * 500),
    )
    return drawn.with_columns(
        pl.col("illness").cast(pl.Enum([f"i{i}" for i in range(12)])),
        *(pl.col(name).cast(pl.String).cast(pl.Categorical) for name in (*QUASI, "salary-class")),
    )


def models() -> dict[str, Model]:
    return {
        "k-anonymity": pv.KAnonymity(5),
        "(α, k)-anonymity": pv.AlphaKAnonymity(0.5, 5, "illness"),
        "distinct l-diversity": pv.LDiversity(3, "illness"),
        "entropy l-diversity": pv.LDiversity(2, "illness", kind="entropy"),
        "recursive (c, l)-diversity": pv.LDiversity(2, "illness", kind="recursive", c=2),
        "l-diversity with tolerance": pv.LDiversity(2, "illness", kind="tolerance", epsilon=0.2),
        "t-closeness, equal": pv.TCloseness(0.2, "illness"),
        "t-closeness, ordered": pv.TCloseness(0.2, "income", distance="ordered"),
        "t-closeness, hierarchical": pv.TCloseness(0.2, "illness", distance="hierarchical", tree=ILLNESS),
        "basic β-likeness": pv.BetaLikeness(1, "illness", kind="basic"),
        "enhanced β-likeness": pv.BetaLikeness(1, "illness"),
        "δ-disclosure": pv.DeltaDisclosure(1, "illness"),
        "maximum risk": pv.MaximumRisk(0.2),
        "average risk": pv.AverageRisk(0.2),
        "sample uniqueness": pv.SampleUniqueness(0.05),
        "population uniqueness": pv.PopulationUniqueness(0.05, 300_000_000),
    }


PEER = {
    "k-anonymity": ("k_anonymity", "illness"),
    "(α, k)-anonymity": ("alpha_k_anonymity", "illness"),
    "distinct l-diversity": ("l_diversity", "illness"),
    "entropy l-diversity": ("entropy_l_diversity", "illness"),
    "recursive (c, l)-diversity": ("recursive_c_l_diversity", "illness"),
    "t-closeness, equal": ("t_closeness", "illness"),
    "t-closeness, ordered": ("t_closeness", "income"),
    "basic β-likeness": ("basic_beta_likeness", "illness"),
    "enhanced β-likeness": ("enhanced_beta_likeness", "illness"),
    "δ-disclosure": ("delta_disclosure", "illness"),
}


def each_and_all(rows: int) -> None:
    frame = table(rows)
    needed = ["illness", "income"]
    derive, classes = best_of(3, lambda: derive_classes(frame, QUASI, needed, needed))
    lines: list[list[object]] = [["classes and histograms of two columns", derive, ""]]
    together = derive
    for name, model in models().items():
        seconds, _ = best_of(3, lambda model=model: _judged(model, _fresh(classes)))  # type: ignore[misc]
        together += seconds
        lines.append([name, seconds, f"{model.level(classes):.4g}"])
    whole, verdict = best_of(3, lambda: verify_frame(frame, QUASI, list(models().values())))
    lines += [["sum of the above", together, ""], ["verify, all models at once", whole, ""]]
    print_table(
        f"{rows:_} rows × {len(QUASI)} quasi-identifiers, {len(verdict.classes):_} classes".replace("_", " "),
        ["what", "seconds", "level"],
        lines,
    )


def _judged(model: Model, classes: Classes) -> tuple[np.ndarray, float]:
    return model.holds(classes), model.level(classes)


def _fresh(classes: Classes) -> Classes:
    """The same classes without what an earlier model left behind."""
    found = {name: replace(histogram) for name, histogram in classes.histograms.items()}
    return replace(classes, histograms=found)


def growth() -> None:
    lines: list[list[object]] = []
    before: float | None = None
    for rows in (62_500, 125_000, 250_000, 500_000, 1_000_000):
        frame = table(rows)
        seconds, verdict = best_of(2, lambda frame=frame: verify_frame(frame, QUASI, list(models().values())))  # type: ignore[misc]
        lines.append([rows, len(verdict.classes), seconds, "-" if before is None else f"× {seconds / before:.2f}"])
        before = seconds
    print_table("Growth: verify with all models", ["rows", "classes", "seconds", "for twice the rows"], lines)
    frame = table(500_000)
    lines = []
    for columns in (2, 4, 6, 8):
        quasi = QUASI[:columns]
        seconds, verdict = best_of(2, lambda quasi=quasi: verify_frame(frame, quasi, list(models().values())))  # type: ignore[misc]
        lines.append([columns, len(verdict.classes), seconds])
    print_table("Growth with the classes, 500 000 rows", ["quasi-identifiers", "classes", "seconds"], lines)


def beside_pycanon(rows: int) -> None:
    """Each model alone, from the frame to its level, on a size that pyCANON can do."""
    made = subprocess.run(
        [ROOT / "tools" / "peers-environment"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHON": sys.executable},
    )  # fmt: skip
    if made.returncode:
        print(f"\npyCANON cannot be installed here: {made.stderr.strip()[-200:]}")
        return
    quasi = ["sex", "race", "marital-status", "education"]
    frame = table(rows).select(*quasi, "illness", "income")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.write_csv(path)
        asked = [
            {"file": str(path), "quasi": quasi, "sensitive": [column], "calls": [call]}
            for call, column in PEER.values()
        ]
        done = subprocess.run(
            [made.stdout.strip(), ROOT / "tests" / "peers" / "pycanon_worker.py"],
            input=json.dumps(asked), capture_output=True, text=True, check=True,
        )  # fmt: skip
    answers = json.loads(done.stdout)
    lines: list[list[object]] = []
    for (name, (call, _)), answer in zip(PEER.items(), answers, strict=True):
        model = models()[name]
        seconds, verdict = best_of(5, lambda model=model: verify_frame(frame, quasi, [model]))  # type: ignore[misc]
        theirs = answer[call]["time"]
        lines.append(
            [
                name,
                seconds,
                theirs,
                f"{theirs / seconds:.0f}",
                f"{verdict.checks[0].level:.6g}",
                str(answer[call]["answer"]),
            ]
        )
    n_classes = len(verdict.classes)
    print_table(
        f"Beside pyCANON: {rows:_} rows, {n_classes} classes (seconds)".replace("_", " "),
        ["model", "paravent", "pyCANON", "times faster", "our level", "its answer"],
        lines,
    )


def main() -> None:
    each_and_all(1_000_000)
    growth()
    beside_pycanon(30_000)


if __name__ == "__main__":
    main()
