"""What is said of releases that do not generalize, or whose cells may be false: page, cautions, measures, command."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.plan.truth import Truth, truths
from paravent.treatments import Noise, Swap, TopCode

ROWS = 120
_DICE = np.random.default_rng(7)
PEOPLE = pl.DataFrame(
    {
        "age": _DICE.integers(18, 80, ROWS),
        "zip": _DICE.choice(list("ABCD"), ROWS),
        "pay": _DICE.normal(100, 20, ROWS).round(),
        "disease": _DICE.choice(["flu", "cold", "ulcer", "burn", "gout"], ROWS),
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "pay": pv.Insensitive(), "disease": pv.Sensitive()}
NOISY = pv.Plan(ROLES, [pv.LinkageRisk(0.5)], treat=[Noise(("age", "pay"), scale=0.3)], person=None)
IN_GROUPS = pv.Plan(ROLES | {"pay": pv.Drop()}, [pv.LDiversity(3, "disease")], pv.methods.Anatomy(l=3), person=None)
SWAPPED = pv.Plan(ROLES, [pv.KAnonymity(3)], treat=[Swap("age", kind="rank", window=0.1)], person=None)
CODED = pv.Plan(ROLES, [pv.KAnonymity(3)], treat=[TopCode("age", above=70)], person=None)


@pytest.fixture(scope="module")
def releases() -> Callable[[pv.Plan], pv.Release]:
    made: dict[str, pv.Release] = {}

    def release(plan: pv.Plan) -> pv.Release:
        return made.setdefault(repr(plan), pv.anonymize(PEOPLE, plan))

    return release


@pytest.fixture(scope="module")
def page(releases: Callable[[pv.Plan], pv.Release], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """The text of a release's page up to its appendix."""

    def text(plan: pv.Plan) -> str:
        path = tmp_path_factory.mktemp("page") / "report.html"
        releases(plan).report(path)
        body = path.read_text(encoding="utf-8")
        body = re.sub(r"<svg.*?</svg>", "", body[body.index("<main>") : body.index('id="appendix"')], flags=re.DOTALL)
        return " ".join(re.sub(r"<[^>]*>", " ", body).split())

    return text


def test_what_a_cell_says() -> None:
    def of(plan: pv.Plan) -> dict[str, str]:
        return {name: truth.name for name, truth in truths(plan, PEOPLE.columns).items()}

    assert of(NOISY) == {"age": "PERTURBED", "zip": "AS_IT_IS", "pay": "PERTURBED", "disease": "AS_IT_IS"}
    assert of(IN_GROUPS) == {"age": "AS_IT_IS", "zip": "AS_IT_IS", "disease": "GROUPED"}
    assert of(SWAPPED) == {"age": "PERTURBED", "zip": "LABEL", "pay": "AS_IT_IS", "disease": "AS_IT_IS"}
    assert of(CODED) == {"age": "LABEL", "zip": "LABEL", "pay": "AS_IT_IS", "disease": "AS_IT_IS"}
    assert of(SWAPPED.replace(treat=(), method=pv.methods.MDAV()))["age"] == "AVERAGE"


def test_measures_of_look_alikes_say_nothing_where_cells_may_be_false(
    releases: Callable[[pv.Plan], pv.Release],
) -> None:
    found = releases(NOISY).measure("relinking")
    for name in ("risk.prosecutor.max", "risk.uniques", "risk.attribute.disclosed.disease", "utility.gcp"):
        assert name not in found
        assert "may be false" in found.absent[name]
    assert found["risk.relinked.distance"] == pytest.approx(
        found["privacy.linkage.distance"] * (1 - 1 / ROWS) + 1 / ROWS, abs=1e-9
    )
    assert found["risk.before.prosecutor.max"] == 1


def test_class_models_bound_the_risk_whatever_cells_say(releases: Callable[[pv.Plan], pv.Release]) -> None:
    """Nobody is surer than one in three which row is whose: where they are led, three rows look alike."""
    found = releases(SWAPPED).measure()
    assert found["risk.prosecutor.max"] == pytest.approx(1 / 3)
    assert "utility.gcp" in found.absent


def test_statistics_compare_with_the_original_not_with_what_treatments_left(
    releases: Callable[[pv.Plan], pv.Release],
) -> None:
    release = releases(NOISY)
    assert release.kept is not None
    before, after = PEOPLE[release.kept], release.frame
    change = before["age"].to_numpy() - after["age"].to_numpy()
    assert release.measure()["utility.sse"] == pytest.approx(
        100 * float((change**2).sum()) / float(((PEOPLE["age"] - PEOPLE["age"].mean()) ** 2).sum())  # type: ignore[operator]
    )
    same = sum(int((before[name] == after[name]).sum()) for name in PEOPLE.columns)
    assert release.measure()["utility.distortion"] == pytest.approx(1 - same / (ROWS * 4))
    quasi = sum(int((before[name] != after[name]).sum()) for name in ("age", "zip"))
    assert release.measure()["utility.cells.changed"] == pytest.approx(quasi / (ROWS * 2))
    old, new = (dict(frame["age"].value_counts().iter_rows()) for frame in (PEOPLE, after))
    moved = sum(abs(old.get(age, 0) - new.get(age, 0)) for age in {*old, *new}) / 2 / ROWS
    assert release.measure()["utility.shift.age"] == pytest.approx(moved)
    alone = PEOPLE.group_by("age", "zip").len().filter(pl.col("len") == 1).height
    assert release.measure()["risk.before.uniques"] == pytest.approx(alone / ROWS)


def test_the_page_of_perturbed_numbers(page: Callable[..., str], releases: Callable[[pv.Plan], pv.Release]) -> None:
    said = page(NOISY)
    assert "Cells of age may be false of their rows: whoever looks for a person" in said
    linked = releases(NOISY).measure("relinking").about("risk.relinked.distance").text
    assert f"finds the right one for {linked} of the rows" in said
    assert "Measured on the finished tables, beside the original" in said
    assert "finds at least 1 row" not in said
    assert "Detail lost" not in said.split("Approval")[0].split("What it cost")[0]
    assert "is not told: cells of &#39;age&#39; may be false" in said
    assert "noise (Noise(" in said
    assert Truth.PERTURBED.value in said
    assert "is certain for" not in said  # no homogeneity of groups that are none


def test_the_page_of_groups(page: Callable[..., str]) -> None:
    said = page(IN_GROUPS)
    assert "Whoever knows a person&#39;s age and zip finds their row: these columns are not generalized" in said
    assert "Only which disease is whose is hidden: nobody can be surer of a person&#39;s disease than 33.3 %" in said
    assert "The release has 2 tables" in said
    assert "A loss of detail does not tell it: quasi-identifiers are not generalized" in said


def test_the_page_of_classes_made_of_false_cells(page: Callable[..., str]) -> None:
    said = page(SWAPPED)
    assert "may be led to others by it, for cells of age may be false of their rows; at least 3 rows look alike" in said
    assert "Derived from the finished tables" in said


def test_the_page_of_coded_columns(page: Callable[..., str]) -> None:
    said = page(CODED)
    assert "counted from what treatments left of them" in said
    assert "top coding (TopCode(" in said


def test_cautions_name_what_was_measured(releases: Callable[[pv.Plan], pv.Release]) -> None:
    kinds = {caution.kind: caution for caution in releases(NOISY).cautions}
    assert kinds["no-k"].title == "Who could be found was measured, not proven"
    assert kinds["false-cells"].columns == ("age", "pay")
    assert "given-away" not in kinds
    nothing = {caution.kind: caution for caution in releases(NOISY.replace(protect=[])).cautions}
    assert nothing["no-promise"].serious
    assert nothing["no-k"].title == "Nothing bounds who could be found"


def test_the_command_line_tells_what_was_measured(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    call = ["anonymize", str(tmp_path / "people.csv"), "-q", "age,zip", "-s", "disease", "--insensitive", "pay"]
    call += ["--protect", "LinkageRisk(0.5)", "--treat", "Noise('age', scale=0.3)", "--no-person"]
    said = CliRunner().invoke(app, call).output
    assert "What holds, measured on the finished tables, beside the original" in said
    assert "The risk of being found, measured" in said
    assert "The risk of being found, before and after" not in said
    assert "detail lost" not in said


def test_queries_are_answered_by_what_was_before_treatments(releases: Callable[[pv.Plan], pv.Release]) -> None:
    """Perturbed ages give other counts than the original's; published as they are, the same."""
    noisy = releases(NOISY).measure("queries")["utility.queries.are"]
    plain = pv.anonymize(PEOPLE, NOISY.replace(protect=[], treat=())).measure("queries")["utility.queries.are"]
    assert noisy > 0.01
    assert plain == pytest.approx(0, abs=1e-12)
