"""What the library says is French on a French page: the sentences of its source, and some that it has said."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import paravent as pv
from paravent.comparison.advice import advice
from paravent.knowledge.named import named
from paravent.plan import from_document
from paravent.profiling.lexicon import concepts
from paravent.profiling.patterns import PATTERNS
from paravent.profiling.vocabulary import vocabularies
from paravent.web.analysis import analysis_of
from paravent.web.words import Words
from paravent.web.words.library import FOLDER, in_french
from paravent.web.words.library.catalogue import read
from tools.french import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOGUES = {path.stem: read(path) for path in sorted(FOLDER.glob("*.po"))}
ENGLISH = re.compile(r"\b(the|of|and|or|with|that|are|rows|values|people|which|from|not|into)\b")


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\d+)", text))


SENTENCES = sentences()


def test_the_source_is_full_of_sentences() -> None:
    assert sum(map(len, SENTENCES.values())) > 1500
    assert len(SENTENCES) > 15


@pytest.mark.parametrize("room", SENTENCES)
def test_every_sentence_of_the_room_is_there_in_french(room: str) -> None:
    wanted = SENTENCES[room]
    known = {english for entries in CATALOGUES.values() for english, french in entries.items() if french}
    assert [each for each in wanted if each not in known] == [], "run python -m tools.french, and write their French"


@pytest.mark.parametrize("name", CATALOGUES)
def test_the_french_puts_in_nothing_that_the_english_has_not(name: str) -> None:
    for english, french in CATALOGUES[name].items():
        assert holes(french) <= holes(english), english


def test_a_catalogue_holds_what_the_source_says() -> None:
    source = {each for room in SENTENCES.values() for each in room}
    for name, entries in CATALOGUES.items():
        if name not in ("composed", "concepts"):
            assert [each for each in entries if each not in source] == [], f"{name}: run python -m tools.french"


def test_what_a_column_may_hold_is_named_in_french() -> None:
    things = {each.title for each in chain(concepts(), PATTERNS, vocabularies())}
    assert len(things) > 60
    for thing in things:
        said = in_french(f"the header names {thing}")
        assert said is not None
        assert not ENGLISH.search(said), said


def test_one_sentence_continues_another() -> None:
    said = Words("fr").said("the header names an age, and the numbers fit one")
    assert said == "l’en-tête nomme un âge, et les nombres conviennent"
    assert Words("fr").said("nobody knows this, and the numbers fit one") is None
    assert Words("fr").said("ages from 17 to 90: intervals of 5, 10, 20 years") == (
        "âges de 17 à 90 : intervalles de 5, 10, 20 ans"
    )


def test_of_two_sentences_that_fit_the_one_is_meant_that_leaves_less_english() -> None:
    said = Words("fr").said("Whoever knows a person's age, town and sex finds at least 5 rows that fit equally well.")
    assert said == "Qui connaît d’une personne age, town et sex trouve au moins 5 lignes qui conviennent aussi bien."


def test_every_question_to_the_knowledge_is_asked_in_french() -> None:
    for question in named().values():
        french = in_french(question.asks)
        assert french is not None, question.asks
        assert not ENGLISH.search(french), french


def people() -> pl.DataFrame:
    towns = ("Paris", "paris ", "Lyon", "Nice")
    return pl.DataFrame(
        {
            "patient_id": [f"P{i // 2:04}" for i in range(120)],
            "Âge": [20 + i * 7 % 60 for i in range(120)],
            "sex": ["f" if i % 3 else "m" for i in range(120)],
            "town": [towns[i % 4] for i in range(120)],
            "email": [f"someone{i}@example.org" for i in range(120)],
            "salary": [1000.5 + 13 * (i * i % 97) for i in range(120)],
            "born": [f"{1950 + i % 40}-0{1 + i % 9}-11" for i in range(120)],
            "disease": [("flu", "ulcer", "cold", None)[i % 4] for i in range(120)],
        }
    )


def told() -> Iterator[str]:
    """What a profile and releases of a small table say."""
    table = pv.read(people())
    profile = pv.profile(table)
    yield from (column.proposal.reason for column in profile.columns)
    salary = ["1000", "n/a", *(str(1000 + i) for i in range(90)), *["n/a"] * 20]
    yield from map(str, pv.read(pl.DataFrame({"salary": salary, "town": ["N/A", "Nice"] * 56})).notes)
    columns = {
        "patient_id": pv.Identifier(),
        "email": pv.Drop(),
        "born": pv.Drop(),
        "salary": pv.Insensitive(),
        "Âge": pv.Quasi(pv.intervals(5, 10, 20)),
        "sex": pv.Quasi(),
        "town": pv.Quasi(),
        "disease": pv.Sensitive(missing="own value"),
    }
    for protect in ([pv.KAnonymity(2)], [pv.KAnonymity(10), pv.LDiversity(2, "disease")], []):
        plan = pv.Plan(columns=columns, protect=protect, person="patient_id", method=pv.methods.Mondrian())
        for caution in pv.anonymize(table, plan).cautions:
            yield from (caution.title, caution.sentence, caution.remedy)
    numbers = {**columns, "Âge": pv.Quasi(), "salary": pv.Quasi(), "sex": pv.Insensitive(), "town": pv.Drop()}
    for own, method in ((columns, pv.methods.Mondrian()), (numbers, pv.methods.MDAV())):
        protect = [pv.KAnonymity(3), pv.LDiversity(2, "disease"), pv.TCloseness(0.6, "disease")]
        plan = pv.Plan(columns=own, protect=protect, person=None, method=method, suppression=0.5)
        release = pv.anonymize(table, plan)
        yield from analysed(analysis_of(release))


def compared() -> Iterator[str]:
    """What comparisons and refusals of a small table say: sentences that are put together from parts."""
    columns = {"age": pv.Quasi(pv.intervals(5, 10, 20)), "sex": pv.Quasi(), "disease": pv.Sensitive()}
    table = pv.read(people().select(pl.col("Âge").alias("age"), "sex", pl.col("disease").fill_null("none")))
    plans = {
        f"k={k}": pv.Plan(columns=columns, protect=[pv.KAnonymity(k)], method=pv.methods.Mondrian()) for k in (2, 5, 20)
    }
    found = pv.compare(table, plans)
    yield from found.sentences
    yield advice(found)
    for wrong in (
        {"columns": {"age": {"role": "quasy"}}, "protect": []},
        {"columns": {"age": {"role": "quasi", "wieght": 2}}, "protect": []},
        {"columns": {"age": {"role": "quasi"}}, "protect": [{"model": "KAnonymity"}]},
        {"columns": {"age": {"role": "quasi"}}, "protect": [{"model": "KAnonymity", "k": "five"}]},
    ):
        with pytest.raises(pv.ParaventError) as refused:
            from_document(wrong)
        yield str(refused.value)


def test_what_comparisons_and_refusals_say_has_its_french() -> None:
    said = [each for each in dict.fromkeys(compared()) if each]
    assert len(said) > 6
    for sentence in said:
        french = in_french(sentence)
        assert french is not None, sentence
        assert not ENGLISH.search(re.sub(r"«[^»]*»|'[^']*'", "", french)), french


def test_what_nobody_has_put_into_french_is_not_half_french() -> None:
    """A sentence of an expert that a common form of words fits stays whole, and is marked as English."""
    for own in ("the plan: ask the ethics board first", "column 'age': see our handbook", "weigh it and write it down"):
        assert in_french(own) is None, own


def analysed(found: dict[str, Any]) -> Iterator[str]:
    """What the screen of analysis says of a release."""
    yield from (promise["demand"] for promise in found["promises"])
    yield from (*found["sentences"], found["how"], *found["untried"])
    for each in (*found["measures"], *found["risk"]):
        yield from (each["title"], each["meaning"])
    for each in found["attacks"]:
        yield from (each["title"], each["brings"], each["stopped_by"])


def test_what_a_profile_and_a_release_say_has_its_french() -> None:
    said = [each for each in dict.fromkeys(told()) if each]
    assert len(said) > 150
    for sentence in said:
        french = in_french(sentence)
        assert french is not None, sentence
        assert not ENGLISH.search(re.sub(r"«[^»]*»", "", french)), french
