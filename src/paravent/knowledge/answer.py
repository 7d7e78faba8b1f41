"""The rows that a question brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paravent.arguments import Checked

_WIDEST = 60


@dataclass(frozen=True)
class Answer(Checked, Sequence[tuple[Any, ...]]):
    """Rows of an answer with the names of their columns; it prints as a table. Nothing found is None.

    >>> print(Answer(("who", "k"), (("datafly", 5), ("samarati", None))))
    who        k
    datafly    5
    samarati
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One mapping for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def __str__(self) -> str:
        cells = [self.columns, *(tuple("" if cell is None else _short(str(cell)) for cell in row) for row in self.rows)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.columns))]
        lines = ("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
        return "\n".join(line.rstrip() for line in lines)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
