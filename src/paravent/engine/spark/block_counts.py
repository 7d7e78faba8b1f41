"""Blocks by all rows: how many each has, whether every model holds in it as one class; if not, cuts are taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.block_cuts import cuts_of
from paravent.engine.spark.blocks import Cutting
from paravent.engine.spark.cuts import CutTree
from paravent.engine.spark.domains import arrow_batches
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.options import Spark
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.rows import frame_of
from paravent.engine.spark.serves import BLOCKS
from paravent.engine.spark.tuples import tuples_of
from paravent.errors import InfeasibleError
from paravent.privacy.classes import Classes, Histogram

_AGAIN = 3
"""A block with more than this many times the rows that it should have is cut again."""
_ROUNDS = 20
_MERGE = 64
"""Batches after which a worker adds up its counts."""
_SCHEMA = "block long, what long, value long, n long, low long, high long"
_SIZE, _SPAN = -1, -2
"""What was counted: rows of a block; how far it reaches on axis j (`_SPAN − j`); values of the judged column j (j)."""


def cut_blocks(session: Any, frame: Any, ready: Ready, options: Spark) -> tuple[Cutting, np.ndarray]:
    """The blocks of a table, and how many rows each node of their tree has. The table is read once."""
    from pyspark import StorageLevel

    tuples = tuples_of(session, frame, ready).persist(StorageLevel.DISK_ONLY)
    try:
        return _cut_blocks(session, tuples, ready, options)
    finally:
        tuples.unpersist()


def _cut_blocks(session: Any, tuples: Any, ready: Ready, options: Spark) -> tuple[Cutting, np.ndarray]:
    labels = getattr(ready.plan.method, "labels", "tree")
    cutting = Cutting(ready, CutTree.whole(), labels, ready.plan.seed)
    most = options.block or BLOCKS[type(ready.plan.method).__name__]
    sizes = np.array([ready.n_rows])
    settled: set[int] = set()  # blocks that no cut parts
    large = [0] if ready.n_rows > most else []
    for _ in range(_ROUNDS):
        made = {}
        if large:
            made = cuts_of(session, tuples, cutting, {b: int(sizes[b]) for b in large}, most, options.sample)
        tree = cutting.tree
        for block in large:
            tree = tree.grown(block, made.get(block, CutTree.whole()))
        cutting, sizes, was = _mended(session, tuples, replace(cutting, tree=tree, alike={}), _AGAIN * most)
        settled = {b for b in cutting.tree.blocks.tolist() if was[b] in settled or was[b] in large}
        large = [b for b in cutting.tree.blocks.tolist() if sizes[b] > _AGAIN * most]
        large = [b for b in large if b not in settled and b not in cutting.alike]
        if not large:
            break
    return cutting, sizes


def _mended(session: Any, tuples: Any, cutting: Cutting, most: int) -> tuple[Cutting, np.ndarray, np.ndarray]:
    """Count all rows by block, and take back the cuts that leave one in which a model fails. Blocks of more than `most`
    rows that are all alike need no method. Also how many rows each node has, and which node it was before."""
    from pyspark.sql import functions as f

    ready = cutting.ready
    task = session.sparkContext.broadcast(cutting)
    with one_sentence("counting rows by block"):
        counted = tuples.mapInArrow(_counter(task), _SCHEMA)
        sums = [f.sum("n").alias("n"), f.min("low").alias("low"), f.max("high").alias("high")]
        held = counted.groupBy("block", "what", "value").agg(*sums).toArrow()
    found = frame_of(held)
    spans = found.filter(pl.col("what") <= _SPAN)
    found = found.filter(pl.col("what") > _SPAN)
    block, what, value, n = (found[name].to_numpy() for name in ("block", "what", "value", "n"))
    # One row a node: how many rows it has, then how often each value of each judged column occurs.
    starts = np.r_[1, 1 + np.cumsum([lookup.size for lookup in ready.judged])].astype(np.int64)
    counts = np.zeros((len(cutting.tree.axis), int(starts[-1])), dtype=np.int64)
    counts[block, np.where(what == _SIZE, 0, starts[what] + value)] = n
    tree, totals, was = cutting.tree.mended(counts, lambda one: _holds(ready, one, starts))
    if len(tree.axis) == 1 and not _holds(ready, totals[0], starts):
        raise InfeasibleError("The models do not hold for the table as a whole, so no cut of it can. Ask for less.")
    single = _single_values(spans, len(ready.quasi))
    large = [b for b in tree.blocks.tolist() if totals[b, 0] > most and cutting.tree.axis[was[b]] < 0]
    alike = {b: single[was[b]] for b in large if was[b] in single}
    return replace(cutting, tree=tree, alike=alike), totals[:, 0], was


def _single_values(spans: pl.DataFrame, n_axes: int) -> dict[int, tuple[int, ...]]:
    """The blocks that have one code on every axis, with these codes."""
    found: dict[int, dict[int, int]] = {}
    for block, what, low, high in spans.select("block", "what", "low", "high").iter_rows():
        if low == high:
            found.setdefault(block, {})[_SPAN - what] = low
    return {b: tuple(own[j] for j in range(n_axes)) for b, own in found.items() if len(own) == n_axes}


def _holds(ready: Ready, counts: np.ndarray, starts: np.ndarray) -> bool:
    """Whether the rows of a block hold every model as one class. What is known beside is judged in the block."""
    if counts[0] == 0:
        return False
    histograms: dict[str, Histogram] = {}
    for j, lookup in enumerate(ready.judged):
        own = counts[starts[j] : starts[j + 1]]
        value = np.flatnonzero(own).astype(np.int32)
        start, table = np.array([0, len(value)]), ready.tables[lookup.name]
        histograms[lookup.name] = Histogram(start, value, own[value], table, ready.domains.get(lookup.name))
    classes = Classes(counts[:1], histograms)
    return all(bool(model.holds_in_part(classes).all()) for model in ready.located.models if not model.known)


def _counter(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def count(batches: Iterator[Any]) -> Iterator[Any]:
        held: list[pl.DataFrame] = []
        for batch in batches:
            held.append(_counted(frame_of(batch), task.value))
            if len(held) > _MERGE:
                held = [_added(held)]
        if held:
            yield from arrow_batches(_added(held), _SCHEMA)

    return on_worker(count)


def _counted(tuples: pl.DataFrame, cutting: Cutting) -> pl.DataFrame:
    """What is counted in each block, in the columns of the schema."""
    quasi, judged = cutting.codes(tuples)
    own = pl.DataFrame({"block": cutting.blocks(quasi), "n": tuples["n"]})
    parts = [own.group_by("block").agg(pl.col("n").sum()).with_columns(what=_SIZE, value=0, low=0, high=0)]
    for j, codes in enumerate(quasi):
        reach = own.with_columns(code=pl.Series(codes)).group_by("block").agg(low=pl.min("code"), high=pl.max("code"))
        parts.append(reach.with_columns(what=_SPAN - j, value=0, n=0))
    for j, codes in enumerate(judged):
        valued = own.with_columns(value=pl.Series(codes)).group_by("block", "value").agg(pl.col("n").sum())
        parts.append(valued.with_columns(what=j, low=0, high=0))
    names = ["block", "what", "value", "n", "low", "high"]
    return pl.concat(part.select(pl.col(name).cast(pl.Int64) for name in names) for part in parts)


def _added(parts: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(parts).group_by("block", "what", "value").agg(pl.sum("n"), pl.min("low"), pl.max("high"))
