"""Every model in a plan: files, methods, the verifier, and what somebody knows beside the quasi-identifiers."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.errors import InfeasibleError, ParaventError, PlanError, TableError
from paravent.methods.method import Task
from paravent.plan.encode import encode
from paravent.plan.population import Population, people_of_cells, people_of_rows
from paravent.privacy import Model
from paravent.privacy.statistics import Statistics

COLUMNS = {
    "age": pv.Quasi(),
    "zip": pv.Quasi(pv.prefixes()),
    "disease": pv.Sensitive(),
    "salary": pv.Sensitive(),
    "group": pv.Sensitive(),
}
TREE = pv.groups({"light": ["cold", "flu"], "grave": ["cancer", "hiv"]})


def people(rows: int = 300, seed: int = 0, zones: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "zip": [f"{zone:03d}" for zone in rng.integers(0, zones, rows)],
            "disease": rng.choice(["flu", "cold", "cancer", "hiv"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "salary": rng.choice([10, 20, 30, 40, 50], rows),
            "group": rng.choice(["x", "y"], rows),
        }
    )


def population(zones: int = 300) -> pl.DataFrame:
    return pl.concat([people(zones=zones), people(900, seed=1, zones=zones)]).select("age", "zip")


def models() -> list[Model]:
    return [
        pv.KAnonymity(5),
        pv.LDiversity(3, "disease"),
        pv.LDiversity(2.5, "disease", kind="entropy"),
        pv.LDiversity(2, "disease", kind="recursive", c=2.5),
        pv.LDiversity(2, "disease", kind="tolerance", epsilon=0.3),
        pv.LDiversity(2, "disease", knowing=("group",)),
        pv.AlphaKAnonymity(0.6, 4, "disease"),
        pv.TCloseness(0.2, "disease"),
        pv.TCloseness(0.4, "disease", normalised=False),
        pv.TCloseness(0.15, "salary", distance="ordered"),
        pv.TCloseness(0.2, "disease", distance="ordered", order=("cold", "flu", "cancer", "hiv")),
        pv.TCloseness(0.15, "disease", distance="hierarchical", tree=TREE),
        pv.TCloseness(0.3, "disease", knowing=("group",)),
        pv.BetaLikeness(1, "disease"),
        pv.BetaLikeness(1, "disease", kind="basic"),
        pv.DeltaDisclosure(1.2, "disease"),
        pv.KMap(8, "everybody"),
        pv.DeltaPresence(0.5, "everybody"),
        pv.MaximumRisk(0.2),
        pv.AverageRisk(0.1),
        pv.SampleUniqueness(0.01),
        pv.PopulationUniqueness(0.01, 10_000),
    ]


@pytest.mark.parametrize("model", models(), ids=repr)
def test_a_plan_with_any_model_runs_and_comes_back(model: Model, tmp_path: Path) -> None:
    plan = pv.Plan(COLUMNS, model, folder=tmp_path)
    plan.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == plan
    assert eval(repr(plan), {"pv": pv}) == plan
    given = {"everybody": population()}
    release = pv.anonymize(people(), plan, populations=given)
    verdict = pv.verify(release.frame, plan, populations=given)
    assert verdict
    assert len(release.classes) > 1
    level, found = release.measure()[model.key], verdict.levels[model.key]
    assert level == release.verdict.levels[model.key]
    if model.people is None:
        assert found == level
    else:  # read with the values of the population, labels may cover more people than the table's values show
        assert found >= level if isinstance(model, pv.KMap) else found <= level


@pytest.mark.parametrize("pair", list(itertools.combinations(range(0, len(models()), 2), 2)), ids=str)
def test_conjunctions(pair: tuple[int, int]) -> None:
    asked = [models()[i] for i in pair]
    release = pv.anonymize(people(), pv.Plan(COLUMNS, asked), populations={"everybody": population()})
    assert [check.holds for check in release.verdict.checks] == [True, True]


METHODS = [
    pv.methods.BottomUp(target="group"),
    pv.methods.Datafly(),
    pv.methods.GkAA(),
    pv.methods.Incognito(),
    pv.methods.Mondrian(cut="median"),
    pv.methods.Mondrian(labels="interval", strict=False),
    pv.methods.Mondrian(labels="set"),
    pv.methods.MuArgus(),
    pv.methods.Optimal(),
    pv.methods.Samarati(),
    pv.methods.TopDown(target="group"),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_any_method_takes_any_conjunction(method: pv.methods.Method) -> None:
    """Monotone or not, of classes, of the table or of a population: what comes back holds."""
    conjunctions = [
        [pv.TCloseness(0.3, "disease"), pv.AverageRisk(0.2), pv.LDiversity(2, "disease", knowing=("group",))],
        [pv.KMap(5, "everybody"), pv.BetaLikeness(2, "disease"), pv.SampleUniqueness(0.02)],
        [
            pv.KAnonymity(3),
            pv.LDiversity(2, "disease", kind="tolerance", epsilon=0.5),
            pv.TCloseness(0.3, "salary", distance="ordered"),
        ],
        [pv.DeltaPresence(0.6, "everybody"), pv.DeltaDisclosure(2, "disease"), pv.PopulationUniqueness(0.02, 10_000)],
    ]
    columns = {**COLUMNS, "age": pv.Quasi(pv.intervals(5, 10, 20))}
    frame, everybody = people(zones=120), {"everybody": population(zones=120)}  # few enough for labels that list them
    for asked in conjunctions:
        plan = pv.Plan(columns, asked, method, suppression=0.2)
        release = pv.anonymize(frame, plan, populations=everybody)
        assert all(check.holds for check in release.verdict.checks)
        assert pv.verify(release.frame, plan, populations=everybody)


def test_the_best_reachable_value_is_named_before_any_work() -> None:
    frame = pl.DataFrame({"age": range(40), "s": list("aaaaaaaaaabbbbbbbbbbccccccccccdddddddeee")})
    plan = pv.Plan({"age": pv.Quasi(), "s": pv.Sensitive()}, pv.LDiversity(5, "s", kind="entropy"))
    with pytest.raises(InfeasibleError, match=r"entropy 5-diversity of 's' cannot hold: the whole table reaches 4\.\d"):
        pv.anonymize(frame, plan)


# What is known beside


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=30
    ),
    least=st.integers(1, 3),
)
def test_known_columns_divide_classes(rows: list[tuple[int, int, int, int]], least: int) -> None:
    """The counts that methods collect, the verifier and brute force agree."""
    frame = pl.DataFrame(rows, schema=["q", "o1", "o2", "s"], orient="row").with_columns(pl.col("q").cast(pl.String))
    model = pv.LDiversity(least, "s", knowing=("o1", "o2"))
    found: dict[tuple, set[int]] = defaultdict(set)
    for q, o1, o2, s in rows:
        found[q, o1, o2].add(s)
    plan = pv.Plan({"q": pv.Quasi(), "o1": pv.Sensitive(), "o2": pv.Sensitive(), "s": pv.Sensitive()}, model)
    expected = min(map(len, found.values()))
    assert pv.verify(frame, plan).levels == {"privacy.distinct_l.s.knowing.o1.o2": expected}
    codes = {name: frame[name].to_numpy() for name in ("o1", "o2", "s")}
    values, of_row = np.unique(frame["q"].to_numpy(), return_inverse=True)
    statistics = Statistics([model], codes)
    classes = statistics.classes(of_row, len(values))
    by_class = {q: min(len(held) for (at, _, _), held in found.items() if str(at) == q) for q in values}
    assert statistics.holds(classes).tolist() == [by_class[q] >= least for q in values]
    assert model.level(statistics.seen_by(model, classes)[0]) == expected


def test_the_stricter_reading_of_two_sensitive_columns() -> None:
    frame = pl.DataFrame(
        {"q": ["*"] * 4, "disease": ["flu", "flu", "cold", "cold"], "salary": ["low", "low", "high", "high"]}
    )
    columns = {"q": pv.Quasi(), "disease": pv.Sensitive(), "salary": pv.Sensitive()}
    apart = pv.Plan(columns, [pv.LDiversity(2, "disease"), pv.LDiversity(2, "salary")])
    assert pv.verify(frame, apart)
    together = pv.Plan(
        columns, [pv.LDiversity(2, "disease", knowing=["salary"]), pv.LDiversity(2, "salary", knowing=["disease"])]
    )
    verdict = pv.verify(frame, together)
    assert [check.level for check in verdict.checks] == [1, 1]
    with pytest.raises(InfeasibleError, match="knowing 'salary'"):
        pv.anonymize(frame.with_columns(q=pl.Series([1, 2, 3, 4])), together)


def test_known_columns_are_sensitive_ones() -> None:
    plan = pv.Plan({"age": pv.Quasi(), "disease": pv.Sensitive()}, pv.LDiversity(2, "disease", knowing=["salary"]))
    with pytest.raises(PlanError, match="'salary' is insensitive"):
        pv.anonymize(people(), plan)


# Populations


def test_populations_are_files_beside_the_plan(tmp_path: Path) -> None:
    counted = population().group_by("age", "zip").len("people").sort("age", "zip")
    (tmp_path / "data").mkdir()
    counted.write_csv(tmp_path / "data/voters.csv")
    # Codes such as 007 are texts for a person and numbers for a reader; as text they must be the same in both files.
    counted.write_parquet(tmp_path / "data/voters.parquet")
    plan = pv.Plan(COLUMNS, pv.KMap(8, "data/voters.parquet", count="people"), folder=tmp_path)
    plan.save(tmp_path / "plan.toml")
    release = pv.anonymize(people(), tmp_path / "plan.toml")
    named = pv.anonymize(people(), pv.Plan(COLUMNS, pv.KMap(8, "voters")), populations={"voters": population()})
    assert release.frame.equals(named.frame)
    assert pv.verify(release.frame, tmp_path / "plan.toml")


def test_a_population_that_is_not_there() -> None:
    with pytest.raises(PlanError, match="no population 'voters'"):
        pv.anonymize(people(), pv.Plan(COLUMNS, pv.KMap(8, "voters")))
    with pytest.raises(TableError, match="no column 'zip'"):
        pv.anonymize(people(), pv.Plan(COLUMNS, pv.KMap(8, "p")), populations={"p": people().drop("zip")})
    odd = population().with_columns(n=pl.lit(0.5))
    with pytest.raises(TableError, match="whole numbers"):
        pv.anonymize(people(), pv.Plan(COLUMNS, pv.KMap(8, "p", count="n")), populations={"p": odd})


def test_k_map_allows_more_than_k_anonymity() -> None:
    given = {"p": population()}
    mapped = pv.anonymize(people(), pv.Plan(COLUMNS, pv.KMap(5, "p")), populations=given)
    plain = pv.anonymize(people(), pv.Plan(COLUMNS, pv.KAnonymity(5)))
    assert len(mapped.classes) > len(plain.classes)


@settings(max_examples=60)
@given(
    ours=st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=2, max_size=15),
    others=st.lists(st.tuples(st.integers(-1, 11), st.sampled_from("abcd")), max_size=25),
    k=st.integers(1, 6),
)
def test_people_by_brute_force(ours: list[tuple[int, str]], others: list[tuple[int, str]], k: int) -> None:
    """The verifier counts exactly those whom a class's cells cover, and methods count no one else."""
    schema = {"age": pl.Int64, "job": pl.String}
    table, everybody = (pl.DataFrame(rows, schema=schema, orient="row") for rows in (ours, ours + others))
    plan = pv.Plan({"age": pv.Quasi(), "job": pv.Quasi()}, pv.KMap(k, "p"))
    try:
        release = pv.anonymize(table, plan, populations={"p": everybody})
    except InfeasibleError:
        ages, jobs = ({row[j] for row in ours} for j in (0, 1))
        assert sum(min(ages) <= age <= max(ages) and job in jobs for age, job in ours + others) < k
        return
    axes = encode(pv.read(table), plan)
    assert release.verdict.levels["privacy.k_map"] >= k
    population = Population.of(pv.read(everybody), plan, name="p", count=None)
    exact = Counter(ours + others)
    assert people_of_rows(axes, population).tolist() == [exact[row] for row in ours]
    found, beyond = people_of_cells(axes, population, release.frame)
    assert min(found) >= k
    fits = [[covers(cells, person) for person in ours + others] for cells in release.frame.rows()]
    assert found.tolist() == [sum(row) for row in fits]
    assert beyond == sum(not any(column) for column in zip(*fits, strict=True))


def covers(cells: tuple[str, str], person: tuple[int, str]) -> bool:
    age, job = cells
    if age == "*":
        of_age = True
    elif age.startswith("["):
        low, high = map(int, age[1:-1].split(", "))
        of_age = low <= person[0] <= high
    else:
        of_age = int(age) == person[0]
    return of_age and (job == "*" or person[1] in job.strip("{}").split(", "))


# Suppression


def test_suppression_changes_the_table_that_classes_are_compared_with() -> None:
    codes = np.array([0, 0, 0, 1, 0, 1, 2, 2])  # a table of (4, 2, 2)
    model = pv.TCloseness(0.24, "s")
    task = Task(8, (), (model,), {"s": codes}, max_suppressed=2)
    of_row = np.array([0, 0, 0, 0, 1, 1, 2, 2])
    assert task.holds(task.classes(of_row, 3)).tolist() == [False, False, False]  # 1/4, 1/4 and 3/4 away
    # Without the class of 2s the table is (4, 2): the first class is then 1/12 away, the second 1/6.
    assert task.holds(task.classes(np.array([0, 0, 0, 0, 1, 1, -1, -1]), 2)).tolist() == [True, True]
    assert task.suppress_failing(of_row, 3) is None  # all failing classes at once are too many rows
    softer = Task(8, (), (pv.TCloseness(0.25, "s"),), {"s": codes}, max_suppressed=2)
    kept = softer.suppress_failing(of_row, 3)
    assert kept is not None
    assert kept.tolist() == [0, 0, 0, 0, 1, 1, -1, -1]


# Defects seen in other tools


def test_classes_are_rows_not_labels_of_rows() -> None:
    # A peer looked rows up by their index labels: after a filter its l was that of other rows.
    frame = people()
    filtered = frame.filter(pl.col("age") > 40).sort("zip", descending=True)
    quasi = ["group"]
    plan = pv.Plan({"group": pv.Quasi(), "disease": pv.Sensitive()}, pv.LDiversity(2, "disease"))
    expected = filtered.group_by(quasi).agg(pl.col("disease").n_unique())["disease"].min()
    assert pv.verify(filtered, plan).levels["privacy.distinct_l.disease"] == expected
    pandas = pytest.importorskip("pandas")
    labelled = pandas.DataFrame(filtered.to_dict(as_series=False), index=range(1000, 1000 - len(filtered), -1))
    assert pv.verify(labelled, plan).levels["privacy.distinct_l.disease"] == expected


def test_suppressed_cells_are_wildcards_only_where_the_plan_says_so() -> None:
    frame = pl.DataFrame({"age": ["20", "20", None], "zip": ["a", "a", "a"]})
    columns = {"age": pv.Quasi(missing="own value"), "zip": pv.Quasi()}
    strict = pv.verify(frame, pv.Plan(columns, pv.KAnonymity(2)))
    assert not strict
    assert strict.strict_k == 1
    columns["age"] = pv.Quasi(missing="wildcard")
    open_ = pv.verify(frame, pv.Plan(columns, pv.KAnonymity(2)))
    assert open_
    assert open_.strict_k == 1
    assert "wildcards" in open_.notes[0]


@pytest.mark.parametrize("name", ["age-group", "age group", "age.group", "`age`", "len", "class", "é", "a:b", "1"])
def test_any_column_name(name: str) -> None:
    other = f"{name} {name}"
    frame = people(60).rename({"age": name, "disease": other})
    plan = pv.Plan(
        {name: pv.Quasi(), other: pv.Sensitive(), "group": pv.Sensitive()},
        [pv.KAnonymity(3), pv.TCloseness(0.5, other), pv.LDiversity(2, other, knowing=["group"])],
    )
    plan = pv.Plan.from_document(plan.to_document())
    assert pv.verify(pv.anonymize(frame, plan).frame, plan)


@pytest.mark.parametrize(
    "model", [pv.KAnonymity(10), pv.LDiversity(3, "disease"), pv.TCloseness(0.2, "disease")], ids=repr
)
def test_more_suppression_is_never_worse(model: Model) -> None:
    losses = []
    for share in (0.0, 0.01, 0.05, 0.2, 1.0):
        release = pv.anonymize(people(), pv.Plan(COLUMNS, model, suppression=share))
        losses.append(release.measure()["utility.gcp"])
    assert losses == sorted(losses, reverse=True)


def test_failures_are_raised_and_nothing_is_returned(capsys: pytest.CaptureFixture[str]) -> None:
    for model in (pv.KAnonymity(10_000), pv.LDiversity(9, "disease"), pv.AlphaKAnonymity(0.1, 2, "disease")):
        with pytest.raises(ParaventError, match="cannot hold"):
            pv.anonymize(people(), pv.Plan(COLUMNS, model, suppression=0.5))
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""
    assert not pv.verify(people().clear(), pv.Plan(COLUMNS, pv.KAnonymity(1)))


def test_classes_of_one_label_that_break_a_model_together_are_told_and_not_released() -> None:
    """Tolerance is no model that joining keeps: parts of a node may hold it, and the node not."""
    plan = pv.Plan(COLUMNS, [models()[4], models()[10]])
    with pytest.raises(pv.InfeasibleError, match="get the same labels"):
        pv.anonymize(people(zones=120), plan)


def test_a_group_with_a_name_covers_nobody_whom_its_tree_does_not_name() -> None:
    """33 lies between 20 and 40, but nothing says that 33 belongs to `adults`; `[20, 40]` says so itself."""
    plan = pv.Plan({"age": pv.Quasi(pv.groups({"adults": ["20", "40"]}))}, pv.KMap(2, "p"))
    axes = encode(pv.read(pl.DataFrame({"age": [20, 40]})), plan)
    everybody = Population.of(pv.read(pl.DataFrame({"age": [20, 33, 40]})), plan, name="p", count=None)
    for label, people in (("adults", 2), ("[20, 40]", 3)):
        found, beyond = people_of_cells(axes, everybody, pl.DataFrame({"age": [label, label]}))
        assert (found.tolist(), beyond) == ([people, people], 3 - people)


def test_suppression_may_thin_what_is_common_and_leaves_what_is_rare() -> None:
    """Of 7, 4 and 1 rows six may go, of the commonest value each time: 2, 3 and 1 are left, and e to their entropy is
    6 / (2² · 3³)^(1/6) = 2.7494…"""
    table = pl.DataFrame({"age": range(20, 32), "ill": ["flu"] * 7 + ["cold"] * 4 + ["gout"]})
    model = pv.LDiversity(2.8, "ill", kind="entropy")
    plan = pv.Plan({"age": pv.Quasi(), "ill": pv.Sensitive()}, model, suppression=0.5)
    with pytest.raises(InfeasibleError, match=r"Ask for l of at most 2\.7494"):
        pv.anonymize(table, plan)


def test_people_between_the_values_of_a_group_are_in_its_interval(tmp_path: Path) -> None:
    """The tree keeps 10 out of `[0, 10]`. Whoever lies between the values it names is covered; nobody else is."""
    tree = tmp_path / "age.csv"
    tree.write_text("2;[0, 10];*\n8;[0, 10];*\n10;[10, 20];*\n15;[10, 20];*\n", encoding="utf-8")
    table = pl.DataFrame({"age": [2, 8, 10, 15]})
    people = pl.DataFrame({"age": [2, 5, 8, 10, 12, 15, 1, 9, 16]})
    plan = pv.Plan({"age": pv.Quasi(str(tree))}, pv.KMap(2, "people"), pv.methods.Filter(levels={"age": 1}))
    release = pv.anonymize(table, plan, populations={"people": people})
    assert release.verdict.levels["privacy.k_map"] == 3
