"""Risk: who could still be found in a table, under which assumption, and how sure that is. One file an idea."""

from paravent.privacy.risk.assessment import Assessment
from paravent.privacy.risk.attackers import THRESHOLDS, Journalist, Risk, journalist_risk, risk_of
from paravent.privacy.risk.hidden_failure import LeftAsTheyWere, hidden_failure
from paravent.privacy.risk.household import HouseholdRisk, household_risk
from paravent.privacy.risk.individual import IndividualRisk, individual_risk
from paravent.privacy.risk.interval_disclosure import Disclosed, deviation_disclosure, rank_disclosure
from paravent.privacy.risk.linkage import Linkage, distance_linkage, probabilistic_linkage
from paravent.privacy.risk.numeric import NumericRisk, numeric_risk
from paravent.privacy.risk.perturbed import Perturbed
from paravent.privacy.risk.population import Population
from paravent.privacy.risk.subsets import QuasiIdentifiers, quasi_identifiers
from paravent.privacy.risk.suda import Suda, suda
from paravent.privacy.risk.uniqueness import PopulationUniqueness, population_uniqueness

__all__ = [
    "THRESHOLDS",
    "Assessment",
    "Disclosed",
    "HouseholdRisk",
    "IndividualRisk",
    "Journalist",
    "LeftAsTheyWere",
    "Linkage",
    "NumericRisk",
    "Perturbed",
    "Population",
    "PopulationUniqueness",
    "QuasiIdentifiers",
    "Risk",
    "Suda",
    "deviation_disclosure",
    "distance_linkage",
    "hidden_failure",
    "household_risk",
    "individual_risk",
    "journalist_risk",
    "numeric_risk",
    "population_uniqueness",
    "probabilistic_linkage",
    "quasi_identifiers",
    "rank_disclosure",
    "risk_of",
    "suda",
]
