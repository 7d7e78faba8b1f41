"""What a release may be beside one generalized table, shown by toys: noise, two tables, synthetic rows, limits that are
measured and guarantees that hold by construction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError, TableError, UnsafeReleaseError
from paravent.methods.method import Beside, Method, Recoding, RoleName, Task
from paravent.privacy.derivation import Derivation, View
from paravent.privacy.model import Model
from paravent.privacy.promise import Constructed, Entry, Evidence, Found, Limit
from paravent.published import Drawn, Permuted, Place, Randomised, Source, Untouched

PEOPLE = pl.DataFrame(
    {
        "age": [31, 32, 38, 39, 45, 47, 52, 58],
        "zip": ["A", "A", "B", "B", "A", "B", "A", "B"],
        "disease": ["flu", "cold", "flu", "ulcer", "cold", "flu", "ulcer", "cold"],
    }
)
ROLES = {"age": pv.Quasi(), "zip": pv.Quasi(), "disease": pv.Sensitive()}


@dataclass(frozen=True, kw_only=True)
class ToyNoise(Method):
    """Adds a number to every age; `forgets` changes a column that it does not declare."""

    title = "toy noise"
    source = "a test"
    makes_classes = False
    scale: float = 2.0
    forgets: bool = False

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset({"age"} & roles.keys())

    def run(self, task: Task) -> Recoding:
        rng = np.random.default_rng(task.seed)
        ages = task.cells["age"]
        cells = {axis.name: Untouched() for axis in task.axes}
        cells["age"] = Drawn((ages + rng.normal(0, self.scale, len(ages))).alias("cells"))
        if self.forgets:
            cells["zip"] = Permuted(task.cells["zip"].reverse())
        return Recoding(np.zeros(task.n_rows, dtype=np.int32), 1, cells)


@dataclass(frozen=True, repr=False)
class ToyDistance(Limit):
    """At most this share of the rows may be nearest to their own original."""

    share: float
    protects = "rows are not found again by distance"
    leaves_open = "everything else"

    @property
    def key(self) -> str:
        return "privacy.toy"

    def describe(self) -> str:
        return f"at most {self.share:.0%} of the rows nearest to their own original"

    def measure(self, evidence: Evidence) -> Found:
        assert evidence.kept is not None
        before, after = evidence.original["age"].to_numpy(), evidence.released["age"].to_numpy()
        nearest = np.abs(after[:, None] - before[None, :]).argmin(axis=1)
        share = float((nearest == evidence.kept).mean())
        return Found(share, share <= self.share, "all pairs compared")


@dataclass(frozen=True, kw_only=True)
class ToyTwoTables(Method):
    """Pairs of rows: quasi-identifiers with a group, and the diseases of each group in a table of their own."""

    title = "toy anatomy"
    source = "a test"
    beyond: int = 0

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(name for name, role in roles.items() if role == "sensitive")

    @property
    def derivation(self) -> Derivation:
        return _ByGroup()

    def run(self, task: Task) -> Recoding:
        rows = np.arange(task.n_rows)
        values = pl.DataFrame({"group": rows // 2, "disease": task.cells["disease"]})
        first = pl.DataFrame({"row": rows, "group": rows // 2})
        return Recoding(
            np.zeros(task.n_rows, dtype=np.int32),
            1,
            {axis.name: Untouched() for axis in task.axes},
            without=frozenset({"disease"}),
            beside={
                "groups": Beside(first.select("group"), rows + self.beyond),
                "diseases": Beside(values.sort("group", "disease")),
            },
        )


@dataclass(frozen=True, kw_only=True)
class ToyNumbers(Method):
    """Numbers the rows, in a column that it declares or not, with as many cells as there are rows or not."""

    title = "toy numbers"
    source = "a test"
    declared: bool = True
    short: bool = False

    @property
    def adds(self) -> tuple[str, ...]:
        return ("number",) if self.declared else ()

    def run(self, task: Task) -> Recoding:
        one = np.zeros(task.n_rows, dtype=np.int32)
        numbers = pl.Series(range(task.n_rows - self.short))
        return Recoding(one, 1, {axis.name: Untouched() for axis in task.axes}, added={"number": numbers})


class _ByGroup(Derivation):
    def serves(self, model: Model) -> bool:
        return bool(model.guards)

    def view(self, frame: pl.DataFrame, beside: Mapping[str, pl.DataFrame], columns: Sequence[str]) -> View:
        assert frame.height == beside["groups"].height
        assert list(columns) == ["disease"]
        return View(beside["diseases"], ("group",))


@dataclass(frozen=True, kw_only=True)
class ToySynthesis(Method):
    """Rows of nobody, drawn column by column, at a cost."""

    title = "toy synthesis"
    source = "a test"
    makes_classes = False
    rows: int = 20
    epsilon: float = 1.0

    def changes(self, roles: Mapping[str, RoleName]) -> frozenset[str]:
        return frozenset(roles)

    def run(self, task: Task) -> Recoding:
        rng = np.random.default_rng(task.seed)
        drawn = {name: cells.gather(rng.integers(0, task.n_rows, self.rows)) for name, cells in task.cells.items()}
        spent = tuple(Entry(f"histogram of {name}", {"epsilon": self.epsilon / len(drawn)}) for name in drawn)
        cells = {axis.name: Untouched() for axis in task.axes}
        none = np.zeros(task.n_rows, dtype=np.int32)
        return Recoding(none, 1, cells, synthetic=pl.DataFrame(drawn), account=spent)


@dataclass(frozen=True, repr=False)
class ToyBudget(Constructed):
    epsilon: float
    protects = "what any one row adds"
    leaves_open = "what all rows tell together"

    @property
    def key(self) -> str:
        return "privacy.toy_epsilon"

    def describe(self) -> str:
        return f"a budget of {self.epsilon:g}"

    def judge(self, account: Sequence[Entry]) -> Found:
        spent = sum(entry.spent["epsilon"] for entry in account)
        return Found(spent, bool(account) and spent <= self.epsilon, f"{len(account)} entries")


def test_noise_is_published_and_its_limit_is_measured() -> None:
    plan = pv.Plan(ROLES, [ToyDistance(0.9)], ToyNoise(scale=30.0), person=None)
    release = pv.anonymize(PEOPLE, plan)
    assert release.frame["age"].dtype == pl.Float64
    assert release.frame["zip"].to_list() == PEOPLE["zip"].gather(release.kept).to_list()
    (check,) = release.verdict.checks
    assert check.holds
    assert check.known_by.startswith("measured")
    assert "all pairs compared" in str(release.verdict)
    assert release.measure()["rows.suppressed"] == 0


def test_a_limit_that_is_passed_is_not_released() -> None:
    plan = pv.Plan(ROLES, [ToyDistance(0.1)], ToyNoise(scale=0.001), person=None)
    with pytest.raises(UnsafeReleaseError, match="at most 10% of the rows nearest"):
        pv.anonymize(PEOPLE, plan)


def test_a_class_model_beside_noise_is_derived_from_what_is_published() -> None:
    with pytest.raises(UnsafeReleaseError, match="2-anonymity fails in 8 classes"):
        pv.anonymize(PEOPLE, pv.Plan(ROLES, [pv.KAnonymity(2)], ToyNoise(), person=None))


def test_without_the_original_a_limit_cannot_be_told() -> None:
    plan = pv.Plan(ROLES, [ToyDistance(1.0)], ToyNoise(), person=None)
    verdict = pv.verify(pv.anonymize(PEOPLE, plan).frame, plan)
    assert not verdict
    assert "cannot be told without the original" in str(verdict)
    assert "privacy.toy" not in verdict.levels


def test_a_method_changes_what_it_declares_and_nothing_else() -> None:
    plan = pv.Plan(ROLES, [ToyDistance(1.0)], ToyNoise(forgets=True), person=None)
    with pytest.raises(UnsafeReleaseError, match="column 'zip': ToyNoise has changed it without saying so"):
        pv.anonymize(PEOPLE, plan)


def test_a_method_adds_the_columns_that_it_declares_and_no_others() -> None:
    plan = pv.Plan(ROLES, [pv.KAnonymity(1)], ToyNumbers(), person=None)
    release = pv.anonymize(PEOPLE, plan)
    assert release.frame.columns == [*PEOPLE.columns, "number"]
    assert release.frame["number"].to_list() == release.kept.tolist()
    with pytest.raises(UnsafeReleaseError, match="column 'number': ToyNumbers has changed it without saying so"):
        pv.anonymize(PEOPLE, plan.replace(method=ToyNumbers(declared=False)))
    with pytest.raises(UnsafeReleaseError, match="do not fit the table"):
        pv.anonymize(PEOPLE, plan.replace(method=ToyNumbers(short=True)))
    with pytest.raises(PlanError, match="ToyNumbers adds a column 'number', and the table has one of this name"):
        pv.anonymize(PEOPLE.with_columns(number=1), plan)


def test_two_tables_are_verified_by_their_groups(tmp_path: Path) -> None:
    plan = pv.Plan(ROLES, [pv.LDiversity(2, "disease")], ToyTwoTables(), person=None)
    release = pv.anonymize(PEOPLE, plan)
    assert list(release.tables) == ["release", "groups", "diseases"]
    assert "disease" not in release.frame.columns
    assert release.verdict.levels == {"privacy.distinct_l.disease": 2}
    assert len(release.classes) == 4
    assert pv.verify(release, plan)
    for age, group in zip(release.frame["age"], release.tables["groups"]["group"], strict=True):
        assert PEOPLE["age"].to_list().index(age) // 2 == group  # both tables are in one shuffled order
    release.write(tmp_path / "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.diseases.csv", "out.groups.csv"]
    assert release.measure()["rows.suppressed"] == 0


def test_two_tables_that_do_not_keep_the_promise_are_not_released() -> None:
    same = PEOPLE.with_columns(disease=pl.Series(["flu", "flu", *PEOPLE["disease"][2:]]))
    with pytest.raises(UnsafeReleaseError, match="fails in 1 class"):
        pv.anonymize(same, pv.Plan(ROLES, [pv.LDiversity(2, "disease")], ToyTwoTables(), person=None))


@pytest.mark.parametrize("beyond", [-1, 1])
def test_a_further_table_of_rows_that_are_not_there_is_not_released(beyond: int) -> None:
    plan = pv.Plan(ROLES, [pv.LDiversity(2, "disease")], ToyTwoTables(beyond=beyond), person=None)
    with pytest.raises(UnsafeReleaseError, match="do not fit the table"):
        pv.anonymize(PEOPLE, plan)


def test_several_tables_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    release = pv.anonymize(PEOPLE, pv.Plan(ROLES, [pv.LDiversity(2, "disease")], ToyTwoTables(), person=None))
    (tmp_path / "out.diseases.csv").mkdir()
    with pytest.raises(TableError, match="is a folder"):
        release.write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.diseases.csv"]
    folder = tmp_path / "folder"
    folder.mkdir()
    release.write(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["diseases.csv", "groups.csv", "release.csv"]


def test_people_with_several_rows_are_not_counted_where_nobody_can_tell() -> None:
    visits = PEOPLE.with_columns(patient=pl.Series([1, 1, 2, 3, 4, 5, 6, 7]))
    plan = pv.Plan(ROLES, [pv.LDiversity(2, "disease")], ToyTwoTables(), person="patient")
    with pytest.raises(PlanError, match="people cannot be counted"):
        pv.anonymize(visits, plan)


def test_synthetic_rows_are_judged_by_what_was_spent_and_measured_without_a_match() -> None:
    plan = pv.Plan(ROLES, [ToyBudget(1.0)], ToySynthesis(), person=None)
    release = pv.anonymize(PEOPLE, plan)
    assert release.frame.height == 20  # more rows than the original
    assert release.kept is None
    assert release.verdict.checks[0].promise.known_by == "constructed"
    assert release.verdict.levels["privacy.toy_epsilon"] == pytest.approx(1.0)
    assert [entry["spent"] for entry in release.provenance["account"]] == [{"epsilon": pytest.approx(1 / 3)}] * 3
    measures = release.measure()
    assert measures["rows.released"] == 20
    assert "utility.gcp" not in measures
    assert "synthetic" in measures.absent["loss"]
    with pytest.raises(UnsafeReleaseError, match=r"a budget of 0\.5 fails"):
        pv.anonymize(PEOPLE, plan.replace(protect=[ToyBudget(0.5)]))


SOURCE = Source("zip", pl.Series("cells", ["A", "A", "B", None]))
ROWS = Place.of(np.arange(4))


@pytest.mark.parametrize(
    ("published", "true"),
    [
        (Permuted(pl.Series(["B", "A", None, "A"])), True),
        (Permuted(pl.Series(["B", "A", None, "B"])), False),
        (Permuted(pl.Series(["A", "A", None, "B"]), np.array([0, 0, 1, 1])), True),
        (Permuted(pl.Series(["A", "B", "A", None]), np.array([0, 0, 1, 1])), False),
        (Randomised(pl.Series(["B", "A", "A", None]), ("A", "B")), True),
        (Randomised(pl.Series(["C", "A", "A", None]), ("A", "B")), False),
        (Randomised(pl.Series(["B", "A", None, "B"]), ("A", "B")), False),
        (Drawn(pl.Series(["x", "y", "z", None])), True),
        (Drawn(pl.Series(["x", "y", "z", "w"])), False),
    ],
)
def test_each_kind_is_true_in_its_own_sense(published: Permuted | Randomised | Drawn, true: bool) -> None:
    released = published.column(SOURCE, ROWS)
    if true:
        published.check(SOURCE, released, ROWS)
        with pytest.raises(UnsafeReleaseError):  # what is in the file must be what the method gave
            published.check(SOURCE, released.reverse(), ROWS)
    else:
        with pytest.raises(UnsafeReleaseError):
            published.check(SOURCE, released, ROWS)


@pytest.mark.parametrize("method", [pv.methods.Optimal(), pv.methods.Datafly(), pv.methods.Samarati()])
def test_the_rule_of_a_full_domain_release_recodes_other_rows_alike(method: Method) -> None:
    """The rule is without rows: applied to all rows of the original, it gives the labels of the released ones."""
    columns = {"age": pv.Quasi(pv.intervals(10, 20)), "zip": pv.Quasi(pv.flat()), "disease": pv.Sensitive()}
    release = pv.anonymize(PEOPLE, pv.Plan(columns, [pv.KAnonymity(2)], method, suppression=0.25, person=None))
    assert release.rule is not None
    assert release.kept is not None
    labels = release.rule.labels(release.axes)
    for name in ("age", "zip"):
        assert release.frame[name].to_list() == [labels[name][row] for row in release.kept]
