"""Local recoding as a search over labels; see cpp/local.hpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paravent.kernels import native
from paravent.kernels.checks import sensitive_parts
from paravent.kernels.demands import Demand, check_demands
from paravent.kernels.lattice import PricedLevel, Tuples
from paravent.kernels.native import check_codes

MOST = 440
"""The labels that a tuple can choose from, at most."""


class Cover(NamedTuple):
    """The label of each row (rows: the copies of tuple 0, of tuple 1, …), numbers without meaning; what the labels
    cost, and what those of the start cost."""

    of_row: np.ndarray
    cost: int
    start_cost: int


def local_search(
    leaves: Sequence[np.ndarray],
    priced_levels: Sequence[Sequence[PricedLevel]],
    weight: np.ndarray,
    nodes: np.ndarray,
    *,
    k: int,
    proposals: int,
    most: int = 400,
    hot: float = 1.3,
    cold: float = 0.12,
    seed: int = 0,
    coarse: int | None = None,
    sensitive: Sequence[np.ndarray] = (),
    demands: Sequence[Demand] = (),
    given: tuple[np.ndarray, np.ndarray] | None = None,
    watch: Callable[[float], None] | None = None,
) -> Cover:
    """Give each copy of some weighted tuples (`leaves`, column by column) a label at one of `nodes` (levels, the last
    one the top), so that at least k rows share each label and little is lost.

    A tuple chooses from the first `most` labels that k rows can share; a quarter of them is kept for the nodes from
    number `coarse` on. The start opens labels by cost; `proposals` changes are tried on it while the temperature falls
    from `hot` to `cold` (in what a row of the start costs). The result costs no more than the start and depends on
    nothing but the arguments.

    `sensitive` holds the codes of sensitive columns, row by row (rows: the copies of tuple 0, of tuple 1, …). The rows
    of every label then satisfy all `demands`, if those of the whole table do. `given` is a partition to begin with
    where it costs less than the start: the class of each row, and what a row of each class costs.
    """
    tuples = Tuples(leaves, priced_levels, weight)
    tuples.check_nodes(nodes)
    if not len(nodes) or not 1 <= k <= tuples.n_rows:
        raise ValueError("at least one node, and weights that add up to k rows at least")
    if not 1 < most <= MOST or not hot >= cold > 0:
        raise ValueError(f"most must lie between 2 and {MOST}, and hot ≥ cold > 0")
    for at, priced in enumerate(priced_levels):
        if len(np.unique(priced[nodes[-1, at]].codes)) > 1:
            raise ValueError(f"column {at}: the last node must say nothing")
    columns = sensitive_parts(sensitive, tuples.n_rows)
    check_demands(list(demands), [size for _, size in columns])
    if given is not None:
        check_codes(given[0], len(given[1]), "given classes")
        sound = len(given[0]) == tuples.n_rows and given[1].dtype == np.int64 and given[1].min(initial=0) >= 0
        if not sound or (np.bincount(given[0], minlength=len(given[1])) < k).any():
            raise ValueError("given: a class of k rows at least for each row, and an int64 cost for each class")
    dearest = sum(max(int(level.cost.max(initial=0)) for level in priced) for priced in priced_levels)
    found = native.module.local_search(
        **tuples.native(nodes, k),
        rows_of=np.r_[0, np.cumsum(weight, dtype=np.int64)],
        tuple_of=np.repeat(np.arange(len(weight), dtype=np.int32), weight),
        shift=max(0, dearest.bit_length() - 30),
        most=most,
        proposals=proposals,
        hot=hot,
        cold=cold,
        seed=seed % 2**64,
        coarse=len(nodes) if coarse is None else coarse,
        demands={"columns": columns, "list": list(demands)},
        given=None if given is None else np.ascontiguousarray(given[0]),
        given_cost=np.zeros(0, dtype=np.int64) if given is None else np.ascontiguousarray(given[1]),
        watch=watch or native.unwatched,
    )
    return Cover(*found)
