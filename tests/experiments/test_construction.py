"""The experiment on constructions: recorded results against the published ones, and the run that made them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from paravent_experiments import construction
from paravent_experiments.metrics import INTERVALS, KS
from paravent_experiments.results import Results
from typer.testing import CliRunner

from paravent.cli.app import app
from paravent.errors import PlanError

RECORDED = Path(__file__).with_name("construction.json")
JUDGED = [INTERVALS.index((3, 2000)), INTERVALS.index((3, 15_000))]


@pytest.fixture(scope="module")
def results() -> Results:
    return Results.open(json.loads(RECORDED.read_text())["protocol"], RECORDED)


def test_the_recorded_run_is_complete(results: Results) -> None:
    assert set(results.parts) == {f"adult {name} {k}" for name in construction.NAMES for k in KS}


def test_splitting_is_never_worse_and_convergent_algorithms_are_best(results: Results) -> None:
    found, curves = construction.means(results, "adult"), construction.curves(results, "adult")
    assert all(curves["GkPk"][k] <= curves["GkAA"][k] for k in KS)
    for at in JUDGED:
        assert found["GkPk"][at] < found["GkAA"][at]
        best = min(construction.FIVE, key=lambda name: found[name][at])
        assert best in construction.CONVERGENT
    first = JUDGED[0]
    assert max(found[name][first] for name in construction.CONVERGENT) < min(
        found["GkPk"][first], found["G3kPk"][first]
    )


def test_our_best_is_further_below_gkaa_than_the_published_best(results: Results) -> None:
    found, known = construction.means(results, "adult"), construction.published()["adult"]
    for at in JUDGED:
        published = min(values[at] for values in known.values()) - known["GkAA"][at]
        assert found[construction.BEST][at] - found["GkAA"][at] < published
        assert found[construction.BEST][at] <= min(found[name][at] for name in construction.FIVE)


def test_nothing_is_below_the_bound(results: Results) -> None:
    bounds, curves = construction.bounds(results, "adult"), construction.curves(results, "adult")
    assert set(bounds) == set(KS)
    for curve in curves.values():
        assert all(curve[k] >= bounds[k] for k in KS)
    assert all(gap >= 0 for gap in construction.gaps(results, "adult").values())


def test_published_means_add_up() -> None:
    """The composition of the mean on [3, 15000] by its parts; what is left are the two last k."""
    for table in construction.published().values():
        for mean in table.values():
            left = mean[5] * 14_997 - (7 * mean[0] + 90 * mean[1] + 900 * mean[2] + 9000 * mean[3])
            assert 150 < left / 2500 <= 200.01


def test_a_run_today_gives_what_was_recorded(results: Results) -> None:
    bench = construction.Bench("adult")
    for name, k in (("GkAA", 100), ("GkPk", 100), ("G3kPk", 1000), ("G2kPkConv", 5000)):
        recorded = results.parts[f"adult {name} {k}"]
        today = bench.measured(name, k)
        assert today["alteration"] == pytest.approx(recorded["alteration"], rel=1e-12)
        assert today.get("rounds") == recorded.get("rounds")


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "construction.json"
    whole = json.loads(RECORDED.read_text())
    missing = whole["parts"].pop("adult Polish 500")
    kept.write_text(json.dumps(whole))
    asked = []

    def measured(bench: construction.Bench, algorithm: str, k: int) -> object:
        asked.append((bench.name, algorithm, k))
        return missing

    monkeypatch.setattr(construction.Bench, "measured", measured)
    found = construction.run(["adult"], results=kept)
    ranked = min(construction.FIVE, key=lambda name: whole["parts"][f"adult {name} 500"]["alteration"])
    assert asked == [("adult", ranked, 500), ("adult", "Polish", 500)]  # the table to begin with is made again
    assert found.parts["adult Polish 500"] == missing
    with pytest.raises(PlanError, match="'children'"):
        construction.run(["children"])
    with pytest.raises(PlanError, match="effort"):
        construction.run(["adult"], effort="much")  # type: ignore[arg-type]


def test_the_page_and_the_command(tmp_path: Path) -> None:
    kept, page = tmp_path / "construction.json", tmp_path / "pages" / "construction.md"
    shutil.copyfile(RECORDED, kept)
    result = CliRunner().invoke(app, ["experiment", "construction", "--results", str(kept), "--page", str(page)])
    assert result.exit_code == 0, result.output
    assert "points below GkAA" in result.output
    text = page.read_text()
    assert "no table below" in text
    figure = page.with_name("construction-adult.svg")
    assert figure.name in text
    assert figure.read_text().startswith("<svg")
    shown = (Path(__file__).parents[2] / "docs" / "experiments" / "construction.md").read_text()
    assert text == shown, "docs/experiments/construction.md is not what the recorded results give"
