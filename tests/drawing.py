"""How the tests draw their examples: the same ones in every run of a commit, or fresh ones when somebody explores.

`make test` draws fixed examples, so that the same commit always gets the same verdict. `make explore` sets
`PARAVENT_EXPLORE` to a seed: the same properties then run with examples of that seed, and with more of them.
"""

from __future__ import annotations

import os

import numpy as np
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

SEED: int | None = int(os.environ["PARAVENT_EXPLORE"]) if os.environ.get("PARAVENT_EXPLORE") else None
"""The seed of an exploration; None where the examples are fixed."""

TIMES = int(os.environ.get("PARAVENT_TIMES", "10")) if SEED is not None else 1
"""How many times as many examples as a fixed run an exploration draws."""


def runs(fixed: int, explored: int) -> range:
    """The numbers of the runs of a seeded test."""
    return range(fixed if SEED is None else explored)


def generator(room: int, run: int) -> np.random.Generator:
    """The random numbers of one run of a seeded test; `room` keeps the tests apart."""
    return np.random.default_rng((0 if SEED is None else SEED + 1, room, run))


def load_profile() -> None:
    """No example depends on the clock, on a database of earlier failures, or on which modules other tests imported."""
    slow = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("fixed", derandomize=True, **slow)
    settings.register_profile("explore", derandomize=False, print_blob=True, **slow)  # whatever CI=true would make it
    settings.load_profile("fixed" if SEED is None else "explore")
    # Hypothesis also draws constants that it reads in the product's modules, as far as they are imported by now.
    providers.is_local_module_file = lambda path: False  # noqa: ARG005


def explore(test: object) -> None:
    """Give a property more examples."""
    if TIMES > 1 and is_hypothesis_test(test):
        function = getattr(test, "__func__", test)
        own = function._hypothesis_internal_use_settings
        if not getattr(function, "explored", False):  # parametrized tests share their function
            function._hypothesis_internal_use_settings = settings(own, max_examples=TIMES * own.max_examples)
            function.explored = True
