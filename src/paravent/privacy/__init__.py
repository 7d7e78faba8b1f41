"""Privacy: equivalence classes, the models that judge them, the verifier and the risk of a release."""

from paravent.privacy.k_anonymity import KAnonymity
from paravent.privacy.l_diversity import LDiversity
from paravent.privacy.model import Model

__all__ = ["KAnonymity", "LDiversity", "Model"]
