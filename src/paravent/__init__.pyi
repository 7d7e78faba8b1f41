# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent import data
from paravent import guide
from paravent import knowledge
from paravent import methods
from paravent import private
from paravent import treatments
from paravent.comparison.best_k import BestK
from paravent.comparison.best_k import best_k
from paravent.comparison.comparison import Comparison
from paravent.comparison.run import compare
from paravent.comparison.sweep import sweep
from paravent.engine.anonymize import anonymize
from paravent.engine.spark.options import Spark
from paravent.engine.spark.release import SparkRelease
from paravent.engine.streaming.run import anonymize_file
from paravent.errors import CancelledError
from paravent.errors import InfeasibleError
from paravent.errors import ParaventError
from paravent.errors import PlanError
from paravent.errors import RoleError
from paravent.errors import TableError
from paravent.errors import TreeError
from paravent.errors import UnsafeReleaseError
from paravent.guide.context import Context
from paravent.guide.guidance import Guidance
from paravent.guide.situation import Situation
from paravent.hierarchy.builders.dates import dates
from paravent.hierarchy.builders.file import tree_file
from paravent.hierarchy.builders.flat import flat
from paravent.hierarchy.builders.frequency import by_frequency
from paravent.hierarchy.builders.groups import groups
from paravent.hierarchy.builders.icd import icd
from paravent.hierarchy.builders.intervals import intervals
from paravent.hierarchy.builders.ordered import balanced
from paravent.hierarchy.builders.ordered import ordered_groups
from paravent.hierarchy.builders.ordered import quantiles
from paravent.hierarchy.builders.prefixes import prefixes
from paravent.plan.about import About
from paravent.plan.assess import quasi_identifiers
from paravent.plan.assess import risk
from paravent.plan.attack import attack
from paravent.plan.draft import draft
from paravent.plan.judge import measure
from paravent.plan.judge import verify
from paravent.plan.k_sweep import k_sweep
from paravent.plan.plan import Plan
from paravent.plan.release import Release
from paravent.plan.roles import Drop
from paravent.plan.roles import Identifier
from paravent.plan.roles import Insensitive
from paravent.plan.roles import Quasi
from paravent.plan.roles import Sensitive
from paravent.privacy import attacks
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
from paravent.privacy.population_uniqueness import PopulationUniqueness
from paravent.privacy.risk_limits import AverageRisk
from paravent.privacy.risk_limits import MaximumRisk
from paravent.privacy.risk_limits import SampleUniqueness
from paravent.privacy.t_closeness import TCloseness
from paravent.private.ledger import Budget
from paravent.private.transcript import Transcript
from paravent.profiling.profile import profile
from paravent.table.clean import clean
from paravent.table.kinds import Kind
from paravent.table.read import read
from paravent.table.table import Table
from paravent.table.write import write

__version__: str
__all__ = [
    "About",
    "AlphaKAnonymity",
    "AverageRisk",
    "BestK",
    "BetaLikeness",
    "Budget",
    "CancelledError",
    "ColumnAnonymity",
    "Comparison",
    "Context",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "Drop",
    "Guidance",
    "HiddenFailure",
    "Identifier",
    "InfeasibleError",
    "Insensitive",
    "IntervalDisclosure",
    "KAnonymity",
    "KMap",
    "Kind",
    "LDiversity",
    "LinkageRisk",
    "MaximumRisk",
    "ParaventError",
    "Plan",
    "PlanError",
    "PopulationUniqueness",
    "Quasi",
    "Release",
    "RoleError",
    "SampleUniqueness",
    "Sensitive",
    "Situation",
    "Spark",
    "SparkRelease",
    "TCloseness",
    "Table",
    "TableError",
    "Transcript",
    "TreeError",
    "UnsafeReleaseError",
    "anonymize",
    "anonymize_file",
    "attack",
    "attacks",
    "balanced",
    "best_k",
    "by_frequency",
    "clean",
    "compare",
    "data",
    "dates",
    "draft",
    "flat",
    "groups",
    "guide",
    "icd",
    "intervals",
    "k_sweep",
    "knowledge",
    "measure",
    "methods",
    "ordered_groups",
    "prefixes",
    "private",
    "profile",
    "quantiles",
    "quasi_identifiers",
    "read",
    "risk",
    "sweep",
    "treatments",
    "tree_file",
    "verify",
    "write",
]
