"""Columns as they come: texts and codes of any type, held against their twins in NumPy and Python."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent import kernels
from tests.kernels.twins.columns import count_pairs_twin, join_texts_twin, text_codes_twin

TEXTS = st.one_of(
    st.none(),
    st.text(max_size=16),
    st.sampled_from(["", "a", "a\0", "twelve bytes", "thirteen byte", "thirteen bytf", "é" * 6, "é" * 40, "x" * 100]),
)


@given(cells=st.lists(TEXTS, max_size=60), cut=st.integers(0, 60))
def test_texts_are_numbered_and_joined_as_by_their_twins(cells: list[str | None], cut: int) -> None:
    column = pl.concat([pl.Series(cells[:cut], dtype=pl.String), pl.Series(cells[cut:], dtype=pl.String)])
    found, twin = kernels.text_codes(column), text_codes_twin(cells)
    for a, b in zip(found, twin, strict=True):
        assert a.tolist() == b
    lengths, joined = kernels.join_texts(column)
    assert (lengths.tolist(), joined.tobytes()) == join_texts_twin(cells)


def test_a_slice_is_read_where_it_begins() -> None:
    column = pl.Series([None, "a", "b", None, "thirteen bytes", "a", None] * 20)
    for begin in range(12):
        part = column.slice(begin, 31)
        assert kernels.text_codes(part).codes.tolist() == text_codes_twin(part.to_list())[0]
        assert kernels.join_texts(part)[1].tobytes() == "".join(part.drop_nulls()).encode()


def test_many_different_texts_are_all_told_apart() -> None:
    column = pl.Series([f"a longer text {i % 5000}" if i % 2 else str(i % 7000) for i in range(30_000)])
    found = kernels.text_codes(column)
    assert len(found.first) == column.n_unique()
    assert column.gather(found.first).gather(found.codes).equals(column)
    assert found.counts.sum() == len(column)


def test_bytes_behind_the_end_of_a_short_text_are_nothing() -> None:
    made = pl.Series(["abcdefgh", "abcdefghi", "abcd"]).str.slice(0, 4)
    assert kernels.text_codes(made).codes.tolist() == [0, 0, 0]


def test_only_texts_are_read_as_texts() -> None:
    with pytest.raises(ValueError, match="texts"):
        kernels.text_codes(pl.Series([1, 2]))


CODES = st.sampled_from([np.uint8, np.uint16, np.uint32, np.int32, np.int64])


@given(
    pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=40),
    labels=CODES,
    ranks=CODES,
    order=st.randoms(use_true_random=False),
)
def test_pairs_are_counted_as_by_their_twin(pairs: list[tuple[int, int]], labels: type, ranks: type, order) -> None:  # type: ignore[no-untyped-def]
    a, b = np.array([p[0] for p in pairs], dtype=labels), np.array([p[1] for p in pairs], dtype=ranks)
    assert kernels.count_pairs(a, 7, b, 5).tolist() == count_pairs_twin(a, 7, b, 5)
    assert kernels.count_codes(a, 7).tolist() == np.bincount(a, minlength=7).tolist()
    rows = list(range(len(pairs)))
    order.shuffle(rows)
    there = np.array(rows, dtype=np.int64)
    assert kernels.count_pairs(a, 7, b, 5, there).tolist() == count_pairs_twin(a, 7, b[there], 5)


def test_what_is_out_of_bounds_is_refused() -> None:
    one, two = np.array([1], dtype=np.int32), np.array([2])
    beyond = ((two, one, None), (one, two, None), (-one, one, None), (one, one, two), (one, one, -one))
    for labels, ranks, rows in beyond:
        with pytest.raises(ValueError, match=r"bounds|not there|between"):
            kernels.count_pairs(labels, 2, ranks, 2, rows)
    with pytest.raises(ValueError, match="bounds"):
        kernels.count_codes(two, 2)
    with pytest.raises(ValueError, match="between"):
        kernels.count_codes(-two, 3)
    with pytest.raises(ValueError, match="as many"):
        kernels.count_pairs(one, 2, one, 2, np.array([0, 0]))
    with pytest.raises(ValueError, match="integers"):
        kernels.count_codes(np.array([0.5]), 2)
