"""A changed text or threshold shows wherever it is used, and nothing breaks without the knowledge."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent import knowledge

CHANGED = "Ask Ann & <Bob> before you take it."


@pytest.fixture
def layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> knowledge.Layer:
    monkeypatch.setenv("PARAVENT_LAYER", str(tmp_path / "mine.ttl"))
    return knowledge.Layer(tmp_path / "mine.ttl")


@pytest.fixture
def release() -> pv.Release:
    ages = pl.DataFrame({"age": [31, 32, 38, 39], "disease": ["flu", "ulcer", "flu", "cold"]})
    roles = {"age": pv.Quasi(pv.intervals(5, 10)), "disease": pv.Sensitive()}
    return pv.anonymize(ages, pv.Plan(roles, pv.KAnonymity(2), pv.methods.Datafly()))


def page_of(release: pv.Release, folder: Path) -> str:
    release.report(folder / "report.html")
    return (folder / "report.html").read_text(encoding="utf-8")


def test_a_report_says_how_method_and_promises_work(release: pv.Release, tmp_path: Path) -> None:
    page = page_of(release, tmp_path)
    assert "<dt>Datafly</dt><dd>Generalizes the attribute with most different values" in page
    assert "<dt>k-anonymity</dt>" in page


def test_a_changed_help_text_is_in_the_report(release: pv.Release, layer: knowledge.Layer, tmp_path: Path) -> None:
    layer.change("datafly", help=CHANGED)
    assert knowledge.help_text("datafly") == CHANGED
    assert CHANGED in str(knowledge.show("Datafly"))
    page = page_of(release, tmp_path)
    assert "Ask Ann &amp; &lt;Bob&gt; before you take it." in page
    assert CHANGED not in page
    layer.undo()
    assert "Ask Ann" not in page_of(release, tmp_path)


def test_a_report_needs_no_knowledge(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["rdflib"] = None
import polars as pl
import paravent as pv
ages = pl.DataFrame({"age": [31, 32, 38, 39]})
plan = pv.Plan({"age": pv.Quasi(pv.intervals(5, 10))}, pv.KAnonymity(2), pv.methods.Datafly())
pv.anonymize(ages, plan).report(sys.argv[1])
assert pv.knowledge.criterion("precision").intensity(0.10, 0.13) == 4
"""
    path = tmp_path / "report.html"
    (tmp_path / "knowledge.ttl").write_text("", encoding="utf-8")
    environment = {**os.environ, "PARAVENT_LAYER": str(tmp_path / "knowledge.ttl")}
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, env=environment)
    page = path.read_text(encoding="utf-8")
    assert "Datafly" in page
    assert "How it works" not in page


def test_an_intensity_takes_the_thresholds_of_the_layer(layer: knowledge.Layer) -> None:
    compare = knowledge.criterion("precision").intensity
    assert compare(0.10, 0.13) == 4  # three points: above 2 of ours
    layer.threshold("precision", (5, 10, 20, 30, 40, 50, 60, 70))
    assert compare(0.10, 0.13) == 1
    assert compare(0.10, 0.17) == 2
    layer.undo()
    assert compare(0.10, 0.13) == 4


def test_a_broken_layer_leaves_our_thresholds(layer: knowledge.Layer) -> None:
    layer.path.write_text("this is no Turtle", encoding="utf-8")
    assert knowledge.criterion("precision").intensity(0.10, 0.13) == 4
