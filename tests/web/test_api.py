"""REST: the whole way with a plain HTTP client, and one sentence for whatever is wrong."""

from __future__ import annotations

import io

import httpx
import polars as pl
import pytest

import paravent as pv
from tests.web.conftest import Server

PATIENTS = "name,age,zip,disease\n" + "".join(
    f"Person {i},{20 + i * 5 % 47},{10000 + i * 37 % 90},{('flu', 'ulcer', 'asthma')[i * 7 % 3]}\n" for i in range(48)
)


@pytest.fixture
def client(server: Server) -> httpx.Client:
    return server.client()


def made(client: httpx.Client, table: str = PATIENTS) -> str:
    project = str(client.post("/api/v1/projects", json={"name": "Patients"}).json()["id"])
    answer = client.put(f"/api/v1/projects/{project}/table", params={"name": "patients.csv"}, content=table.encode())
    assert answer.status_code == 200, answer.text
    return project


def test_the_whole_way(server: Server, client: httpx.Client) -> None:
    project = made(client)
    about = client.get(f"/api/v1/projects/{project}/table").json()
    assert about["rows"] == 48
    assert [column["kind"] for column in about["columns"]] == ["nominal", "integer", "integer", "nominal"]
    plan = client.post(f"/api/v1/projects/{project}/plan/draft", json={"k": 4}).json()
    assert plan["columns"]["age"]["role"] == "quasi"
    job = client.post(f"/api/v1/projects/{project}/releases", json={}).json()
    done = server.wait_for(project, job["id"])
    assert done["state"] == "done", done["error"]
    release = client.get(f"/api/v1/projects/{project}/releases/{job['id']}").json()
    assert release["holds"] is True
    assert release["measures"]["privacy.k"] >= 4
    for format, read in (("csv", pl.read_csv), ("parquet", pl.read_parquet)):
        answer = client.get(f"/api/v1/projects/{project}/releases/{job['id']}/table", params={"format": format})
        assert answer.status_code == 200, answer.text
        frame = read(io.BytesIO(answer.content))
        assert "name" not in frame.columns
        assert frame.group_by("age", "zip").len()["len"].min() >= 4
    report = client.get(f"/api/v1/projects/{project}/releases/{job['id']}/report")
    assert "attachment" in report.headers["content-disposition"]
    assert pv.Plan.__name__ == "Plan"
    assert "KAnonymity" in client.get(f"/api/v1/projects/{project}/releases/{job['id']}/plan").text


def test_changes_are_undone_and_joined(client: httpx.Client) -> None:
    project = made(client)
    version = client.get(f"/api/v1/projects/{project}").json()["version"]
    path = f"/api/v1/projects/{project}"
    assert client.patch(path, json={"context": {"risk": 0.1}, "expect": version}).status_code == 200
    joined = client.patch(path, json={"context": {"suppression": 0.2}, "expect": version})
    assert joined.json()["document"]["context"] == {"risk": 0.1, "suppression": 0.2}
    clash = client.patch(path, json={"context": {"risk": 0.3}, "expect": version})
    assert clash.status_code == 409
    assert clash.json() == {"error": "context.risk was changed elsewhere meanwhile. Look at it, then change it again."}
    assert client.post(f"{path}/undo").json()["document"]["context"] == {"risk": 0.1}


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "said"),
    [
        ("GET", "/projects/0123456789abcdef", None, 404, "there is no such project."),
        ("GET", "/projects/..%2f..%2fetc", None, 404, "there is no such"),
        ("GET", "/nowhere", None, 404, "there is no such address."),
        ("DELETE", "/samples", None, 405, "DELETE means nothing here."),
        ("POST", "/projects", {"name": ""}, 422, "name: string should have at least 1 character."),
        ("POST", "/projects", {"nam": "x"}, 422, "name: field required."),
        ("POST", "/projects", [1], 422, "the body: "),
    ],
)
def test_what_is_wrong_is_one_sentence(
    client: httpx.Client, method: str, path: str, sent: object, status: int, said: str
) -> None:
    answer = client.request(method, f"/api/v1{path}", json=sent)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert answer.json()["error"].startswith(said)


@pytest.mark.parametrize(
    ("path", "sent", "said"),
    [
        ("plan", {"columns": {"age": {"role": "quasy"}}, "protect": []}, "columns.age.role: there is no role 'quasy'."),
        ("plan", {}, "nothing says what is wanted yet."),
        (
            "plan",
            {
                "columns": {"age": {"role": "quasi", "tree": "/etc/passwd"}},
                "protect": [{"model": "KAnonymity", "k": 2}],
            },
            "the plan names a file, '/etc/passwd'",
        ),
        (
            "plan",
            {
                "columns": {"name": {"role": "identifier", "pseudonymize": True, "key_file": "../../key"}},
                "protect": [{"model": "KAnonymity", "k": 2}],
            },
            "columns.name: there is no entry 'pseudonymize'.",
        ),
    ],
)
def test_a_plan_that_cannot_be_is_refused(client: httpx.Client, path: str, sent: object, said: str) -> None:
    project = made(client)
    answer = client.put(f"/api/v1/projects/{project}/{path}", json=sent)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"].startswith(said)
    assert client.get(f"/api/v1/projects/{project}/plan").json() == {}


def test_an_upload_that_cannot_be_read_leaves_what_was_there(client: httpx.Client) -> None:
    project = made(client)
    path = f"/api/v1/projects/{project}"
    before = client.get(path).json()["document"]["source"]
    for name, content, said in (
        ("x.csv", b"", "x.csv is empty."),
        ("x.parquet", b"PAR1 nonsense", "x.parquet"),
        ("x.xlsx", b"nonsense", "x.xlsx is no workbook, or it is damaged."),
        ("x.exe", b"MZ", "x.exe is of no known kind."),
    ):
        answer = client.put(f"{path}/table", params={"name": name}, content=content)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].startswith(said)
    assert client.get(path).json()["document"]["source"] == before


def test_the_table_is_really_deleted(server: Server, client: httpx.Client) -> None:
    project = made(client)
    client.post(f"/api/v1/projects/{project}/plan/draft", json={"k": 4})
    job = client.post(f"/api/v1/projects/{project}/releases", json={}).json()
    assert server.wait_for(project, job["id"])["state"] == "done"
    folder = server.folder / "workspace" / "projects" / project

    def mentions() -> list[str]:
        return sorted(str(path) for path in folder.rglob("*") if path.is_file() and b"Person 7" in path.read_bytes())

    assert mentions()
    assert client.delete(f"/api/v1/projects/{project}/table").status_code == 204
    assert mentions() == []
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["jobs"]
    assert client.get(f"/api/v1/projects/{project}/jobs").json() == []
    assert client.post(f"/api/v1/projects/{project}/undo").json()["document"]["source"] is None


def test_openapi_describes_every_route(client: httpx.Client) -> None:
    told = client.get("/api/v1/openapi.json").json()
    assert {"/projects", "/projects/{project}/table", "/projects/{project}/jobs/{job}"} <= set(told["paths"])
    for path, methods in told["paths"].items():
        for method, about in methods.items():
            assert about["summary"], (path, method)
            assert "400" in about["responses"], (path, method)


def test_without_the_key_nothing_is_told(server: Server) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}):
        answer = httpx.get(f"{server.base}/api/v1/projects", headers=headers, timeout=60)
        assert answer.status_code == 401
        assert answer.json() == {"error": "this needs the key of the server: send it as Authorization: Bearer KEY."}
