"""Microaggregation: the tables of the literature, and what every release of averages owes."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paravent as pv
from paravent.methods.microaggregation.averages import means
from paravent.methods.microaggregation.groups import by_own_k
from paravent.methods.microaggregation.space import columns_of
from paravent.methods.output_types import output_type
from paravent.published import Averages, Representatives
from paravent.table.kinds import Kind
from paravent.table.line import to_line

ROOT = Path(__file__).parents[2]
ORACLE = tomllib.loads((ROOT / "tests" / "oracles" / "microaggregation.toml").read_text(encoding="utf-8"))
CASC = ROOT.parent / "shared" / "data" / "casc"
METHODS: list[Any] = [
    pv.methods.MDAV(),
    pv.methods.MDAV(publish="interval"),
    pv.methods.MDAV(publish="ancestor", nominal="tree"),
    pv.methods.MDAV(median="convex", whole=True),
    pv.methods.MDAV(rescale=True),
    pv.methods.VMDAV(gain=1.1),
    pv.methods.RefinedMDAV(effort=20),
]


def casc(name: str) -> pl.DataFrame:
    path = CASC / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"the reference set {path} is not here")
    frame = pl.read_csv(path)
    if name != "eia":
        return frame
    return frame.select("UTILITYID", *(c for c in frame.columns if c.endswith(("REVENUE", "SALES"))))


def plan_of(frame: pl.DataFrame, k: int, method: Any) -> pv.Plan:
    return pv.Plan({name: pv.Quasi() for name in frame.columns}, [pv.KAnonymity(k)], method)


@pytest.mark.parametrize(("name", "k"), [(name, int(k)) for name, found in ORACLE["mdav"].items() for k in found])
def test_the_published_losses_of_mdav(name: str, k: int) -> None:
    frame, said = casc(name), ORACLE["mdav"][name][str(k)]
    release = pv.anonymize(frame, plan_of(frame, k, pv.methods.MDAV()))
    assert release.measure()["utility.sse"] == pytest.approx(said, abs=5e-4 if name == "eia" else 5e-5)
    assert release.verdict.strict_k >= k
    for column in frame.columns:
        assert release.frame[column].dtype == pl.Float64
        before, after = frame[column].mean(), release.frame[column].mean()
        assert after == pytest.approx(before, rel=1e-9, abs=1e-9 * float(frame[column].std()))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["census", "tarragona", "eia"])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_refinement_beats_mdav(name: str, k: int) -> None:
    frame = casc(name)
    release = pv.anonymize(frame, plan_of(frame, k, pv.methods.RefinedMDAV(effort=150, chains=1)))
    assert release.measure()["utility.sse"] < 0.97 * ORACLE["mdav"][name][str(k)]
    assert release.verdict.strict_k >= k


def test_the_health_table() -> None:
    said = ORACLE["health"]
    frame = pl.DataFrame(said["rows"], schema=said["columns"], orient="row")
    postcodes = [str(code) for code in range(53700, 53720)]  # most of which do not occur
    table = pv.read(frame, kinds={"cp": postcodes, "genre": "nominal", "maladie": "nominal"})
    roles = {name: pv.Quasi(weight=20 if name == "genre" else 1) for name in frame.columns}  # women and men apart
    release = pv.anonymize(table, pv.Plan(roles, [pv.KAnonymity(4)], pv.methods.MDAV(), order="source"))
    first, last = said["released"]
    assert [list(row) for row in release.frame.rows()] == [first] * 4 + [last] * 4


def test_patients_grouped_by_age() -> None:
    said = ORACLE["patients"]
    frame = pl.DataFrame({"age": said["age"], "temperature": said["temperature"]})
    release = pv.anonymize(frame, pv.Plan({"age": pv.Quasi()}, [pv.KAnonymity(3)], pv.methods.UnivariateOptimal()))
    assert release.frame["age"].mean() == pytest.approx(frame["age"].mean(), rel=1e-12)
    of_row = np.zeros(11, dtype=np.int32)
    for number, group in enumerate(said["groups"]):
        of_row[np.array(group) - 1] = number
    table = pv.read(frame)
    (axis,) = pv.anonymize(table, pv.Plan({"temperature": pv.Quasi()}, [pv.KAnonymity(3)], pv.methods.MDAV())).axes
    assert means(axis, of_row, 3).tolist() == pytest.approx(said["means"], abs=5e-5)


@pytest.mark.parametrize("kind", [str, int])
@pytest.mark.parametrize(("median", "expected"), [("median", 2), ("convex", 4)])
@pytest.mark.parametrize("method", [pv.methods.MDAV, pv.methods.VMDAV, pv.methods.IndividualRanking])
def test_medians_of_one_two_seven(method: Any, median: str, expected: int, kind: Any) -> None:
    """Domingo-Ferrer, Torra 2005: {1, 2, 7} on a scale of 1 to 7, of which nothing else occurs in the table."""
    table = pv.read(pl.DataFrame({"mark": [kind(1), kind(2), kind(7)]}), kinds={"mark": list("1234567")})
    for order in ("shuffled", "source"):
        plan = pv.Plan({"mark": pv.Quasi()}, [pv.KAnonymity(3)], method(median=median), order=order)
        release = pv.anonymize(table, plan)
        assert release.frame["mark"].to_list() == [kind(expected)] * 3
        assert release.measure()["utility.gcp"] == 1
        assert pv.measure(table, release.frame, release.plan)["utility.gcp"] == 1


def test_a_scale_may_be_that_of_a_tree() -> None:
    """Marks whose column declares no order, under a tree that has all seven."""
    tree = pv.groups({"*": {"low": ["1", "2", "3"], "high": ["4", "5", "6", "7"]}})
    table = pv.read(pl.DataFrame({"mark": [1, 2, 7]}), kinds={"mark": "ordinal"})
    plan = pv.Plan({"mark": pv.Quasi(tree)}, [pv.KAnonymity(3)], pv.methods.MDAV(median="convex"))
    assert [str(mark) for mark in pv.anonymize(table, plan).frame["mark"]] == ["4"] * 3


def test_distances_count_what_does_not_occur() -> None:
    """On 1 to 7, 1 and 3 are two sevenths apart though 2 is nowhere; under a tree of six names, two under a group of
    three lie two fifths apart."""
    table = pv.read(pl.DataFrame({"mark": ["1", "3", "7"], "job": ["a", "b", "e"]}), kinds={"mark": list("1234567")})
    tree = pv.groups({"*": [{"abc": ["a", "b", "c"]}, "d", "e", "f"]})
    axes = pv.anonymize(
        table, pv.Plan({"mark": pv.Quasi(), "job": pv.Quasi(tree)}, [pv.KAnonymity(3)], pv.methods.MDAV())
    ).axes
    (mark,), (job,) = (columns_of(axis, "tree") for axis in axes)
    assert np.diff(mark.values).tolist() == pytest.approx([2 / 7, 4 / 7])
    assert np.sqrt(job.table).tolist() == [pytest.approx(row) for row in ([0, 0.4, 1], [0.4, 0, 1], [1, 1, 0])]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pv.Table, pv.Plan]:
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    gaps = draw(st.booleans())

    def holes(values: list[Any]) -> list[Any]:
        return [None if gaps and rng.random() < 0.15 else value for value in values]

    frame = pl.DataFrame(
        {
            "age": pl.Series(holes(rng.integers(18, 60, n).tolist()), dtype=pl.Int64),
            "pay": pl.Series(holes(np.round(rng.normal(10, 5, n), 2).tolist()), dtype=pl.Float64),
            "born": pl.Series([dt.date(1990, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, 900, n)]),
            "grade": rng.choice(["low", "mid", "top"], n).tolist(),
            "town": holes(rng.choice(["aa", "ab", "ba", "bb"], n).tolist()),
            "flag": rng.random(n) < 0.5,
            "sick": rng.choice(["yes", "no"], n).tolist(),
        }
    )
    kinds: dict[str, Any] = {"grade": ["low", "mid", "top"], "town": "nominal"}
    missing = draw(st.sampled_from(["own value", "impute", "drop rows", "wildcard"]))
    quasi = draw(st.lists(st.sampled_from(frame.columns[:-1]), min_size=1, unique=True))
    roles: dict[str, Any] = {
        name: pv.Quasi(pv.prefixes() if name == "town" else None, weight=draw(st.sampled_from([1.0, 3.0])))
        for name in quasi
    }
    roles |= {name: pv.Insensitive() for name in frame.columns if name not in roles}
    roles["sick"] = pv.Sensitive()
    roles |= {name: pv.Insensitive() for name in frame.columns if name not in roles}
    models: list[Any] = [pv.KAnonymity(draw(st.integers(1, 4)))]
    if draw(st.booleans()) and missing != "wildcard":
        models.append(draw(st.sampled_from([pv.LDiversity(2, "sick"), pv.TCloseness(0.3, "sick")])))
    return pv.read(frame, kinds=kinds), pv.Plan(roles, models, missing=missing)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(case=tables())
@settings(max_examples=25, deadline=None)
def test_what_every_release_owes(method: Any, case: tuple[pv.Table, pv.Plan]) -> None:
    table, plan = case
    plan = plan.replace(method=method)
    try:
        release = pv.anonymize(table, plan)
    except pv.InfeasibleError:
        return
    assert release.verdict
    again = pv.anonymize(table, plan)
    assert again.frame.equals(release.frame)
    assert release.verdict.suppressed == 0
    if method.publish == "average":
        for name in plan.quasi:
            before, after = table.frame[name].dtype, release.frame[name].dtype
            if before.is_integer() and table.frame[name].null_count() < len(table):
                assert after == (pl.Int64 if method.whole else pl.Float64)
            elif before != pl.String:
                assert after == before
    release.measure()


def test_types_come_back_from_files(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "age": [1, 2, 4, 30, 31, 35],
            "day": [dt.date(2020, 1, d) for d in (1, 2, 3, 11, 12, 13)],
            "when": [dt.datetime(2020, 1, 1, h) for h in (1, 2, 3, 11, 12, 13)],
            "flag": [True, True, False, False, False, True],
        }
    )
    plan = plan_of(frame, 3, pv.methods.MDAV()).replace(order="source")
    release = pv.anonymize(frame, plan)
    assert release.frame.schema == {"age": pl.Float64, "day": pl.Date, "when": pl.Datetime("us"), "flag": pl.Boolean}
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        assert pv.verify(tmp_path / name, plan)
    assert pl.read_parquet(tmp_path / "out.parquet").equals(release.frame)
    back = pl.read_csv(tmp_path / "out.csv", try_parse_dates=True)
    assert back["age"].equals(release.frame["age"])  # every digit
    assert back["day"].equals(release.frame["day"])
    assert release.frame["day"].to_list()[:3] == [dt.date(2020, 1, 2)] * 3
    whole = pv.anonymize(frame, plan.replace(method=pv.methods.MDAV(whole=True)))
    assert whole.frame["age"].to_list() == [2, 2, 2, 32, 32, 32]
    assert whole.frame["age"].dtype == pl.Int64


def test_a_rescaled_column_keeps_mean_and_variance() -> None:
    frame = casc("census").select("AGI", "FEDTAX", "INTVAL")
    release = pv.anonymize(frame, plan_of(frame, 5, pv.methods.MDAV(rescale=True)))
    for name in frame.columns:
        assert release.frame[name].mean() == pytest.approx(frame[name].mean(), rel=1e-9)
        assert release.frame[name].std() == pytest.approx(frame[name].std(), rel=1e-9)


@pytest.mark.parametrize("offset", [0, 1_000, 10**9])
@pytest.mark.parametrize("k", [8, 17, 20, 35])
def test_rescaling_moves_no_mean(offset: int, k: int) -> None:
    """Means of one class, or of classes whose means are equal, have nothing to stretch but rounding."""
    ages = np.random.default_rng(1).integers(19, 54, 35) + offset
    frame = pl.DataFrame({"age": ages, "one": [7] * 35, "even": [1.1, 2.2, 3.3, 4.4, 5.5] * 7})
    release = pv.anonymize(frame, plan_of(frame, k, pv.methods.MDAV(rescale=True)))
    assert release.frame["age"].mean() == pytest.approx(frame["age"].mean(), rel=1e-12)
    assert release.frame["even"].mean() == pytest.approx(frame["even"].mean(), rel=1e-12)
    if release.frame["age"].n_unique() > 1:
        assert release.frame["age"].std() == pytest.approx(frame["age"].std(), rel=1e-6)


MOMENTS = pl.Series([dt.datetime(1999, 1, 1) + dt.timedelta(seconds=7919 * i, microseconds=i) for i in range(30)])
BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


@pytest.mark.parametrize(
    "moments",
    [
        MOMENTS.dt.time(),
        MOMENTS.dt.date(),
        *(MOMENTS.cast(pl.Datetime(unit)) for unit in ("ms", "us", "ns")),
        MOMENTS.dt.replace_time_zone("UTC"),
        MOMENTS.dt.replace_time_zone(BERLIN),
        MOMENTS.cast(pl.Datetime("ns")).dt.replace_time_zone("UTC").dt.convert_time_zone(NEW_YORK),
    ],
    ids=lambda moments: str(moments.dtype),
)
@pytest.mark.parametrize(
    "method",
    [
        pv.methods.MDAV(),
        pv.methods.MDAV(rescale=True),
        pv.methods.MDAV(publish="interval"),
        pv.methods.VMDAV(gain=1.1),
    ],
    ids=repr,
)
def test_dates_and_times_of_day_can_be_measured(moments: pl.Series, method: pv.methods.Method) -> None:
    frame = pl.DataFrame({"when": moments, "age": list(range(30))})
    release = pv.anonymize(frame, plan_of(frame, 3, method))
    measures = release.measure()
    assert 0 < measures["utility.gcp"] < 1
    # the average lies in the day, hour or second of its class: on the line, as far apart as the values are
    if method == pv.methods.MDAV():
        reading = next(r for r in release.subject.readings if r.axis.name == "when")
        places = to_line(release.frame["when"], Kind.DATE)
        np.testing.assert_allclose(reading.expected[reading.codes], places, atol=1e-9)


def test_numbers_too_large_to_compute_with_are_refused() -> None:
    frame = pl.DataFrame({"a": [1e308, -1e308, 0.0, 1.0] * 3, "b": [1, 2, 3] * 4})
    for method in (pv.methods.Mondrian(), pv.methods.LocalRecoding(), pv.methods.MDAV(rescale=True)):
        with pytest.raises(
            pv.PlanError, match=r"columns\.a: the number 1e\+308 is too large to compute with"
        ) as caught:
            pv.anonymize(frame, plan_of(frame, 3, method))
        assert "308" not in caught.value.redacted


def test_missing_numbers_by_meaning() -> None:
    frame = pl.DataFrame({"a": [1.0, 3.0, None, None, 50.0, 54.0], "b": [1, 1, 1, 1, 9, 9]})
    for meaning, expected in (
        ("wildcard", [2.0, 2.0, None, None, 52.0, 52.0]),
        ("own value", [2.0, 2.0, None, None, 52.0, 52.0]),
        ("drop rows", [2.0, 2.0, 52.0, 52.0]),
    ):
        columns = {"a": pv.Quasi(missing=meaning), "b": pv.Quasi()}
        plan = pv.Plan(columns, [pv.KAnonymity(2)], pv.methods.MDAV(), order="source")
        assert pv.anonymize(frame, plan).frame["a"].to_list() == expected


def test_each_row_may_ask_for_its_own_k() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "wish": [10] * 12 + [3] * 46 + [7] * 2})
    plan = pv.Plan({"x": pv.Quasi(), "y": pv.Quasi()}, [pv.KAnonymity(2)], pv.methods.MDAV(own_k="wish"))
    release = pv.anonymize(frame, plan)
    sizes = release.frame.with_columns(size=pl.len().over("x", "y"))
    assert (sizes["size"] >= sizes["wish"]).all()


def test_blocks_keep_k_and_lose_a_little_more() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({f"c{j}": rng.normal(size=2000) for j in range(3)})
    whole, parts = (pv.anonymize(frame, plan_of(frame, 5, pv.methods.MDAV(block=block))) for block in (10_000, 500))
    assert parts.verdict.strict_k >= 5
    lost = [release.measure()["utility.sse"] for release in (whole, parts)]
    assert lost[1] < 1.5 * lost[0]


def test_the_best_of_one_column() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3, 10, 11, 12, 13, 50, 51]})
    release = pv.anonymize(frame, plan_of(frame, 2, pv.methods.UnivariateOptimal()))
    assert sorted(release.frame["x"]) == [2.0] * 3 + [10.5] * 2 + [12.5] * 2 + [50.5] * 2
    two = pl.DataFrame({"x": [1, 2], "y": [1, 2]})
    with pytest.raises(pv.PlanError, match="one quasi-identifier"):
        pv.anonymize(two, plan_of(two, 2, pv.methods.UnivariateOptimal()))


def test_individual_ranking_promises_columns_alone() -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"x": rng.normal(size=50), "y": rng.normal(size=50)})
    roles = {"x": pv.Quasi(), "y": pv.Quasi()}
    release = pv.anonymize(frame, pv.Plan(roles, [pv.ColumnAnonymity(5)], pv.methods.IndividualRanking()))
    assert release.verdict.levels["privacy.column_k"] >= 5
    assert release.verdict.strict_k < 5  # and nobody says otherwise
    assert release.measure()["risk.prosecutor.max"] == 1
    with pytest.raises(pv.InfeasibleError, match=r"ColumnAnonymity\(5\) alone, or take MDAV"):
        pv.anonymize(frame, pv.Plan(roles, [pv.KAnonymity(5)], pv.methods.IndividualRanking()))
    joint = pv.anonymize(frame, pv.Plan(roles, [pv.ColumnAnonymity(5)], pv.methods.MDAV()))
    assert joint.verdict.strict_k >= 5
    assert release.measure()["utility.sse"] < joint.measure()["utility.sse"]


def test_a_column_whose_values_are_rare_fails_by_itself() -> None:
    frame = pl.DataFrame({"x": [1, 1, 2, 2], "y": [1, 1, 1, 2]})
    plan = pv.Plan({"x": pv.Quasi(), "y": pv.Quasi()}, [pv.ColumnAnonymity(2)])
    verdict = pv.verify(frame, plan)
    assert not verdict
    assert verdict.levels["privacy.column_k"] == 1
    assert pv.verify(frame.with_columns(y=pl.lit(1)), plan)


def test_averages_cover_nobody_of_a_population() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3, 4]})
    plan = pv.Plan({"x": pv.Quasi()}, [pv.KMap(2, "people")], pv.methods.MDAV())
    with pytest.raises(pv.PlanError, match="publish='interval'"):
        pv.anonymize(frame, plan, populations={"people": frame})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pv.methods.MDAV(publish="mean"), "publish must be 'average' or 'interval' or 'ancestor'"),
        (lambda: pv.methods.MDAV(publish="interval", whole=True), "about averages"),
        (lambda: pv.methods.MDAV(block=3), "block must be"),
        (lambda: pv.methods.VMDAV(gain=-1), "gain must be"),
        (lambda: pv.methods.RefinedMDAV(chains=0), "chains must be"),
        (lambda: pv.methods.MDAV(own_k=""), "own_k must be"),
    ],
)
def test_wrong_options_get_a_sentence(make: Any, words: str) -> None:
    with pytest.raises(pv.PlanError, match=words):
        make()


def test_plan_files_and_command_line_know_them(tmp_path: Path) -> None:
    plan = pv.Plan({"x": pv.Quasi()}, [pv.ColumnAnonymity(3)], pv.methods.MDAV(publish="interval", whole=False))
    plan.save(tmp_path / "plan.toml")
    assert pv.Plan.load(tmp_path / "plan.toml") == plan


def test_a_comparison_and_a_report_take_averages(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    frame = pl.DataFrame(
        {"x": rng.normal(size=120).round(3), "y": rng.integers(0, 50, 120), "town": ["a", "b", "c"] * 40}
    )
    plan = plan_of(frame, 4, pv.methods.MDAV())
    release = pv.anonymize(frame, plan)
    release.report(tmp_path / "page.html")
    found = pv.compare(frame, {"mdav": plan, "mondrian": plan.replace(method=pv.methods.Mondrian())})
    assert "mdav" in str(found)
    exact = {name: replace(role, bounds="exact") for name, role in plan.quasi.items()}
    spans = pv.anonymize(frame, plan.replace(columns=exact, method=pv.methods.MDAV(publish="interval")))
    averages, labelled = release.measure(), spans.measure()
    assert averages["utility.gcp"] == pytest.approx(labelled["utility.gcp"])  # an average tells no more than its span
    assert release.measure("score")["utility.score"] > 0
    assert output_type(release) == "multidimensional"


def test_lying_averages_get_no_release() -> None:
    class Shifted(pv.methods.MDAV):
        def run(self, task: Any) -> Any:
            found = super().run(task)
            cells = {n: Averages(c.places + 100) if isinstance(c, Averages) else c for n, c in found.cells.items()}
            return type(found)(found.of_row, found.n_classes, cells)

    class Mispicked(pv.methods.MDAV):
        def run(self, task: Any) -> Any:
            found = super().run(task)
            wrong = np.where(np.arange(found.n_classes) == found.of_row[-1], 0, 2)  # `c` where nobody is from
            cells = {n: Representatives(wrong) if isinstance(c, Representatives) else c for n, c in found.cells.items()}
            return type(found)(found.of_row, found.n_classes, cells)

    frame = pl.DataFrame({"x": [1, 2, 3, 40, 41, 42], "town": list("aabbbc")})
    for method, words in ((Shifted(), "does not lie among"), (Mispicked(), "does not lie among")):
        with pytest.raises(pv.UnsafeReleaseError, match=words):
            pv.anonymize(frame, plan_of(frame, 2, method))


def test_rows_that_are_too_few_for_their_own_k_join_others() -> None:
    """Three rows ask for groups of 3, and one for 2, which nobody else does: all four are grouped by 3. Of two rows
    that ask for 3 and two that ask for 2, all go in groups of 3; where the table has fewer rows, none can."""
    asked: list[tuple[list[int], int]] = []

    def group(rows: np.ndarray, k: int) -> tuple[np.ndarray, int]:
        asked.append((rows.tolist(), k))
        return np.zeros(len(rows), dtype=np.int32), 1

    for own, wanted in (
        ([3, 2, 3, 3], [([0, 1, 2, 3], 3)]),
        ([3, 2, 3, 2], [([0, 1, 2, 3], 3)]),
        ([2, 3, 3, 3, 2], [([1, 2, 3], 3), ([0, 4], 2)]),
    ):
        asked.clear()
        of_row, count = by_own_k(np.array(own), 1, group)
        assert asked == wanted
        assert count == len(wanted)
        assert set(of_row.tolist()) == set(range(count))
    with pytest.raises(pv.InfeasibleError, match="a row asks for groups of 5, but there are only 3 rows"):
        by_own_k(np.array([2, 5, 2]), 1, group)


def test_a_missing_value_of_its_own_has_no_place_between_others_on_a_scale() -> None:
    table = pv.read(
        pl.DataFrame({"mark": ["low", "high", None, "low", "high", None]}), kinds={"mark": ["low", "mid", "high"]}
    )
    plan = pv.Plan({"mark": pv.Quasi(missing="own value")}, [pv.KAnonymity(6)], pv.methods.MDAV(publish="interval"))
    (label,) = pv.anonymize(table, plan).frame["mark"].unique().to_list()
    assert label == "{low, high, (missing)}"
