"""What the tests on a cluster share: people, plans, and how releases are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.engine.spark.run import anonymize_on_spark
from paravent.errors import ParaventError
from paravent.methods.method import Method

ROWS = 1500


def people_of(n: int, seed: int = 7) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    zips = [100, 101, 110, 111, 120, 200, 210, 211]
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "zip": [f"{code:03d}" for code in draw.choice(zips, n)],
            "sex": draw.choice(["f", "m"], n),
            "pay": draw.integers(10, 90, n) * 100,
            "disease": draw.choice(["flu", "cold", "ulcer", "asthma"], n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


def plan_of(method: Method, *protect: Any, **more: Any) -> pv.Plan:
    columns = {
        "age": pv.Quasi(pv.intervals(5, 10, 20, 40)),
        "zip": pv.Quasi(pv.prefixes()),
        "sex": pv.Quasi(pv.flat()),
        "pay": pv.Insensitive(),
        "disease": pv.Sensitive(),
    }
    return pv.Plan(columns, list(protect) or [pv.KAnonymity(5)], method=method, **more)


def sampling_plan(unsafe_seed: int | None = None, **more: Any) -> pv.Plan:
    """A plan for SafePub. Its trees depend on no data."""
    columns = {
        "age": pv.Quasi(pv.intervals(10, 20, 40)),
        "zip": pv.Drop(),
        "sex": pv.Quasi(pv.flat()),
        "pay": pv.Drop(),
        "disease": pv.Sensitive(),
    }
    protect = more.pop("protect", [pv.DifferentialPrivacy(epsilon=1, delta=1e-5, unsafe_seed=unsafe_seed)])
    method = more.pop("method", pv.methods.SafePub())
    return pv.Plan({**columns, **more.pop("columns", {})}, protect, method, **more)


def texts(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a frame as texts, sorted: what two releases of the same rows agree in."""
    return frame.select(pl.all().cast(pl.String)).sort(frame.columns)


def collected(release: pv.SparkRelease) -> pl.DataFrame:
    found = pl.from_arrow(release.frame.toArrow())
    assert isinstance(found, pl.DataFrame)
    return found


def command(*arguments: str, fails: bool = False) -> str:
    """Run `paravent anonymize` in this process, whose session is open."""
    done = CliRunner().invoke(app, ["anonymize", *arguments, "--engine", "spark"])
    assert (done.exit_code != 0) == fails, done.output
    return done.stderr if fails else done.stdout


def refused(source: Any, plan: pv.Plan, kind: type[ParaventError], match: str, tmp_path: Path, **engine: Any) -> None:
    """One sentence, and nothing written."""
    with pytest.raises(kind, match=match) as told:
        anonymize_on_spark(source, plan, pv.Spark(**engine), target=str(tmp_path / "out"))
    assert "\n" not in str(told.value)
    assert not (tmp_path / "out").exists()
