"""What other tools compute, and the tables they computed it on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
Reference = Callable[..., pl.DataFrame]


def read_reference(path: str, **reading: object) -> pl.DataFrame:
    if not (SHARED / path).exists():
        pytest.skip(f"needs ../shared/data/{path}")
    return pl.read_csv(SHARED / path, infer_schema_length=None, **reading)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def reference() -> Reference:
    """A table of the reference data; the test is skipped where it is absent."""
    return read_reference


@pytest.fixture(scope="session")
def adult() -> pl.DataFrame:
    return read_reference("adult/adult.csv", separator=";")


@pytest.fixture(scope="session")
def survey() -> pl.DataFrame:
    return read_reference("golden/testdata.csv")


@pytest.fixture(scope="session")
def golden_adult() -> dict[str, str]:
    """The lines about raw Adult by what they begin with."""
    path = SHARED / "golden/golden_arx_risk_adult_raw.txt"
    if not path.exists():
        pytest.skip(f"needs {path}")
    lines = path.read_text().splitlines()
    uniques = {line.split()[2]: line.split()[3] for line in lines if line.startswith("population uniques")}
    sets = {line.split("[")[1].split("]")[0]: line.split("] ")[1] for line in lines if line.startswith("distinction")}
    return {**uniques, **sets}
