"""Codes in as few bytes as they need: rows that are picked here and there then stay near the processor."""

from __future__ import annotations

import numpy as np


def narrow(codes: np.ndarray, width: int) -> np.ndarray:
    """Codes from 0 to `width` − 1 in the smallest type that holds them.

    >>> narrow(np.array([3, 255]), 256).dtype, narrow(np.array([3, 256]), 257).dtype
    (dtype('uint8'), dtype('uint16'))
    """
    return codes.astype(np.min_scalar_type(max(width - 1, 0)), copy=False)
