"""k-member as one writes it at first: plain Python, row by row, every candidate looked at in every step.

The baseline of `benchmarks.clustering`. Costs and ties are those of `pv.methods.KMember`, so the loss is the same too.
"""

from __future__ import annotations

from functools import cache

from paravent.kernels import Points


def k_member(points: Points, k: int, start: int) -> list[list[int]]:
    """The clusters as lists of units, leftovers included; tree labels, k-anonymity."""
    axes = [priced.axis for priced in points.axes]
    codes = points.codes.tolist()
    depth = range(len(axes))

    @cache
    def common(j: int, node: int, value: int) -> int:
        """The lowest node over a node and a value."""
        axis = axes[j]
        while not axis.first[node] <= value <= axis.last[node]:
            node = int(axis.parent[node])
        return node

    price = [axis.node_cost.tolist() for axis in axes]

    def label(nodes: list[int], row: int) -> int:
        values = codes[row]
        return sum(price[j][common(j, nodes[j], values[j])] for j in depth)

    def grown(nodes: list[int], row: int) -> list[int]:
        return [common(j, nodes[j], codes[row][j]) for j in depth]

    left = [unit for unit, count in enumerate(points.counts.tolist()) for _ in range(count)]
    clusters: list[list[int]] = []
    labels: list[list[int]] = []
    last = start
    while len(left) >= k:
        from_here = codes[last]
        at = max(range(len(left)), key=lambda i: (label(from_here, left[i]), -i))
        last = left.pop(at)
        cluster, nodes = [last], codes[last]
        while len(cluster) < k:
            at = min(range(len(left)), key=lambda i: (label(nodes, left[i]), i))
            last = left.pop(at)
            cluster.append(last)
            nodes = grown(nodes, last)
        clusters.append(cluster)
        labels.append(nodes)
    for row in left:
        now = [sum(price[j][nodes[j]] for j in depth) for nodes in labels]
        best = min(
            range(len(clusters)),
            key=lambda c: ((len(clusters[c]) + 1) * label(labels[c], row) - len(clusters[c]) * now[c], c),
        )
        clusters[best].append(row)
        labels[best] = grown(labels[best], row)
    return clusters
