"""What the reader finds out about delimited text, and what it leaves alone."""

import datetime as dt
import gzip
import hashlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from paravent.errors import TableError
from paravent.table.kinds import Kind
from paravent.table.read import read

ADULT = (
    "39, State-gov, 77516, Bachelors, <=50K\n50, ?, 83311, Bachelors, <=50K\n38, Private, 215646, HS-grad, >50K\n"
    "53, Private, 234721, 11th, <=50K\n"
)


@pytest.fixture
def table_of(tmp_path: Path):
    def make(data: str | bytes, name: str = "t.csv", **arguments):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read(path, **arguments)

    return make


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_every_dialect_gives_the_same_table(table_of, delimiter: str, ending: str, encoding: str) -> None:
    rows = [["name", "age", "city"], ["Müller", "34", "Köln"], ["O'Neil", "51", "Zürich"], ["Ægir", "7", "Århus"]]
    table = table_of(ending.join(delimiter.join(row) for row in rows).encode(encoding))
    assert table.frame.rows() == [("Müller", 34, "Köln"), ("O'Neil", 51, "Zürich"), ("Ægir", 7, "Århus")]
    assert table.names == ["name", "age", "city"]
    assert set(table.origin.choices) == {"format", "encoding", "delimiter", "header", "decimal"}


def test_latin_letters_behind_the_sample(table_of) -> None:
    text = "a,b\n" + "1,x\n" * 200_000 + "2,é\n"
    table = table_of(text.encode("cp1252"))
    assert table.frame["b"][-1] == "é"
    assert table.origin.choices["encoding"] == "cp1252 (byte 0xe9 in line 200002 is not UTF-8)"


def test_gzip_is_read_as_it_is(table_of) -> None:
    assert table_of(gzip.compress(b"a;b\n1;x\n"), "t.csv.gz").frame.rows() == [(1, "x")]


def test_codes_keep_their_zeros(table_of) -> None:
    table = table_of("zip,phone,n\n12345,+4912,1\n01234,+4913,0\n99999,+4914,-5\n")
    assert table.frame["zip"].to_list() == ["12345", "01234", "99999"]
    assert table.frame["phone"].dtype == pl.String
    assert table.frame["n"].to_list() == [1, 0, -5]
    assert "leading zeros" in table.columns["zip"].reason


def test_one_zero_deep_in_the_column_keeps_it_text(table_of) -> None:
    cells = ["54321"] * 300_000
    cells[250_000] = "00001"
    assert table_of("zip\n" + "\n".join(cells)).frame["zip"].dtype == pl.String


def test_numbers(table_of) -> None:
    table = table_of("f,e,big,zero\n1.5,1e5,123456789012345678901,007.5\n.25,2e5,1,1.5\n-3,1.5,2,2.5\n")
    assert table.frame["f"].to_list() == [1.5, 0.25, -3.0]
    assert table.frame["e"].to_list() == [100_000.0, 200_000.0, 1.5]
    assert table.frame["big"].dtype == pl.String
    assert table.frame["zero"].dtype == pl.String
    assert any("powers of ten" in note for note in table.notes)
    assert any("too big for 64 bits" in note for note in table.notes)


def test_decimal_comma(table_of) -> None:
    table = table_of("a;b\n1,5;x\n2,25;y\n1,234;z\n")
    assert table.frame["a"].to_list() == [1.5, 2.25, 1.234]
    assert table.origin.choices["decimal"].startswith("comma")


def test_thousands_are_left_alone_and_told(table_of) -> None:
    table = table_of("a;b\n1,234;1.234,5\n22,345;12.345,6\n")
    assert table.frame.dtypes == [pl.String, pl.String]
    assert sum("thousands separators" in note for note in table.notes) == 2
    assert table_of("a;b\n1,234;x\n22,345;y\n", decimal=",").frame["a"].to_list() == [1.234, 22.345]


@pytest.mark.parametrize("marker", ["?", "NA", "N/A", "null", "NaN", "-", "."])
def test_words_for_missing_are_told_not_taken(table_of, marker: str) -> None:
    text = f"age,job\n34,clerk\n{marker},{marker}\n,nurse\n51,\n"
    table = table_of(text)
    assert table.frame["age"].to_list() == ["34", marker, None, "51"]
    assert table.columns["job"].missing == 1
    assert any("'age'" in note and f"na=[{marker!r}]" in note for note in table.notes)
    taken = table_of(text, na=[marker])
    assert taken.frame["age"].to_list() == [34, None, None, 51]
    assert taken.columns["job"].missing == 2
    assert taken.notes == ()
    assert table_of(text, na={"age": marker}).frame["job"].to_list() == ["clerk", marker, "nurse", None]


def test_blanks_after_every_delimiter(table_of) -> None:
    table = table_of(ADULT, "adult.data", na=["?"])
    assert table.frame.row(0) == (39, "State-gov", 77516, "Bachelors", "<=50K")
    assert table.columns["column_2"].missing == 1
    assert table.origin.choices["header"].startswith("no")
    assert "taken off" in table.origin.choices["blanks"]


def test_blanks_before_quotes(table_of) -> None:
    assert table_of('a, b\n1, "x, y"\n2, z\n').frame.rows() == [(1, "x, y"), (2, "z")]
    assert table_of('a,b,c\n1, "x, ""y""", 3\n2,z,"4"\n').frame.rows() == [(1, 'x, "y"', 3), (2, "z", 4)]


def test_a_blank_here_and_there_stays(table_of) -> None:
    table = table_of("a,b\n1, x\n2,y\n")
    assert table.frame["b"].to_list() == [" x", "y"]
    assert "blanks" not in table.origin.choices


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["2020-01-31", "1999-12-01"], [dt.date(2020, 1, 31), dt.date(1999, 12, 1)]),
        (["31/01/2020", "01/02/2020"], [dt.date(2020, 1, 31), dt.date(2020, 2, 1)]),
        (["01/31/2020", "01/02/2020"], [dt.date(2020, 1, 31), dt.date(2020, 1, 2)]),
        (["31.01.2020", "1.2.2020"], [dt.date(2020, 1, 31), dt.date(2020, 2, 1)]),
        (["2020-01-31 10:11", "2020-02-01 00:00"], [dt.datetime(2020, 1, 31, 10, 11), dt.datetime(2020, 2, 1)]),
        (
            ["2020-01-31T10:11:12.5", "2020-02-01T00:00:00"],
            [dt.datetime(2020, 1, 31, 10, 11, 12, 500_000), dt.datetime(2020, 2, 1)],
        ),
        (["10:11", "23:59"], [dt.time(10, 11), dt.time(23, 59)]),
    ],
)
def test_dates_and_times(table_of, cells: list[str], values: list[object]) -> None:
    table = table_of("n,when\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    assert table.frame["when"].to_list() == values
    assert table.kind("when") is Kind.DATE
    assert table.notes == ()


def test_day_or_month_first_is_said(table_of) -> None:
    table = table_of("n,born\n1,03/04/2001\n2,05/06/1999\n")
    assert table.frame["born"][0] == dt.date(2001, 4, 3)
    (note,) = table.notes
    assert "month/day/year fits as well" in note
    assert "kinds={'born': '%m/%d/%Y'}" in note
    other = table_of("n,born\n1,03/04/2001\n2,05/06/1999\n", kinds={"born": "%m/%d/%Y"})
    assert other.frame["born"][0] == dt.date(2001, 3, 4)


def test_the_day_that_decides_may_be_behind_the_sample(table_of) -> None:
    cells = ["03/04/2001"] * 100_000
    cells[77_777] = "12/25/2001"
    table = table_of("d\n" + "\n".join(cells))
    assert table.frame["d"][77_777] == dt.date(2001, 12, 25)
    assert table.notes == ()


def test_an_impossible_date_is_named(table_of) -> None:
    table = table_of("d\n" + "2020-01-01\n" * 50 + "2020-02-30\n")
    assert table.frame["d"].dtype == pl.String
    assert "row 51 holds '2020-02-30'" in table.notes[0]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("1,2\n3,4\n", False),
        ("name,city\nBob,Rome\nEve,Oslo\n", True),
        ("Bob,Rome\nEve,Rome\nAnn,Oslo\n", False),
        ("name,born\nBob,1999-01-01\n", True),
        ("name\n", True),
        ("5,6\n", False),
        ("x,1\ny,2\n", False),
    ],
)
def test_header(table_of, text: str, header: bool) -> None:
    assert table_of(text).origin.choices["header"].startswith("yes" if header else "no")


def test_every_choice_can_be_forced(table_of) -> None:
    table = table_of(
        "1;2,5\n3;4,5\n", delimiter=";", encoding="ascii", decimal=",", header=False, kinds={"column_1": "nominal"}
    )
    assert table.frame.rows() == [("1", 2.5), ("3", 4.5)]
    assert all("as you said" in table.origin.choices[name] for name in ("delimiter", "encoding", "decimal", "header"))
    assert table.columns["column_1"].reason == "as you said"
    assert table_of("a,b\n1,2\n", header=["x", "y"]).names == ["x", "y"]
    assert table_of('a,b\n1,"2\n', quote="").frame.rows() == [(1, '"2')]
    assert table_of("1,2\n", "t.parquet", format="csv").frame.rows() == [(1, 2)]


def test_names_can_be_repaired(table_of) -> None:
    text = ",age,age,*,age_3\n1,2,3,4,5\n"
    assert table_of(text, header="repair").names == ["column_1", "age", "age_3", "column_4", "age_3_5"]
    with pytest.raises(TableError) as caught:
        table_of("a,b,a\n1,2,3\n")
    assert "columns 1 and 3 are both called 'a'" in str(caught.value)
    assert "header='repair'" in str(caught.value)
    assert "--repair-header" in caught.value.prompted


def test_a_word_for_missing_is_told_once(table_of) -> None:
    table = table_of("a,b,c,d\n1,2,x,2001-01-31\nNA,NA,NA,NA\n3,4,y,2002-02-28\n")
    (note,) = table.notes
    assert note == (
        "4 columns hold 'NA', a value like any other ('a', 'b', 'c', 'd'); without it, 'a', 'b' would hold numbers; "
        "without it, 'd' would hold dates. Pass na=['NA'] if it means missing."
    )
    assert note.prompted.endswith("Pass --na NA if it means missing.")
    assert "NA" not in note.redacted
    (note,) = table_of("a\n1\nNA\n3\n").notes
    assert note.startswith("column 'a': 1 cell holds 'NA', a value like any other; without it, the column would hold")


def test_quotes(table_of) -> None:
    table = table_of('n,t\n1,"a ""b"", c"\n2,"two\nlines"\n3,it"s\n4,\n5,""\n')
    assert table.frame["t"].to_list() == ['a "b", c', "two\nlines", 'it"s', None, None]


def test_empty_text_in_quotes_is_not_missing(table_of) -> None:
    table = table_of('n,t\n1,""\n2,\n3,x\n')
    assert table.frame["t"].to_list() == ["", None, "x"]
    assert "na=['']" in table.notes[0]
    assert table_of('n,t\n"",a\n2,b\n3,x\n').frame["n"].to_list() == [None, 2, 3]


def test_blank_lines(table_of) -> None:
    assert table_of("a,b\n1,2\n3,4\n\n\n").frame.rows() == [(1, 2), (3, 4)]
    table = table_of("a,b\n1,2\n\n3,\n\n5,6\n")
    assert table.frame.rows() == [(1, 2), (3, None), (5, 6)]
    assert "2 blank lines (the first is line 3)" in table.notes[0]
    assert table_of("\n\na,b\n1,2\n").frame.rows() == [(1, 2)]
    assert table_of("a\n1\n\n3\n").frame["a"].to_list() == [1, None, 3]


def test_header_only(table_of) -> None:
    table = table_of("a,b\n")
    assert len(table) == 0
    assert table.names == ["a", "b"]
    assert "no rows" in table.notes[0]


def test_all_missing_and_one_column(table_of) -> None:
    table = table_of("a,b\n1,\n2,\n")
    assert table.columns["b"].missing == 2
    assert table.columns["b"].reason == "every value is missing"
    assert table_of("name of it\nx\ny\n").names == ["name of it"]


def test_names_with_blanks_dashes_accents_and_glob_signs(table_of) -> None:
    table = table_of("état civil,marital-status,a.b,a*\n1,x,y,z\n", "da[1]ta*.csv")
    assert table.names == ["état civil", "marital-status", "a.b", "a*"]


def test_rows_and_fingerprint(table_of, tmp_path: Path) -> None:
    data = b"a\n1\n2\n"
    table = table_of(data)
    assert table.rows.tolist() == [0, 1]
    assert table.fingerprint == f"sha256:{hashlib.sha256(data).hexdigest()}"
    other = table_of("a\n1\n2\n", "u.csv")
    (tmp_path / "u.csv").write_text("changed")
    with pytest.raises(TableError, match="has changed since it was read"):
        _ = other.fingerprint


def test_booleans_stay_words(table_of) -> None:
    table = table_of("n,b\n1,True\n2,FALSE\n")
    assert table.frame["b"].to_list() == ["True", "FALSE"]
    assert table.kind("b") is Kind.NOMINAL


def test_order_of_rows_is_kept_in_big_files(table_of) -> None:
    table = table_of("i,w\n" + "".join(f"{i},word\n" for i in range(300_000)))
    assert np.array_equal(table.frame["i"].to_numpy(), np.arange(300_000))
