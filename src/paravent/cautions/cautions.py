"""All cautions about a release, the serious ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from paravent.cautions.case import Case
from paravent.cautions.caution import Caution
from paravent.cautions.cells import false_cells, nothing_promised
from paravent.cautions.columns import linking_values, singling_out, telling_columns
from paravent.cautions.cost import blank_columns, high_loss, suppression
from paravent.cautions.drawn import known_seed, many_releases
from paravent.cautions.groups import (
    exactly_k,
    few_rows,
    given_away,
    missing_as_wildcard,
    nothing_left,
    small_groups,
    unguarded,
    weak_k,
)
from paravent.cautions.redundancy import redundant
from paravent.cautions.spellings import look_alike

CHECKS: tuple[Callable[[Case], Iterator[Caution]], ...] = (
    nothing_promised,
    nothing_left,
    telling_columns,
    linking_values,
    given_away,
    small_groups,
    singling_out,
    redundant,
    look_alike,
    unguarded,
    high_loss,
    blank_columns,
    suppression,
    missing_as_wildcard,
    exactly_k,
    weak_k,
    few_rows,
    false_cells,
)

ON_SYNTHETIC: tuple[Callable[[Case], Iterator[Caution]], ...] = (nothing_promised, known_seed, many_releases)
"""Of synthetic rows, which stand for nobody."""


def cautions(case: Case) -> tuple[Caution, ...]:
    """All that apply: the serious ones first, each sort in the order of its check."""
    found = [caution for check in (ON_SYNTHETIC if case.subject.synthetic else CHECKS) for caution in check(case)]
    return tuple(sorted(found, key=lambda caution: not caution.serious))
