# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.methods.as_is import AsIs
from paravent.methods.clustering.gccg import GCCG
from paravent.methods.clustering.k_member import KMember
from paravent.methods.clustering.kaca import KACA
from paravent.methods.clustering.nearest_neighbour import NearestNeighbour
from paravent.methods.clustering.oka import OKA
from paravent.methods.full_domain.datafly import Datafly
from paravent.methods.full_domain.filtering import Filter
from paravent.methods.full_domain.incognito import Incognito
from paravent.methods.full_domain.min_gen import MinGen
from paravent.methods.full_domain.optimal import Optimal
from paravent.methods.full_domain.safe_pub import SafePub
from paravent.methods.full_domain.samarati import Samarati
from paravent.methods.local.cell_suppression import LocalSuppression
from paravent.methods.local.local_recoding import LocalRecoding
from paravent.methods.local.mu_argus import MuArgus
from paravent.methods.merging.gaa import GAA
from paravent.methods.merging.gkaa import GkAA
from paravent.methods.method import Averages
from paravent.methods.method import Axis
from paravent.methods.method import Labels
from paravent.methods.method import Method
from paravent.methods.method import Recoding
from paravent.methods.method import Representatives
from paravent.methods.method import Target
from paravent.methods.method import Task
from paravent.methods.microaggregation.fixed_size import FixedSize
from paravent.methods.microaggregation.individual_ranking import IndividualRanking
from paravent.methods.microaggregation.mdav import MDAV
from paravent.methods.microaggregation.refined_mdav import RefinedMDAV
from paravent.methods.microaggregation.univariate import UnivariateOptimal
from paravent.methods.microaggregation.vmdav import VMDAV
from paravent.methods.mondrian.mondrian import Mondrian
from paravent.methods.partition.construction import G2kP2kPkConv
from paravent.methods.partition.construction import G2kPkConv
from paravent.methods.partition.construction import G3kPk
from paravent.methods.partition.construction import G4kP2kPkConv
from paravent.methods.partition.construction import GkPk
from paravent.methods.partition.polish import Polish
from paravent.methods.subtree.bottom_up import BottomUp
from paravent.methods.subtree.top_down import TopDown
from paravent.methods.synthetic.aim import AIM
from paravent.methods.synthetic.mst import MST
from paravent.methods.synthetic.naive_bayes import NaiveBayes
from paravent.methods.synthetic.naive_bayes_columns import NaiveBayesColumns
from paravent.methods.synthetic.priv_bayes import PrivBayes
from paravent.methods.tables.anatomy import Anatomy
from paravent.methods.tables.bucketization import Bucketization
from paravent.methods.tables.slicing import Slicing

__all__ = [
    "AIM",
    "Anatomy",
    "AsIs",
    "Averages",
    "Axis",
    "BottomUp",
    "Bucketization",
    "Datafly",
    "Filter",
    "FixedSize",
    "G2kP2kPkConv",
    "G2kPkConv",
    "G3kPk",
    "G4kP2kPkConv",
    "GAA",
    "GCCG",
    "GkAA",
    "GkPk",
    "Incognito",
    "IndividualRanking",
    "KACA",
    "KMember",
    "Labels",
    "LocalRecoding",
    "LocalSuppression",
    "MDAV",
    "MST",
    "Method",
    "MinGen",
    "Mondrian",
    "MuArgus",
    "NaiveBayes",
    "NaiveBayesColumns",
    "NearestNeighbour",
    "OKA",
    "Optimal",
    "Polish",
    "PrivBayes",
    "Recoding",
    "RefinedMDAV",
    "Representatives",
    "SafePub",
    "Samarati",
    "Slicing",
    "Target",
    "Task",
    "TopDown",
    "UnivariateOptimal",
    "VMDAV",
]
