"""Small multiples: what each candidate costs each column, one little chart a column, all on one scale."""

from __future__ import annotations

from dataclasses import dataclass

from paravent.comparison.comparison import Comparison

MOST_COLUMNS = 24
MOST_CANDIDATES = 12


@dataclass(frozen=True)
class Multiple:
    """A column, and for each candidate: its name, the share of the detail that is lost (0 to 100), and as text."""

    column: str
    bars: tuple[tuple[str, str, str], ...]


def multiples(comparison: Comparison) -> list[Multiple]:
    """One chart a column of those that lose something in any candidate, the one that loses most on top."""
    entries = comparison.done[:MOST_CANDIDATES]
    found = []
    for name in comparison.quasi:
        values = {entry.name: entry.value(f"utility.loss.{name}") for entry in entries}
        known = {who: loss for who, loss in values.items() if loss is not None and loss == loss}  # noqa: PLR0124
        if any(loss > 0 for loss in known.values()):
            texts = {entry.name: entry.text(f"utility.loss.{name}") for entry in entries}
            bars = tuple((who, f"{100 * min(loss, 1.0):.2f}", texts[who]) for who, loss in known.items())
            found.append((max(known.values()), Multiple(name, bars)))
    found.sort(key=lambda pair: (-pair[0], pair[1].column))
    return [multiple for _, multiple in found[:MOST_COLUMNS]]
