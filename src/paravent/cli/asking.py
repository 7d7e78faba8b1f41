"""Asking one question at a time: an empty line takes what is proposed, `?` gives help, `<` goes back, `q` ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from paravent.cli.console import Console
from paravent.errors import PlanError
from paravent.near import suggest


@dataclass(frozen=True)
class Ask:
    """A question: `name` of what it sets, `asks` and `help` in words, `choices` by the word that is typed, or `read`,
    which makes a value of the text. `proposed` is taken for an empty line. `when` says whether it is asked at all after
    the answers so far; `keys` says what may be typed otherwise."""

    name: str
    asks: str
    help: str
    proposed: str
    choices: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[str], Any] = str
    keys: str = "An empty line takes what is in brackets, < goes back, q ends."
    when: Callable[[Mapping[str, Any]], bool] = lambda answers: True  # noqa: ARG005


def ask_all(console: Console, questions: Sequence[Ask]) -> dict[str, Any]:
    """Ask the questions in order, and give the answers by name."""
    answers: dict[str, Any] = {}
    asked: list[int] = []
    place = 0
    while place < len(questions):
        question = questions[place]
        if not question.when(answers):
            answers.pop(question.name, None)
            place += 1
            continue
        said = _ask(console, question, number=len(asked) + 1)
        if said == "<":
            if asked:
                place = asked.pop()
            continue
        answers[question.name] = _value(question, said)
        asked.append(place)
        place += 1
    return answers


def _ask(console: Console, question: Ask, number: int) -> str:
    console.heading(f"{number}. {question.asks}")
    for word, reads in question.choices.items():
        console.say(f"   {word:<16} {reads}")
    while True:
        said = typer.prompt(f"   [{question.proposed}]", default="", show_default=False, prompt_suffix=" > ").strip()
        if said == "q":
            raise typer.Abort
        if said == "?":
            console.say(f"   {question.help}", f"   {question.keys}")
            continue
        if said == "<":
            return "<"
        try:
            _value(question, said)
        except (PlanError, ValueError) as error:
            console.say(f"   {error}")
            continue
        return str(said)


def _value(question: Ask, said: str) -> Any:
    text = said or question.proposed
    if question.choices:
        if text not in question.choices:
            raise PlanError(f"there is no answer {text!r}. {suggest(text, question.choices)}")
        return text
    return question.read(text)
