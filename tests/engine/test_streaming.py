"""Tables that are never held as a whole give the same releases as those that are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import paravent as pv
from paravent.engine.streaming import run
from paravent.engine.streaming.codes import Encoded, Translation, Tuples
from paravent.engine.streaming.source import Files
from paravent.plan.plan import UNSAID

PLANS = {
    "mondrian": (pv.methods.Mondrian(), [pv.KAnonymity(5)]),
    "median": (pv.methods.Mondrian(cut="median", labels="interval"), [pv.KAnonymity(5)]),
    "sets": (pv.methods.Mondrian(labels="set"), [pv.KAnonymity(4)]),
    "datafly": (pv.methods.Datafly(), [pv.KAnonymity(5)]),
    "samarati": (pv.methods.Samarati(), [pv.KAnonymity(5)]),
    "incognito": (pv.methods.Incognito(), [pv.KAnonymity(3), pv.LDiversity(2, "disease")]),
    "optimal": (pv.methods.Optimal(), [pv.KAnonymity(3), pv.TCloseness(0.4, "disease")]),
}


def people(rows: int = 900) -> pl.DataFrame:
    draw = np.random.default_rng(5)
    zips = pl.Series([f"{code:03d}" for code in draw.choice([100, 101, 110, 120, 200, 210], rows)])
    return pl.DataFrame(
        {
            "number": np.arange(rows),
            "age": draw.integers(20, 60, rows),
            "zip": zips.set(pl.Series(draw.random(rows) < 0.02), None),
            "sex": draw.choice(["f", "m"], rows),
            "pay": draw.normal(2000, 300, rows).round(2),
            "disease": draw.choice(["flu", "cold", "ulcer", "asthma"], rows, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


def plan_of(name: str, **changes: object) -> pv.Plan:
    method, promises = PLANS[name]
    columns = {
        "number": pv.Identifier(),
        "age": pv.Quasi(pv.intervals(10, 20, 40)),
        "zip": pv.Quasi(pv.prefixes(), missing="own value"),
        "sex": pv.Quasi(pv.flat()),
        "pay": pv.Insensitive(),
        "disease": pv.Sensitive(),
    }
    given = {"suppression": 0.1, "person": None, "seed": 3} | changes
    return pv.Plan(columns, promises, method=method, **given)  # type: ignore[arg-type]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rows at a time, and keys of few columns."""
    monkeypatch.setattr("paravent.engine.streaming.run.rows_at_once", lambda *_: 128)
    monkeypatch.setattr("paravent.engine.streaming.codes._LARGEST", 60)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.usefixtures("small_batches")
def test_the_release_is_that_of_the_table_in_memory(name: str, tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "in.parquet", row_group_size=200)
    plan = plan_of(name)
    held = pv.anonymize(tmp_path / "in.parquet", plan)
    written = pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", plan)
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet"), held.frame, categorical_as_str=True)
    assert written.verdict
    assert written.verdict.suppressed == held.verdict.suppressed
    assert [check.level for check in written.verdict.checks] == [check.level for check in held.verdict.checks]
    assert written.provenance["input"] == held.provenance["input"]
    assert [path.name for path in tmp_path.iterdir() if "paravent" in path.name] == []


@pytest.mark.usefixtures("small_batches")
def test_a_table_of_quasi_identifiers_alone(tmp_path: Path) -> None:
    people().select("age", "sex").write_parquet(tmp_path / "in.parquet")
    plan = pv.Plan({"age": pv.Quasi(), "sex": pv.Quasi(pv.flat())}, pv.KAnonymity(4))
    pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", plan)
    held = pv.anonymize(tmp_path / "in.parquet", plan).frame
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet"), held, categorical_as_str=True)


@pytest.mark.usefixtures("small_batches")
def test_a_folder_of_files_is_one_table(tmp_path: Path) -> None:
    frame = people()
    (tmp_path / "in").mkdir()
    for i, part in enumerate(frame.iter_slices(250)):
        part.write_parquet(tmp_path / "in" / f"{i}.parquet")
    plan = plan_of("mondrian", order="source")
    pv.anonymize_file(tmp_path / "in", tmp_path / "out.parquet", plan)
    assert_frame_equal(
        pl.read_parquet(tmp_path / "out.parquet"), pv.anonymize(frame, plan).frame, categorical_as_str=True
    )
    frame.head(3).with_columns(pl.col("age").cast(pl.String)).write_parquet(tmp_path / "in" / "9.parquet")
    with pytest.raises(pv.TableError, match=r"9\.parquet: column 'age' is String there, and Int64 in"):
        pv.anonymize_file(tmp_path / "in", tmp_path / "out.parquet", plan)


@pytest.mark.parametrize("largest", [2**62, 60, 1])
def test_tuples_are_folded_whatever_one_number_holds(
    largest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paravent.engine.streaming.codes._LARGEST", largest)
    monkeypatch.setattr("paravent.engine.streaming.codes._WAITING", 10)
    frame = people(500).select("age", "sex", "disease")
    frame.write_parquet(tmp_path / "in.parquet")
    translations = {}
    for name in frame.columns:
        values = frame[name].unique().sort()
        translations[name] = Translation(values, np.arange(len(values), dtype=np.int32), 0, len(values))
    encoded = Encoded.of(Files.of(tmp_path / "in.parquet"), translations, tmp_path, 64)
    assert {file.dtype.itemsize for file in encoded.files.values()} == {1}
    found = Tuples.of(encoded, 64, lambda _: None)
    counted = frame.group_by(frame.columns).len("n").sort(frame.columns)
    spelled = {name: translations[name].values.gather(found.codes[name]) for name in frame.columns}
    assert_frame_equal(pl.DataFrame(spelled), counted.select(frame.columns))
    assert found.weight.tolist() == counted["n"].to_list()
    rows = found.of_rows(encoded.slice(0, 500))
    assert_frame_equal(pl.DataFrame(spelled)[rows.tolist()], frame)


@pytest.mark.parametrize(
    ("changes", "memory", "sentence"),
    [
        (
            {"treat": [pv.treatments.TopCode("pay", above=3000)]},
            "4 GiB",
            "treat: what the plan says there needs all rows",
        ),
        ({"person": UNSAID}, "4 GiB", "person: say whether every row is another person"),
        ({"order": "sorted"}, "4 GiB", "order: what the plan says there needs all rows at once"),
        ({"method": pv.methods.MDAV()}, "4 GiB", "method: MDAV"),
        ({}, "100 MiB", "memory: 900 rows take about 0.3 GiB, and 0.1 GiB are allowed"),
        ({}, "lots", "memory: 'lots' is no amount of memory"),
    ],
)
def test_what_cannot_be_done_part_by_part_says_so(
    changes: dict[str, object], memory: str, sentence: str, tmp_path: Path
) -> None:
    people().write_parquet(tmp_path / "in.parquet")
    with pytest.raises(pv.PlanError) as error:
        pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", _changed(changes), memory=memory)
    assert sentence in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def _changed(changes: dict[str, object]) -> pv.Plan:
    return plan_of("mondrian").replace(**changes)


def test_every_column_needs_a_role_and_there_must_be_rows(tmp_path: Path) -> None:
    people().with_columns(more=pl.lit(1)).write_parquet(tmp_path / "in.parquet")
    with pytest.raises(pv.PlanError, match="columns: 'more' has no role"):
        pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", plan_of("mondrian"))
    people().clear().write_parquet(tmp_path / "none.parquet")
    with pytest.raises(pv.InfeasibleError, match="the table has no rows"):
        pv.anonymize_file(tmp_path / "none.parquet", tmp_path / "out.parquet", plan_of("mondrian"))
    with pytest.raises(pv.TableError, match=r"Name a \.parquet file"):
        pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.csv", plan_of("mondrian"))
    with pytest.raises(pv.TableError, match="is the table itself"):
        pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "in.parquet", plan_of("mondrian"))


def test_what_does_not_hold_never_becomes_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row gets a class of its own: the verifier sees it in the file, which then is not there."""
    people().write_parquet(tmp_path / "in.parquet")
    honest = run.write_parts

    def lying(*given: object) -> list[Path]:
        parts = honest(*given)  # type: ignore[arg-type]
        frame = pl.read_parquet(parts[0])
        cells = frame["age"].cast(pl.String).to_list()
        cells[0] = "[20, 60["
        frame.with_columns(pl.Series("age", cells)).write_parquet(parts[0])
        return parts

    monkeypatch.setattr(run, "write_parts", lying)
    with pytest.raises(pv.UnsafeReleaseError, match="does not keep its promise"):
        pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", plan_of("mondrian"))
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


ALLOWED = 600 << 20
"""What a process may hold. It may reserve more: stacks of threads, and what allocators keep for later."""
LIMITED = f"import resource; resource.setrlimit(resource.RLIMIT_DATA, ({ALLOWED + (200 << 20)},) * 2)\n"
"""The system refuses whatever memory goes beyond, to any user."""


def _limited(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    few = {"POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}
    few["_RJEM_MALLOC_CONF"] = "dirty_decay_ms:0,muzzy_decay_ms:0,retain:false"  # what is free is not kept for a while
    return subprocess.run(
        [sys.executable, "-c", LIMITED + code], cwd=folder, env={**os.environ, **few}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits and tells what a process holds by itself")
def test_memory_is_honoured(tmp_path: Path) -> None:
    """A table that takes more memory than the system gives: it cannot be read, and is anonymized part by part."""
    rows = 1_000_000
    draw = np.random.default_rng(1)
    columns = {f"c{i}": draw.integers(0, 8, rows) for i in range(4)}
    columns |= {f"x{i}": np.arange(rows) % (50 + i) for i in range(100)}
    pl.DataFrame(columns).write_parquet(tmp_path / "in.parquet", row_group_size=100_000)
    assert sum(array.nbytes for array in columns.values()) > ALLOWED + (190 << 20)
    roles = {name: pv.Quasi(pv.balanced()) if name[0] == "c" else pv.Insensitive() for name in columns}
    pv.Plan(roles, pv.KAnonymity(5), order="source").save(tmp_path / "plan.toml")
    whole = _limited("import polars as pl; print(pl.read_parquet('in.parquet').height)", tmp_path)
    assert whole.returncode != 0
    assert "alloc" in whole.stderr
    code = (
        "import json, os, re, paravent as pv\n"
        "def run(memory): return pv.anonymize_file('in.parquet', 'out.parquet', 'plan.toml', memory=memory)\n"
        "try: run('375 MiB')\n"
        "except pv.PlanError as error: refusal = str(error)\n"
        "there = sorted(os.listdir())\n"
        f"found = run({ALLOWED})\n"
        "peak = int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) * 1024\n"
        "print(json.dumps([refusal, there, bool(found.verdict), found.verdict.rows, peak]))"
    )
    done = _limited(code, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    refusal, there, holds, released, peak = json.loads(done.stdout)
    assert "memory: 1000000 rows take about 0.4 GiB" in refusal
    assert there == ["in.parquet", "plan.toml"]
    assert (holds, released) == (True, rows)
    assert peak <= ALLOWED
    assert pl.scan_parquet(tmp_path / "out.parquet").select(pl.len()).collect().item() == rows


def test_too_many_combinations_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    """They are counted as rows are encoded: the files of codes go with the refusal."""
    rows = 300_000
    frame = pl.DataFrame({"a": np.arange(rows), "b": np.arange(rows)[::-1].copy()})
    frame.write_parquet(tmp_path / "in.parquet")
    plan = pv.Plan({"a": pv.Quasi(), "b": pv.Quasi()}, pv.KAnonymity(5), method=pv.methods.Datafly())
    with pytest.raises(pv.PlanError, match="memory: 300000 different combinations of values take about"):
        pv.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", plan, memory="370 MiB")
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_the_command_line_takes_a_limit_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from paravent.cli.app import made

    monkeypatch.chdir(tmp_path)
    people().write_parquet("in.parquet")
    plan = plan_of("datafly")
    plan.save("plan.toml")

    def command(*more: str) -> tuple[int, str]:
        done = CliRunner().invoke(made(["anonymize"]), ["anonymize", "in.parquet", "--memory", "1GiB", *more])
        return done.exit_code, done.output

    code, said = command("--plan", "plan.toml", "-o", "out.parquet")
    assert (code, "5-anonymity" in said, "out.parquet" in said) == (0, True, True)
    assert_frame_equal(pl.read_parquet("out.parquet"), pv.anonymize("in.parquet", plan).frame, categorical_as_str=True)
    for more, sentence in (
        (("--plan", "plan.toml", "-o", "new.parquet", "--report", "r.html"), "--report needs the whole table"),
        (("--plan", "plan.toml"), "--memory: name the file to write"),
        (("--quasi", "age", "--k", "3", "-o", "new.parquet"), "say what is wanted in a plan file"),
        (("--plan", "plan.toml", "-o", "out.parquet"), "is there already"),
    ):
        code, said = command(*more)
        assert code == 2
        assert sentence in said.replace("\n", " ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.parquet", "plan.toml"]
