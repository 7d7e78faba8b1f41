"""Parts that tell, clusters, columns by themselves and blanked cells: by hand, and against plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.knowledge.collapse.clusters import Clusters
from paravent.knowledge.collapse.collapse import Collapse
from paravent.knowledge.collapse.folded import FoldedTable
from paravent.knowledge.collapse.groups import Groups
from paravent.knowledge.collapse.parts import sorted_tuples
from paravent.knowledge.collapse.single import blanked, own_groups
from paravent.knowledge.collapse.telling import kept_of_class, kept_of_number, telling_parts
from paravent.knowledge.descriptors import describe


def _collapse(frame: pl.DataFrame, number: str | None = None) -> Collapse:
    quasi = {name: pv.Quasi() for name in frame.columns if name not in ("s", "y")}
    roles = {**quasi, **{name: pv.Sensitive() for name in ("s",) if name in frame.columns}}
    found = describe(frame.select([*roles, *([number] if number else [])]), pv.Plan(roles, []), number=number).collapse
    assert found is not None
    return found


def _table(frame: pl.DataFrame, number: str | None = None) -> FoldedTable:
    return _collapse(frame, number).table


def _sets(of_tuple: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(of_tuple == part).tolist()) for part in np.unique(of_tuple)}


def test_a_cut_is_where_the_number_changes() -> None:
    """Ages 1 to 6; pay jumps between 4 and 5. At k = 2 the first cut is there, the next at 2, with nothing to gain."""
    frame = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "y": [1.0, 1.0, 1.0, 1.0, 9.0, 9.0]})
    table = _table(frame, "y")
    assert table.numbers is not None

    def ages(k: int) -> list[list[int]]:
        assert table.numbers is not None
        found = telling_parts(table, table.numbers.first[:, None], k, kept_of_number)
        return [table.leaves[0][list(part)].tolist() for part in sorted(_sets(found), key=min)]

    assert ages(2) == [[0, 1], [2, 3], [4, 5]]
    assert ages(4) == [[0, 1, 2, 3, 4, 5]]


def test_a_cut_is_where_the_class_changes() -> None:
    """At k = 3 one cut can be made: a and b stand apart between 2 and 3, and are mixed on the other column."""
    frame = pl.DataFrame({"x": [1, 2, 1, 2, 1, 2], "age": [1, 1, 2, 3, 4, 4], "s": ["a", "a", "a", "b", "b", "b"]})
    table = _table(frame)
    assert table.classes is not None
    found = telling_parts(table, table.classes.frequent(len(table)), 3, kept_of_class)
    ages = {tuple(sorted(table.leaves[1][list(part)].tolist())) for part in _sets(found)}
    assert ages == {(0, 0, 1), (2, 3, 3)}


def _plain_parts(leaves: np.ndarray, weight: np.ndarray, told: np.ndarray, k: int) -> set[frozenset[int]]:
    """The same by trying every cut of every part."""
    done, waiting = set(), [frozenset(range(len(weight)))]
    while waiting:
        part = sorted(waiting.pop())

        def score(tuples: list[int]) -> float:
            return float((told[tuples].sum(axis=0) ** 2).sum() / weight[tuples].sum())

        best, halves = -np.inf, None
        for j in range(leaves.shape[1]):
            for cut in sorted(set(leaves[part, j].tolist()))[:-1]:
                low = [t for t in part if leaves[t, j] <= cut]
                high = [t for t in part if leaves[t, j] > cut]
                if min(weight[low].sum(), weight[high].sum()) < k:
                    continue
                found = score(low) + score(high)
                if halves is None or found > best + 1e-9 * max(1.0, abs(best)):
                    best, halves = found, (frozenset(low), frozenset(high))
        if halves is None:
            done.add(frozenset(part))
        else:
            waiting += halves
    return done


@settings(max_examples=60)
@given(st.data())
def test_parts_that_tell_are_those_of_a_plain_search(data: st.DataObject) -> None:
    """Numbers are drawn so coarse that no two cuts come out alike but for rounding."""
    rows = data.draw(st.integers(2, 25))
    columns = {f"q{j}": data.draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows)) for j in range(2)}
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    frame = pl.DataFrame({**columns, "y": rng.normal(size=rows)})
    table, k = _table(frame, "y"), data.draw(st.integers(1, 6))
    if table.numbers is None:
        return
    told = table.numbers.first[:, None]
    plain = _plain_parts(np.stack(table.leaves, axis=1), table.weight.astype(float), told, k)
    assert _sets(telling_parts(table, told, k, kept_of_number)) == plain


def test_clusters_take_the_nearest_that_are_free() -> None:
    table = _table(pl.DataFrame({"age": [1, 2, 9, 10, 11, 12]}))
    found = Clusters.of(table, sorted_tuples(table))
    ages = [1, 2, 9, 10, 11, 12]
    at_two = {frozenset(ages[table.leaves[0][t]] for t in part) for part in _sets(found.at(2))}
    assert at_two == {frozenset({1, 2}), frozenset({9, 10}), frozenset({11, 12})}
    at_four = {frozenset(ages[table.leaves[0][t]] for t in part) for part in _sets(found.at(4))}
    assert at_four == {frozenset(ages)}  # 1, 2, 9, 10, and then the two that are left have one cluster to join


@settings(max_examples=60)
@given(st.data())
def test_clusters_hold(data: st.DataObject) -> None:
    rows, k = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 7))
    columns = {f"q{j}": data.draw(st.lists(st.integers(0, 6), min_size=rows, max_size=rows)) for j in range(2)}
    table = _table(pl.DataFrame(columns))
    of_tuple = Clusters.of(table, sorted_tuples(table)).at(k)
    sizes = np.bincount(of_tuple, table.weight)
    assert sizes.sum() == rows
    assert (sizes >= min(k, rows)).all()


def test_a_column_by_itself_is_cut_into_groups() -> None:
    """1 and 2, 3 and 9 on one column, a and b on the other: rows are alike where both groups are."""
    frame = pl.DataFrame({"age": [1, 2, 3, 9], "sex": ["a", "a", "b", "b"]})
    found = own_groups(_table(frame), 2)
    assert sorted(found.sizes.tolist()) == [2, 2]
    assert sorted(found.lows[0].tolist()) == [0, 2]  # the lower of two as near: 1 of 1.5, and 3 of 6
    assert found.facts(1)["shift"] == pytest.approx((0.5 + 0.0) / 2)


def test_cells_are_blanked_in_turn() -> None:
    """The age is told of nobody but the two of 20; the sex of the others is shown, for two share each."""
    frame = pl.DataFrame({"age": [20, 20, 31, 32, 33, 34], "sex": ["f", "f", "f", "f", "m", "m"]})
    table = _table(frame)
    found = blanked(table, [0, 1], 2)
    assert sorted(found.sizes.tolist()) == [2, 2, 2]
    assert found.facts(2)["loss"] == pytest.approx(4 / 12)
    assert found.facts(2)["kept"] == 1.0


def test_groups_in_middles_are_published_as_one_value() -> None:
    table = _table(pl.DataFrame({"age": [1, 2, 6], "sex": ["f", "m", "m"]}))
    whole = Groups.of_parts(table, np.zeros(len(table), dtype=np.int64)).in_middles()
    assert whole.lows[0].tolist() == whole.highs[0].tolist() == [1]  # 3 is nearest to 2
    assert table.columns[1].counts[whole.lows[1]].tolist() == [2]
    assert whole.facts(1)["shift"] == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_a_part_of_a_table_is_a_table() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 3], "s": ["a", "b", "b", "a"], "y": [1.0, 2.0, 3.0, 6.0]})
    table = _table(frame, "y")
    some = table.sampled(np.array([0, 2]))
    assert some.rows == 3
    assert some.classes is not None
    assert some.numbers is not None
    assert some.classes.by(np.arange(2), 2)[:, :2].tolist() == [[1, 1], [1, 0]]
    assert some.numbers.first.tolist() == pytest.approx([3 - 6, 6 - 3])
    assert some.columns[0].counts.tolist() == [2, 0, 1]


def test_a_large_table_is_sampled_in_whole_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    from paravent.knowledge.collapse import collapse as module

    monkeypatch.setattr(module, "SAMPLE", 40)
    monkeypatch.setattr(module, "PATCH", 10)
    cells = list(product(range(16), range(16)))
    found = _collapse(pl.DataFrame({"a": [a for a, _ in cells], "b": [b for _, b in cells]}))
    some = found._some
    assert 30 <= len(some) <= 60
    assert found.at(4)["clusters.loss"] == pytest.approx(
        Groups.of_parts(found.table, Clusters.of(found.table, sorted_tuples(found.table)).at(4)).facts(4)["loss"],
        abs=0.05,
    )
