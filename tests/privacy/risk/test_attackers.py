"""Re-identification risk: published figures, and a count by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TableError
from paravent.privacy.grouping import cell_codes, class_sizes, group_rows
from paravent.privacy.risk.attackers import Risk, journalist_risk, risk_of

ADULT = Path(__file__).resolve().parents[4] / "shared/data/adult/adult.csv"
GOLDEN = ADULT.parents[1] / "golden/golden_arx_risk_adult_raw.txt"


def golden(line: str, word: str) -> float:
    """The number that follows `word` in the line that begins with `line`."""
    for text in GOLDEN.read_text().splitlines():
        if text.startswith(line):
            return float(text.split(f"{word} ", 1)[1].split()[0])
    raise AssertionError(line)


@pytest.mark.skipif(not GOLDEN.exists(), reason="needs ../shared/data/golden")
def test_raw_adult_has_the_risk_that_another_tool_finds() -> None:
    frame = pl.read_csv(ADULT, separator=";")
    risk = risk_of(frame, frame.columns[:8])
    assert risk.rows == golden("records", "records")
    assert risk.classes == golden("records", "classes")
    assert risk.highest == golden("prosecutor", "highest")
    assert risk.average == pytest.approx(golden("prosecutor", "success"), abs=1e-12)
    assert risk.average == pytest.approx(golden("marketer", "success"), abs=1e-12)
    assert risk.above[0.2] == pytest.approx(golden("prosecutor", "at-risk(>0.2)"), abs=1e-12)
    assert risk.uniques == pytest.approx(golden("sample uniques", "fraction"), abs=1e-12)


def test_a_risk_of_exactly_the_threshold_is_not_above_it() -> None:
    assert Risk.of_sizes(np.array([5, 5])).above[0.2] == 0
    assert Risk.of_sizes(np.array([4, 4])).above[0.2] == 1


def test_names_are_the_same_before_and_after() -> None:
    risk = Risk.of_sizes(np.array([1, 3]))
    after = [measure.name for measure in risk.measures()]
    before = [measure.name for measure in risk.measures("risk.before")]
    assert {"risk.prosecutor.max", "risk.prosecutor.average", "risk.uniques", "risk.above.0.2"} <= set(after)
    assert before == [name.replace("risk.", "risk.before.", 1) for name in after]


def test_nobody_is_at_risk_in_an_empty_table() -> None:
    risk = risk_of(pl.DataFrame({"a": []}), ["a"])
    assert (risk.rows, risk.classes, risk.highest, risk.average) == (0, 0, 0, 0)


def test_without_quasi_identifiers_all_rows_look_alike() -> None:
    assert class_sizes(pl.DataFrame({"a": [1, 2, 3]}), []).tolist() == [3]


cells = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(0, 3))


@given(st.lists(st.tuples(cells, st.sampled_from(["a", "b", None]), st.floats(0, 1)), max_size=40))
def test_classes_are_the_distinct_rows(rows: list[tuple[int | None, str | None, float]]) -> None:
    schema = {"n": pl.Int64, "s": pl.String, "f": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    expected = Counter(rows)
    assert class_sizes(frame, list(schema)).tolist() == sorted(expected.values())
    of_row, count = group_rows([cell_codes(frame[name]) for name in schema], frame.height)
    assert count == len(expected)
    assert len(set(zip(of_row.tolist(), rows, strict=True))) == count


def test_many_wide_columns_do_not_overflow() -> None:
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2**31, 200) for _ in range(12)]
    columns = [np.r_[column, column] for column in columns]
    of_row, count = group_rows(columns, 400)
    assert count == 200
    assert (of_row[:200] == of_row[200:]).all()


def test_a_journalist_faces_the_class_as_it_is_in_the_population() -> None:
    """El Emam and Dankar 2008: the highest risk is that of the smallest class of the register that the table shows."""
    register = pl.DataFrame({"age": [20] * 5 + [30] * 2 + [40], "sex": ["f"] * 8})
    found = journalist_risk(pl.DataFrame({"age": [20, 20, 30], "sex": ["f"] * 3}), register, ["age", "sex"])
    assert found.population_size.tolist() == [5, 5, 2]
    assert found.highest == 0.5
    assert found.average == pytest.approx((0.2 + 0.2 + 0.5) / 3)
    assert (found.above(0.2), found.uniques) == (pytest.approx(1 / 3), 0)


def test_a_register_that_is_not_the_population() -> None:
    table = pl.DataFrame({"age": [20, 20]})
    with pytest.raises(TableError, match="no column 'age'"):
        journalist_risk(table, pl.DataFrame({"years": [1, 2, 3]}), ["age"])
    with pytest.raises(TableError, match="fewer than the table, which has 2"):
        journalist_risk(table, table.head(1), ["age"])
    with pytest.raises(TableError, match=r"for 2 rows \(first: row 1\)"):
        journalist_risk(table, pl.DataFrame({"age": [20, 30, 40]}), ["age"])
    with pytest.raises(TableError, match=r"for 1 rows \(first: row 2\)"):
        journalist_risk(pl.DataFrame({"age": [20, 50]}), pl.DataFrame({"age": [20, 30, 40]}), ["age"])


def test_missing_cells_of_register_and_table_are_equal() -> None:
    register = pl.DataFrame({"age": [None, None, 3]})
    assert journalist_risk(pl.DataFrame({"age": [None, 3]}), register, ["age"]).population_size.tolist() == [2, 1]


def test_a_table_that_is_its_own_register(adult: pl.DataFrame) -> None:
    """Without a register, other tools give the journalist the figures of the prosecutor."""
    found = journalist_risk(adult, adult, adult.columns[:8])
    assert found.average == pytest.approx(golden("journalist", "success"), abs=1e-12)
    assert found.highest == golden("journalist", "highest")
    assert found.above(0.2) == pytest.approx(golden("journalist", "at-risk(>0.2)"), abs=1e-12)


def test_the_voter_list_finds_sue() -> None:
    """Samarati and Sweeney's example: zip code, birth date and sex of a voter fit one row of a medical table."""
    medical = pl.DataFrame(
        {
            "dob": ["9/27/64", "9/30/64", "4/18/64", "4/15/64", "3/13/63", "3/18/63", "9/13/64", "9/7/64", "5/14/61",
                    "5/8/61", "9/15/61"],
            "sex": list("FFMMMMFFMMF"),
            "zip": [94139, 94139, 94139, 94139, 94138, 94138, 94141, 94141, 94138, 94138, 94142],
        }
    )  # fmt: skip
    assert risk_of(medical, ["zip", "dob", "sex"]).highest == 1
    sue = medical.filter(dob="9/15/61", sex="F", zip=94142)
    assert journalist_risk(sue, medical, ["zip", "dob", "sex"]).population_size.tolist() == [1]
