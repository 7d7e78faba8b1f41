"""Blocks: a table is cut into parts that single processes can work on, each of which holds every model as one class.

1. Every worker folds its rows and keeps the tuples with the lowest hashes. The lowest of all are the sample: the same
   whatever the partitioning, with exact counts, and all tuples where these are few.
2. One worker cuts the sample as Mondrian does, down to blocks.
3. All rows are counted by block. A cut that leaves a block in which a model fails is taken back. A block that came out
   far too large is cut again, by a sample of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from paravent.engine.spark.coding import Packing
from paravent.engine.spark.cuts import CutTree, tree_of
from paravent.engine.spark.domains import arrow_batches, quoted
from paravent.engine.spark.faults import on_worker, one_sentence
from paravent.engine.spark.options import Spark
from paravent.engine.spark.ready import Ready
from paravent.engine.spark.rows import frame_of, together
from paravent.engine.spark.serves import BLOCKS
from paravent.errors import InfeasibleError
from paravent.kernels import mondrian
from paravent.kernels.cutting import Rule
from paravent.methods.label_space import LabelSpace
from paravent.methods.mondrian.table_cuts import SAMPLE
from paravent.privacy.classes import Classes, Histogram

_AGAIN = 3
"""A block with more than this many times the rows that it should have is cut again."""
_ROUNDS = 20
_CUT_SCHEMA = "axis long, at long, left long, right long"
_COUNT_SCHEMA = "block long, what long, value long, n long, low long, high long"
_SIZE, _SPAN = -1, -2
"""What was counted: rows of a block; how far it reaches on axis j (`_SPAN − j`); values of the judged column j (j)."""


@dataclass(frozen=True, eq=False)
class Cutting:
    """What workers need to find the block of a row. `alike` are the blocks whose rows have the same quasi-identifiers,
    and are so many that no single process should hold them, with the code on each axis: their rows need no method."""

    ready: Ready
    tree: CutTree
    labels: str
    seed: int
    alike: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def space(self) -> LabelSpace:
        """The axes as cuts see them, each with one row for every code."""
        axes = [replace(a, codes=np.arange(len(a), dtype=np.int32), times=None) for a in self.ready.axes]
        return LabelSpace.of(axes, self.labels)  # type: ignore[arg-type]

    @cached_property
    def packing(self) -> Packing:
        return Packing(tuple(lookup.size for lookup in self.ready.quasi))

    def codes(self, frame: pl.DataFrame) -> list[np.ndarray]:
        """The code of each row on each axis."""
        return [lookup.of(frame[lookup.name].alias("cells")) for lookup in self.ready.quasi]

    def on_cuts(self, codes: list[np.ndarray]) -> list[np.ndarray]:
        """The same in the order in which the axes are cut."""
        return [axis.codes[column] for axis, column in zip(self.space.axes, codes, strict=True)]

    def blocks(self, codes: list[np.ndarray]) -> np.ndarray:
        return self.tree.block_of(self.on_cuts(codes))


def block_rows(ready: Ready, options: Spark) -> int:
    """About how many rows a block has."""
    return options.block or BLOCKS[type(ready.plan.method).__name__]


def cut_blocks(session: Any, frame: Any, ready: Ready, options: Spark) -> tuple[Cutting, np.ndarray]:
    """The blocks of a table, and how many rows each node of their tree has."""
    labels = getattr(ready.plan.method, "labels", "tree")
    cutting = Cutting(ready, CutTree.whole(), labels, ready.plan.seed)
    most = block_rows(ready, options)
    sizes = np.array([ready.n_rows])
    for _ in range(_ROUNDS):
        large = [int(b) for b in cutting.tree.blocks if sizes[b] > _AGAIN * most or (b == 0 and sizes[0] > most)]
        large = [block for block in large if block not in cutting.alike]
        tree = cutting.tree
        for block in large:
            tree = tree.grown(block, _cuts(session, frame, cutting, block, int(sizes[block]), most, options.sample))
        if len(tree.axis) == len(cutting.tree.axis):
            break
        before = len(cutting.tree.blocks)
        cutting, sizes = _mended(session, frame, replace(cutting, tree=tree, alike={}), _AGAIN * most)
        if len(cutting.tree.blocks) == before:
            break
    else:
        return cutting, sizes
    if len(cutting.tree.axis) == 1:
        cutting, sizes = _mended(session, frame, cutting, _AGAIN * most)
    return cutting, sizes


def _cuts(session: Any, frame: Any, cutting: Cutting, block: int, rows: int, most: int, sample: int) -> CutTree:
    """The cuts of one block, from a sample of it, made by one worker."""
    packing = cutting.packing
    schema = f"hash long, {packing.schema}, n long"
    task = session.sparkContext.broadcast((cutting, block, sample))
    with one_sentence("drawing a sample"):
        drawn = _select(frame, cutting.ready).mapInArrow(_sampler(task, schema), schema)
        totals = drawn.groupBy("hash", *packing.names).sum("n").withColumnRenamed("sum(n)", "n")
        lowest = totals.orderBy("hash", *packing.names).limit(sample)
        plan = session.sparkContext.broadcast((cutting, rows, most))
        made = lowest.coalesce(1).mapInArrow(_cutter(plan), _CUT_SCHEMA).toArrow()
    found = frame_of(made)
    if found.height == 0:
        return CutTree.whole()
    return CutTree(*(found[name].to_numpy() for name in ("axis", "at", "left", "right")))


def _select(frame: Any, ready: Ready, *, judged: bool = False) -> Any:
    names = [lookup.name for lookup in (*ready.quasi, *(ready.judged if judged else ()))]
    return frame.select(*map(quoted, dict.fromkeys([*names, *ready.rows.drop])))


def _sampler(task: Any, schema: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def draw(batches: Iterator[Any]) -> Iterator[Any]:
        cutting, block, sample = task.value
        names = cutting.packing.names
        held: pl.DataFrame | None = None
        for batch in batches:
            rows = cutting.ready.rows.of(batch)
            if rows.height == 0:
                continue
            codes = cutting.codes(rows)
            inside = cutting.blocks(codes) == block
            keys = cutting.packing.pack([column[inside] for column in codes])
            some = pl.DataFrame([
                pl.Series("hash", mixed(keys, cutting.seed)),
                *(pl.Series(name, key) for name, key in zip(names, keys, strict=True)),
            ]).group_by("hash", *names).agg(pl.len().cast(pl.Int64).alias("n"))  # fmt: skip
            held = some if held is None else pl.concat([held, some])
            if held.height > 4 * sample:
                held = _lowest(held, names, sample)
        if held is not None and held.height:
            yield from arrow_batches(_lowest(held, names, sample), schema)

    return on_worker(draw)


def _lowest(held: pl.DataFrame, names: list[str], sample: int) -> pl.DataFrame:
    """Whoever is among the lowest of all is among the lowest of every part it occurs in: none of these is lost."""
    return held.group_by("hash", *names).agg(pl.col("n").sum()).sort("hash", *names).head(sample)


def mixed(keys: list[np.ndarray], seed: int) -> np.ndarray:
    """A hash of each key (splitmix64), as an integer of 63 bits."""
    state = np.full(len(keys[0]), np.uint64(seed ^ 0x9E3779B97F4A7C15), dtype=np.uint64)
    for key in keys:
        state = state ^ key.astype(np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
        state = state ^ (state >> np.uint64(31))
    return (state >> np.uint64(1)).astype(np.int64)


def _cutter(task: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        cutting, rows, most = task.value
        held = together(batches)
        if held is None:
            return
        drawn = held.sort("hash", *cutting.packing.names)
        codes = cutting.packing.unpack([drawn[name].to_numpy() for name in cutting.packing.names])
        matrix = np.stack(cutting.on_cuts(codes), axis=1).astype(np.int32)
        weights = drawn["n"].to_numpy()
        while int(weights.sum()) >= 2**31:
            weights = np.maximum(weights // 2, 1)
        half = max(1, round(most / 2 * int(weights.sum()) / rows))
        rule = Rule.MEDIAN if getattr(cutting.ready.plan.method, "cut", "loss") == "median" else Rule.LEAST_COST
        made = mondrian(
            matrix, cutting.space.cuts, k=half, weights=weights.astype(np.int32), rule=rule, sample=SAMPLE, record=True
        )
        tree = tree_of(made, matrix, cutting.space)
        columns = {"axis": tree.axis, "at": tree.at, "left": tree.left, "right": tree.right}
        yield from arrow_batches(pl.DataFrame(columns), _CUT_SCHEMA)

    return on_worker(cut)


def _mended(session: Any, frame: Any, cutting: Cutting, most: int) -> tuple[Cutting, np.ndarray]:
    """Count all rows by block, and take back the cuts that leave one in which a model fails. Blocks of more than `most`
    rows that are all alike need no method."""
    from pyspark.sql import functions as f

    ready = cutting.ready
    task = session.sparkContext.broadcast(cutting)
    with one_sentence("counting rows by block"):
        counted = _select(frame, ready, judged=True).mapInArrow(_counter(task), _COUNT_SCHEMA)
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
    return replace(cutting, tree=tree, alike=alike), totals[:, 0]


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
        cutting: Cutting = task.value
        ready, n = cutting.ready, len(cutting.tree.axis)
        sizes = np.zeros(n, dtype=np.int64)
        low = np.full((len(ready.quasi), n), np.iinfo(np.int64).max)
        high = np.full((len(ready.quasi), n), -1)
        held: Mapping[int, list[pl.DataFrame]] = {j: [] for j in range(len(ready.judged))}
        for batch in batches:
            rows = ready.rows.of(batch)
            if rows.height == 0:
                continue
            codes = cutting.codes(rows)
            blocks = cutting.blocks(codes)
            sizes += np.bincount(blocks, minlength=n)
            for j, column in enumerate(codes):
                np.minimum.at(low[j], blocks, column)
                np.maximum.at(high[j], blocks, column)
            for j, lookup in enumerate(ready.judged):
                pair = blocks * lookup.size + lookup.of(rows[lookup.name].alias("cells"))
                pairs, times = np.unique(pair, return_counts=True)
                held[j].append(pl.DataFrame({"pair": pairs, "n": times.astype(np.int64)}))
                if len(held[j]) > 64:
                    held[j][:] = [pl.concat(held[j]).group_by("pair").agg(pl.col("n").sum())]
        there = np.flatnonzero(sizes)
        nothing = np.zeros(len(there), np.int64)
        parts = [_counted(there, _SIZE, nothing, sizes[there])]
        for j in range(len(ready.quasi)):
            parts.append(_counted(there, _SPAN - j, nothing, nothing, low[j, there], high[j, there]))
        for j, lookup in enumerate(ready.judged):
            if held[j]:
                own = pl.concat(held[j]).group_by("pair").agg(pl.col("n").sum())
                pair = own["pair"].to_numpy()
                parts.append(_counted(pair // lookup.size, j, pair % lookup.size, own["n"].to_numpy()))
        yield from arrow_batches(pl.concat(parts), _COUNT_SCHEMA)

    return on_worker(count)


def _counted(
    block: np.ndarray,
    what: int,
    value: np.ndarray,
    n: np.ndarray,
    low: np.ndarray | None = None,
    high: np.ndarray | None = None,
) -> pl.DataFrame:
    none = np.zeros(len(block), np.int64)
    columns = {"block": block, "what": np.full(len(block), what), "value": value, "n": n}
    columns |= {"low": none if low is None else low, "high": none if high is None else high}
    return pl.DataFrame({name: pl.Series(column, dtype=pl.Int64) for name, column in columns.items()})
