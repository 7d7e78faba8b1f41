"""Every text of the page is there in both languages, and says the same things."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

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


def test_one_is_not_many() -> None:
    assert Words("en")("trees.people", n=1) == "1 row"
    assert Words("en")("trees.people", n=2500) == "2,500 rows"
    assert Words("fr")("trees.people", n=2500) == "2\u202f500 lignes"
