"""The compiled module, and what every wrapper checks before a kernel sees an array."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np

module: Any = import_module("paravent.kernels._native")


def threads() -> int:
    """How many threads a kernel may use: the cores this process may run on, or PARAVENT_THREADS."""
    asked = os.environ.get("PARAVENT_THREADS", "")
    if asked.isdigit():
        return max(1, int(asked))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_codes(codes: np.ndarray, size: int, what: str) -> None:
    """Refuse codes that a kernel would read out of bounds by."""
    if codes.dtype != np.int32:
        raise ValueError(f"{what}: codes must be int32, not {codes.dtype}")
    if codes.size and (int(codes.min()) < 0 or int(codes.max()) >= size):
        raise ValueError(f"{what}: codes must lie between 0 and {size - 1}")


def unwatched(done: float) -> None:
    """Somebody must be called so that Ctrl-C is heard."""
