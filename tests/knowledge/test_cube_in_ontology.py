"""The cube and the ontology speak of the same things: names and limits, compared as text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paravent import knowledge
from paravent.knowledge.cube.settings import settings
from paravent.knowledge.cube.turtle import algorithm, metric_name, requirement

FOLDER = Path(str(knowledge.__file__)).parent / "ontology"
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.ttl")))
KNOWN = set(re.findall(r"^know:(\S+) a ", TEXT, re.MULTILINE))


def test_every_metric_and_criterion_is_one_of_the_ontology() -> None:
    assert [name for name in knowledge.METRICS if metric_name(name) not in KNOWN] == []
    assert [name for name in knowledge.CRITERIA if requirement(name) not in KNOWN] == []


def test_every_setting_is_an_algorithm_of_the_ontology() -> None:
    registered = set(re.findall(r'opam:registeredAs "(\w+)"', TEXT))
    found = {label: algorithm(label) for label, each in settings().items() if each.method in registered}
    assert [label for label, name in found.items() if name not in KNOWN] == []
    assert found['Mondrian(cut="infogain")'] == "mondrian-infogain"
    assert found["BottomUp()"] == "bottom-up-generalization"
    assert len(found) >= 43


@pytest.mark.parametrize("criterion", list(knowledge.CRITERIA))
def test_the_limits_are_those_of_the_ontology(criterion: str) -> None:
    entry = TEXT.split(f"know:thresholds-{requirement(criterion)} a opam:ThresholdTable")[1].split("\n\n")[0]
    bounds = re.search(r'opam:bounds "([^"]+)"', entry)
    scale = re.search(r'opam:scale "(\w+)"', entry)
    assert bounds is not None
    assert scale is not None
    assert tuple(map(float, bounds[1].split())) == knowledge.criterion(criterion).thresholds
    assert scale[1] == knowledge.criterion(criterion).gap


def test_published_numbers_are_those_of_the_ontology() -> None:
    values = re.findall(r"know:published-\S+ a opam:ExperimentalEvaluation(?:.|\n)*?opam:value (\S+) ;", TEXT)
    ours = knowledge.Cube.of([]).values["value"].to_list()
    assert sorted(map(float, values)) == sorted(ours)
