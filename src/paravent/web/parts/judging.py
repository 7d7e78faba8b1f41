"""Judging: pairs of criteria compared on sliders, with the weights that follow and what contradicts what, as one drags.

On the left the tree of criteria with the weight of each, on the right the pairs of the node that is chosen. A slider in
the middle says that both matter alike; eight steps to either side are the scale of AHP.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import combinations

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from paravent.guide.deciding.judgements import ACCEPTED, Doubt, nearest
from paravent.guide.goals import ROOT, Goals
from paravent.web.guiding.preferences import Pair, Pairs, judged, suited
from paravent.web.parts.bars import BEGINS_AT, bar, keep, name
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
    """The two panes. `changed` gets the preferences when a slider is let go."""

    def __init__(
        self,
        say: Words,
        use: str,
        preferences: Pairs,
        changed: Callable[[dict[Pair, float]], object],
        *,
        live: bool,
        narrow: bool = False,
    ):
        self.say, self.use, self.changed, self.live = say, use, changed, live
        self.usage = next((name for name in Goals.of(use, {}).children["quality"][2:]), None)
        self.preferences = suited(use, preferences)
        self._told = dict(self.preferences)
        self.node = ROOT
        self._sentences: dict[Pair, TextElement] = {}
        with box("pv-judging" + " pv-judging--narrow" * narrow):
            with box("pv-judging-tree", "section") as tree:
                labelled(tree, say("preferences.tree"))
                text(say("preferences.tree"), "h2")
                self._tree()
            with box("pv-judging-pairs", "section") as pairs:
                labelled(pairs, say("preferences.pairs"))
                self._pairs()
                self._consistency()

    @property
    def goals(self) -> Goals:
        return Goals.of(self.use, self.preferences)

    def _named(self, name: str) -> str:
        """The name under which preferences are kept: that of the use is `usage`, so that it outlives a change of it."""
        return "usage" if name == self.usage else name

    @ui.refreshable_method
    def _tree(self) -> None:
        goals = self.goals
        shares = _shares(goals)
        with box("pv-goal-tree", "ul"):
            self._branch(goals, ROOT, shares)

    def _branch(self, goals: Goals, node: str, shares: Mapping[str, float]) -> None:
        with box("", "li"):
            inner = node in goals.children
            label = label_of(self.say.language, node)
            if inner:
                count = len(goals.children[node])
                button = ui.element("button").classes("pv-goal-node").props('type="button"')
                if node == self.node:
                    button.classes("pv-is-chosen").props('aria-current="true"')
                button.on("click", lambda _, node=node: self._choose(node))
                button.props(keep(f"node-{node}"))
                with button:
                    text(label, "span", "pv-goal-label")
                    text(self.say("preferences.parts", count=count), "span", "pv-goal-note")
            else:
                with box("pv-goal-leaf"):
                    text(label, "span", "pv-goal-label")
            if node != ROOT and self.live:
                with box("pv-goal-weight"):
                    bar(shares[node])
                    text(f"{100 * shares[node]:.1f} %", "span", "pv-figure").props(name(f"weight-{self._named(node)}"))
            if inner:
                with box("", "ul"):
                    for child in goals.children[node]:
                        self._branch(goals, child, shares)

    @ui.refreshable_method
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
        if self.live:
            self._tree.refresh()
            self._consistency.refresh()

    def _let_go(self) -> None:
        """Tell what is preferred now, if that is new."""
        if self._told != self.preferences:
            self._told = dict(self.preferences)
            self.changed(dict(self.preferences))

    def _choose(self, node: str) -> None:
        self.node = node
        self._tree.refresh()
        self._pairs.refresh()
        self._consistency.refresh()

    @ui.refreshable_method
    def _consistency(self) -> None:
        if not self.live:
            return
        judgements = self.goals.judgements(self.node)
        with box("pv-consistency").props('role="status"'):
            if len(judgements.items) < 3:
                text(self.say("preferences.two"), "p", "pv-muted")
                return
            steady = judgements.consistent
            with box("pv-verdict pv-verdict--good" if steady else "pv-verdict pv-verdict--warn", "p"):
                text(self.say("preferences.ratio")).classes("pv-muted")
                text(f"{judgements.ratio:.4f}", "strong", "pv-figure").props(name("ratio"))
                text(self.say("preferences.steady" if steady else "preferences.contradict", limit=f"{ACCEPTED:g}"))
            if judgements.doubt is not None:
                self._doubt(judgements.doubt)

    def _doubt(self, doubt: Doubt) -> None:
        first, second = (label_of(self.say.language, each) for each in (doubt.first, doubt.second))
        implied = nearest(doubt.implied)
        said, other = in_words(self.say, first, second, doubt.said), in_words(self.say, first, second, implied)
        text(self.say("preferences.doubt", said=said, implied=other), "p", "pv-doubt").props(name("doubt"))
        button(
            self.say("preferences.take"), lambda: self._take(doubt.first, doubt.second, implied), keep="take-implied"
        )

    def _take(self, first: str, second: str, said: float) -> None:
        self.preferences = judged(self.preferences, self._named(first), self._named(second), said)
        self._choose(self.node)
        self._let_go()


def _shares(goals: Goals) -> dict[str, float]:
    """The weight of every node: the product of those on the way to it."""
    found = {ROOT: 1.0}
    for node, judgements in goals.nodes:
        for child, weight in judgements.weights.items():
            found[child] = found[node] * weight
    return found
