"""Cuts that divide a table into blocks: every row finds one, and none is left in which a promise fails."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.engine.spark.block_cuts import mixed
from paravent.engine.spark.coding import Lookup, Packing
from paravent.engine.spark.cuts import CutTree, tree_of
from paravent.engine.spark.domains import keys_of, values_of
from paravent.engine.spark.faults import translated
from paravent.engine.spark.reading import open_source
from paravent.engine.spark.serves import check_serves
from paravent.errors import PlanError, TableError
from paravent.kernels import mondrian
from paravent.kernels.cutting import Rule
from paravent.methods.label_space import LabelSpace
from paravent.plan.prepare import prepare


def small_tree() -> CutTree:
    """Axis 0 is cut at 3; its right part on axis 1 at 5."""
    return CutTree(
        *(np.array(column) for column in ([0, -1, 1, -1, -1], [3, 0, 5, 0, 0], [1, 0, 3, 0, 0], [2, 0, 4, 0, 0]))
    )


def test_a_row_follows_the_cuts() -> None:
    tree = small_tree()
    assert tree.blocks.tolist() == [1, 3, 4]
    found = tree.block_of([np.array([0, 2, 3, 9, 3]), np.array([9, 0, 4, 5, 9])])
    assert found.tolist() == [1, 1, 3, 4, 4]


def test_a_block_is_cut_further() -> None:
    tree = small_tree().grown(1, CutTree(*(np.array(c) for c in ([1, -1, -1], [2, 0, 0], [1, 0, 0], [2, 0, 0]))))
    found = tree.block_of([np.array([0, 0, 9]), np.array([1, 2, 9])])
    assert found.tolist() == [5, 6, 4]


def test_a_cut_that_leaves_too_few_is_taken_back() -> None:
    counts = np.array([[0], [7], [0], [2], [9]])
    tree, totals, was = small_tree().mended(counts, lambda one: bool(one[0] >= 3))
    assert tree.axis.tolist() == [0, -1, -1]  # the cut on axis 1 left a block of two rows
    assert totals[:, 0].tolist() == [18, 7, 11]
    assert was.tolist() == [0, 1, 2]
    tree, totals, _ = small_tree().mended(counts, lambda one: bool(one[0] >= 8))
    assert tree.axis.tolist() == [-1]
    assert totals.tolist() == [[18]]


@pytest.mark.parametrize("labels", ["tree", "interval", "set"])
@pytest.mark.parametrize("seed", range(4))
def test_cuts_of_a_sample_part_it_as_they_were_made(labels: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": draw.integers(0, 40, 300),
            "zip": [f"{z:03d}" for z in draw.integers(0, 60, 300)],
            "n": draw.normal(size=300),
        }
    )
    plan = pv.Plan(
        {"age": pv.Quasi(pv.intervals(5, 10, 20)), "zip": pv.Quasi(pv.prefixes()), "n": pv.Quasi()}, pv.KAnonymity(2)
    )
    space = LabelSpace.of(prepare(pv.read(frame), plan).task.axes, labels)  # type: ignore[arg-type]
    codes = np.stack([axis.codes for axis in space.axes], axis=1)
    partition = mondrian(codes, space.cuts, k=20, rule=Rule.LEAST_COST, record=True)
    tree = tree_of(partition, codes, space)
    blocks = tree.block_of(list(codes.T))
    assert len(tree.blocks) == len(partition.starts) - 1
    for begin, end in zip(partition.starts[:-1], partition.starts[1:], strict=True):
        assert len(set(blocks[partition.order[begin:end]].tolist())) == 1
    assert np.bincount(blocks)[tree.blocks].min() >= 20


@pytest.mark.parametrize("sizes", [(3, 4), (2**31, 2**31, 7), (2**40, 2**40, 5)])
def test_codes_are_packed_and_unpacked(sizes: tuple[int, ...]) -> None:
    packing = Packing(sizes)
    columns = [np.array([0, min(size, 2**31) - 1, min(size, 2**31) // 2], dtype=np.int64) for size in sizes]
    keys = packing.pack(columns)
    assert len(keys) == len(packing.names)
    assert [column.tolist() for column in packing.unpack(keys)] == [column.tolist() for column in columns]


def test_values_survive_their_keys() -> None:
    import datetime

    for values in (
        pl.Series([3, -7, 2**60]),
        pl.Series([0.1, 1e300, -2.5]),
        pl.Series(["a", "", "é"]),
        pl.Series([True, False]),
        pl.Series([datetime.date(1900, 1, 1), datetime.date(2100, 12, 31)]),
        pl.Series([datetime.datetime(2026, 11, 18, 1, 2, 3, 456789)]),
        pl.Series(["1.10", "22.00"]).cast(pl.Decimal(10, 2)),
    ):
        assert values_of(keys_of(values), values.dtype).equals(values)


def test_a_value_that_was_not_counted_is_refused() -> None:
    for values, strange in ((pl.Series([3, 5]), pl.Series([4])), (pl.Series(["a"]), pl.Series(["b"]))):
        lookup = Lookup("x", values, np.arange(len(values), dtype=np.int32), -1, len(values))
        assert lookup.of(values).tolist() == list(range(len(values)))
        with pytest.raises(TableError, match="the source changes"):
            lookup.of(strange)
        with pytest.raises(TableError, match="the source changes"):
            lookup.of(pl.Series([None], dtype=values.dtype))


def test_hashes_depend_on_the_key_and_the_seed_alone() -> None:
    keys = np.arange(10_000)
    found = mixed([keys], 1)
    assert len(set(found.tolist())) == len(keys)
    assert (found >= 0).all()
    assert mixed([keys[::-1].copy()], 1)[::-1].tolist() == found.tolist()
    assert mixed([keys], 2).tolist() != found.tolist()


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("org.apache.spark.SparkException: … java.io.IOException: No space left on device", "disk is full"),
        ("Job aborted: ExecutorLostFailure (executor 1 exited)", "workers of the cluster were lost"),
        ("CSV header does not conform to the schema.", "different columns"),
        ("something else\nsecond line", r"Spark failed \(something else\)"),
    ],
)
def test_what_spark_says_becomes_one_sentence(message: str, sentence: str) -> None:
    error = translated(message, "writing")
    assert "\n" not in str(error)
    with pytest.raises(TableError, match=sentence):
        raise error


QUASI = {"age": pv.Quasi(), "disease": pv.Sensitive()}


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (pv.Plan(QUASI, pv.KAnonymity(2), method=pv.methods.Anatomy(l=2)), "Anatomy does not run on Spark"),
        (pv.Plan(QUASI, pv.KAnonymity(2), person="id"), "people with several rows are not counted"),
        (pv.Plan(QUASI, pv.KAnonymity(2), missing="wildcard"), "missing cells that match anything"),
        (pv.Plan(QUASI, pv.KAnonymity(2), order="source"), "no order of the source"),
        (pv.Plan(QUASI, [pv.KAnonymity(2), pv.LinkageRisk(0.1)]), "is not judged on Spark"),
        (pv.Plan({**QUASI, "id": pv.Identifier("random")}, pv.KAnonymity(2)), "random numbers are not given"),
        (pv.Plan(QUASI, pv.KAnonymity(2), cell_suppression=0.1), "a limit of cells is not kept"),
    ],
    ids=range(7),
)
def test_what_is_not_done_on_spark_is_said(plan: pv.Plan, sentence: str) -> None:
    with pytest.raises(PlanError, match=sentence):
        check_serves(plan)


def test_a_frame_of_spark_connect_is_refused() -> None:
    remote = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    with pytest.raises(TableError, match="Spark Connect"):
        open_source(None, remote)
