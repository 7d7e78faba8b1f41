"""Distinction, separation and who is singled out: a worked table, another tool's numbers, brute force."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TableError
from paravent.profiling import subsets
from paravent.profiling.subsets import SubsetProfile, profile_subsets
from paravent.table.infer import infer_columns
from paravent.table.table import Origin, Table

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
ORACLES = ROOT / "tests" / "oracles"


def as_table(frame: pl.DataFrame) -> Table:
    return Table(frame, infer_columns(frame), np.arange(frame.height), Origin("a test"))


def brute_force(frame: pl.DataFrame, columns: tuple[str, ...]) -> tuple[int, int, Fraction, Fraction]:
    """Distinct, singled out, distinction and separation by comparing all pairs of rows."""
    rows = frame.select(columns).rows()
    pairs = list(combinations(rows, 2))
    counts = Counter(rows)
    differ = sum(a != b for a, b in pairs)
    return (
        len(counts),
        sum(count == 1 for count in counts.values()),
        Fraction(len(counts), len(rows)),
        Fraction(differ, len(pairs)) if pairs else Fraction(0),
    )


def agrees(found: SubsetProfile, frame: pl.DataFrame) -> bool:
    distinct, alone, distinction, separation = brute_force(frame, found.columns)
    return (found.distinct, found.singled_out) == (distinct, alone) and (found.distinction, found.separation) == (
        float(distinction),
        float(separation),
    )


def test_the_twelve_patients() -> None:
    frame = pl.read_csv(ORACLES / "patients.csv")
    found = {each.columns: each for each in profile_subsets(as_table(frame), max_subset=5)}
    assert len(found) == 2**5 - 1
    assert all(agrees(each, frame) for each in found.values())
    # 5 women and 7 men: 35 of 66 pairs differ.
    assert found["Genre",].separation == 35 / 66
    assert found["Genre",].distinction == 2 / 12
    assert not found["Genre",].is_quasi_identifier
    # Everybody but the two of 49 is alone with the age; with the sex these two part as well.
    assert found["Age",].singled_out == 10
    assert found["Age", "Genre"].singled_out == 12
    assert found["Age", "Genre"].singled_out_share == 1


@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data is absent")
def test_adult_to_all_digits_that_arx_prints() -> None:
    frame = pl.read_csv(SHARED / "adult" / "adult.csv", separator=";").drop("salary-class")
    found = {frozenset(each.columns): each for each in profile_subsets(as_table(frame), max_subset=8)}
    assert len(found) == 255
    golden = (SHARED / "golden" / "golden_arx_risk_adult_raw.txt").read_text()
    lines = re.findall(r"^distinction/separation \[(.*)\] (\S+) (\S+)$", golden, re.MULTILINE)
    assert len(lines) == 37
    for columns, distinction, separation in lines:
        subset = found[frozenset(columns.split(", "))]
        assert (subset.distinction, subset.separation) == (float(distinction), float(separation)), columns
    everything = found[frozenset(frame.columns)]
    assert everything.distinct == 18_109
    assert everything.singled_out_share == 0.4648564418805119


cells = st.one_of(st.none(), st.integers(0, 3))


@given(st.data())
def test_every_subset_as_by_brute_force(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 5))
    rows = data.draw(st.lists(st.tuples(*[cells] * width), min_size=1, max_size=25))
    frame = pl.DataFrame(rows, schema={f"c{i}": pl.Int64 for i in range(width)}, orient="row")
    size = data.draw(st.integers(1, width))
    found = profile_subsets(as_table(frame), max_subset=size)
    names = frame.columns
    expected = [each for r in range(1, size + 1) for each in combinations(names, r)]
    if size < width:
        expected.append(tuple(names))
    assert [each.columns for each in found] == expected
    assert all(agrees(each, frame) for each in found)


@given(st.integers(0, 2**32 - 1))
def test_counting_and_sorting_agree(seed: int) -> None:
    """Many different values force the sorted way; both give what a group-by gives."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({name: rng.integers(0, high, 700) for name, high in (("a", 600), ("b", 650), ("c", 3))})
    for found in profile_subsets(as_table(frame), max_subset=3):
        sizes = frame.group_by(found.columns).len()["len"]
        assert found.distinct == len(sizes)
        assert found.singled_out == (sizes == 1).sum()
        assert found.equal_pairs == int((sizes * (sizes - 1) // 2).sum())


def test_more_columns_never_tell_fewer_apart() -> None:
    frame = pl.read_csv(ORACLES / "patients.csv")
    found = {frozenset(each.columns): each for each in profile_subsets(as_table(frame), max_subset=5)}
    for small, large in combinations(found, 2):
        if small < large:
            assert found[small].separation <= found[large].separation
            assert found[small].singled_out <= found[large].singled_out


def test_size_is_capped_by_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({f"c{i}": [0, 1, 1] for i in range(6)})
    monkeypatch.setattr(subsets, "MOST_SUBSETS", 25)
    sizes = Counter(len(each.columns) for each in profile_subsets(as_table(frame)))
    assert sizes == {1: 6, 2: 15, 6: 1}


@pytest.mark.parametrize(
    ("columns", "max_subset", "message"),
    [
        (["c0", "no"], 2, "no column 'no'"),
        (["c0", "c0"], 2, "named twice"),
        (None, 0, "at least 1"),
        (None, 30, "Lower it"),
    ],
)
def test_what_cannot_be_asked(columns: list[str] | None, max_subset: int, message: str) -> None:
    frame = pl.DataFrame({f"c{i}": [0, 1] for i in range(30)})
    with pytest.raises(TableError, match=message):
        profile_subsets(as_table(frame), columns, max_subset=max_subset)


def test_tables_without_rows_or_columns() -> None:
    assert profile_subsets(as_table(pl.DataFrame())) == ()
    (found,) = profile_subsets(as_table(pl.DataFrame({"a": pl.Series([], dtype=pl.String)})))
    assert (found.distinction, found.separation, found.singled_out_share) == (0, 0, 0)
    (found,) = profile_subsets(as_table(pl.DataFrame({"a": ["alone"]})))
    assert (found.distinction, found.separation, found.singled_out) == (1, 0, 1)
