# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.privacy.alpha_k import AlphaKAnonymity
from paravent.privacy.beta_likeness import BetaLikeness
from paravent.privacy.column_anonymity import ColumnAnonymity
from paravent.privacy.delta_disclosure import DeltaDisclosure
from paravent.privacy.delta_presence import DeltaPresence
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.privacy.hidden_failure import HiddenFailure
from paravent.privacy.interval_disclosure import IntervalDisclosure
from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.k_map import KMap
from paravent.privacy.l_diversity import LDiversity
from paravent.privacy.linkage_risk import LinkageRisk
from paravent.privacy.model import Model
from paravent.privacy.population_uniqueness import PopulationUniqueness
from paravent.privacy.risk_limits import AverageRisk
from paravent.privacy.risk_limits import MaximumRisk
from paravent.privacy.risk_limits import SampleUniqueness
from paravent.privacy.t_closeness import TCloseness

__all__ = [
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "ColumnAnonymity",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "HiddenFailure",
    "IntervalDisclosure",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "LinkageRisk",
    "MaximumRisk",
    "Model",
    "PopulationUniqueness",
    "SampleUniqueness",
    "TCloseness",
]
