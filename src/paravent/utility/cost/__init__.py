"""The unified loss model: weights on tree edges, and all the costs that follow from them."""

from paravent.utility.cost.criteria import alterations, generalized_share, root_share, vmn
from paravent.utility.cost.model import CostModel, Metric, edge_weights
from paravent.utility.cost.weights import METRICS, Conventions, EdgeWeights, p1, p2

__all__ = [
    "METRICS",
    "Conventions",
    "CostModel",
    "EdgeWeights",
    "Metric",
    "alterations",
    "edge_weights",
    "generalized_share",
    "p1",
    "p2",
    "root_share",
    "vmn",
]
