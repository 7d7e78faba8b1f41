"""The algorithms, named as in the literature."""

from typing import Any

from paravent.methods.bottom_up import BottomUp
from paravent.methods.cell_suppression import LocalSuppression
from paravent.methods.construction import G2kP2kPkConv, G2kPkConv, G3kPk, G4kP2kPkConv, GkPk
from paravent.methods.datafly import Datafly
from paravent.methods.filtering import Filter
from paravent.methods.fixed_size import FixedSize
from paravent.methods.gaa import GAA
from paravent.methods.gccg import GCCG
from paravent.methods.gkaa import GkAA
from paravent.methods.incognito import Incognito
from paravent.methods.individual_ranking import IndividualRanking
from paravent.methods.k_member import KMember
from paravent.methods.kaca import KACA
from paravent.methods.local_recoding import LocalRecoding
from paravent.methods.mdav import MDAV
from paravent.methods.method import Axis, Cells, Method, Numbers, Picks, Recoding, Target, Task
from paravent.methods.min_gen import MinGen
from paravent.methods.mondrian import Mondrian
from paravent.methods.mu_argus import MuArgus
from paravent.methods.nearest_neighbour import NearestNeighbour
from paravent.methods.oka import OKA
from paravent.methods.optimal import Optimal
from paravent.methods.polish import Polish
from paravent.methods.refined_mdav import RefinedMDAV
from paravent.methods.samarati import Samarati
from paravent.methods.top_down import TopDown
from paravent.methods.univariate import UnivariateOptimal
from paravent.methods.vmdav import VMDAV

__all__ = [
    "GAA",
    "GCCG",
    "KACA",
    "MDAV",
    "OKA",
    "VMDAV",
    "Axis",
    "BottomUp",
    "Cells",
    "Datafly",
    "Filter",
    "FixedSize",
    "G2kP2kPkConv",
    "G2kPkConv",
    "G3kPk",
    "G4kP2kPkConv",
    "GkAA",
    "GkPk",
    "Incognito",
    "IndividualRanking",
    "KMember",
    "LocalRecoding",
    "LocalSuppression",
    "Method",
    "MinGen",
    "Mondrian",
    "MuArgus",
    "NearestNeighbour",
    "Numbers",
    "Optimal",
    "Picks",
    "Polish",
    "Recoding",
    "RefinedMDAV",
    "Samarati",
    "Target",
    "Task",
    "TopDown",
    "UnivariateOptimal",
]


def __getattr__(name: str) -> Any:
    """A name that is none: say which was probably meant."""
    from paravent.near import suggest

    near = "" if name.startswith("_") else f". {suggest(name, __all__)}"
    raise AttributeError(f"module 'paravent.methods' has no attribute {name!r}{near}")
