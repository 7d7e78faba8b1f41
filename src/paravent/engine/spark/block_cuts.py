"""Cuts of blocks, found in samples of their tuples.

Tuples have a hash of their codes and the plan's seed, and the sample of a block has those below a limit: the m-th
lowest hash of the block, times as much as the sample is larger than m. Which tuples these are depends on neither the
parts of the table nor the machines, and each has its exact count. One worker cuts the sample of a block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.blocks import Cutting
from paravent.engine.spark.cuts import CutTree, tree_of
from paravent.engine.spark.domains import arrow_batches
from paravent.engine.spark.faults import on_worker, one_sentence, without_values
from paravent.engine.spark.rows import frame_of
from paravent.kernels import mondrian
from paravent.kernels.cutting import Rule
from paravent.methods.mondrian.table_cuts import SAMPLE

_LOWEST, _LEAST = 1024, 256
"""Hashes of a block that its limit is estimated by, and how few tuples a sample may have where many blocks are cut."""
_HIGHEST = 2**63 - 1
_LIMIT_SCHEMA = "block long, hash long"
_CUT_SCHEMA = "block long, node long, axis long, at long, left long, right long"


def cuts_of(
    session: Any, tuples: Any, cutting: Cutting, rows: Mapping[int, int], most: int, sample: int
) -> dict[int, CutTree]:
    """The cuts of some blocks, given how many rows each has, down to about `most` rows; blocks that cannot be cut are
    left out. The samples of all have about `sample` tuples together."""
    quota = max(sample // len(rows), _LEAST)
    names = cutting.packing.names
    with one_sentence("drawing a sample"):
        limits = _limits(session, tuples, cutting, tuple(rows), quota)
        task = session.sparkContext.broadcast((cutting, limits))
        schema = f"block long, {cutting.packing.schema}, n long"
        drawn = tuples.mapInArrow(_sampler(task, schema), schema)
        totals = drawn.groupBy("block", *names).sum("n").withColumnRenamed("sum(n)", "n")
        plan = session.sparkContext.broadcast((cutting, dict(rows), most))
        found = frame_of(totals.groupBy("block").applyInArrow(_cutter(plan), _CUT_SCHEMA).toArrow())
    made = {}
    for (block,), own in found.sort("block", "node").group_by("block", maintain_order=True):
        made[int(str(block))] = CutTree(*(own[name].to_numpy() for name in ("axis", "at", "left", "right")))
    return made


def _limits(session: Any, tuples: Any, cutting: Cutting, blocks: tuple[int, ...], quota: int) -> dict[int, int]:
    """The hash up to which the tuples of each block are in its sample."""
    lowest = min(_LOWEST, quota)
    task = session.sparkContext.broadcast((cutting, blocks, lowest))
    found = frame_of(tuples.mapInArrow(_hasher(task), _LIMIT_SCHEMA).distinct().toArrow())
    limits = dict.fromkeys(blocks, _HIGHEST)
    for (block,), own in found.group_by("block"):
        hashes = own["hash"].sort().head(lowest)
        if len(hashes) == lowest:  # fewer tuples are all of them
            limits[int(str(block))] = min(_HIGHEST, int(hashes[-1]) * quota // lowest)
    return limits


def _hasher(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def lowest_hashes(batches: Iterator[Any]) -> Iterator[Any]:
        cutting, blocks, lowest = task.value
        held: pl.DataFrame | None = None
        for batch in batches:
            inside = _inside(frame_of(batch), cutting, blocks)
            some = pl.DataFrame({"block": inside["block"], "hash": mixed(_keys(inside, cutting), cutting.seed)})
            held = _lowest(some if held is None else pl.concat([held, some]), lowest)
        if held is not None and held.height:
            yield from arrow_batches(held, _LIMIT_SCHEMA)

    return on_worker(lowest_hashes)


def _lowest(held: pl.DataFrame, lowest: int) -> pl.DataFrame:
    """Whoever is among the lowest of all is among the lowest of every part it occurs in: none of these is lost."""
    return held.unique().sort("block", "hash").group_by("block", maintain_order=True).head(lowest)


def _inside(tuples: pl.DataFrame, cutting: Cutting, blocks: tuple[int, ...]) -> pl.DataFrame:
    """The tuples of some blocks by the keys of their quasi-identifiers."""
    codes, _ = cutting.codes(tuples)
    keys = zip(cutting.packing.names, cutting.packing.pack(codes), strict=True)
    columns = [pl.Series("block", cutting.blocks(codes)), *(pl.Series(name, key) for name, key in keys)]
    return pl.DataFrame([*columns, tuples["n"]]).filter(pl.col("block").is_in(list(blocks)))


def _keys(tuples: pl.DataFrame, cutting: Cutting) -> list[np.ndarray]:
    return [tuples[name].to_numpy() for name in cutting.packing.names]


def mixed(keys: list[np.ndarray], seed: int) -> np.ndarray:
    """A hash of each key (splitmix64), as an integer of 63 bits."""
    state = np.full(len(keys[0]), np.uint64(seed ^ 0x9E3779B97F4A7C15), dtype=np.uint64)
    for key in keys:
        state = state ^ key.astype(np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
        state = state ^ (state >> np.uint64(31))
    return (state >> np.uint64(1)).astype(np.int64)


def _sampler(task: Any, schema: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def draw(batches: Iterator[Any]) -> Iterator[Any]:
        cutting, limits = task.value
        highest = pl.DataFrame({"block": list(limits), "limit": list(limits.values())})
        for batch in batches:
            inside = _inside(frame_of(batch), cutting, tuple(limits))
            limit = inside.select("block").join(highest, on="block", how="left", maintain_order="left")["limit"]
            low = mixed(_keys(inside, cutting), cutting.seed) <= limit.to_numpy()
            names = [name for name in inside.columns if name != "n"]
            some = inside.filter(pl.Series(low)).group_by(names).agg(pl.col("n").sum())
            yield from arrow_batches(some, schema)

    return on_worker(draw)


def _cutter(task: Any) -> Callable[[Any], Any]:
    def cut(table: Any) -> Any:
        try:
            made = _cut(frame_of(table), *task.value)
            return _as_table(made)
        except Exception as error:
            raise without_values(error) from None

    return cut


def _as_table(made: pl.DataFrame) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(made[name].to_numpy(), type=pa.int64()) for name in made.columns})


def _cut(drawn: pl.DataFrame, cutting: Cutting, rows: Mapping[int, int], most: int) -> pl.DataFrame:
    """The cuts of a block, from the tuples of its sample."""
    block = int(drawn["block"][0])
    drawn = drawn.sort(cutting.packing.names)
    codes = cutting.packing.unpack(_keys(drawn, cutting))
    matrix = np.stack(cutting.on_cuts(codes), axis=1).astype(np.int32)
    weights = drawn["n"].to_numpy()
    while int(weights.sum()) >= 2**31:
        weights = np.maximum(weights // 2, 1)
    half = max(1, round(most / 2 * int(weights.sum()) / rows[block]))
    rule = Rule.MEDIAN if getattr(cutting.ready.plan.method, "cut", "loss") == "median" else Rule.LEAST_COST
    made = mondrian(
        matrix, cutting.space.cuts, k=half, weights=weights.astype(np.int32), rule=rule, sample=SAMPLE, record=True
    )
    tree = tree_of(made, matrix, cutting.space)
    n = len(tree.axis)
    columns = {"block": np.full(n, block), "node": np.arange(n), "axis": tree.axis, "at": tree.at}
    return pl.DataFrame({**columns, "left": tree.left, "right": tree.right})
