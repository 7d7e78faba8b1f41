"""Trees and their costs straight from the definitions (Mauger 2021, ch. 2, 3): sets of leaves, fractions, no arrays.

What tests compare with: nothing here is taken from the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

Node = frozenset[str]
METRICS = ("distortion", "ncp", "total", "llm", "nllm", "wllm", "wnllm")


class PlainTree:
    """The tree of some paths (leaf first, one label a level, the root last). A node is the set of its leaves; its label
    is the lowest that covers exactly them."""

    def __init__(self, paths: Sequence[Sequence[str]]):
        self.leaves = [path[0] for path in paths]
        depth = len(paths[0])
        self.label: dict[Node, str] = {}
        for level in range(depth):
            for name in dict.fromkeys(path[level] for path in paths):
                self.label.setdefault(frozenset(path[0] for path in paths if path[level] == name), name)
        self.root: Node = frozenset(self.leaves)
        self._above: dict[Node, Node | None] = {}
        self._level: dict[Node, int] = {}
        self._lowest: dict[Node, Node] = {}

    @property
    def nodes(self) -> list[Node]:
        return list(self.label)

    def lowest(self, values: Iterable[str]) -> Node:
        """The lowest node over some values."""
        some = frozenset(values)
        if some not in self._lowest:
            self._lowest[some] = min((node for node in self.label if some <= node), key=len)
        return self._lowest[some]

    def above(self, node: Node) -> Node | None:
        if node not in self._above:
            over = [other for other in self.label if node < other]
            self._above[node] = min(over, key=len) if over else None
        return self._above[node]

    def level(self, node: Node) -> int:
        if node not in self._level:
            below = [other for other in self.label if other < node]
            self._level[node] = 1 + max(map(self.level, below)) if below else 0
        return self._level[node]

    @property
    def height(self) -> int:
        return self.level(self.root) + 1

    def nf(self, node: Node) -> int:
        """The leaves under a node; a leaf counts 0, as in Example 5.0.1."""
        return 0 if len(node) == 1 and self.level(node) == 0 else len(node)

    def way(self, node: Node, to: Node, edge: Callable[[Node, Node], Fraction]) -> Fraction:
        """What the way up costs."""
        spent = Fraction(0)
        while node != to:
            parent = self.above(node)
            assert parent is not None
            spent += edge(node, parent)
            node = parent
        return spent


def edges(metric: str | Mapping[str, int], trees: Sequence[PlainTree], at: int) -> Callable[[Node, Node], Fraction]:
    """The weights of the edges of tree `at` by one of the seven metrics (Table 3.1), or by label."""
    tree, heights = trees[at], [t.height for t in trees]
    m, h = len(trees), trees[at].height
    if not isinstance(metric, str):
        said = metric
        return lambda x, _: Fraction(said[tree.label[x]])
    p1 = Fraction(1) if m == 1 else 1 - Fraction((h - 1) ** m, sum((each - 1) ** m for each in heights))
    p2 = Fraction(max(heights), h)
    whole = sum(Fraction(1, h - i) for i in range(1, h))

    def distortion(x: Node, y: Node) -> Fraction:
        return sum((Fraction(1, h - i) for i in range(tree.level(x) + 1, tree.level(y) + 1)), Fraction(0)) / whole * p1

    def lost(x: Node, y: Node) -> Fraction:
        return Fraction(tree.nf(y) - tree.nf(x))

    normed = Fraction(1, len(tree.leaves))
    return {
        "distortion": distortion,
        "ncp": lambda x, y: lost(x, y) * normed,
        "total": lambda x, y: Fraction(tree.level(y) - tree.level(x), h - 1),
        "llm": lambda x, y: lost(x, y) * p2,
        "nllm": lambda x, y: lost(x, y) * normed * p2,
        "wllm": lambda x, y: lost(x, y) * p1,
        "wnllm": lambda x, y: lost(x, y) * normed * p1,
    }[metric]


class PlainCosts:
    """What rows cost at labels, columns counted by their weights."""

    def __init__(
        self,
        trees: Sequence[PlainTree],
        metric: str | Mapping[str, Mapping[str, int]],
        weights: Sequence[Fraction] | None = None,
    ):
        self.trees = trees
        self.weights = weights or [Fraction(1)] * len(trees)
        named = list(metric.values()) if not isinstance(metric, str) else [metric] * len(trees)
        self.edges = [edges(named[at], trees, at) for at in range(len(trees))]
        self._known: dict[tuple[int, Node, Node], Fraction] = {}

    def cell(self, at: int, node: Node, to: Node) -> Fraction:
        if (at, node, to) not in self._known:
            self._known[at, node, to] = self.weights[at] * self.trees[at].way(node, to, self.edges[at])
        return self._known[at, node, to]

    def row(self, row: Sequence[str], label: Sequence[Node]) -> Fraction:
        return sum(
            (self.cell(at, frozenset([v]), to) for at, (v, to) in enumerate(zip(row, label, strict=True))), _ZERO
        )

    def label(self, rows: Sequence[Sequence[str]]) -> list[Node]:
        """The lowest label over some rows."""
        return [tree.lowest(column) for tree, column in zip(self.trees, zip(*rows, strict=True), strict=True)]

    def classes(self, classes: Iterable[Sequence[Sequence[str]]]) -> Fraction:
        """What classes cost with their lowest labels."""
        return sum((self.row(row, label) for rows in classes for label in [self.label(rows)] for row in rows), _ZERO)

    def most(self, rows: Sequence[Sequence[str]]) -> Fraction:
        roots = [tree.root for tree in self.trees]
        return sum((self.row(row, roots) for row in rows), _ZERO)


class PlainDetail:
    """The loss of detail (NCP, Xu et al. 2006) of rows at labels: the share of the other values that occur."""

    def __init__(self, trees: Sequence[PlainTree], rows: Sequence[Sequence[str]], weights: Sequence[Fraction]):
        self.trees, self.weights = trees, weights
        self.values = [frozenset(column) for column in zip(*rows, strict=True)]

    def classes(self, classes: Iterable[Sequence[Sequence[str]]]) -> Fraction:
        spent = _ZERO
        for rows in classes:
            columns = zip(*rows, strict=True)
            for tree, weight, column, occur in zip(self.trees, self.weights, columns, self.values, strict=True):
                lost = Fraction(len(tree.lowest(column) & occur) - 1, max(len(occur) - 1, 1))
                spent += weight * lost * len(rows)
        return spent


def optimum(
    costs: PlainCosts | PlainDetail, rows: Sequence[Sequence[str]], k: int, whose: Sequence[int] | None = None
) -> Fraction:
    """The least that any partition into classes of at least k rows, or of the rows of at least k people, costs, by
    trying all."""
    n = len(rows)
    whose = whose or range(n)
    cost = {
        mask: costs.classes([[rows[i] for i in range(n) if mask >> i & 1]])
        for size in range(k, n + 1)
        for some in combinations(range(n), size)
        if len({whose[i] for i in some}) >= k
        for mask in [sum(1 << i for i in some)]
    }
    best: dict[int, Fraction | None] = {0: _ZERO}
    for mask in range(1, 1 << n):
        lowest, found, part = mask & -mask, None, mask
        while part:
            rest = best[mask ^ part]
            if part & lowest and part in cost and rest is not None and (found is None or cost[part] + rest < found):
                found = cost[part] + rest
            part = (part - 1) & mask
        best[mask] = found
    least = best[(1 << n) - 1]
    assert least is not None
    return least


_ZERO = Fraction(0)
