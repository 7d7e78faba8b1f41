# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.private.accounting import Cost
from paravent.private.ledger import Budget
from paravent.private.questions import Questions

__all__ = [
    "Budget",
    "Cost",
    "Questions",
]
