# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.private.accounting import Cost
from paravent.private.accounting import epsilon_of
from paravent.private.accounting import rho_of
from paravent.private.ledger import Budget
from paravent.private.mechanisms import gaussian
from paravent.private.mechanisms import laplace
from paravent.private.mechanisms import select

__all__ = [
    "Budget",
    "Cost",
    "epsilon_of",
    "gaussian",
    "laplace",
    "rho_of",
    "select",
]
