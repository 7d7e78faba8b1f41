"""A column read at once says of each label what the reader says of it alone."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from paravent.hierarchy.builders import groups, intervals
from paravent.hierarchy.cells import CellReader, Form, ReadColumn
from paravent.hierarchy.cells.columns import ranks_of
from paravent.table.domain import Domain
from paravent.table.kinds import Kind

from .test_intervals_as_written import BETWEEN, BEYOND, DASHES, KINDS, reader_of

WAYS = [*BETWEEN, *DASHES]
SCALE = ("low", "middle", "high", "top")
WORDS = groups({"all": {"x": ["a", "b"], "y": ["c"], "13***": ["13053", "13068"]}}).tree("q")


def agree(reader: CellReader, labels: list[str]) -> None:
    found = ReadColumn.of(reader, labels)
    for i, label in enumerate(labels):
        cell = reader.read(label)
        if cell is None:
            assert found.form[i] == Form.UNREAD, label
            continue
        assert found.form[i] == cell.form, label
        reach = range(int(found.first[i]), int(found.last[i]) + 1)
        assert list(found.sets.get(i, reach)) == list(cell.ranks), label
        ends = (found.low[i], found.high[i], bool(found.open_low[i]), bool(found.open_high[i]))
        if cell.interval is None:
            assert np.isnan(ends[:2]).all(), label
        else:
            interval = cell.interval
            assert ends == (interval.low, interval.high, interval.open_low, interval.open_high), label
            assert found.at_values[i] == (cell.form is Form.INTERVAL and interval.written == ("", "")), label


@given(st.data())
def test_on_a_line(data: st.DataObject) -> None:
    kind, dtype, cells = data.draw(st.sampled_from(KINDS))
    values = data.draw(st.lists(cells, min_size=1, max_size=8, unique=True))
    if data.draw(st.integers(0, 3)):
        values.sort()
    reader = reader_of(values, kind, dtype)
    ends = st.sampled_from(reader.values) | st.builds(lambda v: reader_of([v], kind, dtype).values[0], cells)
    written = st.builds(lambda way, low, high: way.format(low, high), st.sampled_from(WAYS), ends, ends)
    beyond = st.builds(lambda way, end: way.format(end), st.sampled_from([*BEYOND]), ends)
    sets = st.builds(lambda one, two: f"{{{one}, {two}}}", ends, ends)
    others = st.sampled_from(["*", "", "1*", "young", "[", "[1, 2", "{}", "[a, b]", "[20, 2020-01-01]"])
    agree(reader, data.draw(st.lists(ends | written | beyond | sets | others, max_size=12, unique=True)))


@given(
    st.lists(
        st.sampled_from([*"abcdxy", "all", "*", "", "13***", "130**", "14***", "{a, c}", "{a, d}", "a~c", "c~a", "top"])
        | st.text(st.sampled_from('ab{}~",* []'), max_size=6),
        unique=True,
        max_size=12,
    )
)
def test_of_words(labels: list[str]) -> None:
    agree(CellReader(WORDS.leaves, WORDS), labels)
    agree(CellReader(("low", "high"), scale=SCALE), [*dict.fromkeys([*labels, *SCALE, "low~high"])])


def test_a_node_is_read_by_its_tree_and_not_as_it_is_written() -> None:
    numbers = pl.Series([18, 22, 25, 31])
    tree = intervals(10).build(Domain("age", Kind.INTEGER, numbers, np.ones(4, dtype=np.int64)))
    reader = CellReader(tree.leaves, tree, numbers.cast(pl.Float64).to_numpy())
    assert [reader.read(label).form for label in ("[20, 30[", "[20, 31[")] == [Form.GROUP, Form.INTERVAL]  # type: ignore[union-attr]
    agree(reader, ["[20, 30[", "[20, 31[", "22", "*", "22.0", "22.5"])


def test_many_labels_are_found_as_few_are() -> None:
    """Few are looked up one by one, many are joined."""
    values = [f"v{i}" for i in range(3_000)]
    labels = [*values[::-1][:2_500], "w", "", "v1 ", None]
    expected = [*range(2_999, 499, -1), -1, -1, -1, -1]
    assert ranks_of(values, labels).tolist() == expected
    assert [ranks_of(values[:900], labels[at : at + 900]).tolist() for at in (1_700, 2_100)] == [
        [rank if rank < 900 else -1 for rank in expected[at : at + 900]] for at in (1_700, 2_100)
    ]
