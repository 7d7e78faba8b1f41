"""Jobs: real processes with real limits. How they stop, and what is left after the server was killed."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import paravent as pv
from paravent.errors import PlanError
from paravent.web.jobs import Job, Pool
from paravent.web.jobs.jobs import INTERRUPTED
from paravent.web.plain import plain
from paravent.web.workspace import Project, Quota, Workspace
from paravent.web.workspace.files import Missing
from tests.web.conftest import Server

AGES = pl.DataFrame({"age": [20 + i * 7 % 50 for i in range(200)], "job": ["clerk", "nurse", "cook", "smith"] * 50})
PLAN = {
    "columns": {"age": {"role": "quasi"}, "job": {"role": "quasi"}},
    "protect": [{"model": "KAnonymity", "k": 3}],
}
QUASI = ("age", "education", "occupation", "race", "sex", "marital-status", "native-country", "workclass")
REST = ("fnlwgt", "capital-gain", "capital-loss", "hours-per-week", "education-num", "relationship")
SLOW = {
    "columns": {
        **{name: {"role": "quasi", "tree": {"flat": True}} for name in QUASI},
        **{name: {"role": "drop"} for name in REST},
    },
    "protect": [{"model": "KAnonymity", "k": 50}],
    "method": {"name": "LocalRecoding", "effort": "high"},
}
"""Minutes of work on Adult."""


def csv(frame: pl.DataFrame) -> io.BytesIO:
    return io.BytesIO(frame.write_csv().encode())


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Workspace(tmp_path).create("Ages")
    made.add_file("ages.csv", csv(AGES))
    made.change("Set the plan", plan=PLAN)
    return made


def finished(project: Project, kind: str, **arguments: object) -> Job:
    job = project.jobs.wait(project.jobs.start(kind, **arguments).id, 120)
    assert job.over
    return job


def test_a_job_gives_what_the_library_gives(project: Project) -> None:
    job = finished(project, "anonymize")
    assert (job.state, job.error, job.progress) == ("done", None, 1.0)
    release = pv.anonymize(project.table(), project.plan())
    assert job.result is not None
    assert job.result["measures"] == plain(release.measure().to_dict())
    assert pl.read_parquet(job.file("table-0.parquet")).rows() == release.frame.rows()
    assert job.files == ["analysis.json", "kept.npy", "plan.toml", "report.html", "table-0.parquet"]
    assert Project(project.folder).jobs.get(job.id).result == job.result


def test_a_job_that_cannot_is_a_sentence(project: Project) -> None:
    job = finished(project, "anonymize", plan={**PLAN, "protect": [{"model": "KAnonymity", "k": 1000}]})
    assert job.state == "failed"
    assert job.error is not None
    assert "1000" in job.error
    assert job.error.endswith(".")
    assert job.files == []
    assert "Traceback" not in (job.folder / "job.json").read_text()


def test_other_kinds_are_refused(project: Project) -> None:
    for kind in ("publish", "../anonymize", "warm", "__init__", "os"):
        with pytest.raises(PlanError, match="there is no job of the kind"):
            project.jobs.start(kind)
    with pytest.raises(Missing):
        project.jobs.get("../../project.json")


def test_only_files_that_a_job_left_are_given(project: Project) -> None:
    job = finished(project, "profile")
    for name in ("../job.json", "/etc/passwd", "result.json", ""):
        with pytest.raises(Missing, match="has left no file"):
            job.file(name)


def slow(tmp_path: Path, **quota: float) -> Project:
    made = Workspace(tmp_path, quota=Quota(**quota)).create("Adult")  # type: ignore[arg-type]
    made.use_sample("adult")
    made.change("Set the plan", plan=SLOW)
    return made


def test_a_job_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    job = finished(slow(tmp_path, seconds=4.0), "anonymize")
    assert job.state == "failed"
    assert job.error == (
        "It took longer than the 4 seconds that one job may. Use fewer rows or columns, or a quicker method."
    )
    assert job.files == []


def test_a_job_that_takes_too_much_memory_is_ended(tmp_path: Path) -> None:
    """The server and other jobs go on."""
    made = slow(tmp_path, memory=60 << 20)
    job = finished(made, "anonymize")
    assert job.state == "failed"
    assert job.error is not None
    assert job.error.startswith("The memory that one job may take is not enough for this.")
    well = Workspace(tmp_path / "other").create("Ages")
    well.add_file("ages.csv", csv(AGES))
    assert finished(well, "profile").state == "done"


def test_a_job_is_stopped(tmp_path: Path) -> None:
    made = slow(tmp_path)
    heard: list[str] = []
    made.listen(heard.append)
    job = made.jobs.start("anonymize")
    until(lambda: made.jobs.get(job.id).said == "searching")
    made.jobs.stop(job.id)
    found = made.jobs.wait(job.id)
    assert (found.state, found.result, found.files) == ("stopped", None, [])
    assert set(heard) == {"jobs"}
    assert made.jobs.restart(job.id).state in ("waiting", "running")
    made.jobs.delete(job.id)
    assert not job.folder.exists()


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.5])
def test_nothing_comes_back_of_a_job_that_is_deleted_as_it_begins(seconds: float, tmp_path: Path) -> None:
    made = slow(tmp_path)
    job = made.jobs.start("anonymize")
    time.sleep(seconds)
    made.jobs.delete(job.id)
    until(lambda: all(worker.run is None for worker in made.jobs._the_pool()._workers))
    assert not job.folder.exists()
    assert [path.name for path in job.folder.parent.iterdir() if not path.name.startswith(".")] == []
    assert made.jobs.list() == []


def test_a_job_that_waits_is_stopped_too(tmp_path: Path) -> None:
    made = slow(tmp_path)
    pool = Pool(slots=1)
    made.jobs._pool = pool
    first, second = made.jobs.start("anonymize"), made.jobs.start("profile")
    assert made.jobs.get(second.id).state == "waiting"
    made.jobs.stop(second.id)
    assert made.jobs.get(second.id).state == "stopped"
    third = made.jobs.start("profile")
    made.jobs.stop(first.id)
    assert made.jobs.wait(third.id).state == "done"
    pool.close()


def test_people_take_turns(tmp_path: Path) -> None:
    """Who starts many jobs does not keep others waiting for all of them."""
    pool = Pool(slots=1)
    order: list[str] = []
    one, other = (Workspace(tmp_path / name).create(name) for name in ("one", "other"))
    for made in (one, other):
        made.add_file("ages.csv", csv(AGES))
        made.jobs._pool = pool
    jobs = [(one, one.jobs.start("profile").id) for _ in range(3)]
    jobs.append((other, other.jobs.start("profile").id))
    for made, id in jobs:
        assert made.jobs.wait(id).state == "done"
    order = [made.document.name for made, id in sorted(jobs, key=lambda each: each[0].jobs.get(each[1]).started or 0)]
    assert order.index("other") < 3
    pool.close()


def test_a_process_that_dies_fails_its_job_alone(tmp_path: Path) -> None:
    made = slow(tmp_path)
    pool = Pool(slots=1)
    made.jobs._pool = pool
    job = made.jobs.start("anonymize")
    until(lambda: made.jobs.get(job.id).said == "searching")
    os.kill(pool._workers[0].process.pid, 9)
    assert made.jobs.wait(job.id).state == "failed"
    assert finished(made, "profile").state == "done"
    pool.close()


def test_no_process_serves_two_people(tmp_path: Path) -> None:
    pool = Pool(slots=1)
    pids = []
    for name in ("one", "other", "one"):
        workspace = Workspace(tmp_path / name)
        made = workspace.create(name)
        made.add_file("ages.csv", csv(AGES))
        made.jobs._pool = pool
        assert finished(made, "profile").state == "done"
        pids.append({worker.process.pid for worker in pool._workers if worker.owner == str(made.folder.parent)})
    assert pids[0] == pids[2]
    assert not pids[0] & pids[1]
    pool.close()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
        if task.name != str(pid)
    ]


def test_kill_9_of_the_server(tmp_path: Path) -> None:
    """Projects, uploads and finished results are there after it; what was at work says so, and can be restarted."""
    server = Server(tmp_path).start()
    with server.client() as client:
        project = client.post("/api/v1/projects", json={"name": "Killed"}).json()["id"]
        path = f"/api/v1/projects/{project}"
        client.put(f"{path}/table", params={"name": "ages.csv"}, content=csv(AGES).read())
        client.put(f"{path}/plan", json=PLAN)
        made = client.post(f"{path}/releases", json={}).json()["id"]
        release = server.wait_for(project, made)
        assert release["state"] == "done"
        other = client.post("/api/v1/projects", json={"name": "Adult"}).json()["id"]
        client.post(f"/api/v1/projects/{other}/sample", json={"name": "adult"})
        client.put(f"/api/v1/projects/{other}/plan", json=SLOW)
        slow = client.post(f"/api/v1/projects/{other}/releases", json={}).json()["id"]
        until(lambda: client.get(f"/api/v1/projects/{other}/jobs/{slow}").json()["said"] == "searching")
        before = client.get(path).json()
    assert server.process is not None
    workers = children(server.process.pid)
    assert workers
    server.kill()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    server.port = 0
    server.start()
    try:
        with server.client() as client:
            assert client.get(path).json()["document"] == before["document"]
            assert client.get(f"{path}/jobs/{made}").json() == release
            table = client.get(f"{path}/releases/{made}/table")
            assert table.status_code == 200
            assert pl.read_csv(io.BytesIO(table.content)).height == AGES.height
            assert client.get(f"{path}/table/rows", params={"limit": 1}).json()["rows"] == [[20, "clerk"]]
            found = client.get(f"/api/v1/projects/{other}/jobs/{slow}").json()
            assert (found["state"], found["error"], found["files"]) == ("interrupted", INTERRUPTED, [])
            again = client.post(f"/api/v1/projects/{other}/jobs/{slow}/restart").json()
            assert again["id"] == slow
            until(lambda: client.get(f"/api/v1/projects/{other}/jobs/{slow}").json()["said"] == "searching")
            client.post(f"/api/v1/projects/{other}/jobs/{slow}/stop")
            assert server.wait_for(other, slow)["state"] == "stopped"
    finally:
        assert server.stop() == 0


def test_one_server_at_a_time(server: Server) -> None:
    with pytest.raises(AssertionError):
        Server(server.folder).start()
