"""A Profile as plain text, or for a notebook: one line a column, then why, then which column sets single people out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from paravent.profiling.detect import Confidence

if TYPE_CHECKING:
    from paravent.profiling.column import ColumnProfile
    from paravent.profiling.profile import Profile

SETS_SHOWN = {1: 3, 2: 3, 3: 3}
LONGEST_NAME = 28
MOST_NAMED = 8
WIDTH = 118


def written(profile: Profile) -> str:
    """The whole profile."""
    return "\n".join(_lines(profile))


def as_html(profile: Profile) -> str:
    """The whole profile for a notebook: reasons stand beside the columns, and the sets of columns are folded."""
    from paravent import notebook

    rows = [
        (*row, " ".join([f"{column.proposal.reason}.", *column.warnings]))
        for row, column in zip(_rows(profile), profile.columns, strict=True)
    ]
    return notebook.shown(
        _size(profile),
        notebook.table((*_HEADS, "why"), rows, right=_RIGHT),
        notebook.sentences(profile.warnings),
        *([notebook.folded(_SETS, notebook.table(*_set_rows(profile), right=range(4)))] if profile.subsets else []),
    )


_HEADS = (
    "column", "kind", "distinct", "missing", "entropy", "of max", "spread", "top", "range", "proposed role", "tree",
)  # fmt: skip
_RIGHT = {2, 3, 4, 5, 7}
_SETS = "Which columns single people out (of each size, those that single out most)"


def _size(profile: Profile) -> str:
    spread = f", quasi-identifiers mostly {profile.distribution}" if profile.distribution else ""
    return f"{profile.rows:,} rows, {len(profile.columns)} columns{spread}"


def _rows(profile: Profile) -> list[tuple[str, ...]]:
    return [
        (
            shown_name(column.name),
            column.kind.value,
            f"{column.distinct:,}",
            f"{column.missing:,}" if column.missing else "-",
            f"{column.entropy:.2f}",
            f"{column.normalised_entropy:.0%}",
            column.distribution.value,
            f"{column.most_frequent:.0%}",
            column.range or "-",
            f"{column.role.value}{_DOUBT[column.proposal.confidence]}",
            column.tree.call if column.tree else "-",
        )
        for column in profile.columns
    ]


def _lines(profile: Profile) -> Iterator[str]:
    yield _size(profile)
    yield ""
    yield from _grid(_HEADS, _rows(profile), right=_RIGHT)
    yield ""
    yield "Why (? likely, ?? a guess: confirm it)"
    yield from _reasons(profile)
    yield from _sets(profile)
    if profile.warnings:
        yield ""
        yield "Take note"
        for warning in profile.warnings:
            yield from _wrapped(f"  ! {warning}")


_DOUBT = {Confidence.CERTAIN: "", Confidence.LIKELY: " ?", Confidence.GUESS: " ??"}


def _reasons(profile: Profile) -> Iterator[str]:
    """Columns with the same reason share a line."""
    alike: dict[str, list[ColumnProfile]] = {}
    for column in profile.columns:
        alike.setdefault(column.proposal.reason, []).append(column)
    for reason, columns in alike.items():
        yield from _wrapped(f"  {', '.join(shown_name(column.name) for column in columns)}: {reason}.")
        for column in columns:
            whose = f"{shown_name(column.name)}: " if len(columns) > 1 else ""
            for warning in column.warnings:
                yield from _wrapped(f"    ! {whose}{warning}")


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)


def _sets(profile: Profile) -> Iterator[str]:
    if profile.subsets:
        yield ""
        yield _SETS
        yield from _grid(*_set_rows(profile), right={0, 1, 2, 3})


def _set_rows(profile: Profile) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The sets of columns that single out most, of each size."""
    whole = max(profile.subsets, key=lambda each: len(each.columns))
    by_size: dict[int, list[tuple[str, ...]]] = {}
    settled = len(whole.columns)  # the least size at which a set tells apart as much as all columns do
    for subset in sorted(profile.subsets, key=lambda each: (len(each.columns), -each.singled_out, -each.distinct)):
        if subset.distinct == whole.distinct:
            settled = min(settled, len(subset.columns))
        if settled < len(subset.columns) < len(whole.columns):
            continue
        rows = by_size.setdefault(len(subset.columns), [])
        if len(rows) < SETS_SHOWN.get(len(subset.columns), 1):
            rows.append(
                (
                    f"{subset.singled_out:,}",
                    f"{subset.singled_out_share:.1%}",
                    f"{subset.distinction:.4f}",
                    f"{subset.separation:.4f}",
                    _named(subset.columns, whole.columns),
                )
            )
    header = ("rows alone", "of all", "distinction", "separation", "columns")
    return header, [row for rows in by_size.values() for row in rows]


def _named(columns: tuple[str, ...], whole: tuple[str, ...]) -> str:
    if len(columns) == len(whole) > MOST_NAMED:
        return f"all {len(columns)} of them"
    return " + ".join(map(shown_name, columns))


def shown_name(name: str) -> str:
    """A column's name on one line: control signs escaped, long ones cut."""
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name) or "''"
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def _grid(header: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> Iterator[str]:
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    for row in (header, *rows):
        cells = (
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
