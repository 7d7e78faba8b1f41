"""The caution about sensitive values that look alike, and that models count as different."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from paravent.cautions.case import Case
from paravent.cautions.caution import Caution
from paravent.plan.file import resolved
from paravent.privacy.verify import verify_frame
from paravent.table.alike import differ_in, look_alikes
from paravent.table.text import is_text

MOST_COMPARED = 50_000  # different values


def look_alike(case: Case) -> Iterator[Caution]:
    """Serious where a model that holds would not hold if values that look alike were counted as one."""
    for name in case.plan.sensitive:
        if name in case.plan.alike or name not in case.frame.columns or not is_text(case.frame.schema[name]):
            continue
        values = case.frame[name].alias("cells").cast(pl.String).drop_nulls().unique()
        groups = look_alikes(values.to_list()) if len(values) <= MOST_COMPARED else []
        if not groups:
            continue
        ways = dict.fromkeys(way for group in groups for way in differ_in(group).split(", "))
        models = [model for model in resolved(case.plan).models if name in model.needs and not model.reads_values]
        held = bool(models) and not verify_frame(case.frame, list(case.plan.quasi), models, alike=(name,))
        meaning = (
            f"They differ in {', '.join(ways)}, and each counts as a value of its own: a group may look mixed where "
            "everybody has the same."
        )
        if held:
            meaning += " Counted as one, the release would not keep what was asked."
        yield Caution(
            "look-alikes",
            "serious" if held else "note",
            (name,),
            f"{sum(map(len, groups))} values of “{name}” look like {len(groups)}",
            meaning,
            f'Unify them (paravent clean --alike, pv.clean), or count them as one with alike = "one" for “{name}”.',
        )
