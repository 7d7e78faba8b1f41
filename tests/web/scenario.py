"""The scenario of a guided choice (Ben Fredj 2017, ch. 7): its table, its roles, and what is said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import TimeoutError as Waited

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.web.conftest import Server

LEVELS = {"secondary": ["9th", "10th", "11th", "12th"], "university": ["bachelor", "master", "doctor"]}
PLAN: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "tree": {"intervals": [5, 10, 20]}},
        "education": {"role": "quasi", "tree": {"groups": LEVELS}},
        "sex": {"role": "quasi", "tree": {"flat": True}},
        "salary": {"role": "sensitive"},
    },
    "protect": [{"model": "KAnonymity", "k": 2}],
}
CONTEXT: dict[str, Any] = {
    "risk": 0.2,
    "suppression": 0.2,
    "use": "classification",
    "target": "salary",
    "size": "large",
    "preferences": {
        "security : quality": 1,
        "precision : usage": 3,
        "precision : completeness": 7,
        "usage : completeness": 7,
    },
}


def table() -> str:
    """1000 people, three quasi-identifiers spread evenly, a salary that education tells."""
    names = [name for group in LEVELS.values() for name in group]
    lines = ["age,education,sex,salary"]
    for i in range(1000):
        education = names[(i * 3) % 7]
        salary = "high" if education in LEVELS["university"] and i % 5 else "low"
        lines.append(f"{20 + (i * 7) % 45},{education},{'f' if (i * 5) % 11 < 5 else 'm'},{salary}")
    return "\n".join(lines) + "\n"


def project(
    server: Server,
    *,
    language: str = "en",
    mode: str = "full",
    context: dict[str, Any] | None = CONTEXT,
) -> str:
    """A project with the table and its roles; gives the path of its screens."""
    with server.client() as client:
        made = client.post("/api/v1/projects", json={"name": "Scenario"}).json()["id"]
        base = f"/api/v1/projects/{made}"
        answers = [
            client.put(f"{base}/table", params={"name": "people.csv"}, content=table().encode()),
            client.put(f"{base}/plan", json=PLAN),
            client.patch(base, json={"language": language, "mode": mode, "context": context or {}}),
        ]
    assert [answer.status_code for answer in answers] == [200, 200, 200], [answer.text for answer in answers]
    return f"/p/{made}"


def kept(page: Page, name: str) -> Locator:
    """An element by the name that it keeps."""
    return page.locator(f'[data-keep="{name}"]')


def chosen(page: Page, name: str, option: str) -> None:
    """Choose an option of a select by the name that it keeps.

    A screen that is built anew just then closes the list: it is opened again, as a person would.
    """
    wanted = page.get_by_role("option", name=option, exact=True)
    for patience in (5_000, 5_000, 10_000, 10_000):
        kept(page, name).click()
        try:
            wanted.click(timeout=patience)
        except Waited:
            continue
        return
    raise AssertionError(f"{option} was not offered by {name}")


def figure(page: Page, name: str) -> str:
    """What an element says that programs know by name."""
    return page.locator(f'[data-name="{name}"]').first.inner_text()


def found(page: Page) -> None:
    """Wait until candidates have been looked for."""
    page.locator(".pv-body h1").first.wait_for()
    page.wait_for_function(
        "() => !document.querySelector('.pv-job--waiting, .pv-job--running, .pv-job--done, .pv-loading')",
        timeout=120_000,
    )
