"""Kinds: what is inferred, why, and how a user overrules it."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from paravent.errors import TableError
from paravent.table.kinds import Kind
from paravent.table.read import read
from paravent.table.vocabularies import known_order

NOTES = [
    f"The patient number {i} came in on a rainy day and complained about pain in the left knee." for i in range(50)
]


def test_kinds_of_typed_columns() -> None:
    table = read(
        pl.DataFrame(
            {
                "i": pl.Series([1, 2], dtype=pl.Int8),
                "f": [1.5, None],
                "b": [True, False],
                "d": [dt.date(2020, 1, 1)] * 2,
                "t": [dt.time(3)] * 2,
                "s": ["x", "y"],
                "c": pl.Series(["x", "y"], dtype=pl.Categorical),
                "none": pl.Series([None, None]),
                "o": ["high", "low"],
            }
        )
    )
    kinds = {name: str(column.kind) for name, column in table.columns.items()}
    assert kinds == {
        "i": "integer", "f": "float", "b": "nominal", "d": "date", "t": "date", "s": "nominal", "c": "nominal",
        "none": "nominal", "o": "ordinal",
    }  # fmt: skip
    assert table.columns["o"].order == ("low", "high")
    assert table.columns["f"].missing == 1
    assert all(column.reason for column in table.columns.values())


def test_free_text_is_long_and_all_different() -> None:
    table = read(
        pl.DataFrame({"note": NOTES, "same": NOTES[:1] * 50, "street": [f"{i} Main Street" for i in range(50)]})
    )
    assert [str(column.kind) for column in table.columns.values()] == ["text", "nominal", "nominal"]


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ({"Low", "HIGH", "medium"}, ("Low", "medium", "HIGH")),
        ({"Strongly agree", "agree", "disagree"}, ("disagree", "agree", "Strongly agree")),
        ({"XL", "S", "M"}, ("S", "M", "XL")),
        ({"2nd", "10th", "1st"}, ("1st", "2nd", "10th")),
        ({"65+", "<18", "18-24", "25-64"}, ("<18", "18-24", "25-64", "65+")),
        ({"Sun", "Mon"}, ("Mon", "Sun")),
        ({"S", "M"}, None),
        ({"low"}, None),
        ({"low", "red"}, None),
        ({"10-20", "15-30", "40-50"}, None),
        ({"Bachelors", "10th", "HS-grad"}, None),
        ({"low", "Low"}, None),
    ],
)
def test_orders_that_words_carry(values: set[str], order: tuple[str, ...] | None) -> None:
    found = known_order(values)
    assert (found[0] if found else None) == order


def test_one_strange_word_behind_the_sample_undoes_an_order() -> None:
    cells = ["low", "high"] * 20_000
    cells[33_333] = "banana"
    assert read(pl.DataFrame({"risk": cells})).kind("risk") is Kind.NOMINAL


def test_pandas_and_arrow_orders() -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "grade": pd.Categorical(["b", "a", None], categories=["c", "b", "a"], ordered=True),
            "job": pd.Categorical(["x", "y", "x"]),
            "n": [1.0, float("nan"), 2.0],
            7: [1, 2, 3],
        },
        index=[5, 6, 9],
    )
    table = read(frame)
    assert table.columns["grade"].order == ("c", "b", "a")
    assert table.kind("job") is Kind.NOMINAL
    assert table.columns["n"].missing == 1
    assert table.names == ["grade", "job", "n", "7"]
    assert "index of the pandas frame is left out" in table.notes[0]
    words = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array(["lo", "hi"]), ordered=True)
    assert read(pa.table({"w": words})).columns["w"].order == ("lo", "hi")
    assert read(pl.LazyFrame({"a": [1]})).frame.rows() == [(1,)]
    with pytest.raises(TableError, match="columns 1 and 2 are both called 'a'"):
        read(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TableError, match="columns 1 and 2 are both called 'a'"):
        read(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_with_kinds() -> None:
    table = read(
        pl.DataFrame(
            {
                "zip": [1234, 5678],
                "grade": ["mid", "top"],
                "pay": ["1.5", "2"],
                "n": [1.0, 2.0],
                "d": ["2020-01-31", None],
            }
        )
    )
    forced = table.with_kinds(
        {"zip": Kind.NOMINAL, "grade": ("low", "mid", "top"), "pay": "float", "n": "integer", "d": "date"}
    )
    assert [str(column.kind) for column in forced.columns.values()] == [
        "nominal",
        "ordinal",
        "float",
        "integer",
        "date",
    ]
    assert forced.columns["grade"].order == ("low", "mid", "top")
    assert forced.frame.dtypes == [pl.Int64, pl.String, pl.Float64, pl.Int64, pl.Date]
    assert {column.reason for column in forced.columns.values()} == {"as you said"}
    assert table.kind("zip") is Kind.INTEGER
    assert forced.fingerprint == table.fingerprint
    assert table.with_kinds({"zip": "ordinal"}).columns["zip"].order == ("1234", "5678")


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"nope": "float"}, "there is no column 'nope'"),
        ({"s": "number"}, "'number' is not a kind"),
        ({"s": "integer"}, "column 's', row 1: 'x' is not a whole number, and 1 more"),
        ({"s": "ordinal"}, "the order of its 2 values is not known"),
        ({"s": ("x",)}, "column 's', row 2: 'y' is not in the order given"),
        ({"s": ("x", "y", "x")}, "'x' appears twice in its order"),
        ({"s": "date"}, "not in a form of dates that we know"),
        ({"s": "%d/%m/%Y"}, "row 1: 'x' is not a date of the form %d/%m/%Y"),
        ({"f": "integer"}, "row 1: '1.5' is not a whole number"),
    ],
)
def test_wishes_that_cannot_be_followed(wish: dict, sentence: str) -> None:
    table = read(pl.DataFrame({"s": ["x", "y"], "f": [1.5, 2.0]}))
    with pytest.raises(TableError) as caught:
        table.with_kinds(wish)
    assert sentence in str(caught.value)


def test_nan_is_missing_and_told() -> None:
    table = read(pl.DataFrame({"a": [1.0, float("nan"), None, float("inf")]}))
    assert table.columns["a"].missing == 2
    assert any("1 cells are NaN" in note for note in table.notes)
    assert any("infinite" in note for note in table.notes)


def test_fingerprints_see_content_and_nothing_else() -> None:
    frame = pl.DataFrame({"a": ["x", None, "yz"], "b": [1, 2, None], "c": [1.5, None, -0.0], "d": [True, None, False]})
    same = pl.concat([frame.head(1), frame.tail(2)], rechunk=False)
    assert read(frame).fingerprint == read(same).fingerprint
    assert read(frame).fingerprint.startswith("sha256:")
    others = [
        frame.rename({"a": "A"}),
        frame.with_columns(a=pl.Series(["xy", None, "z"])),
        frame.with_columns(a=pl.Series(["x", "", "yz"])),
        frame.with_columns(b=pl.Series([1, 2, 0])),
        frame.reverse(),
        frame.head(2),
    ]
    prints = {read(other).fingerprint for other in others} | {read(frame).fingerprint}
    assert len(prints) == len(others) + 1


def test_repr_never_shows_values() -> None:
    assert "secret" not in repr(read(pl.DataFrame({"a": ["secret"]})))


def test_a_table_is_read_as_itself() -> None:
    table = read(pl.DataFrame({"a": [1, 2, 3]})).only_rows(np.array([0, 2]))
    again = read(table, kinds={"a": "nominal"})
    assert again.rows.tolist() == [0, 2]
    assert again.kind("a") is Kind.NOMINAL
    with pytest.raises(TableError, match="Read it again"):
        read(table, na=["1"])
