"""PCkPCk' (Mauger 2021, §5.3.1): the classes of a table, each split into parts of at least k rows that lose less.

Classes go back to their original rows, so even one that cannot be split may get a lower label. Beyond the source:
where a class has too many groups, or the search ends before it is proved, it is halved in the best way and the halves
are looked at again; and what is not better than the class as it was is never taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from paravent import kernels
from paravent.kernels.splitting import split_classes
from paravent.methods.method import Progress, silent
from paravent.methods.partition.groups import Groups, minimal_groups
from paravent.methods.partition.solver import cp_sat, solved_partition
from paravent.methods.partition.space import Parts, Space
from paravent.methods.partition.two_parts import Split, best_halves, whole

Solver = Literal["own", "ortools"]
MANY_COLUMNS = 64
"""Beyond so many columns, less is tried the more there are: searches would take hours for thousands of them."""


@dataclass(frozen=True)
class Limits:
    """How much is tried for a class: groups listed, cells looked at while listing, groups up to which every partition
    is searched, nodes of that search (and tuples visited in it), or deterministic seconds of the solver. Classes that
    could have `deep` parts or more are halved before anything is searched. `seconds` limits all classes together: those
    that are not reached in time stay whole. It is the only limit that makes a result depend on the machine."""

    groups: int = 4096
    lookups: int = 20_000_000
    searched: int = 512
    nodes: int = 4000
    visits: int = 20_000_000
    deep: int = 64
    effort: float = 1.0
    seconds: float | None = None

    def for_columns(self, columns: int) -> Limits:
        """The limits where a look at a tuple takes longer because it has many columns: fewer looks, as much work.

        >>> Limits().for_columns(64) == Limits(), Limits().for_columns(640).groups
        (True, 409)
        """
        if columns <= MANY_COLUMNS:
            return self
        return replace(
            self, groups=self.groups * MANY_COLUMNS // columns, lookups=self.lookups * MANY_COLUMNS // columns
        )


Entry = tuple[np.ndarray, np.ndarray]
"""A part: its tuples, ascending, and how many rows of each."""

Search = Callable[[np.ndarray, Groups, int, Split], tuple[Split, bool]]
"""Given the rows of a class, its groups, k and a partition: the best partition found, never a worse one (the one given
where there is none better), and whether it is proved to be the best."""


class Found(NamedTuple):
    """The parts of a class, and whether there are none better (2), perhaps better ones (1), or time was up (0)."""

    parts: list[Entry]
    outcome: int


@dataclass(eq=False)
class Repartition:
    """PCkPCk' on a space. What became of a class is remembered, so that going over much the same table again is quick.

    `workers` share the classes; the result does not depend on how many they are.
    """

    space: Space
    solver: Solver = "own"
    limits: Limits = field(default_factory=Limits)
    workers: int | None = None
    progress: Progress = silent
    known: MutableMapping[tuple[int, bytes], Found] = field(default_factory=dict, repr=False)
    begun: float = field(default_factory=time.monotonic, repr=False)
    last: tuple[int, int] = (0, 0)
    """Of the table last looked at: how many classes are split in the best way there is, and how many there were."""
    late: int = 0
    """And how many were not reached in time."""

    def __post_init__(self) -> None:
        self.limits = self.limits.for_columns(len(self.space.trees))
        if self.solver == "ortools":
            cp_sat()

    def run(self, parts: Parts, k: int) -> Parts:
        """The partition with every part split; never one that costs more. Every part must have k rows."""
        classes = list(entries(parts))
        keys = [(k, tuples.tobytes() + rows.tobytes()) for tuples, rows in classes]
        asked = [c for c, key in enumerate(keys) if key not in self.known]
        large = [c for c in asked if int(classes[c][1].sum()) >= 2 * k]
        found = {c: Found([classes[c]], 2) for c in asked}
        if large:
            found.update(zip(large, self._split([classes[c] for c in large], k), strict=True))
        for c in asked:
            if found[c].outcome:
                self.known[keys[c]] = found[c]
        after = [found[c] if c in found else self.known[key] for c, key in enumerate(keys)]
        self.last = sum(one.outcome == 2 for one in after), len(after)
        self.late = sum(one.outcome == 0 for one in after)
        split = joined([entry for one in after for entry in one.parts])
        return split if self.space.cost(split) <= self.space.cost(parts) else parts

    def _split(self, classes: list[Entry], k: int) -> list[Found]:
        limits, left = self.limits, 0.0
        if limits.seconds is not None:
            left = max(limits.seconds - (time.monotonic() - self.begun), 1e-9)
        return self._solve(classes, k, left) if self.solver == "ortools" else self._search(classes, k, left)

    def _search(self, classes: list[Entry], k: int, seconds: float) -> list[Found]:
        """All classes by the search that is built in."""
        limits = self.limits
        sizes = np.array([len(tuples) for tuples, _ in classes])
        found = split_classes(
            self.space.leaves,
            np.r_[0, np.cumsum(sizes)].astype(np.int64),
            np.concatenate([tuples for tuples, _ in classes]).astype(np.int32),
            np.concatenate([rows for _, rows in classes]),
            self.space.tree_costs,
            k=k,
            most=limits.groups,
            lookups=limits.lookups,
            nodes=limits.nodes,
            visits=limits.visits,
            searched=limits.searched,
            deep=limits.deep,
            seconds=seconds,
            threads=self.workers,
            watch=lambda done: self.progress("splitting", done),
        )
        return [Found(parts, int(outcome)) for parts, outcome in zip(*found, strict=True)]

    def _solve(self, classes: list[Entry], k: int, seconds: float) -> list[Found]:
        """All classes by the constraint solver."""
        limits = self.limits
        end = time.monotonic() + seconds if limits.seconds is not None else None

        def solve(rows: np.ndarray, groups: Groups, k: int, start: Split) -> tuple[Split, bool]:
            return solved_partition(rows, groups, k, start, effort=limits.effort)

        def one(entry: Entry) -> Found:
            if end is not None and time.monotonic() > end:
                return Found([entry], 0)
            return split(self.space, *entry, k, limits, solve)

        out: list[Found] = []
        with ThreadPoolExecutor(self.workers or kernels.threads()) as pool:
            for found_one in pool.map(one, classes):
                out.append(found_one)
                self.progress("splitting", len(out) / len(classes))
        return out


def split(space: Space, tuples: np.ndarray, rows: np.ndarray, k: int, limits: Limits, search: Search) -> Found:
    """One class, split by a search over its groups. A class of very many parts is halved until it is not."""
    waiting, done, proved = [(tuples, rows)], list[Entry](), True
    while waiting:
        entry = waiting.pop()
        if int(entry[1].sum()) < limits.deep * k:
            found, _, sure = _deep(space, entry, k, limits, search)
            done += found
            proved &= sure
            continue
        proved = False
        groups = minimal_groups(space, *entry, k, most=limits.groups, lookups=limits.lookups)
        halves = best_halves(space, *entry, groups, k)
        if halves is not None and halves.worth > whole(space, *entry).worth:
            waiting += reversed(_parts(entry, halves))
        else:
            done.append(entry)
    return Found(done, 2 if proved else 1)


def _deep(space: Space, entry: Entry, k: int, limits: Limits, search: Search) -> tuple[list[Entry], int, bool]:
    """The halves of the halves of a class, or what the search over groups finds beyond them: the parts, what they keep,
    and whether they are proved to be the best."""
    tuples, rows = entry
    total, one = int(rows.sum()), whole(space, tuples, rows)
    if total < 2 * k:
        return [entry], one.worth, True
    groups = minimal_groups(space, tuples, rows, k, most=limits.groups, lookups=limits.lookups)
    halves = best_halves(space, tuples, rows, groups, k)
    better = halves is not None and halves.worth > one.worth
    if total < 3 * k:
        best = halves if halves is not None and better else one
        return _parts(entry, best), best.worth, groups.complete
    parts, worth = [entry], one.worth
    if halves is not None and better:
        parts, worth = _all_of(space, _parts(entry, halves), k, limits, search)
    if len(groups.members) > limits.searched:
        return parts, worth, False
    start = Split(_taken(entry, parts), worth)
    found, sure = search(rows, groups, k, start)
    if found is start:
        return parts, worth, sure
    if sure:
        return _parts(entry, found), found.worth, True
    return *_all_of(space, _parts(entry, found), k, limits, search), False


def _all_of(space: Space, entries: list[Entry], k: int, limits: Limits, search: Search) -> tuple[list[Entry], int]:
    found = [_deep(space, entry, k, limits, search) for entry in entries]
    return [part for parts, _, _ in found for part in parts], sum(worth for _, worth, _ in found)


def _parts(entry: Entry, split: Split) -> list[Entry]:
    return [(entry[0][taken > 0], taken[taken > 0]) for taken in split.taken]


def _taken(entry: Entry, parts: list[Entry]) -> np.ndarray:
    found = np.zeros((len(parts), len(entry[0])), dtype=np.int64)
    for p, (tuples, rows) in enumerate(parts):
        found[p, np.searchsorted(entry[0], tuples)] = rows
    return found


def entries(parts: Parts) -> Iterator[Entry]:
    """The parts one by one, their tuples ascending."""
    order = np.lexsort((parts.tuples, parts.part))
    tuples, rows = parts.tuples[order].astype(np.int32), parts.rows[order].astype(np.int64)
    ends = np.cumsum(np.bincount(parts.part, minlength=parts.n_parts))
    for begin, end in zip(np.r_[0, ends[:-1]].tolist(), ends.tolist(), strict=True):
        yield tuples[begin:end], rows[begin:end]


def joined(classes: list[Entry]) -> Parts:
    """Parts one after the other as one partition."""
    return Parts(
        np.concatenate([tuples for tuples, _ in classes]),
        np.repeat(np.arange(len(classes), dtype=np.int32), [len(tuples) for tuples, _ in classes]),
        np.concatenate([rows for _, rows in classes]),
    )
