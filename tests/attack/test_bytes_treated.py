"""Bytes that treatments take away are in nothing that leaves: every treatment that hides values, with methods of every
sort, suppressed rows dropped and marked, texts of every type. Values that must be gone begin with `ZZQXJ`, numbers have
digits that stand nowhere else.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import paravent as pv
from paravent.treatments import BottomCode, Ghost, Mask, Pseudonymize, Recode, Sample, Suppress, TopCode, Treatment

ROWS, ODD = 40, 4
"""The last rows hold what must be gone."""
SECRET = [7_538_214_961 + i for i in range(ODD)]
JOBS = [f"ZZQXJ-judge-{i}" for i in range(ODD)]
TYPES: dict[str, Callable[[], pl.DataType]] = {
    "String": pl.String,
    "Categorical": lambda: pl.Categorical(pl.Categories.random()),
    "Enum": lambda: pl.Enum(["nurse", "cook", "ZZQXJ-never", *JOBS]),
}
TREATMENTS: dict[str, list[Treatment]] = {
    "suppress": [Suppress("job", rarer=3), Suppress("pay", above=10_000)],
    "suppress where": [Suppress("job", where={"town": "far"}), Suppress("pay", where={"town": "far"})],
    "code": [
        TopCode("pay", above=10_000),
        Recode("job", mapping={"nurse": "care", "cook": "food"}, other="law"),
    ],
    "limit": [TopCode("pay", above=10_000, replace="limit"), Mask("job", first=14)],
    "intervals": [Recode("pay", breaks=(0, 200, 9_000_000_000)), Pseudonymize("job", key_env="PARAVENT_TEST_KEY")],
    "bottom": [BottomCode("pay", below=8_000_000_000), Suppress("job", rarer=2)],
    "ghosts": [Suppress("pay", above=10_000), Ghost("job", of="pay")],
    "sample": [Sample(share=0.5), Suppress("job", rarer=6), Suppress("pay", above=10_000)],
}
METHODS = {
    "AsIs": pv.methods.AsIs(),
    "Mondrian": pv.methods.Mondrian(),
    "Anatomy": pv.methods.Anatomy(2),
    "Bucketization": pv.methods.Bucketization(2),
    "Slicing": pv.methods.Slicing(2),
    "Optimal": pv.methods.Optimal(),
}


def people(dtype: pl.DataType) -> pl.DataFrame:
    kept = ROWS - ODD
    return pl.DataFrame(
        {
            "job": pl.Series([("nurse", "cook")[i % 2] for i in range(kept)] + JOBS, dtype=dtype),
            "pay": [100 * (1 + i % 4) for i in range(kept)] + SECRET,
            "town": ["near"] * kept + ["far"] * ODD,
            "age": [20 + i % 5 for i in range(ROWS)],
            "ill": [("flu", "cold", "gout", "cough")[i % 4] for i in range(ROWS)],
        }
    )


def plan_of(treatments: list[Treatment], method: pv.methods.Method, suppressed: str) -> pv.Plan:
    ghosts = any(isinstance(treatment, Ghost) for treatment in treatments)
    roles: dict[str, Any] = {
        "age": pv.Quasi(pv.intervals(5, 10)),
        "town": pv.Quasi(pv.flat()),
        "ill": pv.Sensitive(),
        "pay": pv.Insensitive(),
        "job": pv.Insensitive() if ghosts else pv.Quasi(pv.flat(), missing="own value"),
    }
    asked: list[Any] = [pv.LDiversity(2, "ill")] if method.derivation is not None else [pv.KAnonymity(3)]
    asked = [] if isinstance(method, pv.methods.AsIs) else asked
    return pv.Plan(roles, asked, method=method, treat=treatments, suppression=0.5, suppressed=suppressed, person=None)


def leaving(release: pv.Release, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Everything that leaves, each into a folder of its own that was empty."""
    for ending in ("csv", "parquet", "arrow", "jsonl", "sqlite"):
        out = folder / ending
        out.mkdir(parents=True)
        release.write(out / f"release.{ending}")
        yield from ((path.name, path.read_bytes()) for path in sorted(out.iterdir()))
    for name, table in release.tables.items():
        unpacked = io.BytesIO()
        table.write_parquet(unpacked, compression="uncompressed")
        table.write_ipc(unpacked, compression="uncompressed")
        yield f"{name}, unpacked", unpacked.getvalue()
    yield "provenance", json.dumps(release.provenance).encode()
    yield "words", "\n".join([repr(release), str(release.verdict), *release.trace, repr(release.cautions)]).encode()
    yield "measures", repr(release.measure().to_dict()).encode()
    yield "attacks", repr(release.attack(attempts=20, strict=False).to_dict()).encode()


def search(what: str, data: bytes) -> None:
    at = data.find(b"ZZQXJ")
    assert at < 0, f"{what}: {data[max(at - 30, 0) : at + 40]!r}"
    for secret in SECRET:
        assert str(secret).encode() not in data, f"{what}: {secret}"
        assert secret.to_bytes(8, "little") not in data, f"{what}: {secret}"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAVENT_TEST_KEY", "a key that is long enough to be one")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("what", TREATMENTS)
def test_treated_bytes_are_in_nothing_that_leaves(what: str, method: str, tmp_path: Path) -> None:
    for dtype, make in TYPES.items():
        for suppressed in ("drop", "mark"):
            folder = tmp_path / f"{dtype}-{suppressed}"
            release = pv.anonymize(people(make()), plan_of(TREATMENTS[what], METHODS[method], suppressed))
            assert release.frame.height > 0
            for where, data in leaving(release, folder):
                search(f"{dtype}, {suppressed}, {where}", data)
    release.report(tmp_path / "report.html")
    search("report", (tmp_path / "report.html").read_bytes())
