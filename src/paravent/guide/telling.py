"""Telling: a guidance in words, and what to look at in it."""

from __future__ import annotations

from paravent.errors import Note
from paravent.guide.deciding.judgements import Doubt, nearest, spoken
from paravent.guide.explaining import metric_title, shown, title
from paravent.guide.guidance import Guidance
from paravent.guide.modes import shows


def notes_of(about: Guidance) -> tuple[Note, ...]:
    """Judgements that contradict one another, candidates that nothing is known about, and runs that may take long."""
    found = []
    for node, judgements in about.context.goals.nodes:
        if not judgements.consistent:
            where = "" if node == "goal" else about.known.say("about-node", node=title(about.known, node))
            ratio, doubt = f"{judgements.ratio:.4f}", _doubt(about, judgements.doubt)
            found.append(Note(about.known.say("contradiction", where=where, ratio=ratio, doubt=doubt)))
    combined = {each.name for each in about.combinations}
    unscored = [name in combined for name in about.ranking.unscored]
    if not all(unscored):
        found.append(Note(about.known.say("unscored", count=unscored.count(False))))
    if any(unscored):
        found.append(Note(about.known.say("unscored-combinations", count=unscored.count(True))))
    for name, seconds in about.long_runs.items():
        found.append(Note(about.known.say("long-run", signature=name, minutes=f"{seconds / 60:.0f}")))
    return tuple(found)


def summary_of(about: Guidance) -> str:
    """What is proposed, or was measured, as far as the mode shows it."""
    lines = []
    if shows(about.mode, "inputs"):
        k, most = about.context.k, about.context.max_sup(about.rows)
        lines.append(about.known.say("inputs", k=k, risk=f"{about.context.risk:g}", max_sup=most, rows=about.rows))
    if shows(about.mode, "ranking"):
        ranking = about.results if about.finished else about.ranking
        lines.append(about.known.say("measured" if about.finished else "predicted"))
        for place in ranking.top(10):
            told = ", ".join(f"{metric_title(about.known, c)} {shown(c, v)}" for c, v in place.values.items())
            lines.append(f"  {place.rank}. {place.name}  {place.score:.4f}  ({told})")
    if shows(about.mode, "filter"):
        lines.append(about.known.say("dropped", count=len(about.dropped)))
    return "\n".join([*lines, *(about.known.say("note", note=note) for note in about.notes)])


def _doubt(about: Guidance, doubt: Doubt | None) -> str:
    if doubt is None:
        return ""
    return about.known.say(
        "judgement-doubt",
        first=doubt.first,
        second=doubt.second,
        said=spoken(doubt.said),
        implied=spoken(nearest(doubt.implied)),
    )
