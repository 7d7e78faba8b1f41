"""What somebody could do with a release. One file an attack; `run_all` runs those that a scene has all for.

To add one: a frozen dataclass that derives from `Attack` (or `ColumnAttack`, `SampledAttack`) in a file of its own, and
its name below.
"""

from paravent.privacy.attacks.attack import Attack, Finding, Findings, Trial, run_all
from paravent.privacy.attacks.background import BackgroundKnowledge
from paravent.privacy.attacks.homogeneity import Homogeneity
from paravent.privacy.attacks.inference import Inference
from paravent.privacy.attacks.linkability import Linkability
from paravent.privacy.attacks.membership import Membership
from paravent.privacy.attacks.membership_inference import MembershipInference
from paravent.privacy.attacks.record_linkage import RecordLinkage
from paravent.privacy.attacks.scene import Population, Scene
from paravent.privacy.attacks.similarity import Similarity
from paravent.privacy.attacks.singling_out import SinglingOut
from paravent.privacy.attacks.skewness import Skewness
from paravent.privacy.attacks.target import Target
from paravent.privacy.confidence import Interval, Rate, excess, wilson

ALL: tuple[type[Attack], ...] = (
    RecordLinkage,
    Membership,
    Homogeneity,
    Similarity,
    BackgroundKnowledge,
    Skewness,
    SinglingOut,
    Linkability,
    Inference,
    MembershipInference,
)
"""The attacks that are tried unless others are asked for."""

__all__ = [
    "ALL",
    "Attack",
    "BackgroundKnowledge",
    "Finding",
    "Findings",
    "Homogeneity",
    "Inference",
    "Interval",
    "Linkability",
    "Membership",
    "MembershipInference",
    "Population",
    "Rate",
    "RecordLinkage",
    "Scene",
    "Similarity",
    "SinglingOut",
    "Skewness",
    "Target",
    "Trial",
    "excess",
    "run_all",
    "wilson",
]
