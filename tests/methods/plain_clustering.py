"""The five clusterings in plain Python, row by row, straight from their descriptions: k-anonymity alone, tree labels.

Rows are numbered in the order of the columns' trees, which decides every tie. A cost is a fraction: the share of the
values that a label covers beside one, times the column's weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from paravent.methods import Axis

Cluster = list[int]


class Plain:
    def __init__(self, axes: Sequence[Axis], k: int, seed: int) -> None:
        codes = np.stack([axis.codes for axis in axes], axis=1)
        self.order = np.lexsort(codes.T[::-1])
        self.rows = codes[self.order].tolist()
        self.axes, self.k = axes, k
        self.random = np.random.default_rng([seed, 0])
        tuples = sorted(set(map(tuple, self.rows)))
        self.tuple_of = [tuples.index(tuple(row)) for row in self.rows]
        self.n_tuples = len(tuples)

    def label(self, cluster: Cluster) -> Fraction:
        total = Fraction(0)
        for j, axis in enumerate(self.axes):
            assert axis.tree is not None
            values = [self.rows[i][j] for i in cluster]
            node = values[0]
            while not all(axis.tree.first[node] <= v <= axis.tree.last[node] for v in values):
                node = int(axis.tree.parent[node])
            covered = int(axis.tree.last[node] - axis.tree.first[node])
            total += Fraction(axis.weight) * Fraction(covered, max(len(axis) - 1, 1))
        return total

    def cost(self, cluster: Cluster) -> Fraction:
        return len(cluster) * self.label(cluster) if cluster else Fraction(0)

    def more(self, cluster: Cluster, row: int) -> Fraction:
        return self.cost([*cluster, row]) - self.cost(cluster)

    def leftovers(self, clusters: list[Cluster], left: Sequence[int]) -> list[Cluster]:
        for row in sorted(left):
            min(enumerate(clusters), key=lambda c: (self.more(c[1], row), c[0]))[1].append(row)
        return clusters

    def k_member(self) -> list[Cluster]:
        left = list(range(len(self.rows)))
        last = left[int(self.random.integers(len(left)))]
        clusters = []
        while len(left) >= self.k:
            last = max(left, key=lambda r: (self.cost([last, r]), -r))
            left.remove(last)
            cluster = [last]
            while len(cluster) < self.k:
                last = min(left, key=lambda r: (self.more(cluster, r), r))
                left.remove(last)
                cluster.append(last)
            clusters.append(cluster)
        return self.leftovers(clusters, left)

    def around(self, seeds: Sequence[int]) -> list[Cluster]:
        """A row of each tuple in turn with its nearest rows; a tuple is a seed again while it has rows."""
        left = list(range(len(self.rows)))
        clusters = []
        for tuple_ in seeds:
            while len(left) >= self.k and any(self.tuple_of[r] == tuple_ for r in left):
                seed = next(r for r in left if self.tuple_of[r] == tuple_)
                left.remove(seed)
                cluster = [seed]
                while len(cluster) < self.k:
                    near = min(left, key=lambda r: (self.cost([seed, r]), self.more(cluster, r), r))
                    left.remove(near)
                    cluster.append(near)
                clusters.append(cluster)
        return self.leftovers(clusters, left)

    def nearest_neighbour(self) -> list[Cluster]:
        return self.around(self.random.permutation(self.n_tuples).tolist())

    def gccg(self) -> list[Cluster]:
        everyone = range(len(self.rows))
        grade = {self.tuple_of[r]: sum(self.cost([r, other]) for other in everyone) for r in everyone}
        return self.around(sorted(grade, key=lambda t: (-grade[t], t)))

    def oka(self) -> list[Cluster]:
        rows = list(range(len(self.rows)))
        drawn = self.random.permutation(len(rows))[: len(rows) // self.k].tolist()
        clusters = self.leftovers([[row] for row in drawn], [row for row in rows if row not in drawn])
        out = []
        for cluster in clusters:
            while len(cluster) > self.k:
                places = range(len(cluster))
                at = min(places, key=lambda i: (self.cost(cluster[:i] + cluster[i + 1 :]), -i))
                out.append(cluster.pop(at))
        for row in out:
            few = [c for c in clusters if len(c) < self.k] or clusters
            min(enumerate(few), key=lambda c: (self.more(c[1], row), c[0]))[1].append(row)
        return clusters

    def kaca(self, *, divide: bool) -> list[Cluster]:
        classes: list[Cluster] = [[] for _ in range(self.n_tuples)]
        for row, tuple_ in enumerate(self.tuple_of):
            classes[tuple_].append(row)
        queue = [c for c in self.random.permutation(self.n_tuples).tolist() if len(classes[c]) < self.k]

        def stub(c: int, other: int) -> int:
            missing, size = self.k - len(classes[c]), len(classes[other])
            return missing if divide and size - missing >= self.k else size

        def price(c: int, other: int) -> Fraction:
            a, b = classes[c], classes[other]
            t = stub(c, other)
            return (len(a) + t) * self.label(a + b) - self.cost(a) - t * self.label(b)

        while queue:
            c = queue.pop(0)
            others = [g for g, rows in enumerate(classes) if rows and g != c]
            if not classes[c] or not others:
                continue
            partner = min(others, key=lambda g: (price(c, g), g))
            if stub(c, partner) < len(classes[partner]):
                for _ in range(stub(c, partner)):
                    places = range(len(classes[partner]))
                    at = min(places, key=lambda i: (self.more(classes[c], classes[partner][i]), i))
                    classes[c].append(classes[partner].pop(at))
                continue
            classes.append(classes[partner] + classes[c])
            classes[c], classes[partner] = [], []
            if len(classes[-1]) < self.k:
                queue.append(len(classes) - 1)
        return [rows for rows in classes if rows]

    def released(self, clusters: Sequence[Cluster]) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Each row's codes with the labels it shows, sorted."""
        found = []
        for cluster in clusters:
            shown: list[str] = []
            for j, axis in enumerate(self.axes):
                assert axis.tree is not None
                values = np.array([self.rows[i][j] for i in cluster])
                shown.append(axis.tree.labels[int(axis.tree.ancestor(values.min()[None], values.max()[None])[0])])
            found += [(tuple(self.rows[i]), tuple(shown)) for i in cluster]
        return sorted(found)


METHODS: dict[str, Callable[[Plain], list[Cluster]]] = {
    "KMember": Plain.k_member,
    "NearestNeighbour": Plain.nearest_neighbour,
    "GCCG": Plain.gccg,
    "OKA": Plain.oka,
    "KACA": lambda plain: plain.kaca(divide=True),
    "KACA(divide=False)": lambda plain: plain.kaca(divide=False),
}
