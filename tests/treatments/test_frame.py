"""The place of treatments in a plan: its text, what it may not do, what is checked and kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import paravent as pv
from paravent.cli.app import app
from paravent.errors import PlanError, UnsafeReleaseError
from paravent.plan.treat import _column
from paravent.published import Drawn, Permuted
from paravent.treatments import OnColumns, Treated, Work

PEOPLE = pl.DataFrame(
    {
        "age": [31, 32, 38, 39, 45, 47, 76, 81],
        "zip": ["A", "A", "B", "B", "A", "B", "A", "B"],
        "pay": [10, 20, 20, 10, 30, 40, 40, 30],
        "disease": ["flu", "cold", "flu", "ulcer", "cold", "flu", "ulcer", "cold"],
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "pay": pv.Insensitive(), "disease": pv.Sensitive()}
TOP = pv.treatments.TopCode("age", above=75)


@dataclass(frozen=True, repr=False)
class ToyNoise(OnColumns):
    """Adds a number to every cell; `lies` says that cells were only permuted, `forgets` changes another column."""

    lies: bool = False
    forgets: bool = False

    title: ClassVar[str] = "toy noise"
    source: ClassVar[str] = "a test"
    coarsens = False  # type: ignore[assignment]

    def check(self, table: pv.Table, roles: Mapping[str, Any]) -> None:  # noqa: ARG002
        for name in self.columns:
            if not table.kind(name).is_numeric:
                raise PlanError(f"ToyNoise: column {name!r} is {table.kind(name)}. Name a column of numbers.")

    def run(self, work: Work) -> Treated:
        kind = Permuted if self.lies else Drawn
        cells = {name: kind(work.cells(name) + work.rng.normal(0, 3, len(work.table))) for name in self.columns}
        return Treated({"zip": cells[self.columns[0]]} if self.forgets else cells, figures={"scale": 3})


def plan(*treat: pv.treatments.Treatment, **more: Any) -> pv.Plan:
    return pv.Plan(**{"columns": ROLES, "protect": [pv.KAnonymity(2)], "treat": treat, "person": None, **more})


def test_a_plan_says_its_treatments_in_every_form(tmp_path: Path) -> None:
    wanted = plan(TOP, pv.treatments.TopCode(("pay",), share=0.25, replace="limit"))
    assert "treat=[pv.treatments.TopCode(column='age', above=75), pv.treatments.TopCode(column=('pay',)" in repr(wanted)
    assert eval(repr(wanted), {"pv": pv}) == wanted
    wanted.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == wanted
    assert '[[treat]]\ntreatment = "TopCode"\ncolumn = "age"\nabove = 75\n' in (tmp_path / "plan.toml").read_text()
    assert "TopCode" in str(pv.Plan.schema())


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"treatment": "TopCoed", "column": "age"}, r"treat\[0\].treatment: there is no treatment 'TopCoed'. Did you"),
        ({"column": "age"}, r"treat\[0\]: the entry 'treatment' is missing"),
        ({"treatment": "TopCode", "column": "age", "abve": 3}, r"treat\[0\]: there is no entry 'abve'. Did you"),
        ({"treatment": "TopCode", "column": "age"}, r"treat\[0\]: TopCode: give either above"),
        ({"treatment": "TopCode", "above": 3}, r"treat\[0\]: the entry 'column' is missing"),
    ],
)
def test_a_wrong_entry_is_named(entry: dict[str, Any], told: str) -> None:
    document = plan().to_document() | {"treat": [entry]}
    with pytest.raises(PlanError, match=told):
        pv.Plan.from_document(document)


def test_classes_are_made_of_what_was_treated_and_statistics_compare_with_the_original() -> None:
    release = pv.anonymize(PEOPLE, plan(TOP, order="source"))
    assert release.frame["age"].to_list()[-2:] != ["76", "81"]
    assert release.table.frame.equals(PEOPLE)
    assert release.base.table.frame["age"].to_list() == ["31", "32", "38", "39", "45", "47", ">75", ">75"]
    assert release.trace[0] == "TopCode: 2 of 8 cells of 'age' are coded."
    assert release.provenance["treatments"] == [{"treatment": "TopCode", "coded.age": 2}]
    assert release.measure()["rows.suppressed"] == 0
    assert pv.measure(PEOPLE, release.frame, release.plan)["utility.gcp"] == release.measure()["utility.gcp"]
    assert pv.verify(release.frame, release.plan)


def test_a_shuffled_release_is_matched_through_its_treatments() -> None:
    release = pv.anonymize(PEOPLE, plan(TOP, ToyNoise("pay")))
    assert release.kept is not None
    again = pv.measure(PEOPLE, release.frame, release.plan)
    assert again["utility.gcp"] == release.measure()["utility.gcp"]


def test_noise_is_drawn_from_the_seed_and_the_table() -> None:
    first = pv.anonymize(PEOPLE, plan(ToyNoise("pay"))).frame
    assert first.equals(pv.anonymize(PEOPLE, plan(ToyNoise("pay"))).frame)
    other = [pv.anonymize(PEOPLE, plan(ToyNoise("pay"), order="source", seed=seed)).frame["pay"] for seed in (0, 1)]
    one_more = PEOPLE.with_columns(zip=pl.Series(["A", "A", "B", "B", "A", "B", "B", "A"]))  # another column differs
    other += [pv.anonymize(one_more, plan(ToyNoise("pay"), order="source")).frame["pay"]]
    noise = [cells.to_numpy() - PEOPLE["pay"].to_numpy() for cells in other]
    assert not np.isclose(noise[0], noise[1]).any()
    assert not np.isclose(noise[0], noise[2]).any()


@pytest.mark.parametrize(
    ("treat", "more", "told"),
    [
        (pv.treatments.TopCode("aeg", above=75), {}, r"treat\[0\]: TopCode: the table has no column 'aeg'. Did you"),
        (pv.treatments.TopCode("zip", above=75), {}, r"treat\[0\]: TopCode: column 'zip' is nominal"),
        (pv.treatments.TopCode("age", above="old"), {}, "column 'age' holds numbers, and 'old' is none"),
        (TOP, {"columns": ROLES | {"age": pv.Drop()}}, "column 'age' is left out of the release"),
        (TOP, {"columns": ROLES | {"age": pv.Identifier()}}, "column 'age' names people"),
        (TOP, {"person": "age", "columns": {"zip": pv.Quasi()}}, "column 'age' names people"),
        (TOP, {"protect": [pv.KMap(2, "people")]}, "compares column 'age' with a population"),
        (
            ToyNoise("disease"),
            {"protect": [pv.LDiversity(2, "disease")]},
            "distinct 2-diversity of 'disease' would be judged by values that nobody has",
        ),
        ((TOP, ToyNoise("age")), {}, r"treat\[1\]: ToyNoise: column 'age' is ordinal.*TopCode has changed the column"),
        ("TopCode", {}, "treat: must be treatments such as"),
    ],
)
def test_what_does_not_fit_is_refused(treat: Any, more: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        pv.anonymize(PEOPLE, plan(**{"treat": treat, **more}))


def test_a_treatment_does_what_it_says() -> None:
    with pytest.raises(UnsafeReleaseError, match="column 'pay': its values are not those it had"):
        pv.anonymize(PEOPLE, plan(ToyNoise("pay", lies=True)))
    with pytest.raises(UnsafeReleaseError, match="column 'zip': ToyNoise has changed it without saying so"):
        pv.anonymize(PEOPLE, plan(ToyNoise("pay", forgets=True)))


def test_treatments_can_be_all_that_is_done() -> None:
    top = pv.treatments.TopCode("age", above=40, replace="limit")
    bare = plan(top, columns=ROLES | {"zip": pv.Insensitive()}, method=pv.methods.AsIs(), suppression=0.5)
    release = pv.anonymize(PEOPLE, bare)
    assert release.frame["age"].to_list() == [40] * 4
    assert release.verdict.levels["privacy.k"] == 4
    with pytest.raises(pv.InfeasibleError, match="AsIs: with nothing generalized, more than 1 rows"):
        pv.anonymize(PEOPLE, bare.replace(suppression=0.2))


def test_missing_values_are_imputed_by_as_is_too() -> None:
    ages = pl.DataFrame({"age": [30, 30, None, 30], "x": [1, 2, 3, 4]})
    found = pv.anonymize(ages, pv.Plan({"age": pv.Quasi(missing="impute")}, pv.KAnonymity(4), pv.methods.AsIs()))
    assert found.frame["age"].to_list() == [30] * 4


def test_the_command_line_takes_treatments(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    asked = ["anonymize", str(tmp_path / "people.csv"), "-q", "age,zip", "-k", "2", "--order", "source", "--no-person"]
    out = ["-o", str(tmp_path / "out.csv"), "--save-plan", str(tmp_path / "plan.toml")]
    done = CliRunner().invoke(app, [*asked, *out, "--treat", "TopCode('pay', above=30)"])
    assert done.exit_code == 0, done.output
    assert pl.read_csv(tmp_path / "out.csv")["pay"].to_list() == ["10", "20", "20", "10", "30", ">30", ">30", "30"]
    assert pv.Plan.load(tmp_path / "plan.toml").treat == (pv.treatments.TopCode("pay", above=30),)


def test_the_risk_before_is_that_of_the_original() -> None:
    """Every row of the original is unique; the coded ages are not."""
    coded = pv.treatments.Recode("age", width=50)
    release = pv.anonymize(PEOPLE, plan(coded))
    assert release.measure()["risk.before.uniques"] == 1.0
    assert release.measure()["risk.uniques"] == 0.0
    compared = pv.compare(PEOPLE, [plan(coded), plan()])
    assert compared.reference is not None
    assert compared.reference["risk.prosecutor.average"] == 1.0


def test_an_attacker_knows_how_values_were_coded() -> None:
    """Recoded by the plan's own rule, everybody's record fits its class, and sensitive labels can be guessed."""
    disease = pv.treatments.Recode("disease", mapping={"flu": "lung", "cold": "lung"}, other="other")
    release = pv.anonymize(PEOPLE, plan(pv.treatments.Recode("age", width=50), disease, ToyNoise("pay")))
    linked = release.attack()
    assert "do not cover their own person" not in str(linked)
    assert release.base.known.frame["pay"].to_list() == PEOPLE["pay"].to_list()
    assert release.base.known.frame["disease"].to_list()[:2] == ["lung", "lung"]


def test_what_is_known_of_a_column_outlives_a_treatment_that_keeps_its_kind() -> None:
    table = pv.read(pl.DataFrame({"zip": [1, 2, 2]}), kinds={"zip": "nominal"})
    column = table.columns["zip"]
    assert _column(column, pl.Int64(), pl.Series("zip", [2, 2, 2]), None) == column


@pytest.mark.parametrize("later", [pv.treatments.Recode("age", width=20), pv.treatments.Noise("age", scale=0.1)])
def test_a_sample_of_a_treated_quasi_identifier_has_no_missing_values(later: Any) -> None:
    """Cells of rows that were sampled out are nowhere, and the plan need not say what missing ones mean."""
    rows = pl.DataFrame({"age": list(range(20, 60)), "sex": ["f", "m"] * 20})
    wanted = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), treat=[pv.treatments.Sample(share=0.5), later])
    release = pv.anonymize(rows, wanted)
    assert release.verdict
    assert release.frame.height == 20
    holes = rows.with_columns(age=pl.when(pl.int_range(pl.len()) > 0).then("age"))
    with pytest.raises(PlanError, match="1 missing value"):
        pv.anonymize(holes, wanted.replace(treat=[pv.treatments.Sample(share=1.0), later]))
