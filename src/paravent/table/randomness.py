"""Random numbers that only the owner of a table can draw again.

The plan and its seed may be published. Noise or swaps drawn by the seed alone could then be taken back by anybody. So
the generator is keyed by a hash of the seed and of the whole table: the same table, plan and seed give the same
numbers, and nobody who lacks the table can repeat them.
"""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, secret: str, *purpose: object) -> np.random.Generator:
    """The generator of one step. `secret` is a hash of the table that is published nowhere (`Table.order_key`);
    `purpose` tells the steps of a plan apart.

    >>> same = generator(0, "a hash", "noise", 1).random() == generator(0, "a hash", "noise", 1).random()
    >>> same, generator(0, "a hash", "noise", 1).random() == generator(0, "another", "noise", 1).random()
    (True, False)
    """
    words = "\n".join(map(repr, ("random numbers", seed, secret, *purpose)))
    return np.random.default_rng(np.frombuffer(hashlib.sha256(words.encode()).digest(), dtype="<u4"))
