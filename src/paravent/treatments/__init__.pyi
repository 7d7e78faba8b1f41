# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.treatments.ghost import Ghost
from paravent.treatments.limits import BottomCode
from paravent.treatments.limits import TopCode
from paravent.treatments.mask import Mask
from paravent.treatments.noise.noise import Noise
from paravent.treatments.pram.correction import true_counts
from paravent.treatments.pram.pram import PRAM
from paravent.treatments.pseudonymize import Pseudonymize
from paravent.treatments.recode import Recode
from paravent.treatments.relocation.relocate import Relocate
from paravent.treatments.rounding import Round
from paravent.treatments.sample import Sample
from paravent.treatments.shuffling.shuffle import Shuffle
from paravent.treatments.suppress import Suppress
from paravent.treatments.swapping.swap import Swap
from paravent.treatments.treatment import OnColumns
from paravent.treatments.treatment import Treated
from paravent.treatments.treatment import Treatment
from paravent.treatments.treatment import Work

__all__ = [
    "BottomCode",
    "Ghost",
    "Mask",
    "Noise",
    "OnColumns",
    "PRAM",
    "Pseudonymize",
    "Recode",
    "Relocate",
    "Round",
    "Sample",
    "Shuffle",
    "Suppress",
    "Swap",
    "TopCode",
    "Treated",
    "Treatment",
    "Work",
    "true_counts",
]
