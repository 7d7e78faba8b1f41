# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.knowledge.cube.build import BuildProgress
from paravent.knowledge.cube.build import build_cube
from paravent.knowledge.cube.criteria import CRITERIA
from paravent.knowledge.cube.criteria import Criterion
from paravent.knowledge.cube.criteria import METRICS
from paravent.knowledge.cube.criteria import Metric
from paravent.knowledge.cube.criteria import criterion
from paravent.knowledge.cube.criteria import metric
from paravent.knowledge.cube.store import Cube
from paravent.knowledge.cube.store import evaluations
from paravent.knowledge.descriptors import Descriptors
from paravent.knowledge.descriptors import describe

__all__ = [
    "BuildProgress",
    "CRITERIA",
    "Criterion",
    "Cube",
    "Descriptors",
    "METRICS",
    "Metric",
    "build_cube",
    "criterion",
    "describe",
    "evaluations",
    "metric",
]
