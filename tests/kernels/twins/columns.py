"""Texts by numbers, and pairs of codes counted, in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def text_codes_twin(cells: Sequence[str | None]) -> tuple[list[int], list[int], list[int]]:
    """`text_codes`, written to be read."""
    texts = list(dict.fromkeys(cell for cell in cells if cell is not None))
    codes = [len(texts) if cell is None else texts.index(cell) for cell in cells]
    return codes, [cells.index(text) for text in texts], [cells.count(text) for text in texts]


def join_texts_twin(cells: Sequence[str | None]) -> tuple[list[int], bytes]:
    """`join_texts`, written to be read."""
    written = [(cell or "").encode() for cell in cells]
    return [len(text) for text in written], b"".join(written)


def count_pairs_twin(labels: np.ndarray, n_labels: int, ranks: np.ndarray, n_ranks: int) -> list[list[int]]:
    """`count_pairs`, written to be read."""
    found = [[0] * n_ranks for _ in range(n_labels)]
    for label, rank in zip(labels.tolist(), ranks.tolist(), strict=True):
        found[label][rank] += 1
    return found
