"""Coding: worked examples of the literature, each way of every treatment, and bad input."""

from __future__ import annotations

import hmac
import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.errors import InfeasibleError, ParaventError, PlanError
from paravent.treatments import BottomCode, Mask, Pseudonymize, Recode, Round, Sample, Suppress, TopCode, Treatment

ORACLE = tomllib.loads((Path(__file__).parents[1] / "oracles" / "treatments.toml").read_text(encoding="utf-8"))
PATIENTS = pl.DataFrame(ORACLE["table_7"])


def treated(frame: pl.DataFrame, *treat: Treatment, kinds: Any = None, **more: Any) -> pl.DataFrame:
    """The table with its treatments alone, rows as they stood."""
    table = pv.read(frame.with_columns(all=pl.lit("x")), kinds=kinds)
    columns = {name: pv.Insensitive() for name in frame.columns} | {"all": pv.Quasi()}
    settings: dict[str, Any] = {"order": "source", "person": None, "method": pv.methods.AsIs()} | more
    plan = pv.Plan(columns | settings.pop("columns", {}), pv.KAnonymity(1), treat=treat, **settings)
    return pv.anonymize(table, plan).frame.drop("all")


def column(values: list[Any], *treat: Treatment, kinds: Any = None) -> list[Any]:
    """One column `v`, treated."""
    return treated(pl.DataFrame({"v": values}), *treat, kinds=kinds)["v"].to_list()


def test_global_recoding_of_the_guided_thesis() -> None:
    wanted = ORACLE["recoded"]
    found = treated(PATIENTS, Recode("cholesterol", breaks=wanted["breaks"]))
    of = {label: found.filter(pl.col("cholesterol") == label)["ids"].to_list() for label in wanted["labels"]}
    assert list(of.values()) == [wanted["first"], wanted["second"], wanted["third"]]
    assert found.drop("cholesterol").equals(PATIENTS.drop("cholesterol"))


def test_top_coding_of_the_guided_thesis() -> None:
    wanted = ORACLE["top_coded"]
    found = treated(PATIENTS, TopCode("temperature", above=wanted["above"]))
    assert found.filter(pl.col("temperature") == wanted["label"])["ids"].to_list() == wanted["ids"]
    others = found.filter(pl.col("temperature") != wanted["label"])["temperature"]
    assert others.to_list() == ["36.6", "37.2", "36.2", "37.5", "36.5", "37.6", "36.9"]


def test_local_suppression_of_the_guided_thesis() -> None:
    blanks = [Suppress(name, where={"ids": str(row)}) for name, row in ORACLE["suppressed"].items()]
    found = treated(PATIENTS, *blanks)
    for name, row in ORACLE["suppressed"].items():
        assert found.filter(pl.col(name).is_null())["ids"].to_list() == [row]
    assert found.null_count().row(0).count(1) == 2


def test_widths_and_masks_of_the_workbench() -> None:
    wide, mask = ORACLE["width"], ORACLE["masked"]
    assert column(wide["values"], Recode("v", width=wide["width"])) == wide["labels"]
    assert column(mask["values"], Mask("v", last=mask["last"])) == mask["cells"]


@pytest.mark.parametrize(
    ("treatment", "expected"),
    [
        (TopCode("v", above=7), ["1", "2", None, "7", ">7", ">7", ">7"]),
        (TopCode("v", above=7, label="old"), ["1", "2", None, "7", "old", "old", "old"]),
        (TopCode("v", above=7.5, replace="limit"), [1.0, 2.0, None, 7.0, 7.5, 7.5, 7.5]),
        (TopCode("v", above=7, replace="limit"), [1, 2, None, 7, 7, 7, 7]),
        (TopCode("v", above=7, replace="mean"), [1.0, 2.0, None, 7.0, 10.0, 10.0, 10.0]),
        (TopCode("v", share=0.2), ["1", "2", None, "7", "8", "10", ">10"]),  # of 6 values at most 1.2
        (TopCode("v", share=0.5, replace="limit"), [1, 2, None, 7, 7, 7, 7]),
        (TopCode("v", above=99), ["1", "2", None, "7", "8", "10", "12"]),
        (BottomCode("v", below=7), ["<7", "<7", None, "7", "8", "10", "12"]),
        (BottomCode("v", share=0.4, replace="limit"), [7, 7, None, 7, 8, 10, 12]),
        (Recode("v", groups=2), ["[1, 7]", "[1, 7]", None, "[1, 7]", "[8, 12]", "[8, 12]", "[8, 12]"]),
        (Recode("v", groups=2, by="width"), ["[0, 10["] * 2 + [None] + ["[0, 10["] * 2 + ["[10, 20["] * 2),
        (Recode("v", breaks=[2, 8]), ["<2", "[2, 8]", None, "[2, 8]", "[2, 8]", ">8", ">8"]),
        (Recode("v", breaks=[0, 7, 12], labels=["low", "high"]), ["low", "low", None, "high", "high", "high", "high"]),
        (Recode("v", mapping={"1": "one", "2": "two"}, other="more"), ["one", "two", None, *["more"] * 4]),
        (Recode("v", tree=pv.intervals(5, 10), level=2), ["[0, 10["] * 2 + [None] + ["[0, 10["] * 2 + ["[10, 20["] * 2),
        (Round("v", base=5), [0, 0, None, 5, 10, 10, 10]),  # 10 = 2 · 5, 12 → 10
        (Round("v", base=4), [0, 0, None, 8, 8, 8, 12]),  # 2 and 10 lie halfway: 0 and 8 are even multiples
        (Round("v", base=0.5), [1.0, 2.0, None, 7.0, 8.0, 10.0, 12.0]),
        (Mask("v", first=1), ["*", "*", None, "*", "*", "*0", "*2"]),
        (Mask("v", last=1, sign="#"), ["#", "#", None, "#", "#", "1#", "1#"]),
        (Suppress("v", above=7), [1, 2, None, 7, None, None, None]),
        (Suppress("v", below=7, values=["1", "8"]), [None, 2, None, 7, 8, 10, 12]),
        (Suppress("v"), [None] * 7),
    ],
    ids=repr,
)  # fmt: skip
def test_each_way_of_coding_numbers(treatment: Treatment, expected: list[Any]) -> None:
    assert column([1, 2, None, 7, 8, 10, 12], treatment) == expected


def test_dates_and_ordinal_values_have_limits_too() -> None:
    days = [date(1999, 12, 31), date(2000, 1, 1), None, date(2010, 5, 5)]
    assert column(days, TopCode("v", above="2000-01-01")) == ["1999-12-31", "2000-01-01", None, ">2000-01-01"]
    assert column(days, BottomCode("v", below="2000-01-01", replace="limit"))[:2] == [date(2000, 1, 1)] * 2
    labels = ["[1990-01-01, 2000-01-01[", "[2000-01-01, 2010-05-05]"]
    assert column(days, Recode("v", breaks=["1990-01-01", "2000-01-01", "2010-05-05"])) == [
        labels[0], labels[1], None, labels[1]
    ]  # fmt: skip
    sizes = ["small", "big", None, "mid", "huge"]
    order = {"v": ("small", "mid", "big", "huge")}
    assert column(sizes, TopCode("v", above="mid"), kinds=order) == ["small", ">mid", None, "mid", ">mid"]
    assert column(sizes, TopCode("v", above="mid", replace="limit"), kinds=order) == [
        "small",
        "mid",
        None,
        "mid",
        "mid",
    ]
    assert column(sizes, Recode("v", groups=2), kinds=order) == [
        "small~mid", "big~huge", None, "small~mid", "big~huge"
    ]  # fmt: skip


def test_both_ends_of_a_column_can_be_coded() -> None:
    ends = [TopCode("v", above=7), BottomCode("v", below=1.5)]
    for treat in (ends, ends[::-1]):
        assert column([1, 2, None, 7, 8], *treat) == ["<1.5", "2", None, "7", ">7"]
    shares = [TopCode("v", share=0.3), BottomCode("v", share=0.3)]
    assert column([1, 2, None, 7, 8], *shares) == ["<2", "2", None, "7", ">7"]
    with pytest.raises(PlanError, match="has no value 'x' in its order"):
        column([1, 2, 8], TopCode("v", above=7), BottomCode("v", below="x"))


def test_coded_numbers_keep_an_order_that_methods_use() -> None:
    frame = pl.DataFrame({"age": [20, 21, 30, 31, 80, 90], "x": [1, 2, 3, 4, 5, 6]})
    plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), treat=[TopCode("age", above=75)], order="source")
    assert pv.anonymize(frame, plan).frame["age"].to_list() == ["20~30"] * 3 + ["31~>75"] * 3


def test_a_mean_of_few_people_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="only 2 of the people lie beyond the limit of column 'v'"):
        column([1, 2, 8, 9], TopCode("v", above=7, replace="mean"))
    visits = pl.DataFrame({"who": ["a", "a", "a", "b"], "v": [8, 9, 10, 1], "all": ["x"] * 4})
    plan = pv.Plan({"all": pv.Quasi()}, pv.KAnonymity(1), treat=[TopCode("v", above=7, replace="mean")], person="who")
    with pytest.raises(InfeasibleError, match="only 1 of the people"):
        pv.anonymize(visits, plan)


def test_rounding_at_random_keeps_numbers_on_average_and_controlled_sums() -> None:
    numbers = np.random.default_rng(5).integers(0, 1000, 4000)
    frame = pl.DataFrame({"v": numbers, "g": numbers % 7})
    drawn = treated(frame, Round("v", base=100, how="random"))["v"].to_numpy()
    share = (numbers % 100) / 100
    deviation = 100 * np.sqrt((share * (1 - share)).sum())
    assert abs(int(drawn.sum()) - int(numbers.sum())) < 5 * deviation
    assert (np.abs(drawn - numbers) < 100).all()
    for how in ("nearest", "random"):
        kept = treated(frame, Round("v", base=100, how=how, controlled=True, groups=("g",)))  # type: ignore[arg-type]
        sums = (
            kept.with_columns(was=pl.Series(numbers)).group_by("g").agg((pl.col("v").sum() - pl.col("was").sum()).abs())
        )
        assert (sums["v"] < 100).all()
        assert (np.abs(kept["v"].to_numpy() - numbers) < 100).all()
    half = treated(frame, Round("v", base=100, controlled=True, groups=("g",)))
    sums = half.with_columns(was=pl.Series(numbers)).group_by("g").agg((pl.col("v").sum() - pl.col("was").sum()).abs())
    assert (sums["v"] <= 50).all()  # the multiple nearest to the sum


def test_controlled_rounding_by_hand() -> None:
    frame = pl.DataFrame({"v": [4, 4, 4, 12, 19], "g": ["a", "a", "a", "b", "b"]})
    found = treated(frame, Round("v", base=10, controlled=True, groups=("g",)))["v"].to_list()
    assert found[:3] == [10, 0, 0]  # a sum of 12 becomes 10: one number goes up, the first of equals
    assert found[3:] == [10, 20]


def test_rare_values_and_rows_at_risk_are_suppressed_by_people() -> None:
    visits = pl.DataFrame(
        {
            "who": ["a", "a", "b", "c", "d"],
            "job": ["judge", "judge", "nurse", "nurse", "cook"],
            "town": ["P", "P", "N", "N", "P"],
        }
    )
    roles = {"job": pv.Insensitive(), "town": pv.Quasi()}

    def jobs(treat: Treatment, **more: Any) -> list[str | None]:
        plan = pv.Plan(roles | more, pv.KAnonymity(1), pv.methods.AsIs(), person="who", treat=treat, order="source")
        return pv.anonymize(visits, plan).frame["job"].to_list()

    assert jobs(Suppress("job", rarer=2)) == [None, None, "nurse", "nurse", None]  # the judge's rows are one person's
    own = pv.Quasi(missing="own value")
    assert jobs(Suppress("job", risk=0.5), job=own) == [None, None, "nurse", "nurse", None]
    assert jobs(Suppress("job", risk=0.5)) == ["judge", "judge", "nurse", "nurse", "cook"]  # two people in each town
    assert jobs(Suppress("job", risk=0.4, where={"town": ["P"]})) == [None, None, "nurse", "nurse", None]


def test_suppressed_quasi_identifiers_need_a_meaning() -> None:
    frame = pl.DataFrame({"age": [20, 21, 80, 81], "x": [1, 2, 3, 4]})
    plan = pv.Plan({"age": pv.Quasi()}, pv.KAnonymity(2), treat=[Suppress("age", above=70)])
    with pytest.raises(PlanError, match=r"columns\.age: the column has 2 missing values and the plan does not say"):
        pv.anonymize(frame, plan)
    assert pv.anonymize(frame, plan.replace(missing="own value")).frame["age"].null_count() == 0


def test_a_sample_draws_rows_or_people_by_strata() -> None:
    frame = pl.DataFrame({"v": range(100), "s": [f"{i % 3}" for i in range(100)]})
    assert len(treated(frame, Sample(share=0.29))) == 29
    found = treated(frame, Sample(size=10, strata=("s",)))
    assert sorted(found["s"].value_counts()["count"]) == [3, 3, 4]
    assert treated(frame, Sample(size=10)).equals(treated(frame, Sample(size=10)))
    visits = frame.with_columns(who=pl.col("v") // 5)
    kept = treated(visits, Sample(share=0.5), columns={"who": pv.Identifier("random")}, person="who")
    assert len(kept) == 50
    assert set(kept.group_by("who").len()["len"]) == {5}
    with pytest.raises(PlanError, match="somebody has rows in several strata of 's'"):
        treated(visits, Sample(share=0.5, strata=("s",)), columns={"who": pv.Identifier()}, person="who")


def test_a_sample_is_told_and_what_follows_sees_it_alone() -> None:
    frame = pl.DataFrame({"age": range(40), "x": range(40)})
    plan = pv.Plan(
        {"age": pv.Quasi(), "x": pv.Insensitive()},
        pv.KAnonymity(2),
        treat=[Sample(size=20), TopCode("x", share=0.1)],
    )
    release = pv.anonymize(frame, plan)
    assert release.frame.height == 20
    assert (release.frame["x"].str.starts_with(">")).sum() == 2  # a tenth of the sample
    assert release.provenance["rows"]["sampled_out"] == 20
    assert release.kept is not None
    shown = release.frame["x"].str.starts_with(">").to_numpy()
    assert release.frame["x"].filter(~shown).to_list() == [str(row) for row in release.kept[~shown]]
    assert release.measure()["rows.original"] == 40
    assert pv.measure(frame, release.frame, plan)["utility.gcp"] == release.measure()["utility.gcp"]


@pytest.mark.parametrize("key", ["sixteen letters!", "k" * 64, "k" * 65, "ключ " * 40])
def test_pseudonyms_are_hmac_of_the_text(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 2104, by the standard library: equal in all columns, whatever else stands in them; missing cells stay."""
    monkeypatch.setenv("PARAVENT_TEST_KEY", key)
    cells: dict[str, list[Any]] = {
        "text": ["Ana", "Béa", None, "Ana"],
        "also": ["Béa", "1.5", "Ana", ""],
        "number": [1.5, float("nan"), None, -2.0],
        "day": [date(2020, 1, 31), None, date(1, 1, 1), date(2020, 1, 31)],
    }
    frame = pl.DataFrame(cells).with_columns(pl.col("also").cast(pl.Categorical))
    found = treated(frame, Pseudonymize(tuple(cells), key_env="PARAVENT_TEST_KEY", length=20))
    for name, values in cells.items():
        texts = ["1.5", None, None, "-2.0"] if name == "number" else [None if v is None else str(v) for v in values]
        wanted = [
            None if text is None else hmac.digest(key.strip().encode(), text.encode(), "sha256").hex()[:20]
            for text in texts
        ]
        assert found[name].to_list() == wanted


def test_two_values_with_one_pseudonym_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", "sixteen letters!")
    many = pl.DataFrame({"v": [f"{i}" for i in range(2000)], "w": ["a"] * 2000})
    with pytest.raises(PlanError, match="column 'v': two of 2000 values get the same pseudonym of 4 digits"):
        treated(many, Pseudonymize(("w", "v"), key_env="PARAVENT_TEST_KEY", length=4))


def test_pseudonyms_are_those_of_identifiers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", "correct horse battery staple")
    frame = pl.DataFrame({"doctor": ["Ana", "Béa", "Ana", None], "age": [1, 1, 1, 1]})
    role = pv.Identifier("pseudonym", key_env="PARAVENT_TEST_KEY")
    settings: dict[str, Any] = {"protect": pv.KAnonymity(2), "order": "source", "person": None}
    by_role = pv.anonymize(frame, pv.Plan({"age": pv.Quasi(), "doctor": role}, **settings)).frame["doctor"]
    step = Pseudonymize("doctor", key_env="PARAVENT_TEST_KEY")
    plan = pv.Plan({"age": pv.Quasi(), "doctor": pv.Insensitive()}, **settings, treat=step)
    assert pv.anonymize(frame, plan).frame["doctor"].equals(by_role)
    raw = pv.verify(frame, plan)
    assert not raw
    assert "column 'doctor' must hold pseudonyms of 16 hexadecimal digits" in str(raw)
    (tmp_path / "key").write_text("correct horse battery staple")
    beside = plan.replace(treat=[Pseudonymize("doctor", key_file="key")], folder=tmp_path)
    assert pv.anonymize(frame, beside).frame["doctor"].equals(by_role)
    with pytest.raises(PlanError, match=r"treat\[0\]: Pseudonymize: the environment variable 'NO_KEY' is not set"):
        pv.anonymize(frame, plan.replace(treat=[Pseudonymize("doctor", key_env="NO_KEY")]))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: TopCode("v"), "TopCode: give either above, a limit, or share"),
        (lambda: TopCode("v", above=1, share=0.1), "give either above"),
        (lambda: TopCode("v", share=1.5), "share must lie between 0 and 1"),
        (lambda: TopCode((), above=1), "no column is named"),
        (lambda: TopCode(("v", "v"), above=1), "a column is named twice"),
        (lambda: TopCode("v", above=1, replace="mode"), "replace must be 'label' or 'limit' or 'mean'"),
        (lambda: TopCode("v", above=1, replace="limit", label="x"), "for replace='label' only"),
        (lambda: TopCode("v", above=float("nan")), "above must be a number that can be written"),
        (lambda: Recode("v"), "Recode: nothing says how"),
        (lambda: Recode("v", width=3, groups=2), "width and groups are given"),
        (lambda: Recode("v", width=0), "width must be a positive number"),
        (lambda: Recode("v", groups=1), "groups must be at least 2"),
        (lambda: Recode("v", breaks=[3]), "at least two limits"),
        (lambda: Recode("v", breaks=[1, 2, 3], labels=["a"]), "one label for each"),
        (lambda: Recode("v", width=3, other="x"), "Give a mapping"),
        (lambda: Round("v", base=0), "base must be a positive number"),
        (lambda: Round("v", base=5, groups=("g",)), "Say controlled=True"),
        (lambda: Mask("v"), "Mask: give first or last"),
        (lambda: Mask("v", last=1, sign="**"), "sign must be one sign"),
        (lambda: Suppress("v", rarer=1), "rarer must be at least 2"),
        (lambda: Suppress("v", risk=1), "risk must lie between 0 and 1"),
        (Sample, "give either share"),
        (lambda: Sample(share=0), "share must be above 0"),
        (lambda: Sample(size=0), "size must be at least 1"),
        (lambda: Pseudonymize("v"), "Pseudonymize: a pseudonym needs a key"),
        (lambda: Pseudonymize("v", key_env="X", length=2), "length must be a whole number from 4 to 64"),
        (lambda: column(["a"], TopCode("v", above=1)), "column 'v' is nominal"),
        (lambda: column([1], TopCode("v", above="x")), "holds numbers, and 'x' is none"),
        (lambda: column([date(2000, 1, 1)], TopCode("v", above="old")), "holds dates, and 'old' is none"),
        (lambda: column([date(2000, 1, 1)], TopCode("v", above=3)), "holds dates, and 3 is none"),
        (lambda: column(["a"], Recode("v", width=3)), "only numbers can be cut into equal widths"),
        (lambda: column([1, 2], Recode("v", breaks=[3, 2])), "breaks must ascend"),
        (lambda: column([1, 9], Recode("v", breaks=[0, 2], labels=["a"])), "1 cells of column 'v' lie outside"),
        (lambda: column(["a", "b"], Recode("v", mapping={"a": "x"})), "leaves out 1 values of column 'v' .first: 'b'"),
        (lambda: column([1], Recode("v", tree=pv.intervals(5), level=4)), "has levels 0 to 2, not 4"),
        (lambda: column(["a"], Round("v", base=5)), "only numbers can be rounded"),
        (lambda: column([10**17], Round("v", base=1e-3)), "numbers too large for a base"),
        (lambda: column([1, 2], Sample(size=3)), "size is 3, and there are only 2"),
        (lambda: column([1, 2], Sample(share=0.1)), "leaves no row"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(make: Any, told: str) -> None:
    with pytest.raises(ParaventError, match=told):
        make()


@pytest.mark.parametrize(
    ("cells", "treatment", "expected"),
    [
        (pl.Series([1.5, 2.0, None, 9.0]), Recode("v", breaks=[0, 1.5, 3]), ["[1.5, 3]", "[1.5, 3]", None, ">3"]),
        (pl.Series([1, 2, None, 2**63 + 5], dtype=pl.UInt64), TopCode("v", above=2, replace="limit"), [1, 2, None, 2]),
        (pl.Series([2**62, 2**53 + 1, None]), TopCode("v", share=0.5, replace="limit"), [2**53 + 1, 2**53 + 1, None]),
        (pl.Series([1, 2, 250], dtype=pl.UInt8), BottomCode("v", below=300, replace="limit"), [300, 300, 300]),
        (pl.Series([1, 5, None], dtype=pl.Int128), Round("v", base=2), [0, 4, None]),
        (pl.Series([1, 5, None], dtype=pl.Int128), Recode("v", breaks=[0, 1.5, 9]), ["[0, 1.5[", "[1.5, 9]", None]),
        (pl.Series([None, None], dtype=pl.Int64), Round("v", base=2, controlled=True), [None, None]),
        (pl.Series([1.5, float("nan"), None, -3.25]), TopCode("v", above=1), [">1", None, None, "-3.25"]),
        (pl.Series([True, None, False]), Recode("v", mapping={"true": "yes"}, other="no"), ["yes", None, "no"]),
        (pl.Series(["a", "bc", None], dtype=pl.Categorical), Mask("v", last=1), ["*", "b*", None]),
        (pl.Series([Decimal("1.5"), Decimal("2.2")]), TopCode("v", share=0.5, replace="limit"), [Decimal("1.5")] * 2),
        (pl.Series([1, 2], dtype=pl.UInt8), TopCode("v", above=10**30), ["1", "2"]),
    ],
)  # fmt: skip
def test_columns_of_every_type(cells: pl.Series, treatment: Treatment, expected: list[Any]) -> None:
    assert treated(pl.DataFrame({"v": cells}), treatment)["v"].to_list() == expected


def test_numbers_without_end_have_no_equal_widths() -> None:
    with pytest.raises(PlanError, match=r"column .v. has numbers too large for a width of 1\. Give breaks"):
        column([1.0, float("inf")], Recode("v", width=1))


def test_rows_that_a_sample_leaves_out_have_lost_no_detail() -> None:
    """Half of the rows, each as it was: no loss, no suppression; completeness is the sampling fraction."""
    frame = pl.DataFrame({"age": list(range(20, 40)), "town": ["a", "b"] * 10})
    roles: dict[str, Any] = {"age": pv.Quasi(pv.intervals(10)), "town": pv.Quasi()}
    plan = pv.Plan(roles, [], method=pv.methods.AsIs(), treat=[Sample(share=0.5)], person=None)
    found = pv.anonymize(frame, plan).measure()
    assert found["utility.gcp"] == found["utility.cells.changed"] == found["rows.suppressed"] == 0
    assert found["utility.completeness"] == 0.5
    coarse = plan.replace(protect=[pv.KAnonymity(10)], method=pv.methods.Mondrian())
    assert pv.anonymize(frame, coarse).measure()["utility.loss.town"] == 1  # ten rows, one class, both towns


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (TopCode("v", above=70), TopCode("v", above=75)),
        (BottomCode("v", below=70), BottomCode("v", below=66)),
        (TopCode("v", above=70), BottomCode("v", below=75)),
        (TopCode("v", above=70), Suppress("v", above=75)),
    ],
)
def test_two_limits_in_conflict_are_refused(first: Treatment, then: Treatment) -> None:
    """72 has become >70: whether it lies above 75 nobody can say any more, and >75 would be false of it."""
    with pytest.raises(
        PlanError, match=r"treat\[1\]: .*nobody can say on which side of .* has changed the column before"
    ):
        column([20, 65, 68, 72, 74, 80, 90, 95], first, then)


def test_a_second_limit_that_is_wider_codes_further() -> None:
    ages = [20, 65, 68, 72, 74, 80, 90, 95]
    assert column(ages, TopCode("v", above=75), TopCode("v", above=70)) == ["20", "65", "68"] + [">70"] * 5
    assert column(ages, TopCode("v", above=70), BottomCode("v", below=66)) == ["<66", "<66", "68"] + [">70"] * 5


def test_labels_in_place_of_numbers_do_not_fit_intervals() -> None:
    frame = pl.DataFrame({"age": [30, 31, 76, 80] * 5})
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(5, 10))}, pv.KAnonymity(2), treat=[pv.treatments.TopCode("age", 75)])
    with pytest.raises(pv.TreeError, match=r"after its treatment, which writes labels .* replace='limit'"):
        pv.anonymize(frame, plan)
    coded = plan.replace(treat=[pv.treatments.TopCode("age", 75, replace="limit")])
    assert set(pv.anonymize(frame, coded).frame["age"]) <= {"30", "31", "75", "[30, 35[", "[75, 80["}
