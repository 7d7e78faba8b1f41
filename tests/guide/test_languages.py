"""The guide speaks English and French: every sentence is in the knowledge, in both, with the same names filled in."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.knowledge import shipped
from paravent.knowledge.rdf import Literal
from tests.guide.conftest import THREE


def texts() -> dict[tuple[str, str], dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for subject, predicate, thing in shipped.graph():
        if isinstance(thing, Literal) and thing.language:
            found.setdefault((str(subject), str(predicate)), {})[thing.language] = str(thing)
    return found


def test_every_text_is_there_in_both_languages() -> None:
    assert [key for key, said in texts().items() if set(said) != {"en", "fr"}] == []


def test_both_languages_fill_in_the_same() -> None:
    for key, said in texts().items():
        names = {language: sorted(set(re.findall(r"\{(\w+)\}", text))) for language, text in said.items()}
        assert names["en"] == names["fr"], key


def test_french_sentences_differ_from_the_english_ones() -> None:
    """A sentence with a full stop that reads the same in both was not translated."""
    same = [key for key, said in texts().items() if said["en"] == said["fr"] and said["en"].endswith(".")]
    assert same == []


@pytest.fixture(scope="module")
def french(people: pl.DataFrame, roles: pv.Plan, scenario: pv.Context) -> pv.Guidance:
    preferences = {("precision", "usage"): 3, ("precision", "completeness"): 7, ("usage", "completeness"): 7}
    said = scenario.replace(preferences=preferences)
    return pv.guide(people, said, roles, methods=[*THREE, "samarati", "mondrian-lsd"], language="fr")


def test_a_french_guide_says_nothing_in_english(french: pv.Guidance) -> None:
    spoken = [str(french), str(french.explain(1)), str(french.explain(3)), *map(str, french.notes)]
    spoken += [each.sentence for reasons in french.dropped.values() for each in reasons]
    english = re.compile(r"\b(the|with|would|instead|rows|score of|weight|predicted|may lie|rule|is made)\b")
    assert [text for text in spoken if english.search(re.sub(r"\[know:.*?\]", "", text))] == []
    assert "se contredisent" in str(french.notes[0])
    assert "prédit :" in str(french)
    assert "arrive en position 1 sur 12" in str(french.explain(1))


def test_the_explanation_still_adds_up_in_french(french: pv.Guidance) -> None:
    told = french.explain(1)
    parts = re.findall(r"^  ([+-]\d\.\d{4})  ", str(told), re.MULTILINE)
    assert sum(map(float, parts)) == pytest.approx(told.place.score, abs=1e-4 * len(parts))


def test_a_french_process_stays_french(french: pv.Guidance, tmp_path: Path) -> None:
    french.save(tmp_path / "process.json")
    again = pv.Guidance.load(tmp_path / "process.json")
    assert str(again) == str(french)
    assert "Ce qui compose le score" in str(again.explain(1))


def test_the_questions_in_french() -> None:
    asked = pv.guide.questions(language="fr")
    assert list(asked) == list(pv.guide.QUESTIONS) == ["audience", "knowledge", "harm", "purpose"]
    assert asked["harm"].choices["suspicion"].reads == "un simple soupçon"
    assert asked["harm"].choices["suspicion"].sets == {"belief": 0.34, "gain": 0.2}
    why = pv.Situation(audience="public").why(language="fr")
    assert why["audience"].startswith("L'Agence européenne des médicaments")
    assert why["audience"].endswith("(risk = 0.09)")


def test_nothing_left_is_said_in_french(people: pl.DataFrame, roles: pv.Plan, scenario: pv.Context) -> None:
    with pytest.raises(pv.InfeasibleError, match="aucune méthode ne donne une sortie full-domain"):
        pv.guide(people, scenario.replace(output="full-domain"), roles, methods=["mondrian-median"], language="fr")


def test_a_phrase_of_the_layer_is_said(
    people: pl.DataFrame, roles: pv.Plan, scenario: pv.Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an expert says instead is said by the guide, without anything else being changed."""
    own = pv.knowledge.Layer(tmp_path / "layer.ttl")
    own.change("say-predicted", says="what we expect:")
    own.change("utility.gcp", label="Blurring")
    own.change("precision", label="Sharpness")
    monkeypatch.setenv("PARAVENT_LAYER", str(tmp_path / "layer.ttl"))
    found = pv.guide(people, scenario, roles, methods=THREE)
    assert "what we expect:" in str(found)
    assert "blurring" in str(found)
    assert "sharpness (blurring" in str(found.explain(1))


def test_the_tutorial_in_both_languages() -> None:
    english, french = pv.guide.tutorial(), pv.guide.tutorial(language="fr")
    assert [each.key for each in english] == [each.key for each in french]
    assert len(english) == 9
    assert all(len(each.text.split()) > 60 and each.about for each in (*english, *french))
    assert french[2].title == "Se cacher parmi k"
    known = pv.knowledge.load()
    assert all(known.entry(key).label for each in english for key in each.about)
