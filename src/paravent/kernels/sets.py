"""The distinct code sets of many classes; see cpp/fold.hpp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.native import check_codes


class Sets(NamedTuple):
    """Set s is `members[starts[s]:starts[s + 1]]`; class c has the set `of_class[c]`."""

    of_class: np.ndarray
    members: np.ndarray
    starts: np.ndarray


def class_sets(order: np.ndarray, starts: np.ndarray, codes: np.ndarray) -> Sets:
    """The distinct sets of codes that the classes of a partition hold, numbered by first appearance."""
    check_codes(order, len(codes), "order")
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(order) or np.any(np.diff(starts) < 0):
        raise ValueError("starts must ascend from 0 to the number of rows")
    return Sets(*native.module.class_sets(order, starts, len(starts) - 1, np.ascontiguousarray(codes)))
