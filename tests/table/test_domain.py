"""Domains and codes of columns of every type, against a slow and simple count."""

from __future__ import annotations

import datetime
from collections import Counter
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.errors import TableError
from paravent.table.domain import Coded, Domain
from paravent.table.kinds import Column, Kind
from paravent.table.table import Origin, Table


def table_of(cells: pl.Series, kind: Kind, order: tuple[str, ...] | None = None) -> Table:
    column = Column("q", kind, "", cells.null_count(), order)
    return Table(pl.DataFrame({"q": cells}), {"q": column}, np.arange(len(cells)), Origin("test"))


day, noon = datetime.date(1960, 1, 1), datetime.datetime(2020, 2, 29, 12)
COLUMNS = {
    "integers": (pl.Series([3, None, 1, 3]), Kind.INTEGER),
    "small integers": (pl.Series([-128, 127, None, 0], dtype=pl.Int8), Kind.INTEGER),
    "wide integers": (pl.Series([2**63 - 1, -(2**63), None, 0]), Kind.INTEGER),
    "large integers": (pl.Series([2**64 - 1, 2**64 - 2, None, 2**64 - 1], dtype=pl.UInt64), Kind.INTEGER),
    "floats": (pl.Series([2.5, None, -1.0, 2.5]), Kind.FLOAT),
    "decimals": (pl.Series([Decimal("1.50"), None, Decimal("0.5"), Decimal("1.5")]), Kind.FLOAT),
    "strings": (pl.Series(["é", None, "", "é"]), Kind.NOMINAL),
    "text": (pl.Series(["b", "a", None, "b"]), Kind.TEXT),
    "categories": (pl.Series(["w", "q", None, "w"], dtype=pl.Categorical), Kind.NOMINAL),
    "enums": (pl.Series(["w", "q", None, "w"], dtype=pl.Enum(["z", "w", "q"])), Kind.NOMINAL),
    "flags": (pl.Series([True, None, False, True]), Kind.NOMINAL),
    "numbers as names": (pl.Series([10, 9, None, 10]), Kind.NOMINAL),
    "dates": (pl.Series([day, None, datetime.date(2020, 1, 2), day]), Kind.DATE),
    "times": (pl.Series([noon, None, datetime.datetime(1950, 1, 1), noon]), Kind.DATE),
    "hours": (pl.Series([datetime.time(13), None, datetime.time(0), datetime.time(13)]), Kind.DATE),
    "nothing": (pl.Series([None] * 4, dtype=pl.String), Kind.NOMINAL),
    "no type": (pl.Series([None] * 4, dtype=pl.Null), Kind.NOMINAL),
    "no number": (pl.Series([None] * 4, dtype=pl.Int32), Kind.INTEGER),
    "no rows": (pl.Series([], dtype=pl.String), Kind.NOMINAL),
}


@pytest.mark.parametrize(("cells", "kind"), COLUMNS.values(), ids=COLUMNS)
def test_every_type(cells: pl.Series, kind: Kind) -> None:
    coded = Coded.of(table_of(cells, kind), "q")
    texts = cells.cast(pl.String).to_list()
    domain = coded.domain
    assert [None if code < 0 else domain.text[code] for code in coded.codes] == texts
    counted = Counter(text for text in texts if text is not None)
    assert dict(zip(domain.text, domain.counts.tolist(), strict=True)) == counted
    assert coded.codes.dtype == np.int32
    values = domain.text if kind in (Kind.NOMINAL, Kind.TEXT) else domain.values.to_list()
    assert values == sorted(values)
    assert coded.missing.tolist() == [text is None for text in texts]
    if domain.positions is not None:
        assert (np.diff(domain.positions) >= 0).all()


def test_ordinal_values_follow_their_order() -> None:
    cells = pl.Series(["high", "low", None, "mid", "low"])
    coded = Coded.of(table_of(cells, Kind.ORDINAL, ("low", "mid", "high")), "q")
    assert coded.domain.text == ["low", "mid", "high"]
    assert coded.codes.tolist() == [2, 0, -1, 1, 0]
    with pytest.raises(TableError, match="'high' is not in its order"):
        Domain.of(table_of(cells, Kind.ORDINAL, ("low", "mid")), "q")


def test_floats_that_are_no_numbers_are_missing_and_zeros_are_one() -> None:
    coded = Coded.of(table_of(pl.Series([float("nan"), -0.0, 0.0, 1.0]), Kind.FLOAT), "q")
    assert coded.codes.tolist() == [-1, 0, 0, 1]
    assert coded.domain.text == ["0.0", "1.0"]


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=50))
def test_integers_of_any_span(cells: list) -> None:
    coded = Coded.of(table_of(pl.Series(cells, dtype=pl.Int64), Kind.INTEGER), "q")
    assert coded.domain.values.to_list() == sorted({cell for cell in cells if cell is not None})
    assert [None if code < 0 else coded.domain.values[int(code)] for code in coded.codes] == cells


@pytest.mark.parametrize("name", ["*", "^q$", "len", "value", "count", "code"])
def test_any_name(name: str) -> None:
    for cells in (pl.Series([1, None, 1]), pl.Series(["a", None, "a"]), pl.Series([0.5, None, 0.5])):
        frame = pl.DataFrame([cells.alias(name)])
        table = Table(frame, {name: Column(name, Kind.NOMINAL, "", 1)}, np.arange(3), Origin("test"))
        assert Coded.of(table, name).codes.tolist() == [0, -1, 0]
