"""Values in the words of JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """Numbers that JSON cannot hold (NaN, infinity) become null or a text, and so does what else it has no word for.

    >>> plain({1: (float("nan"), float("inf"), True)})
    {'1': [None, 'inf', True]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return float(value) if math.isfinite(value) else str(value)
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    return str(value)
