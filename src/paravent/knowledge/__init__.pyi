# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.knowledge.api import ask
from paravent.knowledge.api import entries
from paravent.knowledge.api import export
from paravent.knowledge.api import help_text
from paravent.knowledge.api import how
from paravent.knowledge.api import notes
from paravent.knowledge.api import picture
from paravent.knowledge.api import query
from paravent.knowledge.api import questions
from paravent.knowledge.api import say
from paravent.knowledge.api import show
from paravent.knowledge.api import suitable
from paravent.knowledge.api import thresholds
from paravent.knowledge.base import Knowledge
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
from paravent.knowledge.generators import delta_for_rows
from paravent.knowledge.generators import k_from_risk
from paravent.knowledge.generators import l_from_belief
from paravent.knowledge.generators import max_suppressed
from paravent.knowledge.generators import seeds
from paravent.knowledge.generators import t_from_gain
from paravent.knowledge.layer.layer import Layer
from paravent.knowledge.loading import load
from paravent.knowledge.predicting.models import Predictors
from paravent.knowledge.predicting.outlook import Outlook
from paravent.knowledge.predicting.outlook import predict
from paravent.knowledge.predicting.prediction import Prediction

__all__ = [
    "BuildProgress",
    "CRITERIA",
    "Criterion",
    "Cube",
    "Descriptors",
    "Knowledge",
    "Layer",
    "METRICS",
    "Metric",
    "Outlook",
    "Prediction",
    "Predictors",
    "ask",
    "build_cube",
    "criterion",
    "delta_for_rows",
    "describe",
    "entries",
    "evaluations",
    "export",
    "help_text",
    "how",
    "k_from_risk",
    "l_from_belief",
    "load",
    "max_suppressed",
    "metric",
    "notes",
    "picture",
    "predict",
    "query",
    "questions",
    "say",
    "seeds",
    "show",
    "suitable",
    "t_from_gain",
    "thresholds",
]
