"""The experiment on techniques: every candidate keeps its promise and lies on the map."""

from __future__ import annotations

from pathlib import Path

import pytest
from paravent_experiments import techniques

import paravent as pv


@pytest.fixture(scope="module")
def few() -> pv.Table:
    return pv.read(pv.read(pv.data.adult_path()).frame.head(600))


def test_all_techniques_are_measured_alike(few: pv.Table, tmp_path: Path) -> None:
    found = techniques.run(few)
    assert list(techniques.plans(few.names)) == [entry.name for entry in found.entries]
    for entry in found.done:
        assert entry.value(techniques.RISK) is not None
        assert entry.value(techniques.UTILITY) is not None
    assert {"generalization", "microaggregation", "anatomy", "slicing"} <= {entry.name for entry in found.done}
    for entry in found.failed:  # among few people noise hides nobody, and that is no release
        assert entry.failure is not None
        assert "linked back by distance fails" in entry.failure.message
    page, figure = techniques.write(found, tmp_path / "page.md")
    assert figure.read_text(encoding="utf-8").startswith("<svg")
    assert page.read_text(encoding="utf-8").count("\n| ") == 8
