"""Which candidate to take, in one sentence. It weighs nothing that only a person can: how much protection is needed."""

from __future__ import annotations

from paravent.comparison.comparison import Comparison
from paravent.comparison.entry import Entry
from paravent.comparison.levels import Level
from paravent.comparison.words import called, level_words, listed
from paravent.measures import Measure


def advice(comparison: Comparison) -> str:
    """The sentence; empty where nothing can be recommended.

    Among candidates that protect equally, the one that is best by the measure asked for. Where plans ask for different
    protection: the one that satisfies all of them, what the weakest level would save, and the one at which the curve of
    risk against loss bends, so that more protection begins to cost more than it brings. Where no level includes all
    others (k-anonymity beside differential privacy), the best of each.
    """
    measure = comparison.about(comparison.wanted.by)
    sound = [entry for entry in comparison.done if not entry.promise]
    if measure is None or measure.better == "neither" or not sound:
        return ""
    levels = [level for level in comparison.levels() if _first(comparison, level)]
    if len(sound) == 1:
        return f"{called(sound[0].name)} is the only one that holds its promises, {_at(sound[0], measure)}."
    if not levels:
        return ""
    strongest, weakest = levels[0], levels[-1]
    top = _first(comparison, strongest)
    if len(levels) == 1:
        those = listed([called(entry.name) for entry in top], most=3)
        why = "they are tied" if len(top) > 1 else f"it has the {_end(measure)} of those that protect equally"
        return f"Take {those}: {why} ({top[0].text(measure.name)})."
    apart = [level for level in levels if not any(set(level.members) < set(other.members) for other in levels)]
    if len(apart) > 1:
        return _side_by_side(comparison, apart, measure)
    low = _first(comparison, weakest)
    said = (
        f"{called(top[0].name)} satisfies {level_words(comparison, strongest)} {_at(top[0], measure)}; where "
        f"{level_words(comparison, weakest)} is enough, {called(low[0].name)} has the {_end(measure)}, "
        f"{low[0].text(measure.name)}"
    )
    bend = _bend(comparison)
    if bend is not None and bend.name not in (top[0].name, low[0].name):
        said += f"; between them, {called(bend.name)} is a balance of risk and loss"
    return f"{said}."


def _side_by_side(comparison: Comparison, levels: list[Level], measure: Measure) -> str:
    """Who is best at each of some levels of which none includes another."""
    parts = []
    for level in levels:
        first = _first(comparison, level)[0]
        parts.append(
            f"with {level_words(comparison, level)}, {called(first.name)} has the {_end(measure)}, "
            f"{first.text(measure.name)}"
        )
    return f"These are different protections, and none includes another: {'; '.join(parts)}."


def _first(comparison: Comparison, level: Level) -> list[Entry]:
    """Who ranks first at a level, of those that hold their own promises."""
    ranked = [comparison[place.name] for place in comparison.ranking(level) if place.rank is not None]
    sound = [entry for entry in ranked if not entry.promise]
    ranks = {place.name: place.rank for place in comparison.ranking(level)}
    return [entry for entry in sound if ranks[entry.name] == ranks[sound[0].name]]


def _end(measure: Measure) -> str:
    return f"{'lowest' if measure.better == 'lower' else 'highest'} {_called(measure)}"


def _at(entry: Entry, measure: Measure) -> str:
    return f"at a {_called(measure)} of {entry.text(measure.name)}"


def _called(measure: Measure) -> str:
    """A title within a sentence: all but abbreviations in small letters."""
    first = measure.title[:1].lower() if not measure.title[:2].isupper() else measure.title[:1]
    return first + measure.title[1:]


def _bend(comparison: Comparison) -> Entry | None:
    """The candidate of the Pareto front farthest below the line between its ends, both measures scaled from 0 to 1;
    None where the front has no bend. Of equal ones the first."""
    axes = [comparison.about(name) for name in (comparison.wanted.utility, comparison.wanted.risk)]
    if any(axis is None or axis.better != "lower" for axis in axes):
        return None
    found = []
    for name in comparison.front():
        utility, risk = (comparison[name].value(axis.name) for axis in axes if axis is not None)
        if utility is not None and risk is not None:
            found.append((utility, risk, name))
    found.sort()
    if len(found) < 3:
        return None
    (x0, y0, _), (x1, y1, _) = found[0], found[-1]
    if x1 <= x0 or y0 <= y1:
        return None
    depth = {name: 1 - (x - x0) / (x1 - x0) - (y - y1) / (y0 - y1) for x, y, name in found[1:-1]}
    best = max(depth, key=lambda name: depth[name])
    return comparison[best] if depth[best] > 0 else None
