"""What is written is read back: the same names, the same values, the same types wherever the format has them."""

import datetime as dt
import string
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from paravent.table.fresh import fresh
from paravent.table.read import read
from paravent.table.text import as_text
from paravent.table.write import write

TYPED = ["parquet", "arrow", "feather"]
ALL = [*TYPED, "csv", "tsv", "csv.gz", "jsonl", "jsonl.gz", "xlsx", "sqlite"]
LAWS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

LABELS = ["low", "*", "[17, 24]", "a~b", '{"x, y", z}']

words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs", "Cc"]), max_size=12)
names = st.text(string.ascii_letters + " -_éß.*'\"", min_size=1, max_size=10).filter(
    lambda name: name.strip() == name != "*"
)


def columns(n_rows: int) -> st.SearchStrategy[pl.Series]:
    def of(values: st.SearchStrategy[object], dtype: pl.DataType) -> st.SearchStrategy[pl.Series]:
        lists = st.lists(st.none() | values, min_size=n_rows, max_size=n_rows)
        return lists.map(lambda cells: pl.Series(cells, dtype=dtype))

    return st.one_of(
        of(st.integers(-(2**63), 2**63 - 1), pl.Int64()),
        of(st.floats(-1e300, 1e300), pl.Float64()),
        of(words.map(lambda word: f"w{word}"), pl.String()),
        of(st.dates(dt.date(1000, 1, 1)), pl.Date()),
        of(st.datetimes(dt.datetime(1000, 1, 1)), pl.Datetime("us")),
        of(st.times(), pl.Time()),
        of(st.booleans(), pl.Boolean()),
        of(st.sampled_from(LABELS), pl.Enum(LABELS)),
        of(st.sampled_from(["clerk", "=1+1", " padded ", "", "-", "NA"]), pl.Categorical()),
    )


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    n_rows = draw(st.integers(1, 12))
    heads = draw(st.lists(names, min_size=1, max_size=5, unique_by=str.lower))
    return pl.DataFrame([draw(columns(n_rows)).alias(head) for head in heads])


@LAWS
@given(frame=frames())
@pytest.mark.parametrize("ending", TYPED)
def test_typed_formats_keep_everything(tmp_path: Path, ending: str, frame: pl.DataFrame) -> None:
    """All but the categories that no row has: they may be those of rows that are gone."""
    write(frame, tmp_path / f"t.{ending}")
    assert_frame_equal(read(tmp_path / f"t.{ending}").frame, fresh(frame), categorical_as_str=True)


def comparable(frame: pl.DataFrame) -> pl.DataFrame:
    """Values as other formats can say them: labels and booleans are words."""
    return frame.with_columns(
        (pl.selectors.categorical() | pl.selectors.enum() | pl.selectors.boolean()).cast(pl.String)
    )


@LAWS
@given(frame=frames())
@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl"])
def test_text_formats_keep_values(tmp_path: Path, ending: str, frame: pl.DataFrame) -> None:
    path = tmp_path / f"t.{ending}"
    write(frame, path, formulas="keep")
    header = None if "jsonl" in ending else True
    table = read(path, header=header)
    expected = comparable(frame)
    for name in expected.columns:
        found, wanted = table.frame[name], expected[name]
        if wanted.null_count() == len(wanted):
            assert found.null_count() == len(found)
        elif found.dtype != wanted.dtype and wanted.dtype.is_float():
            assert found.cast(pl.Float64).to_list() == wanted.to_list()
        elif found.dtype == pl.Boolean:
            assert found.cast(pl.String).to_list() == wanted.to_list()
        else:
            assert found.to_list() == wanted.to_list(), name


@LAWS
@given(frame=frames())
def test_sqlite_keeps_values(tmp_path: Path, frame: pl.DataFrame) -> None:
    path = tmp_path / "t.sqlite"
    write(frame, path, table="people")
    table = read(path, table="people")
    for name in frame.columns:
        wanted = frame[name].cast(pl.Int64) if frame[name].dtype == pl.Boolean else frame[name]
        if isinstance(wanted.dtype, pl.Categorical | pl.Enum):
            wanted = wanted.cast(pl.String)
        assert table.frame[name].to_list() == wanted.to_list()


@LAWS
@given(frame=frames())
def test_excel_keeps_values(tmp_path: Path, frame: pl.DataFrame) -> None:
    path = tmp_path / "t.xlsx"
    frame = frame.with_columns(pl.Series("#", range(frame.height)))  # Rows without any value do not exist in Excel.
    write(frame, path, formulas="keep")
    table = read(path)
    expected = comparable(frame)
    for name in expected.columns:
        for found, wanted in zip(table.frame[name].to_list(), expected[name].to_list(), strict=True):
            if wanted is None:
                assert found is None
            elif isinstance(wanted, float):
                # A workbook keeps 16 digits.
                assert float(found) == pytest.approx(wanted, rel=1e-14)
            elif isinstance(wanted, dt.datetime) and isinstance(found, dt.date) and not isinstance(found, dt.datetime):
                assert wanted == dt.datetime.combine(found, dt.time())
            elif isinstance(wanted, dt.datetime) and not isinstance(found, str):
                assert abs(found - wanted) <= dt.timedelta(milliseconds=1)
            else:
                assert as_cell(found) == as_cell(wanted)


def as_cell(value: object) -> str:
    text = str(value)
    return text.lower() if isinstance(value, bool) else text


@LAWS
@given(cells=st.lists(st.none() | words, min_size=1, max_size=20), other=st.booleans())
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_any_text_comes_back_as_the_same_text(
    tmp_path: Path, ending: str, cells: list[str | None], other: bool
) -> None:
    """With the kind forced, not a sign is changed: zeros, blanks, quotes, formulas."""
    frame = pl.DataFrame({"value": pl.Series(cells, dtype=pl.String)})
    frame = frame.with_row_index("n") if other else frame
    write(frame, tmp_path / f"t.{ending}", formulas="keep")
    table = read(tmp_path / f"t.{ending}", header=True, kinds={"value": "nominal"})
    assert table.frame["value"].to_list() == cells


@pytest.mark.parametrize("ending", ALL)
def test_empty_frames(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"a": [], "b c": []}, schema={"a": pl.Int64, "b c": pl.String})
    write(frame, tmp_path / f"t.{ending}")
    if ending.startswith("jsonl"):
        return  # A file without lines has no columns.
    table = read(tmp_path / f"t.{ending}")
    assert table.names == ["a", "b c"]
    assert len(table) == 0


@pytest.mark.parametrize("ending", ALL)
def test_released_labels_come_back_as_strings(tmp_path: Path, ending: str) -> None:
    labels = ["[17, 24]", "*", "{a, c}", "b~e", "=1+1", "01234", 'say "hi"']
    frame = pl.DataFrame(
        {"enum": pl.Series(labels, dtype=pl.Enum(labels)), "cat": pl.Series(labels, dtype=pl.Categorical)}
    )
    write(frame, tmp_path / f"t.{ending}", formulas="keep")
    table = read(tmp_path / f"t.{ending}")
    assert as_text(table.frame["enum"]).to_list() == labels
    assert as_text(table.frame["cat"]).to_list() == labels
