"""Judging: pairs of criteria compared on sliders, with the weights that follow and what contradicts what, as one drags.

On the left the tree of criteria with the weight of each, on the right the pairs of the node that is chosen. A slider in
the middle says that both matter alike; eight steps to either side are the scale of AHP.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from typing import cast

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from paravent.guide.deciding.judgements import ACCEPTED, Doubt, Judgements, nearest
from paravent.guide.goals import ROOT, Goals
from paravent.web.guiding.preferences import Pair, Pairs, judged, suited
from paravent.web.parts.anew import piece
from paravent.web.parts.bars import BEGINS_AT, bar, fill, keep, name
from paravent.web.parts.criteria import label_of
from paravent.web.parts.text import box, button, labelled, text
from paravent.web.words import Words

STEPS = 8
"""Places of a slider on either side of the middle."""


def place_of(said: float) -> int:
    """Where a slider stands for a judgement: to the left where the first matters more.

    >>> place_of(3.0), place_of(1.0), place_of(1 / 5)
    (-2, 0, 4)
    """
    near = nearest(said)
    return 1 - round(near) if near >= 1 else round(1 / near) - 1


def said_at(place: int) -> float:
    """The judgement of a place on the slider.

    >>> said_at(-2), said_at(0), said_at(4)
    (3.0, 1.0, 0.2)
    """
    return float(1 - place) if place <= 0 else 1 / (1 + place)


def in_words(say: Words, first: str, second: str, said: float) -> str:
    """A judgement as a sentence; `first` and `second` are labels."""
    near = nearest(said)
    if near == 1:
        return say("preferences.equal", first=first, second=second)
    more, less = (first, second) if near > 1 else (second, first)
    strength = round(near if near > 1 else 1 / near)
    return say(
        "preferences.more", more=more, less=less, how=say(f"preferences.strength.{strength}"), number=str(strength)
    )


class Judging:
    """The two panes. `changed` gets the preferences when a slider is let go; `explain` puts help beside the heading."""

    def __init__(
        self,
        say: Words,
        use: str,
        preferences: Pairs,
        changed: Callable[[dict[Pair, float]], object],
        *,
        narrow: bool = False,
        explain: Callable[[], object] | None = None,
    ):
        self.say, self.use, self.changed = say, use, changed
        self.usage = next((name for name in Goals.of(use, {}).children["quality"][2:]), None)
        self.preferences = suited(use, preferences)
        self._told = dict(self.preferences)
        self.node = ROOT
        self._sentences: dict[Pair, TextElement] = {}
        self._nodes: dict[str, ui.element] = {}
        self._weights: dict[str, tuple[ui.element, TextElement]] = {}
        with box("pv-judging" + " pv-judging--narrow" * narrow):
            with box("pv-judging-tree", "section") as tree:
                labelled(tree, say("preferences.tree"))
                with box("pv-row pv-row--between"):
                    text(say("preferences.tree"), "h2")
                    if explain is not None:
                        explain()
                with box("pv-goal-tree", "ul"):
                    self._branch(self.goals, ROOT)
            with box("pv-judging-pairs", "section") as pairs:
                labelled(pairs, say("preferences.pairs"))
                self._pairs()
                self._steady = _Steady(say, self._take)
        self._told_anew()

    @property
    def goals(self) -> Goals:
        return Goals.of(self.use, self.preferences)

    def _named(self, name: str) -> str:
        """The name under which preferences are kept: that of the use is `usage`, so that it outlives a change of it."""
        return "usage" if name == self.usage else name

    def _branch(self, goals: Goals, node: str) -> None:
        with box("", "li"):
            inner = node in goals.children
            label = label_of(self.say.language, node)
            if inner:
                count = len(goals.children[node])
                self._nodes[node] = ui.element("button").classes("pv-goal-node").props('type="button"')
                self._nodes[node].on("click", lambda _, node=node: self._choose(node)).props(keep(f"node-{node}"))
                with self._nodes[node]:
                    text(label, "span", "pv-goal-label")
                    text(self.say("preferences.parts", count=count), "span", "pv-goal-note")
            else:
                with box("pv-goal-leaf"):
                    text(label, "span", "pv-goal-label")
            if node != ROOT:
                with box("pv-goal-weight"):
                    figure = name(f"weight-{self._named(node)}")
                    self._weights[node] = bar(0.0), text("", "span", "pv-figure").props(figure)
            if inner:
                with box("", "ul"):
                    for child in goals.children[node]:
                        self._branch(goals, child)

    @piece
    def _pairs(self) -> None:
        goals = self.goals
        judgements = goals.judgements(self.node)
        names = goals.children[self.node]
        self._sentences = {}
        text(self.say("preferences.compare", node=label_of(self.say.language, self.node)), "h2")
        text(self.say("preferences.how"), "p", "pv-muted")
        for first, second in combinations(names, 2):
            said = float(judgements.matrix[names.index(first), names.index(second)])
            self._pair(first, second, said)

    def _pair(self, first: str, second: str, said: float) -> None:
        labels = label_of(self.say.language, first), label_of(self.say.language, second)
        with box("pv-pair"):
            with box("pv-pair-ends"):
                text(labels[0]).props('aria-hidden="true"')
                text(labels[1]).props('aria-hidden="true"')
            slider = (
                ui.element("input")
                .classes("pv-pair-slider")
                .props(keep(f"pair-{self._named(first)}-{self._named(second)}"))
            )
            slider.props(f'type="range" min="{-STEPS}" max="{STEPS}" step="1"')
            slider.props[BEGINS_AT] = place_of(said)
            slider.props["aria-label"] = self.say("preferences.slider", first=labels[0], second=labels[1])
            # What it says is set where it is moved: an answer of the server could come too late and pull it back.
            told = json.dumps([in_words(self.say, *labels, said_at(place)) for place in range(-STEPS, STEPS + 1)])
            slider.on(
                "input",
                lambda event: self._moved(first, second, int(event.args)),
                js_handler=f"(event) => {{ const at = Number(event.target.value); event.target.setAttribute("
                f"'aria-valuetext', {told}[at + {STEPS}]); emit(at); }}",
            )
            slider.on("change", lambda _: self._let_go(), args=[])
            words = in_words(self.say, *labels, said)
            slider.props["aria-valuetext"] = words
            self._sentences[first, second] = text(words, "p", "pv-pair-words")

    def _moved(self, first: str, second: str, place: int) -> None:
        said = said_at(place)
        self.preferences = judged(self.preferences, self._named(first), self._named(second), said)
        labels = label_of(self.say.language, first), label_of(self.say.language, second)
        self._sentences[first, second].text = in_words(self.say, *labels, said)
        self._told_anew()

    def _told_anew(self) -> None:
        """Weights and contradictions as they are now. Nothing is built anew: whoever is about to click finds it there
        still."""
        goals = self.goals
        shares = _shares(goals)
        for node, (share, figure) in self._weights.items():
            fill(share, shares[node])
            figure.text = self.say.written(f"{100 * shares[node]:.1f} %")
        for node, element in self._nodes.items():
            chosen = node == self.node
            element.classes(add="pv-is-chosen" * chosen, remove="pv-is-chosen" * (not chosen))
            element.props(add='aria-current="true"' * chosen, remove="aria-current" * (not chosen))
        self._steady.show(goals.judgements(self.node))

    def _let_go(self) -> None:
        """Tell what is preferred now, if that is new."""
        if self._told != self.preferences:
            self._told = dict(self.preferences)
            self.changed(dict(self.preferences))

    def _choose(self, node: str) -> None:
        self.node = node
        self._pairs.refresh()
        self._told_anew()

    def _take(self, first: str, second: str, said: float) -> None:
        self.preferences = judged(self.preferences, self._named(first), self._named(second), said)
        self._choose(self.node)
        self._let_go()


class _Steady:
    """Whether judgements contradict each other, and the one to look at first."""

    def __init__(self, say: Words, take: Callable[[str, str, float], object]) -> None:
        self.say, self.doubt = say, cast("Doubt | None", None)
        with box("pv-consistency").props('role="status"'):
            self.two = text(say("preferences.two"), "p", "pv-muted")
            with box("pv-verdict", "p") as self.verdict:
                text(say("preferences.ratio")).classes("pv-muted")
                self.ratio = text("", "strong", "pv-figure").props(name("ratio"))
                self.words = text("")
            self.told = text("", "p", "pv-doubt").props(name("doubt"))
            self.take = button(say("preferences.take"), lambda: self._take(take), keep="take-implied")

    def show(self, judgements: Judgements) -> None:
        several, steady, self.doubt = len(judgements.items) >= 3, judgements.consistent, judgements.doubt
        self.two.set_visibility(not several)
        self.verdict.set_visibility(several)
        self.verdict.classes(replace=f"pv-verdict pv-verdict--{'good' if steady else 'warn'}")
        self.ratio.text = self.say.written(f"{judgements.ratio:.4f}")
        key = "preferences.steady" if steady else "preferences.contradict"
        self.words.text = self.say(key, limit=self.say.number(ACCEPTED))
        for element in (self.told, self.take):
            element.set_visibility(several and self.doubt is not None)
        if self.doubt is not None:
            first, second = (label_of(self.say.language, each) for each in (self.doubt.first, self.doubt.second))
            said, implied = (in_words(self.say, first, second, each) for each in (self.doubt.said, self.doubt.implied))
            self.told.text = self.say("preferences.doubt", said=said, implied=implied)

    def _take(self, take: Callable[[str, str, float], object]) -> None:
        if self.doubt is not None:
            take(self.doubt.first, self.doubt.second, nearest(self.doubt.implied))


def _shares(goals: Goals) -> dict[str, float]:
    """The weight of every node: the product of those on the way to it."""
    found = {ROOT: 1.0}
    for node, judgements in goals.nodes:
        for child, weight in judgements.weights.items():
            found[child] = found[node] * weight
    return found
