"""Coarsened columns before differential privacy: what follows from each row by itself may come first, nothing else."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent import treatments as t

DP = pv.DifferentialPrivacy(epsilon=5, delta=1e-6)
PEOPLE = pl.DataFrame(
    {
        "age": [20 + i * 7 % 70 for i in range(1200)],
        "zip": [f"{13000 + i % 4 * 1000 + i % 9}" for i in range(1200)],
        "ill": ["yes" if i % 5 == 0 else "no" for i in range(1200)],
    }
)
COARSE: list[Any] = [t.TopCode("age", above=75), t.Mask("zip", last=3)]


def test_coarsened_columns_are_synthesized() -> None:
    ages = [*map(str, range(20, 76)), ">75"]
    domains = {"age": ages, "zip": ["13***", "14***", "15***", "16***"], "ill": ["no", "yes"]}
    plan = pv.Plan({}, [DP], pv.methods.MST(domains=domains), treat=COARSE, person=None)
    release = pv.anonymize(PEOPLE, plan)
    assert release.verdict
    assert set(release.frame["zip"]) <= set(domains["zip"])
    share = (release.frame["age"].cast(str) == ">75").mean()
    assert share == pytest.approx((PEOPLE["age"] > 75).mean(), abs=0.05)


def test_coarsened_columns_are_sampled() -> None:
    columns = {"zip": pv.Quasi(pv.flat()), "age": pv.Quasi(), "ill": pv.Sensitive()}
    treat = [t.Recode("age", width=30), t.Mask("zip", last=4)]
    release = pv.anonymize(PEOPLE, pv.Plan(columns, [DP], pv.methods.SafePub(levels={}, sampling=0.5), treat=treat))
    assert set(release.frame["zip"].cast(str)) == {"1****"}
    alike = release.frame.group_by(pl.all()).len()["len"].to_list()
    assert min(alike) >= 20
    assert sum(alike) == release.frame.height > 300


@pytest.mark.parametrize(
    "treat",
    [
        t.TopCode("age", share=0.1),
        t.TopCode("age", above=70, replace="mean"),
        t.Recode("age", groups=4),
        t.Recode("age", tree=pv.quantiles(4), level=1),
        t.Round("age", base=5, how="random"),
        t.Suppress("zip", rarer=3),
        t.Sample(share=0.5),
        t.Noise("age"),
        t.Swap("age", window=0.1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("method", ["MST", "SafePub"])
def test_what_looks_at_other_rows_is_refused_with_the_reason(treat: Any, method: str) -> None:
    made = pv.methods.MST(domains={}) if method == "MST" else pv.methods.SafePub()
    plan = pv.Plan({"age": pv.Quasi(pv.intervals(10))}, [DP], made, treat=[treat], person=None)
    with pytest.raises(pv.PlanError, match=r"treat\[0\]: .* looks at other rows or draws by chance"):
        pv.anonymize(PEOPLE, plan)
