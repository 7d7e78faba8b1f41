"""Missing cells that match anything, against a count over all pairs of rows."""

from __future__ import annotations

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from paravent.privacy import KAnonymity, LDiversity
from paravent.privacy.verify import verify_frame
from paravent.privacy.wildcards import compatible_classes

cells = st.sampled_from([None, "a", "b", "c"])


def compatible(one: tuple, other: tuple, wild: set[int]) -> bool:
    return all(
        x == y or (i in wild and (x is None or y is None)) for i, (x, y) in enumerate(zip(one, other, strict=True))
    )


@given(
    st.lists(st.tuples(cells, cells, cells, st.sampled_from(["s", "t", None])), min_size=1, max_size=25),
    st.sets(st.integers(0, 2), min_size=1),
)
def test_every_pair_of_rows(rows: list[tuple], wild: set[int]) -> None:
    names = ["x", "y", "z"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys([*names, "s"], pl.String), orient="row")
    classes = compatible_classes(frame, names, [names[i] for i in wild], ["s"])
    tuples = list(dict.fromkeys(row[:3] for row in rows))
    expected = [[row[3] for row in rows if compatible(combination, row[:3], wild)] for combination in tuples]
    assert classes.sizes.tolist() == [len(held) for held in expected]
    histogram = classes.histograms["s"]
    for i, held in enumerate(expected):
        counts = histogram.count[histogram.start[i] : histogram.start[i + 1]]
        assert sorted(counts.tolist()) == sorted(Counter(held).values())


def test_the_strict_k_is_told() -> None:
    frame = pl.DataFrame({"age": ["20", "20", None], "zip": ["a", "a", "a"], "s": ["u", "v", "w"]})
    verdict = verify_frame(frame, ["age", "zip"], [KAnonymity(3), LDiversity(3, "s")], wildcard=["age"])
    assert verdict
    assert verdict.levels["privacy.k"] == 3
    assert verdict.strict_k == 1
    assert "k is 1" in str(verdict)
    assert not verify_frame(frame, ["age", "zip"], [KAnonymity(3)])
