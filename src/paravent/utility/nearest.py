"""Nearest: how near synthetic rows come to real ones, beside how near real people come to one another.

That a synthetic row lies close to a real one says little: people are like one another. So the original is dealt in two
halves by the seed. The distances of released rows to the nearest row of the first half stand beside those of the second
half, who are real people that the first half does not hold. A release that is nearer than they are copies.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Measure
from paravent.privacy.risk.nearest_rows import nearest_distances
from paravent.utility.family import Study, on_request
from paravent.utility.subject import Subject

_ASKED, _AMONG = 2000, 20_000
"""Rows whose nearest is looked for, and rows among which, at most: more are drawn by the seed."""


@on_request(synthetic=True)
def nearest(subject: Subject, study: Study) -> Iterator[Measure | Absent]:
    """Distances of released rows to the nearest real row, beside those of held-out real rows."""
    original, released = subject.original, subject.released
    names = [] if original is None else [name for name in original.columns if name in released.columns]
    if not subject.synthetic:
        yield Absent("risk.nearest", "the rows are no synthetic ones: the family `relinking` tells who is found.")
        return
    if original is None or original.height < 2 or not released.height or not names:
        yield Absent("risk.nearest", "there is nothing to compare.")
        return
    dice = np.random.default_rng(study.seed)
    order = dice.permutation(original.height)
    among, held_out = np.sort(order[: original.height // 2][:_AMONG]), order[original.height // 2 :][:_ASKED]
    asked = dice.permutation(released.height)[:_ASKED]
    base = original[among]
    own = nearest_distances(released[np.sort(asked)], base, names, original)
    real = nearest_distances(original[np.sort(held_out)], base, names, original)
    kinds = (
        ("median", np.median, "The median distance", "higher"),
        ("low", lambda found: np.quantile(found, 0.05), "The distance that 5 % are below", "higher"),
        ("equal", lambda found: np.mean(found == 0), "The share at distance 0", "lower"),
    )
    for name, what, words, better in kinds:
        for ending, found, whose in (("", own, "released rows"), (".real", real, "held-out real rows")):
            yield Measure(
                f"risk.nearest.{name}{ending}",
                float(what(found)),
                f"{words} to the nearest real row, {whose}",
                f"{words} of {whose} to the nearest row of one half of the original (Gower: 0 equal, 1 nothing in "
                "common); released rows should be no nearer than real rows of the other half.",
                better="neither" if ending or better == "neither" else better,  # type: ignore[arg-type]
                unit="share",
            )
