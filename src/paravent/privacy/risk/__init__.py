"""Risk: who could still be found in a table, under which assumption, and how sure that is. One file an idea."""

from paravent.privacy.risk.attackers import THRESHOLDS, Risk, risk_of

__all__ = ["THRESHOLDS", "Risk", "risk_of"]
