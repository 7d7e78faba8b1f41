"""The mapping of measures itself."""

import json

import pytest

from paravent.measures import Measure, Measures, as_percent


def two() -> Measures:
    return Measures(
        [
            Measure("utility.gcp", 0.0583, "Loss", "How much detail is gone.", unit="share"),
            Measure("privacy.k", 5, "k", "The smallest class.", better="neither"),
        ]
    )


def test_it_reads_like_a_dictionary() -> None:
    found = two()
    assert dict(found) == {"utility.gcp": 0.0583, "privacy.k": 5}
    assert list(found) == ["utility.gcp", "privacy.k"]
    assert "utility.dm" not in found


def test_it_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        two()["privacy.k"] = 9  # type: ignore[index]


def test_it_prints_every_name_with_its_value_and_title() -> None:
    lines = str(two()).splitlines()
    assert [line.split()[0] for line in lines] == ["utility.gcp", "privacy.k"]
    assert "5.83 %" in lines[0]
    assert "↓" in lines[0]
    assert "Loss" in lines[0]


def test_json_has_no_nan() -> None:
    found = Measures([Measure("a", float("nan"), "A", "…")])
    assert json.dumps(found.to_dict(), allow_nan=False) == '{"a": null}'
    assert found.about("a").text == "–"


def test_a_name_stands_for_one_number() -> None:
    with pytest.raises(ValueError, match="two measures"):
        Measures([*two().details(), *two().details()])


def test_under_takes_whole_words() -> None:
    found = Measures([Measure(name, 1, "", "") for name in ("risk", "risk.max", "risky.max")])
    assert list(found.under("risk")) == ["risk", "risk.max"]


@pytest.mark.parametrize(("share", "text"), [(0.0, "0 %"), (1.0, "100 %"), (0.99999, "> 99.9 %"), (1e-9, "< 0.01 %")])
def test_a_percentage_is_never_rounded_to_none_or_all(share: float, text: str) -> None:
    assert as_percent(share) == text
