"""A comparison in words: who can be compared with whom, who is best where, and a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from paravent.comparison.comparison import Comparison
from paravent.comparison.demands import TOP, strongest
from paravent.comparison.entry import Entry
from paravent.comparison.levels import Level
from paravent.comparison.shared_measures import SINGLED_OUT
from paravent.measures import Measures
from paravent.plan.file import relocated
from paravent.privacy.differential_privacy import DifferentialPrivacy
from paravent.utility.protection import EPSILON

MAIN = (
    "risk.prosecutor.max",
    "risk.prosecutor.average",
    "utility.gcp",
    "utility.completeness",
    "utility.classes",
)
"""What is shown of every candidate, beside the measures that were asked for."""

NO_EPSILON = "none"
"""Nothing bounds how much likelier a result became by one person."""

_MOST = 6


def sentences(comparison: Comparison) -> list[str]:
    """What is comparable and why; what misses which demand; what failed."""
    found = [*_comparable(comparison), *_best(comparison), *_unmeasured(comparison), *_broken(comparison)]
    found += [*_together_spent(comparison), *_without_control(comparison)]
    found += other_trees(comparison)
    found += _failures(comparison)
    waiting = [called(entry.name) for entry in comparison.entries if entry.status == "not run"]
    if waiting:
        found.append(f"Stopped: {listed(waiting)} {'was' if len(waiting) == 1 else 'were'} not run.")
    return found


def _comparable(comparison: Comparison) -> list[str]:
    done = comparison.done
    if not done:
        return ["No candidate has a release, so there is nothing to compare."]
    if not comparison.demanded:
        return ["No plan asks for anything: how far the candidates protect is not promised, only measured."]
    if comparison.comparable:
        who = f"All {len(done)} candidates satisfy" if len(done) > 1 else f"{called(done[0].name)} satisfies"
        equal = ": they protect equally and can be compared" if len(done) > 1 else ""
        return [f"{who} {demands_in_words(comparison, comparison.demanded)}{equal}."]
    found = ["The candidates do not protect equally: compare them within a level of protection only."]
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in done:
        if comparison.missed(entry):
            alike.setdefault(least_missed(comparison, entry), []).append(entry)
    found += [missing_words(comparison, places, entries) for places, entries in alike.items()]
    return found


def least_missed(comparison: Comparison, entry: Entry) -> tuple[int, ...]:
    """The demands that a candidate misses; of several like ones (5-, 10- and 25-anonymity) the weakest says enough."""
    missed, demands = comparison.missed(entry), comparison.demands
    return tuple(
        place for place in missed if not any(demands[other].asks_no_more_than(demands[place]) for other in missed)
    )


def missing_words(comparison: Comparison, places: Iterable[int], entries: list[Entry]) -> str:
    """Which demands some candidates miss, how far a single one gets, and whose demands they are."""
    parts = []
    for place in places:
        asking = [called(other.name) for other in comparison.done if place in other.asked and other not in entries]
        words = entries[0].checks[place].words if len(entries) == 1 else ""
        whose = (
            f"which {listed(asking, most=2)} ask{'s' if len(asking) == 1 else ''} for" if asking else "its own demand"
        )
        what = comparison.demands[place].describe(among=comparison.demands)
        parts.append(f"{what}{f' ({words})' if words else ''}, {whose}")
    miss = "misses" if len(entries) == 1 else "miss"
    return f"{listed([called(entry.name) for entry in entries], most=4)} {miss} {'; and '.join(parts)}."


def _best(comparison: Comparison) -> list[str]:
    measure = comparison.about(comparison.wanted.by)
    if measure is None or measure.better == "neither" or len(comparison.done) < 2:
        return []
    found = []
    for level in comparison.levels():
        if len(level.members) < 2:
            continue
        first = [place for place in comparison.ranking(level) if place.rank == 1]
        if not first:
            continue
        names = [place.name for place in first]
        value = comparison[names[0]].text(measure.name)
        tie = " are tied for" if len(names) > 1 else " has"
        also = {name: stronger(comparison, level, comparison[name]) for name in names}
        more = "".join(f" ({called(name)} also satisfies {words})" for name, words in also.items() if words)
        end = f"{'lowest' if measure.better == 'lower' else 'highest'} {measure.name} of {len(level.members)}"
        ahead = [name for name in level.members if name not in names and stronger(comparison, level, comparison[name])]
        if ahead and not all(also.values()):
            more += f"; {len(ahead)} of the others protect{'s' if len(ahead) == 1 else ''} more"
        who = listed([called(name) for name in names])
        found.append(f"With {level_words(comparison, level)}, {who}{tie} the {end}: {value}{more}.")
    return found


def _unmeasured(comparison: Comparison) -> list[str]:
    """Why candidates are not ranked, or not on the map: what a measure cannot say of them, each reason once."""
    wanted = comparison.wanted
    reasons: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys((wanted.by, wanted.risk, wanted.utility)):
        for entry in comparison.done:
            why = entry.why_not(name)
            if why:
                reasons.setdefault((name, why), []).append(called(entry.name))
    return [f"{listed(who, most=4)}: {name} does not apply, for {why}" for (name, why), who in reasons.items()]


def _together_spent(comparison: Comparison) -> list[str]:
    """What somebody learns at most who sees all candidates with an epsilon: they add up."""
    values = {entry.name: entry.value(EPSILON) for entry in comparison.done}
    known = [value for value in values.values() if value is not None and isfinite(value)]
    found = []
    if not known and comparison.wanted.risk == EPSILON:
        found.append("No candidate has an epsilon, so there is no map of it.")
    if len(known) > 1:
        found.append(
            f"{len(known)} candidates were drawn from the same people, each with its own noise: whoever sees all has "
            f"epsilon = {sum(known):g} together. Publish one, and keep this comparison to yourself."
        )
    deltas = {each.delta for entry in comparison.done if entry.plan is not None for each in entry.plan.protect
              if isinstance(each, DifferentialPrivacy)}  # fmt: skip
    if len(deltas) > 1:
        said = listed([f"{delta:g}" for delta in sorted(deltas)])
        found.append(f"Epsilons hold at different deltas ({said}): at a larger delta the same epsilon promises less.")
    return found


def _without_control(comparison: Comparison) -> list[str]:
    """A figure of an attack without a control group is too high."""
    for name in dict.fromkeys((comparison.wanted.risk, comparison.wanted.by, comparison.wanted.utility)):
        for entry in comparison.done:
            if name == SINGLED_OUT and entry.value(name) is not None and entry.value(f"{name}.control") is None:
                return [
                    f"{name} is how often the attack succeeds; it succeeds on people who are not in the table as well. "
                    "Keep some back and give them as control=, and only what being in it adds is counted."
                ]
    return []


def _broken(comparison: Comparison) -> list[str]:
    return [
        f"{called(entry.name)} does not hold what its own plan promises: {entry.promise}."
        for entry in comparison.done
        if entry.promise
    ]


def _failures(comparison: Comparison) -> list[str]:
    """Why candidates have no release, each reason once."""
    failed: dict[str, list[str]] = {}
    for entry in comparison.failed:
        if entry.failure is not None:
            failed.setdefault(entry.failure.message, []).append(called(entry.name))
    return [f"{listed(names)}: no release. {message}" for message, names in failed.items()]


def other_trees(comparison: Comparison) -> list[str]:
    """A caution where candidates are generalized along different trees: what counts steps in a tree differs then."""
    plans = [relocated(entry.plan, TOP).quasi for entry in comparison.done if entry.plan is not None]
    differing = [
        name for name in comparison.quasi if len({repr(quasi[name].tree) for quasi in plans if name in quasi}) > 1
    ]
    if not differing:
        return []
    return [
        f"The trees of {listed(differing)} are not the same in all candidates: measures that count steps in trees "
        "(utility.alteration, utility.prec, utility.genloss) are not on one scale; utility.gcp is."
    ]


def level_words(comparison: Comparison, level: Level) -> str:
    """The demands of a level: what its plans ask for."""
    return demands_in_words(comparison, level.asked)


def demands_in_words(comparison: Comparison, places: Iterable[int]) -> str:
    chosen = strongest([comparison.demands[place] for place in sorted(places)])
    named = [demand for demand in chosen if demand.model is not None]
    # An identifier that all of them hide is nothing to speak of.
    missed = {comparison.demands[place] for entry in comparison.done for place in comparison.missed(entry)}
    hidden = [demand for demand in chosen if demand.model is None and demand in missed]
    keys = [demand.model.key for demand in comparison.demands if demand.model is not None]  # like demands together
    named.sort(key=lambda demand: keys.index(demand.model.key) if demand.model is not None else 0)
    words = [demand.describe(among=comparison.demands) for demand in named]
    words += [demand.describe() for demand in hidden]
    return listed(words, most=_MOST) if words else "no demand"


def stronger(comparison: Comparison, level: Level, entry: Entry) -> str:
    """What a candidate satisfies beyond the demands of a level; empty where it protects just as much."""
    beyond = (entry.satisfied & comparison.demanded) - level.demands
    return demands_in_words(comparison, beyond) if beyond else ""


def columns(comparison: Comparison) -> list[str]:
    """The measures of the main table: the levels of the models, then risk and utility."""
    wanted = comparison.wanted
    keys = dict.fromkeys(
        demand.model.key
        for place, demand in enumerate(comparison.demands)
        if demand.model and place in comparison.demanded
    )
    names = dict.fromkeys([*keys, *MAIN, wanted.risk, wanted.utility, wanted.by])
    return [name for name in names if name in keys or comparison.about(name) is not None]


def cell(comparison: Comparison, entry: Entry, name: str) -> str:
    """A figure of the main table; levels of models are those that the checks found, whoever asked for them."""
    if name == EPSILON:
        value = entry.value(name)
        return NO_EPSILON if value is None or not isfinite(value) else entry.text(name)
    if not name.startswith("privacy."):
        return entry.text(name)
    for met, demand in zip(entry.checks, comparison.demands, strict=True):
        asks = demand.model is not None and demand.model.key == name and demand.quasi == _widest(comparison, name)
        if asks and met.level is not None:
            return f"{met.level:g}"
    return "–"


def _widest(comparison: Comparison, key: str) -> tuple[str, ...]:
    """The quasi-identifiers of the demand that looks at most columns."""
    found = [demand.quasi for demand in comparison.demands if demand.model is not None and demand.model.key == key]
    return max(found, key=len)


def as_text(comparison: Comparison) -> str:
    """The comparison for a terminal: a table, then sentences. `*` marks the Pareto front."""
    heads, found, below = main_table(comparison)
    rows = [heads, *found]
    wide = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    lines = [
        "  ".join(
            f"{text:<{w}}" if i == 0 else f"{text:>{w}}" for i, (text, w) in enumerate(zip(row, wide, strict=True))
        )
        for row in rows
    ]
    said = sentences(comparison)
    return "\n".join([*(line.rstrip() for line in lines), *below, "", *said] if comparison.done else said)


def main_table(comparison: Comparison) -> tuple[list[str], list[list[str]], list[str]]:
    """What is shown of every candidate: heads, rows, and what the marks mean."""
    names = columns(comparison)
    on_front = set(comparison.front()) if _has_front(comparison) else set()
    rows: list[list[str]] = []
    if comparison.reference is not None:
        known = comparison.reference
        rows.append(["(original)", *original_cells(known, names)])
    for entry in comparison.entries:
        mark = "* " if entry.name in on_front else "  "
        if entry.status == "done":
            rows.append([mark + entry.name, *(cell(comparison, entry, name) for name in names)])
    front = f"* on the Pareto front of {comparison.wanted.risk} and {comparison.wanted.utility}"
    return ["", *(short(name) for name in names)], rows, [front] if on_front else []


def original_cells(known: Measures, names: Iterable[str]) -> list[str]:
    """The figures of the original, which has no epsilon."""
    absent = {EPSILON: NO_EPSILON}
    return [known.about(name).text if name in known else absent.get(name, "–") for name in names]


def _has_front(comparison: Comparison) -> bool:
    wanted = comparison.wanted
    return all(comparison.about(name) is not None for name in (wanted.risk, wanted.utility))


def short(name: str) -> str:
    """A measure's name without what all have in common.

    >>> short("utility.gcp"), short("risk.prosecutor.max"), short("privacy.distinct_l.disease")
    ('gcp', 'risk max', 'distinct_l disease')
    """
    return name.removeprefix("privacy.").removeprefix("utility.").replace("risk.prosecutor.", "risk ").replace(".", " ")


def called(name: str) -> str:
    """A candidate's name within a sentence: in quotes where it is more than a word.

    >>> called("base"), called("k=2, l=3"), called("without zip")
    ('base', 'k=2, l=3', '“without zip”')
    """
    return f"“{name}”" if " " in name and "=" not in name else name


def listed(items: list[str], most: int = 8) -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2), listed(["k=2, l=2", "k=5, l=2"])
    ('a, b and c', 'a, b and 1 more', 'k=2, l=2; and k=5, l=2')
    """
    comma = ";" if any("," in item for item in items) else ","
    more = [*items[:most], f"{len(items) - most} more"] if len(items) > most else items
    if len(more) < 2:
        return "".join(more)
    return f"{f'{comma} '.join(more[:-1])}{comma if comma == ';' else ''} and {more[-1]}"
