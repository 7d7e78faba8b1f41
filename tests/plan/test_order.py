"""The order of released rows: nobody who lacks the original can tell where a row stood in it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest

import paravent as pv
from paravent.plan.matching import match_rows
from paravent.plan.order import ascending
from paravent.plan.treat import base_of

ROWS = 60
PEOPLE = pl.DataFrame(
    {
        "name": [f"person {i:02d}" for i in range(ROWS)],
        "age": [20 + i * 7 % 50 for i in range(ROWS)],
        "disease": [("flu", "ulcer", "asthma")[i % 3] for i in range(ROWS)],
        "visit": [f"v{i:03d}" for i in range(ROWS)],
    }
)


def plan(**changes) -> pv.Plan:
    columns = {
        "name": pv.Identifier(),
        "age": pv.Quasi(pv.intervals(10, 20)),
        "disease": pv.Sensitive(),
        "visit": pv.Insensitive(),
    }
    return pv.Plan(columns, pv.KAnonymity(3), person=None).replace(**changes)


def test_row_order_is_shuffled_by_default() -> None:
    release = pv.anonymize(PEOPLE, plan())
    assert plan().order == "shuffled"
    assert release.frame["visit"].to_list() != PEOPLE["visit"].to_list()
    assert sorted(release.frame["visit"]) == PEOPLE["visit"].to_list()
    # `kept` stays the true map: what passes untouched is found where it says.
    assert release.frame["visit"].equals(PEOPLE["visit"].gather(release.kept))
    assert np.corrcoef(release.kept, np.arange(ROWS))[0, 1] < 0.5


def test_the_owner_can_repeat_the_shuffle() -> None:
    first, again = pv.anonymize(PEOPLE, plan()), pv.anonymize(PEOPLE.clone(), plan())
    assert first.frame.equals(again.frame)
    assert not first.frame.equals(pv.anonymize(PEOPLE, plan(seed=1)).frame)


def test_the_shuffle_depends_on_every_cell_of_the_original() -> None:
    """A seed is published. Somebody who knows all but one dropped cell cannot make the shuffle again."""
    other = PEOPLE.with_columns(
        pl.when(pl.col("name") == "person 07").then(pl.lit("x")).otherwise("name").alias("name")
    )
    assert pv.anonymize(PEOPLE, plan()).kept.tolist() != pv.anonymize(other, plan()).kept.tolist()


def test_what_is_published_does_not_give_the_key() -> None:
    """Two tables of one fingerprint and one seed would be needed to test it; instead: the published fingerprint is no
    prefix, input or output of the key."""
    from paravent.table.fingerprint import fingerprint_of_frame

    table = pv.read(PEOPLE)
    release = pv.anonymize(table, plan())
    published = json.dumps(release.provenance)
    assert fingerprint_of_frame(table.frame) in published
    assert table.order_key not in published
    assert table.order_key != fingerprint_of_frame(table.frame)


def test_source_order_and_sorted_order() -> None:
    source = pv.anonymize(PEOPLE, plan(order="source"))
    assert source.kept.tolist() == list(range(ROWS))
    ordered = pv.anonymize(PEOPLE, plan(order="sorted"))
    cells = [(str(a), d, v) for a, d, v in ordered.frame.select("age", "disease", "visit").rows()]
    assert cells == sorted(cells)
    assert ordered.frame["visit"].equals(PEOPLE["visit"].gather(ordered.kept))


def test_sorted_order_puts_numbers_by_value_and_missing_cells_first() -> None:
    frame = pl.DataFrame({"age": [1] * 4, "pay": [100, 9, None, 20]})
    release = pv.anonymize(
        frame, pv.Plan({"age": pv.Quasi(), "pay": pv.Insensitive()}, pv.KAnonymity(2), order="sorted")
    )
    assert release.frame["pay"].to_list() == [None, 9, 20, 100]


@pytest.mark.parametrize("order", ["shuffled", "sorted"])
def test_random_numbers_do_not_bring_the_source_order_back(order: str) -> None:
    """Whoever knows the seed can undo the draw of the numbers: what is left is the order that the release shows."""
    wanted = plan(order=order).replace(columns={**plan().columns, "name": pv.Identifier("random")})
    release = pv.anonymize(PEOPLE, wanted)
    name = np.frombuffer(b"name", dtype=np.uint8).tolist()
    drawn = np.random.default_rng([wanted.seed, *name]).permutation(ROWS) + 1
    place = {int(number): at for at, number in enumerate(drawn)}
    assert [place[number] for number in release.frame["name"]] == list(range(ROWS))


def test_labels_do_not_bring_the_source_order_back() -> None:
    for method in (pv.methods.Mondrian(labels="set"), pv.methods.KMember(), pv.methods.GkAA()):
        labels = pv.anonymize(PEOPLE, plan(method=method)).frame["age"].dtype.categories.to_list()  # type: ignore[attr-defined]
        assert labels == sorted(labels)


def test_a_column_of_categories_does_not_bring_the_source_order_back() -> None:
    frame = PEOPLE.with_columns(pl.col("visit").cast(pl.Categorical))
    assert pv.anonymize(frame, plan()).frame["visit"].dtype == pl.String


def test_marked_rows_are_shuffled_too() -> None:
    old = pl.DataFrame({"name": ["x"], "age": [99], "disease": ["flu"], "visit": ["last"]})
    wanted = plan(suppression=0.2, suppressed="mark", method=pv.methods.Datafly())
    release = pv.anonymize(pl.concat([PEOPLE, old]), wanted)
    blank = release.frame["visit"].is_null().arg_true().to_list()
    assert len(blank) == 1
    assert release.kept[blank[0]] == ROWS
    assert blank != [ROWS]
    assert release.measure()["rows.suppressed"] == 1


def test_order_in_a_plan_file(tmp_path: Path) -> None:
    for order in ("shuffled", "source", "sorted"):
        wanted = plan(order=order)
        wanted.save(tmp_path / "plan.toml")
        assert pv.Plan.load(tmp_path / "plan.toml") == wanted
        assert eval(repr(wanted), {"pv": pv}) == wanted
    with pytest.raises(pv.PlanError, match=r"order: .*'shuffled', 'source'"):
        plan(order="random")
    assert pv.anonymize(PEOPLE, plan(order="sorted")).provenance["rows"]["order"] == "sorted"


def test_measure_is_right_on_shuffled_rows() -> None:
    """Every measure but those of learning is the same whatever the order."""
    found = [pv.anonymize(PEOPLE, plan(order=order)).measure() for order in ("source", "shuffled", "sorted")]
    for one, other in itertools.pairwise(found):
        assert dict(one.absent) == dict(other.absent)
        assert one.to_dict() == pytest.approx(other.to_dict(), nan_ok=True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_measure_of_a_shuffled_file_finds_the_rows_again(tmp_path: Path, ending: str) -> None:
    release = pv.anonymize(PEOPLE, plan())
    release.write(tmp_path / f"r.{ending}")
    found = pv.measure(PEOPLE, tmp_path / f"r.{ending}", plan())
    assert found.to_dict() == pytest.approx(release.measure().to_dict(), nan_ok=True)


def test_measure_never_matches_wrong_rows() -> None:
    table = pv.read(PEOPLE)
    release = pv.anonymize(table, plan())
    match = lambda frame: match_rows(base_of(table, plan()), frame, plan(), None)  # noqa: E731
    assert match(release.frame).tolist() == release.kept.tolist()
    # Rows of somebody else in the order of the source are seen to be so.
    assert match(pv.anonymize(PEOPLE, plan(order="source")).frame).tolist() == list(range(ROWS))
    # Rows in yet another order are not matched at all.
    for frame in (
        release.frame.reverse(),
        release.frame.sort("age"),
        release.frame.sample(fraction=1, shuffle=True, seed=3),
    ):
        assert match(frame) is None
        measures = pv.measure(table, frame, plan())
        assert "utility.distortion" in measures.absent
    # A plan can say it, and then it is believed.
    told = pv.measure(table, release.frame[np.argsort(release.kept)], plan(order="source"))
    assert told["utility.distortion"] == pytest.approx(release.measure()["utility.distortion"])


@pytest.mark.parametrize("publish", ["average", "interval"])
def test_averages_alone_are_matched_by_the_shuffle_or_not_at_all(publish: Literal["average", "interval"]) -> None:
    """Nothing but averages is released: no column shows the match, and a loss that nobody can tell is not told."""
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(18, 80, 60), "pay": np.round(rng.normal(10, 5, 60), 2)})
    wanted = pv.Plan({"age": pv.Quasi(), "pay": pv.Quasi()}, pv.KAnonymity(4), pv.methods.MDAV(publish=publish))
    table, release = pv.read(frame), pv.anonymize(frame, wanted)
    expected = release.measure()
    assert match_rows(release.base, release.frame, wanted, None).tolist() == release.kept.tolist()  # type: ignore[union-attr]
    assert pv.measure(table, release.frame, wanted).to_dict() == pytest.approx(expected.to_dict(), nan_ok=True)
    for mixed in (release.frame.reverse(), release.frame.sort("age"), release.frame.head(50)):
        assert match_rows(release.base, mixed, wanted, None) is None
        found = pv.measure(table, mixed, wanted)
        told = [name for name in ("utility.gcp", "utility.loss.age", "utility.loss.pay") if name in found.absent]
        assert len(told) == (3 if publish == "average" else 0)


def test_risk_of_a_shuffled_table_beside_its_original() -> None:
    frame = PEOPLE.with_columns(income=pl.col("age") * 100.0)
    wanted = plan(method=pv.methods.MDAV())
    release = pv.anonymize(frame, wanted)
    expected = pv.risk(release, wanted, original=frame)
    assert pv.risk(release.frame, wanted, original=frame)["risk.linkage.distance"] == expected["risk.linkage.distance"]
    mixed = pv.risk(release.frame.reverse(), wanted, original=frame)
    assert mixed.numeric is None
    assert "another order" in mixed.notes[0]


def test_rows_with_a_word_among_their_numbers_are_not_those_of_the_table() -> None:
    """Numbers that were written as text are the same numbers; what is no number was not in the table."""
    plan = pv.Plan({"age": pv.Quasi(), "visit": pv.Insensitive()}, pv.KAnonymity(2))
    release = pv.anonymize(pl.DataFrame({"age": [20, 21, 50, 51], "visit": [1, 2, 3, 4]}), plan)
    text = release.frame.with_columns(pl.col("visit").cast(pl.String))
    rows = match_rows(release.base, text, plan, None)
    assert rows is not None
    assert rows.tolist() == release.kept.tolist()  # type: ignore[union-attr]
    odd = text.with_columns(visit=pl.Series([*text["visit"][:3], "n/a"]))
    assert match_rows(release.base, odd, plan, None) is None


@pytest.mark.parametrize("bits", [1, 20, 64])
def test_drawn_numbers_stand_as_a_stable_sort_has_them(bits: int) -> None:
    """Also where many begin alike, or are equal."""
    rng = np.random.default_rng(bits)
    drawn = rng.integers(0, 2**bits, 5_000, dtype=np.uint64, endpoint=False) if bits < 64 else rng.bytes(40_000)
    drawn = np.frombuffer(drawn, dtype="<u8")
    near = np.concatenate([drawn, drawn[:50] + np.uint64(1)])
    for numbers in (drawn, near, drawn[:1], drawn[:0]):
        np.testing.assert_array_equal(ascending(numbers), np.argsort(numbers, kind="stable"))
