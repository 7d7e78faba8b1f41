"""The lattice under an objective: what nodes lose, and the walk that finds the best one and proves it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from paravent import kernels
from paravent.errors import PlanError
from paravent.kernels.lattice import WORK_BYTES
from paravent.methods.full_domain.lattice import prunes
from paravent.methods.full_domain.objectives import CellLoss, Node, Objective
from paravent.methods.full_domain.roll_up import RollUp
from paravent.methods.method import Task
from paravent.methods.mondrian.presence import Presence, bounded

_EVERY = 512
_MOST_NODES = 4_000_000
_NODE_BYTES = 48
"""What the walk keeps of a node: its bound, its place in the order, whether it is ruled out, its loss if it may win."""
_KNOWN_BYTES = 400
"""What an entry of the losses known takes: the node as a tuple of small numbers, its loss, their place."""
_ROW_BYTES, _MODEL_BYTES = 48, 64
"""What folding takes of a row, and what the models count of it."""
_LEAST_ROOM = 1 << 20


class Found(NamedTuple):
    """A node, what it loses, and what the best one loses at least (the same: it is the best one)."""

    node: Node
    loss: float
    bound: float

    @property
    def rank(self) -> tuple[float, int, Node]:
        """Losses that agree to 12 digits are equal; then the least sum of levels, then the first column's level."""
        return (float(f"{self.loss:.12g}"), sum(self.node), self.node)

    @property
    def proven(self) -> bool:
        return self.bound >= self.loss


class LatticeSearch:
    """The nodes of a task's lattice, counted as they are asked for, within `memory_limit` bytes.

    `objective` makes one from k and how often each distinct row occurs."""

    def __init__(
        self,
        task: Task,
        objective: Callable[[int, np.ndarray], Objective],
        *,
        memory_limit: int,
        deadline: float | None = None,
    ):
        self.task, self.deadline = task, deadline
        self.k_alone = task.k_alone
        self.k = task.k
        self.limit = min(task.max_suppressed, task.n_rows - 1)
        self.prunes = prunes(task)
        self.presence = Presence(task) if bounded(task) else None
        self._check_room(memory_limit, len(task.axes[0].codes) * (_ROW_BYTES + (not self.k_alone) * _MODEL_BYTES))
        folded = kernels.fold([axis.codes for axis in task.axes], [len(axis) for axis in task.axes], task.times)
        self.tuple_of_row = folded.tuple_of_row
        self.objective = objective(self.k, folded.weight)
        leaves = [np.ascontiguousarray(axis.codes[folded.representative]) for axis in task.axes]
        self.tuples = kernels.Tuples(leaves, self.objective.priced, folded.weight)
        self.shape = self.objective.shape
        self.n_nodes = math.prod(self.shape)
        fixed = self.tuple_of_row.nbytes + self.tuples.nbytes
        fixed += len(self.tuples) * WORK_BYTES * kernels.threads()
        fixed += (not self.k_alone) * len(self.tuple_of_row) * _MODEL_BYTES
        self.room = self._check_room(memory_limit, fixed)
        self.can_walk = self.n_nodes <= min(_MOST_NODES, self.room // 2 // _NODE_BYTES)
        self.judging = self._judging(leaves)
        self.roll_up = RollUp(self.tuples, room=self.room // (4 if self.judging is None else 16))
        self.known: dict[Node, float] = {}
        self._most_known = max(64, self.room // 4 // _KNOWN_BYTES)
        self.checked = 0

    def _judging(self, leaves: Sequence[np.ndarray]) -> RollUp | None:
        """Counts nodes with what models ask of their classes; None where nothing can be asked, or there is no room."""
        demands, all_of_them = self.task.counted_demands
        if not demands or self.presence is not None or self.task.persons is not None:
            return None
        columns = [np.ascontiguousarray(self.task.sensitive[name]) for name in self.task.sensitive]
        tables = [self.task.tables[name] for name in self.task.sensitive]
        sizes = [len(self.objective.priced[j][0].codes) for j in range(len(leaves))]
        rows = [np.ascontiguousarray(leaf[self.tuple_of_row]) for leaf in leaves]
        folded = kernels.fold([*rows, *columns], [*sizes, *map(len, tables)], self.task.times)
        first = folded.representative
        some = kernels.Tuples(
            [np.ascontiguousarray(axis[first]) for axis in rows],
            self.objective.priced,
            folded.weight,
            [np.ascontiguousarray(codes[first]) for codes in columns],
        )
        needed = some.nbytes + len(some) * WORK_BYTES * kernels.threads()
        if needed > self.room // 8:
            return None
        return RollUp(some, room=self.room // 16, asked=kernels.Asked(demands, tables, all_of_them))

    @staticmethod
    def _check_room(memory_limit: int, needed: int) -> int:
        if memory_limit < needed + _LEAST_ROOM:
            raise PlanError(
                f"Optimal: memory_limit is {memory_limit} bytes, and this table takes {needed + _LEAST_ROOM}. "
                "Allow more, or give fewer rows."
            )
        return memory_limit - needed

    def within(self, limit: int, parts: int) -> LatticeSearch:
        """The same lattice with fewer rows that may be suppressed; it is one of so many that share the room."""
        found = copy(self)
        found.limit, found.known, found.checked = limit, {}, 0
        found._most_known = max(64, self._most_known // parts)
        return found

    def of_columns(self, columns: Iterable[int]) -> LatticeSearch:
        """Some of the columns, which count as they do among all, to be bounded by k alone."""
        found, picked = copy(self), list(columns)
        assert isinstance(self.objective, CellLoss)
        found.task = replace(self.task, axes=tuple(self.task.axes[j] for j in picked))
        found.objective = self.objective.of_columns(picked)
        found.shape = found.objective.shape
        leaves = [self.tuples.leaves[j] for j in picked]
        folded = kernels.fold(leaves, [len(priced[0].codes) for priced in found.objective.priced], self.tuples.weight)
        some = [np.ascontiguousarray(leaf[folded.representative]) for leaf in leaves]
        found.tuples = kernels.Tuples(some, found.objective.priced, folded.weight)
        return found

    def late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def count(self, nodes: np.ndarray, *, all_outliers: bool = False) -> kernels.Outliers:
        limit = self.task.n_rows if all_outliers else self.limit
        wanted = self.objective
        self.checked += len(nodes)
        return self.roll_up.outliers(nodes, k=self.k, limit=limit, sizes=wanted.sizes, areas=wanted.areas)

    def least(self, nodes: np.ndarray) -> np.ndarray:
        """What nodes lose at least, given k (what they lose, where nothing else is asked); inf: too many outliers."""
        found = self.count(nodes)
        losses = (self.objective.losses if self.k_alone else self.objective.least)(nodes, found)
        return np.where(found.rows > self.limit, np.inf, losses)

    def judged(self, nodes: np.ndarray) -> np.ndarray:
        """As `least`, given what the kernel can tell of the models too: almost always what nodes lose."""
        if self.judging is None:
            return self.least(nodes)
        self.checked += len(nodes)
        wanted = self.objective
        found = self.judging.outliers(
            nodes, k=self.task.least_size, limit=self.limit, sizes=wanted.sizes, areas=wanted.areas
        )
        return np.where(found.rows > self.limit, np.inf, wanted.least(nodes, found))

    def losses(self, nodes: Sequence[Node], below: float = math.inf) -> list[float]:
        """What nodes lose; inf where too many rows would have to be suppressed. Where models are asked beside k, nodes
        that do not lose less than the best of them, or than `below`, may lose more than is said."""
        found = {node: self.known[node] for node in nodes if node in self.known}
        asked = list(dict.fromkeys(node for node in nodes if node not in found))
        if asked:
            self._forget(len(asked))  # may forget what was just found
            best = min(below, *found.values(), math.inf)
            least = self.judged(np.array(asked)).tolist()
            for loss, node in sorted(zip(least, asked, strict=True)):
                found[node] = loss
                sure = self.k_alone or math.isinf(loss)
                if not sure and loss <= _barely(best):
                    found[node] = self.by_models(node)
                    best = min(best, found[node])
                    sure = True
                if sure:
                    self.known[node] = found[node]
        return [found[node] for node in nodes]

    def _forget(self, coming: int) -> None:
        """Make room: half of what is known goes, the oldest first."""
        if len(self.known) + coming > self._most_known:
            for node in list(self.known)[: len(self.known) // 2 + 1]:
                del self.known[node]

    def by_models(self, node: Node) -> float:
        of_row = self.released(node)[0]
        return math.inf if of_row is None else self.objective.loss(node, of_row)

    def released(self, node: Node) -> tuple[np.ndarray | None, np.ndarray]:
        """The class of each row on a node (−1: suppressed; None: too many are), and a tuple of each class."""
        priced = [own[level] for own, level in zip(self.tuples.priced_levels, node, strict=True)]
        columns = [level.codes[leaf] for level, leaf in zip(priced, self.tuples.leaves, strict=True)]
        folded = kernels.fold(columns, [level.size for level in priced])
        of_row: np.ndarray | None = folded.tuple_of_row[self.tuple_of_row]
        if self.presence is None:
            of_row = self.task.suppress_failing(np.asarray(of_row), len(folded.weight))
        elif not self.task.holds(self.presence.classes(node, np.asarray(of_row), len(folded.weight))).all():
            of_row = None
        return (None if of_row is None or bool((of_row < 0).all()) else of_row), folded.representative

    # ---- from a node down ----
    def descend(self, start: Node) -> Found | None:
        """From a node always on to the specialization that loses least, as long as there is a valid one."""
        loss = self.losses([start])[0]
        if math.isinf(loss):
            return None
        best = at = Found(start, loss, -math.inf)
        while not self.late():
            below = [(*at.node[:j], level - 1, *at.node[j + 1 :]) for j, level in enumerate(at.node) if level]
            found = [Found(n, x, -math.inf) for n, x in zip(below, self.losses(below), strict=True) if x < math.inf]
            if not found:
                return best
            at = min(found, key=lambda f: f.rank)
            best = min(best, at, key=lambda f: f.rank)
        return best

    # ---- every node that could win ----
    def walk(self, best: Found) -> Found:
        """The best node, from the top down, nodes of one sum of levels at once.

        Too many outliers rule out all below, whatever the models; so does a node that fails where they let it
        (`full_domain.prunes`). Other models are asked after the walk, in the order of the bounds."""
        bounds = self._bounds()
        ruled_out = np.zeros(self.shape, dtype=bool)
        flat = ruled_out.reshape(-1)
        heights = np.asarray(sum(np.ogrid[tuple(slice(n) for n in self.shape)]), dtype=np.int16).reshape(-1)
        order = np.argsort(-heights, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(heights[order]) != 0])
        waiting: list[tuple[np.ndarray, np.ndarray]] = []
        for begin, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            for at in range(begin, end, _EVERY):
                self.task.progress("searching", (at / len(order)) * (1 if self.k_alone else 0.5))
                if self.late():
                    left = order[at:][~flat[order[at:]]]
                    bound = min([float(bounds[left].min(initial=np.inf)), *(float(x.min()) for _, x in waiting)])
                    return best._replace(bound=min(bound, best.loss))
                part = order[at : min(at + _EVERY, end)]
                part = part[~flat[part] & (bounds[part] <= _barely(best.loss))]
                if not len(part):
                    continue
                nodes = np.stack(np.unravel_index(part, self.shape), axis=1)
                least = self.least(nodes)
                for i in np.flatnonzero(np.isinf(least)).tolist():
                    ruled_out[tuple(slice(0, level + 1) for level in nodes[i].tolist())] = True
                open_ = np.isfinite(least) & (least <= _barely(best.loss))
                if self.k_alone:
                    found = (Found(tuple(nodes[i].tolist()), float(least[i]), -np.inf) for i in np.flatnonzero(open_))
                    best = min([best, *found], key=lambda f: f.rank)
                elif open_.any():
                    waiting.append((part[open_], least[open_]))
        return best._replace(bound=best.loss) if self.k_alone else self._ask_models(best, waiting, ruled_out)

    def _ask_models(self, best: Found, waiting: list[tuple[np.ndarray, np.ndarray]], ruled_out: np.ndarray) -> Found:
        if not waiting:
            return best._replace(bound=best.loss)
        part, least = (np.concatenate(arrays) for arrays in zip(*waiting, strict=True))
        ruled_out[...] = False
        order = np.lexsort((part, least))
        part, least = part[order], least[order]
        at, size = 0, 8 if self.judging is not None else 1
        while at < len(part) and least[at] <= _barely(best.loss):
            self.task.progress("searching", 0.5 + 0.5 * at / len(part))
            if self.late():
                return best._replace(bound=min(float(least[at]), best.loss))
            some = slice(at, at + size)
            nodes = np.stack(np.unravel_index(part[some], self.shape), axis=1)
            nodes = nodes[~ruled_out[tuple(nodes.T)] & (least[some] <= _barely(best.loss))]
            at, size = at + size, min(2 * size, _EVERY) if self.judging is not None else 1
            if not len(nodes):
                continue
            listed = [tuple(node) for node in nodes.tolist()]
            for node, loss in zip(listed, self.losses(listed, best.loss), strict=True):
                if math.isinf(loss) and self.prunes:
                    ruled_out[tuple(slice(0, level + 1) for level in node)] = True
                elif loss < math.inf:
                    best = min(best, Found(node, loss, -math.inf), key=lambda f: f.rank)
        return best._replace(bound=best.loss)

    def _bounds(self) -> np.ndarray:
        """What every node loses at least: by its levels, and by the nodes on even levels below it."""
        summed: np.ndarray = np.zeros((1,) * len(self.shape))
        for j, part in enumerate(self.objective.parts):
            summed = summed + part.reshape([-1 if i == j else 1 for i in range(len(self.shape))])
        bounds = np.broadcast_to(self.objective.joined(summed), self.shape).copy()
        coarse = [np.arange(0, n, 2) for n in self.shape]
        if not self.objective.floored or (4 * math.prod(map(len, coarse)) > self.n_nodes > _EVERY):
            return bounds.reshape(-1)
        floors = np.full(self.shape, -np.inf)
        nodes = np.stack([axis.reshape(-1) for axis in np.meshgrid(*coarse, indexing="ij")], axis=1)
        for at in range(0, len(nodes), _EVERY):
            if self.late():
                break
            some = nodes[at : at + _EVERY]
            floors[tuple(some.T)] = self.objective.floors(some, self.count(some, all_outliers=True))
        for j in range(len(self.shape)):
            np.maximum.accumulate(floors, axis=j, out=floors)
        return np.asarray(np.maximum(bounds, floors)).reshape(-1)


def _barely(loss: float) -> float:
    """A node whose bound equals the best loss may still win the tie."""
    return loss * (1 + 1e-11)
