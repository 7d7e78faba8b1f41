"""Plain tables for the terminal and for Markdown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def best_of(times: int, call: Callable[[], T]) -> tuple[float, T]:
    """The shortest of several runs in seconds (a shared machine only ever adds time), and the last result."""
    shortest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        result = call()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def table_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as Markdown, its columns aligned."""
    texts = [list(head), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(row[j]) for row in texts) for j in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in texts
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"\n### {title}\n\n{table_text(head, rows)}")


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}" if cell < 1 else f"{cell:.2f}"
    return f"{cell:,}".replace(",", " ") if isinstance(cell, int) else str(cell)
