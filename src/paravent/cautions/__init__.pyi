# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.cautions.caution import Caution
from paravent.cautions.caution import counted

__all__ = [
    "Caution",
    "counted",
]
