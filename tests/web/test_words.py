"""Every text of the page is there in both languages, and says the same things."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import polars as pl
import pytest

import paravent as pv
from paravent.errors import InfeasibleError
from paravent.web.words import Words, texts

SOURCE = Path(__file__).parents[2] / "src" / "paravent" / "web"


def named(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(texts()))
def test_a_text_is_there_in_both_languages_with_the_same_places(key: str) -> None:
    english, french = texts()[key]
    assert english.strip()
    assert french.strip()
    assert named(english) == named(french)


def test_a_key_lives_in_the_module_that_it_names_or_is_shared() -> None:
    parts = {key.split(".")[0] for key in texts()}
    modules = {path.stem for path in (SOURCE / "words").glob("*.py")}
    assert parts - modules <= {"job", "when", "number"}


def test_every_key_that_a_screen_says_is_known() -> None:
    """Keys written out in the code; those put together from parts are met when their screens are shown."""
    said = re.compile(r"""say\(\s*"([a-z_]+(?:\.[a-z_]+)+)\"""")
    unknown = {
        f"{path.name}: {key}"
        for path in SOURCE.rglob("*.py")
        for key in said.findall(path.read_text(encoding="utf-8"))
        if key not in texts()
    }
    assert unknown == set()


def test_every_parameter_of_direct_mode_has_its_name() -> None:
    import dataclasses

    from paravent import registry

    own = [
        each
        for kind in ("method", "model", "treatment")
        for each in registry.classes(kind).values()
        if each.__module__.startswith("paravent.")
    ]
    named_so = {field.name for each in own for field in dataclasses.fields(each) if field.init}
    assert len(named_so) > 100
    assert {name for name in named_so if f"parameters.{name}" not in texts()} == set()
    assert Words("fr")("parameters.labels") == "étiquettes (labels)"


def test_one_is_not_many() -> None:
    assert Words("en")("trees.people", n=1) == "1 row"
    assert Words("en")("trees.people", n=2500) == "2,500 rows"
    assert Words("fr")("trees.people", n=2500) == "2\u202f500 lignes"


def test_what_the_library_promises_is_said_in_french() -> None:
    from paravent import registry
    from paravent.privacy.promise import KNOWN_BY
    from paravent.web.sentences import OUT_OF_MEMORY

    french = Words("fr")
    own = {name: model for name, model in registry.classes("model").items() if model.__module__.startswith("paravent.")}
    assert len(own) > 10
    for name, model in own.items():  # and not those that other tests add
        for sentence in (model.protects, model.leaves_open):  # type: ignore[attr-defined]
            said = french.said(sentence)
            assert said is not None, f"{name}: {sentence}"
            assert said != sentence
    assert None not in [french.said(each) for each in (*KNOWN_BY.values(), OUT_OF_MEMORY)]
    assert french.said("Something nobody has put into French.") is None
    assert Words("en").said("Anything.") == "Anything."


def test_refusals_of_the_library_are_said_in_french(tmp_path: Path) -> None:
    from paravent.private.accounting import Cost

    people = pv.read(pl.DataFrame({"age": [30, 40, 50], "ill": ["a", "b", "c"]}))
    budget = pv.Budget(tmp_path / "ledger", epsilon=0.25, delta=1e-6)
    refused = []
    with pytest.raises(InfeasibleError) as found:
        budget.spend("how old they are", Cost.pure(0.5))
    refused.append(str(found.value))
    plan = pv.Plan(columns={"age": pv.Quasi()}, protect=[pv.KAnonymity(5)], method=pv.methods.Mondrian())
    with pytest.raises(InfeasibleError) as found:
        pv.anonymize(people, plan)
    refused.append(str(found.value))
    for sentence in refused:
        assert Words("fr").said(sentence) is not None, sentence
