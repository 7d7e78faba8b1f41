"""The experiment on metrics: recorded results against the published ones, and the run that made them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from paravent_experiments import metrics, metrics_page, reconstructions
from paravent_experiments.results import Results
from typer.testing import CliRunner

from paravent import data
from paravent.cli.app import app
from paravent.errors import PlanError
from paravent.utility.cost import METRICS

RECORDED = Path(__file__).with_name("metrics.json")
TO_2000, TO_15000 = metrics.INTERVALS.index((3, 2000)), metrics.INTERVALS.index((3, 15_000))


@pytest.fixture(scope="module")
def results() -> Results:
    protocol = json.loads(RECORDED.read_text())["protocol"]
    return Results.open(protocol, RECORDED)


def test_the_recorded_run_is_complete(results: Results) -> None:
    others = [f"adult, {name}" for name in reconstructions.variants()]
    others += [f"voters, draw {seed}" for seed in metrics.DRAWS]
    assert set(results.parts) == {f"{table} {metric}" for table in (*metrics.TABLES, *others) for metric in METRICS}
    for metric in METRICS:
        chosen = results.parts[f"adult, {reconstructions.CHOSEN} {metric}"]
        assert chosen["average"] == results.parts[f"adult {metric}"]["average"]


def test_metrics_rank_as_published_on_small_k(results: Results) -> None:
    found, known = metrics.means(results, "adult", "average"), metrics.published()["adult"]["average"]
    ranked = sorted(found, key=lambda metric: found[metric][TO_2000])
    assert ranked == sorted(known, key=lambda metric: known[metric][TO_2000])
    voters = metrics.means(results, "voters", "average")
    ranked = sorted(voters, key=lambda metric: voters[metric][TO_2000])
    assert set(ranked[-2:]) == {"llm", "wllm"}


@pytest.mark.xfail(strict=True, reason="an expected difference: the stand-in is not the register, see the page")
def test_the_published_headline_of_the_voters(results: Results) -> None:
    """Mauger 2021, §3.4.2: height-based metrics win on the register, TOTAL first."""
    voters = metrics.means(results, "voters", "average")
    assert min(voters, key=lambda metric: voters[metric][TO_2000]) == "total"


def test_the_page_says_so_in_its_first_lines(results: Results) -> None:
    adult, voters = metrics_page.headlines(results)
    assert "wins here too" in adult
    assert "is not reproduced" in voters
    assert "TOTAL" in voters


def test_the_span_over_all_reconstructions_is_the_recorded_one(results: Results) -> None:
    for interval, at in (("[3, 2000]", TO_2000), ("[3, 15000]", TO_15000)):
        own = [
            metrics.means(results, f"adult, {name}", "alteration")["nllm"][at] for name in reconstructions.variants()
        ]
        assert (round(min(own), 2), round(max(own), 2)) == reconstructions.SPAN[interval]
    assert "chosen to fit" in reconstructions.caveat()


def test_levels_are_near_the_published_ones(results: Results) -> None:
    """Within five points, for all seven metrics on Adult; NLLM by its own alteration too."""
    known, average = metrics.published()["adult"], metrics.means(results, "adult", "average")
    for metric in METRICS:
        for at in (TO_2000, TO_15000):
            assert average[metric][at] == pytest.approx(known["average"][metric][at], abs=5), metric
    own = metrics.means(results, "adult", "alteration")["nllm"]
    assert own[TO_2000] == pytest.approx(known["own"]["3-2000"], abs=1)
    assert own[TO_15000] == pytest.approx(known["own"]["3-15000"], abs=1)
    voters, register = metrics.means(results, "voters", "average"), metrics.published()["voters"]["average"]
    for metric in METRICS:
        assert voters[metric][TO_2000] == pytest.approx(register[metric][TO_2000], abs=5), metric


@pytest.mark.parametrize("name", reconstructions.variants())
def test_reconstructed_trees_have_the_published_size(name: str) -> None:
    """Mauger 2021, Table 2.1: values, height, nodes."""
    known = {
        "age": (72, 5, 105), "sex": (2, 2, 3), "race": (5, 2, 6), "marital-status": (7, 3, 10),
        "education": (16, 4, 22), "native-country": (41, 3, 45), "workclass": (8, 3, 12), "occupation": (14, 3, 17),
        "salary-class": (2, 2, 3),
    }  # fmt: skip
    for column, tree in reconstructions.trees(name).items():
        built = data.adult_tree(column) if isinstance(tree, str) else tree.tree(column)
        assert (built.n_leaves, built.height, built.n_nodes) == known[column]
    assert set(reconstructions.trees(name)) == set(known)


def test_everything_is_lost_at_the_end_and_nothing_comes_back(results: Results) -> None:
    for table in metrics.TABLES:
        for metric, curves in metrics.curves(results, table).items():
            for criterion, curve in curves.items():
                values = [curve[k] for k in metrics.KS]
                assert values == sorted(values), (table, metric, criterion)
                assert values[-1] == pytest.approx(100)


@pytest.mark.parametrize("table", metrics.TABLES)
@pytest.mark.parametrize("criterion", ["average", "generalized", "root"])
def test_means_add_up(results: Results, table: str, criterion: str) -> None:
    """The area on [3, 15000] is that of its parts; published numbers obey this too, with 100 % at the two last k."""
    for metric, curves in metrics.curves(results, table).items():
        mean = metrics.means(results, table, criterion)[metric]
        parts = 7 * mean[0] + 90 * mean[1] + 900 * mean[2] + 9000 * mean[3]
        rest = 2500 * (curves[criterion][10_000] + curves[criterion][15_000])
        assert mean[TO_15000] * 14_997 == pytest.approx(parts + rest)
        known = metrics.published()[table][criterion][metric]
        left = known[TO_15000] * 14_997 - (7 * known[0] + 90 * known[1] + 900 * known[2] + 9000 * known[3])
        assert 50 < left / 5000 <= 100.01


def test_a_run_today_gives_what_was_recorded(results: Results) -> None:
    today = metrics.measured(*metrics.adult(), metric="nllm")
    recorded = results.parts["adult nllm"]
    assert today["merges"] == recorded["merges"]
    for criterion in metrics.CRITERIA:
        for k, value in recorded[criterion].items():
            assert today[criterion][k] == pytest.approx(value, rel=1e-12)


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "metrics.json"
    whole = json.loads(RECORDED.read_text())
    missing = whole["parts"].pop("adult total")
    kept.write_text(json.dumps(whole))
    asked = []

    def measured(*_: object, metric: str) -> object:
        asked.append(metric)
        return missing

    monkeypatch.setattr(metrics, "measured", measured)
    found = metrics.run(["adult"], results=kept)
    assert asked == ["total"]
    assert found.parts["adult total"] == missing
    assert json.loads(kept.read_text())["parts"]["adult total"] == missing


def test_results_of_something_else_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "other.json"
    for text in ("nonsense", '{"protocol": {"experiment": "metrics"}, "parts": {}}'):
        kept.write_text(text)
        with pytest.raises(PlanError, match=r"other\.json"):
            metrics.run(["adult"], results=kept)
    with pytest.raises(PlanError, match="'children'"):
        metrics.run(["children"])


def test_the_page_and_the_command(tmp_path: Path) -> None:
    kept, page = tmp_path / "metrics.json", tmp_path / "pages" / "metrics.md"
    shutil.copyfile(RECORDED, kept)
    result = CliRunner().invoke(app, ["experiment", "metrics", "--results", str(kept), "--page", str(page)])
    assert result.exit_code == 0, result.output
    assert "NLLM | 9.95 (-0.85)" in result.output
    text = page.read_text()
    assert "| NLLM, published |" in text
    for table in metrics.TABLES:
        for criterion in ("average", "generalized", "root"):
            figure = page.with_name(f"metrics-{table}-{criterion}.svg")
            assert figure.name in text
            assert figure.read_text().startswith("<svg")
    shown = (Path(__file__).parents[2] / "docs" / "experiments" / "metrics.md").read_text()
    assert text == shown, "docs/experiments/metrics.md is not what the recorded results give"
    assert metrics_page.markdown(["x"], []) == "| x |\n|---|"
