"""Differential privacy: noise, what it costs, and a budget that cannot be overspent. Names are loaded on first use."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "accounting": "Cost epsilon_of rho_of",
        "ledger": "Budget",
        "mechanisms": "gaussian laplace select",
    },
)
