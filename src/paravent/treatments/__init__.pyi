# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.treatments.limits import TopCode
from paravent.treatments.noise.noise import Noise
from paravent.treatments.shuffling.shuffle import Shuffle
from paravent.treatments.swapping.swap import Swap
from paravent.treatments.treatment import OnColumns
from paravent.treatments.treatment import Treated
from paravent.treatments.treatment import Treatment
from paravent.treatments.treatment import Work

__all__ = [
    "Noise",
    "OnColumns",
    "Shuffle",
    "Swap",
    "TopCode",
    "Treated",
    "Treatment",
    "Work",
]
