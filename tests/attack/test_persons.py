"""People with several rows: every count is a count of people, checked here in plain Python that shares nothing."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import TableError
from paravent.plan.judge import persons_behind
from paravent.plan.persons import check_person, folded, links_in, one_row_each
from paravent.plan.prepare import prepare

QUASI, SECRET = ("age", "zip"), "disease"


def visits(seed: int, *, people: int = 60, rows: int = 220, moving: bool = True, fickle: bool = True) -> pl.DataFrame:
    """Visits of patients. `moving`: somebody's age and place differ between rows; `fickle`: so do their diseases."""
    dice = np.random.default_rng(seed)
    who = np.concatenate([np.arange(people), dice.integers(0, people, rows - people)])
    dice.shuffle(who)
    age = dice.integers(20, 60, people)[who] + (dice.integers(0, 3, rows) if moving else 0)
    place = dice.integers(0, 4, people)[who]
    one = dice.choice(4, people, p=[0.4, 0.3, 0.2, 0.1])[who]
    disease = np.where(dice.random(rows) < 0.3, dice.integers(0, 4, rows), one) if fickle else one
    return pl.DataFrame(
        {
            "patient": [f"P{i:03d}" for i in who],
            "age": age,
            "zip": [f"1305{i}" for i in place],
            "disease": [("flu", "cold", "ulcer", "cancer")[i] for i in disease],
            "row": np.arange(rows),
        }
    )


def plan_of(*models: Any, **options: Any) -> pv.Plan:
    columns = {
        "age": pv.Quasi(pv.intervals(5, 10, 20)),
        "zip": pv.Quasi(pv.prefixes()),
        "disease": pv.Sensitive(),
        "row": pv.Insensitive(),
    }
    return pv.Plan(columns, list(models), **{"person": "patient", **options})


class Plain:
    """The people of each class of a released frame, and what they hold: dictionaries and sets."""

    def __init__(self, release: pv.Release) -> None:
        who = release.table.frame["patient"].to_list()
        self.members: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        self.holders: dict[tuple[Any, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.everywhere: dict[str, set[str]] = defaultdict(set)
        for row in release.frame.to_dicts():
            person = who[row["row"]]
            key = tuple(str(row[name]) for name in QUASI)
            self.members[key].add(person)
            self.holders[key][row[SECRET]].add(person)
            self.everywhere[row[SECRET]].add(person)
        self.everybody = set.union(*self.members.values())

    @property
    def k(self) -> int:
        return min(map(len, self.members.values()))

    @property
    def distinct(self) -> int:
        return min(map(len, self.holders.values()))

    def shares(self, key: tuple[Any, ...]) -> dict[str, float]:
        return {value: len(self.holders[key].get(value, ())) / len(self.members[key]) for value in self.everywhere}

    @property
    def whole(self) -> dict[str, float]:
        return {value: len(held) / len(self.everybody) for value, held in self.everywhere.items()}

    @property
    def alpha(self) -> float:
        return max(max(self.shares(key).values()) for key in self.members)

    @property
    def t(self) -> float:
        return max(sum(abs(self.shares(key)[v] - q) for v, q in self.whole.items()) / 2 for key in self.members)

    @property
    def beta(self) -> float:
        return max(max((self.shares(key)[v] - q) / q for v, q in self.whole.items()) for key in self.members)

    @property
    def entropy(self) -> float:
        def effective(held: dict[str, set[str]]) -> float:
            counts = [len(people) for people in held.values()]
            return math.exp(-sum(c / sum(counts) * math.log(c / sum(counts)) for c in counts))

        return min(map(effective, self.holders.values()))

    @property
    def risk(self) -> dict[str, float]:
        """The highest risk of each person."""
        found: dict[str, float] = defaultdict(float)
        for people in self.members.values():
            for person in people:
                found[person] = max(found[person], 1 / len(people))
        return found


METHODS = (
    pv.methods.Mondrian(),
    pv.methods.Mondrian(strict=False, labels="set"),
    pv.methods.LocalRecoding(effort="fast"),
    pv.methods.Optimal(),
    pv.methods.Datafly(),
    pv.methods.Samarati(),
    pv.methods.Incognito(),
    pv.methods.GkAA(),
    pv.methods.GAA(),
    pv.methods.GkPk(),
    pv.methods.KMember(),
    pv.methods.KACA(),
    pv.methods.OKA(),
    pv.methods.NearestNeighbour(),
    pv.methods.MDAV(publish="interval"),
)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("kind", ["same rows", "other diseases", "moving"])
def test_every_method_counts_people(method: pv.methods.Method, kind: str) -> None:
    frame = visits(len(kind), moving=kind == "moving", fickle=kind != "same rows")
    plan = plan_of(pv.KAnonymity(4), pv.LDiversity(2, SECRET), method=method, suppression=0.1)
    release = pv.anonymize(frame, plan)
    plain = Plain(release)
    assert plain.k >= 4
    assert plain.distinct >= 2
    assert release.verdict.levels == {"privacy.k": plain.k, f"privacy.distinct_l.{SECRET}": plain.distinct}
    assert release.verdict.people == len(plain.everybody)
    assert len(release.classes) == len(plain.members)


@pytest.mark.parametrize(
    ("model", "reached"),
    [
        (pv.AlphaKAnonymity(0.7, 3, SECRET), lambda plain: plain.alpha),
        (pv.TCloseness(0.3, SECRET), lambda plain: plain.t),
        (pv.BetaLikeness(2.0, SECRET, kind="basic"), lambda plain: max(plain.beta, 0)),
        (pv.LDiversity(2.2, SECRET, kind="entropy"), lambda plain: plain.entropy),
        (pv.MaximumRisk(0.2), lambda plain: 1 / plain.k),
        (pv.AverageRisk(0.1), lambda plain: sum(plain.risk.values()) / len(plain.risk)),
    ],
    ids=lambda value: repr(value) if isinstance(value, pv.KAnonymity.__mro__[1]) else "",
)
@pytest.mark.parametrize("seed", range(4))
def test_every_model_counts_people(model: Any, reached: Any, seed: int) -> None:
    release = pv.anonymize(visits(seed), plan_of(pv.KAnonymity(3), model))
    assert release.verdict.levels[model.key] == pytest.approx(reached(Plain(release)), abs=1e-9)
    assert Plain(release).k >= 3


def test_ordered_closeness_of_one_value_each_is_that_of_a_table_of_people() -> None:
    """Where everybody holds one value and has one kind of row, a table of people gives the same distance."""
    frame = visits(5, moving=False, fickle=False)
    order = ("flu", "cold", "ulcer", "cancer")
    model = pv.TCloseness(0.25, SECRET, distance="ordered", order=order)
    release = pv.anonymize(frame, plan_of(pv.KAnonymity(3), model))
    people = release.frame.with_columns(frame["patient"][release.frame["row"].to_list()]).unique("patient")
    alone = pv.verify(people, plan_of(pv.KAnonymity(3), model, person=None))
    assert alone.levels == release.verdict.levels


def test_k_rows_of_one_person_are_not_k_people() -> None:
    frame = pl.DataFrame({"patient": ["A"] * 5 + ["B"] * 5, "age": [30] * 5 + [50] * 5})
    columns = {"age": pv.Quasi()}
    assert pv.verify(frame, pv.Plan({**columns, "patient": pv.Insensitive()}, [pv.KAnonymity(5)], person=None))
    verdict = pv.verify(
        frame.drop("patient"), pv.Plan(columns, [pv.KAnonymity(5)], person="patient"), persons=frame["patient"]
    )
    assert not verdict
    assert verdict.levels["privacy.k"] == 1
    release = pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(2)], person="patient"))
    assert release.frame["age"].n_unique() == 1
    assert release.verdict.levels["privacy.k"] == 2
    with pytest.raises(pv.InfeasibleError, match="2"):
        pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(3)], person="patient"))


def test_an_identifier_that_repeats_is_refused_until_the_plan_says_what_that_means() -> None:
    frame = visits(1)
    columns = {**plan_of(pv.KAnonymity(2)).columns, "patient": pv.Identifier()}
    with pytest.raises(pv.PlanError, match=r"person='patient'.*person=None"):
        pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(2)]))
    assert pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(2)], person="patient")).verdict.people == 60
    assert pv.anonymize(frame, pv.Plan(columns, [pv.KAnonymity(2)], person=None)).verdict.people is None


def test_nobody_knows_whose_a_row_without_a_person_is() -> None:
    frame = pl.DataFrame({"patient": ["A", None, "B"], "age": [1, 2, 3]})
    with pytest.raises(pv.PlanError, match="row 2"):
        pv.anonymize(frame, pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)], person="patient"))


@pytest.mark.parametrize("role", [pv.Identifier("random"), pv.Insensitive()])
def test_a_released_pseudonym_makes_all_rows_of_a_person_the_quasi_identifier(role: pv.plan.roles.Role) -> None:
    """A and B were seen twice, C and D once: by their number of visits they are pairs, whatever the cells say."""
    frame = pl.DataFrame({"patient": ["A", "A", "B", "B", "C", "D"], "age": [20, 21, 20, 21, 20, 20]})
    plan = pv.Plan({"patient": role, "age": pv.Quasi(pv.intervals(10))}, [pv.KAnonymity(2)], person="patient")
    release = pv.anonymize(frame, plan)
    assert release.verdict.levels["privacy.k"] == 2
    assert "belong together" in str(release.verdict)
    with pytest.raises(pv.ParaventError, match=r"'patient'.*shows which rows are one person's"):
        pv.anonymize(frame, plan.replace(protect=[pv.KAnonymity(4)]))
    hidden = plan.replace(columns={**plan.columns, "patient": pv.Identifier()}, protect=[pv.KAnonymity(4)])
    assert pv.anonymize(frame, hidden).verdict.levels["privacy.k"] == 4


def test_a_published_pseudonym_of_unlike_histories_is_refused() -> None:
    """Everybody's cells are alike, but one person was seen three times."""
    frame = pl.DataFrame({"patient": [*"ABCDEAA"], "age": [30] * 7})
    plan = pv.Plan({"patient": pv.Identifier("random"), "age": pv.Quasi()}, [pv.KAnonymity(2)], person="patient")
    with pytest.raises(pv.ParaventError, match="'patient'"):
        pv.anonymize(frame, plan)


def test_a_file_without_the_person_column_is_no_proof(tmp_path: Any) -> None:
    plan = plan_of(pv.KAnonymity(3))
    release = pv.anonymize(visits(2), plan)
    release.write(tmp_path / "release.csv")
    verdict = pv.verify(tmp_path / "release.csv", plan)
    assert not verdict
    assert "people cannot" in verdict.why_not()
    assert pv.verify(tmp_path / "release.csv", plan, persons=release.persons)
    assert pv.verify(release, plan)
    with pytest.raises(pv.TableError, match="people cannot"):
        pv.risk(tmp_path / "release.csv", plan)


@pytest.mark.parametrize("seed", range(5))
def test_risks_are_risks_of_people(seed: int) -> None:
    frame = visits(seed)
    release = pv.anonymize(frame, plan_of(pv.KAnonymity(3)))
    plain = Plain(release)
    found, measured = pv.risk(release, release.plan), release.measure()
    for name, value in {
        "risk.prosecutor.max": max(plain.risk.values()),
        "risk.prosecutor.average": sum(plain.risk.values()) / len(plain.risk),
        "risk.above.0.2": sum(risk > 0.2 for risk in plain.risk.values()) / len(plain.risk),
    }.items():
        assert found[name] == pytest.approx(value)
        assert measured[name] == pytest.approx(value)
    assert measured["utility.class_size.min"] == plain.k
    given_away = {
        person
        for key, held in plain.holders.items()
        for people in held.values()
        if people == plain.members[key]
        for person in people
    }
    assert measured[f"risk.attribute.disclosed.{SECRET}"] == pytest.approx(len(given_away) / len(plain.everybody))
    assert found.rows == len(plain.everybody)


def test_suda_finds_people_who_are_alone_with_two_equal_rows() -> None:
    frame = pl.DataFrame({"patient": [*"AABBCC"], "age": [1, 1, 2, 2, 2, 2], "sex": [*"mmmmff"]})
    found = pv.risk(frame, ["age", "sex"], person="patient", suda=2)
    assert found.suda.sets_of(0) == (("age",),)
    assert found.suda.sets_of(2) == (("age", "sex"),)
    assert found.suda.sets_of(4) == (("sex",),)
    assert pv.risk(frame, ["age", "sex"], suda=2).suda.uniques == 0


def test_homogeneity_counts_people_and_what_all_of_them_share() -> None:
    """Both people of the class have the flu; that one of them had a cold too hides nothing."""
    frame = pl.DataFrame(
        {"patient": [*"AABCD"], "age": ["2*"] * 3 + ["3*"] * 2, "disease": ["flu", "cold", "flu", "flu", "cold"]}
    )
    plan = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, [pv.KAnonymity(2)], person="patient")
    found = pv.attack(frame, plan)["attack.homogeneity.disease"]
    assert found["attack.homogeneity.disease"] == 0.5
    assert found.exposed.tolist() == [0, 1, 2]


def test_a_person_is_linked_among_people_not_rows() -> None:
    frame = pl.DataFrame({"patient": [*"AAAAB"], "age": ["20"] * 4 + ["30"]})
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(1)], person="patient")
    found = pv.attack(frame, plan, against=pl.DataFrame({"age": [20, 30]}))["attack.linkage"]
    assert found["max"] == 1.0
    assert found["unique"] == 1.0


def test_a_plan_keeps_what_it_says_of_people(tmp_path: Any) -> None:
    for person in ("patient", None):
        plan = plan_of(pv.KAnonymity(2), person=person)
        plan.save(tmp_path / "plan.toml")
        assert pv.Plan.load(tmp_path / "plan.toml") == plan
        assert eval(repr(plan), {"pv": pv}) == plan
    silent = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)])
    assert "person" not in silent.to_document()
    assert pv.Plan.from_document(silent.to_document()) == silent


def test_comparisons_hold_rows_and_people_apart() -> None:
    frame = visits(3)
    by_people, by_rows = plan_of(pv.KAnonymity(4)), plan_of(pv.KAnonymity(4), person=None)
    by_rows = by_rows.replace(columns={**by_rows.columns, "patient": pv.Identifier()})
    found = pv.compare(frame, {"people": by_people, "rows": by_rows})
    assert "counting people by patient" in str(found)
    entries = {entry.name: entry for entry in found.entries}
    demands = [demand.person for demand in found.demands]
    assert [check.holds for check, who in zip(entries["people"].checks, demands, strict=True) if who] == [True]
    assert [check.holds for check, who in zip(entries["rows"].checks, demands, strict=True) if who] == [False]


def test_the_command_line_counts_people_and_can_prove_it_later(tmp_path: Any) -> None:
    from typer.testing import CliRunner

    from paravent.cli.app import app

    visits(4).drop("row").write_csv(tmp_path / "visits.csv")
    run = CliRunner()
    wanted = ["-q", "age,zip", "-s", "disease", "-k", "4", "--person", "patient"]
    out = [*("-o", str(tmp_path / "release.csv")), *("--save-persons", str(tmp_path / "persons.csv"))]
    made = run.invoke(app, ["anonymize", str(tmp_path / "visits.csv"), *wanted, *out])
    assert made.exit_code == 0, made.output
    assert "patient" not in (tmp_path / "release.csv").read_text()
    check = ["verify", str(tmp_path / "release.csv"), *wanted[:-2], "--person", "patient"]
    silent = run.invoke(app, ["anonymize", str(tmp_path / "visits.csv"), *wanted[:-2], "-i", "patient"])
    assert silent.exit_code != 0
    assert "--person patient" in silent.stderr
    plan = plan_of(pv.KAnonymity(4)).replace(columns={"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()})
    plan.save(tmp_path / "plan.toml")
    check = ["verify", str(tmp_path / "release.csv"), "--plan", str(tmp_path / "plan.toml")]
    assert run.invoke(app, check).exit_code == 1
    assert run.invoke(app, [*check, "--persons", str(tmp_path / "persons.csv")]).exit_code == 0


def test_a_method_that_cannot_count_people_says_so() -> None:
    columns = {"age": pv.Quasi(), "zip": pv.Drop(), "disease": pv.Drop(), "row": pv.Drop()}
    plan = pv.Plan(columns, [pv.ColumnAnonymity(3)], pv.methods.IndividualRanking(), person="patient")
    with pytest.raises(pv.PlanError, match="IndividualRanking cannot count people"):
        pv.anonymize(visits(1), plan)


def test_too_large_a_k_is_told_in_people() -> None:
    with pytest.raises(pv.InfeasibleError, match="has 60 people"):
        pv.anonymize(visits(1), plan_of(pv.KAnonymity(61)))


@pytest.mark.parametrize("method", [pv.methods.MDAV(rescale=True), pv.methods.VMDAV(rescale=True)], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_rescaling_keeps_the_variance_of_all_rows(method: Any, seed: int) -> None:
    """Somebody of many equal rows counts as often in the mean and the variance that are kept."""
    frame = visits(seed, moving=False, fickle=False)
    release = pv.anonymize(frame, plan_of(pv.KAnonymity(3), method=method).replace(order="source"))
    assert Plain(release).k >= 3
    before, after = frame["age"].to_numpy(), release.frame["age"].to_numpy()
    assert after.mean() == pytest.approx(before.mean())
    assert after.std() == pytest.approx(before.std())


def test_individual_ranking_does_not_rescale_people() -> None:
    frame = visits(1, moving=False, fickle=False).select("patient", "age")
    plan = pv.Plan({"age": pv.Quasi()}, [pv.ColumnAnonymity(3)], pv.methods.IndividualRanking(), person="patient")
    assert pv.anonymize(frame, plan).verdict
    with pytest.raises(pv.PlanError, match="cannot count people with several rows when it rescales"):
        pv.anonymize(frame, plan.replace(method=pv.methods.IndividualRanking(rescale=True)))


@pytest.mark.parametrize("header", ["patient", "patient_id", "Kunde", "respondent"])
def test_a_person_that_a_plan_names_needs_no_other_role(header: str) -> None:
    """The column is found to number people, whatever word stands alone in its header, and `person` says all of it."""
    rows = 120
    frame = pl.DataFrame({header: [i // 2 for i in range(rows)], "age": [20 + (i // 2) % 30 for i in range(rows)]})
    with pytest.raises(pv.RoleError, match=f"column '{header}'"):
        pv.anonymize(frame, quasi=["age"], k=3)
    with pytest.raises(pv.PlanError, match="names people and repeats"):
        pv.anonymize(frame, quasi=["age"], identifiers=[header], k=3)
    release = pv.anonymize(frame, quasi=["age"], k=3, person=header)
    assert release.frame.columns == ["age"]
    assert release.verdict.people == rows // 2


def test_a_word_for_people_over_a_few_codes_numbers_nobody() -> None:
    frame = pl.DataFrame({"member": ["yes", "no"] * 60, "age": [20 + i % 30 for i in range(120)]})
    assert pv.anonymize(frame, quasi=["age"], k=3).frame.columns == ["member", "age"]


def test_a_missing_pseudonym_links_with_nothing() -> None:
    plan = pv.Plan(
        {"patient": pv.Identifier(replace="random"), "age": pv.Quasi()}, [pv.KAnonymity(2)], person="patient"
    )
    groups = links_in(pl.DataFrame({"patient": ["a", "b", None, "b", None], "age": ["30"] * 5}), plan)
    assert groups is not None
    assert groups[1] == groups[3]
    assert len(set(groups.tolist())) == 4


@pytest.mark.parametrize("persons", [pl.Series([[1], [2]]), pl.Series([{"a": 1}, {"a": 2}]), b"ab"])
def test_persons_are_one_cell_a_row(persons: object) -> None:
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)], person="patient")
    with pytest.raises(TableError, match="persons"):
        pv.verify(pl.DataFrame({"age": ["30", "30"]}), plan, persons=persons)


def test_as_many_people_may_be_left_out_as_have_the_rows_that_may_be() -> None:
    """Whoever is left out: two rows may go, and the person with three rows is not spared by the others' having one."""
    frame = pl.DataFrame({"patient": [1, 1, 1, 2, 3, 4], "age": [30, 30, 30, 31, 32, 33]})
    plan = pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(2)], suppression=0.4, person="patient")
    task = prepare(pv.read(frame), plan).task
    first = one_row_each(task)
    assert first is not None
    assert task.max_suppressed == 2
    assert folded(task, first, task.models).max_suppressed == 0
    assert folded(replace(task, max_suppressed=4), first, task.models).max_suppressed == 2


def test_a_release_beside_its_original_is_measured_by_people() -> None:
    frame = pl.DataFrame({"patient": [1, 1, 2, 2], "age": [30, 30, 30, 30], "ill": ["a", "b", "c", "d"]})
    columns = {"patient": pv.Identifier(), "age": pv.Quasi(), "ill": pv.Sensitive()}
    plan = pv.Plan(columns, [pv.KAnonymity(2)], person="patient", order="source")
    released = pv.anonymize(frame, plan)
    found = pv.measure(frame, released.frame, plan)
    assert found["privacy.k"] == released.measure()["privacy.k"] == 2


def test_a_frame_that_does_not_say_whose_its_rows_are_counts_nobody() -> None:
    plan = pv.Plan({"age": pv.Quasi(), "who": pv.Identifier()}, pv.KAnonymity(2), person="who")
    frame = pl.DataFrame({"age": ["30", "30"]})
    assert persons_behind(frame, frame, plan) is None
    with pytest.raises(pv.PlanError, match="person: the table has no column 'who'"):
        check_person(plan, pv.read(frame))
