"""Random numbers as the kernels draw them (cpp/annealing.hpp)."""

from __future__ import annotations

_MASK = 2**64 - 1


def mixed(x: int) -> int:
    """splitmix64"""
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


class Draws:
    """xorshift64 (Marsaglia 2003)"""

    def __init__(self, seed: int) -> None:
        self.state = mixed(seed % 2**64) | 1

    def below(self, n: int) -> int:
        x = self.state
        x ^= (x << 13) & _MASK
        x ^= x >> 7
        x ^= (x << 17) & _MASK
        self.state = x
        return ((x >> 16) & 0xFFFFFFFF) * n >> 32
