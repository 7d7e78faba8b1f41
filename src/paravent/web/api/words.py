"""What programs send and get."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from paravent.web.jobs.job import Job
from paravent.web.workspace.document import CleaningStep
from paravent.web.workspace.project import Project
from paravent.web.workspace.workspace import Summary


class Said(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Error(BaseModel):
    """One sentence: what is wrong, where, and what to do."""

    error: str


class NewProject(Said):
    name: str = Field(min_length=1, max_length=200)


class Changes(Said):
    """Fields of the document. `expect` is the version that they were based on: what others changed since is kept."""

    what: str = Field("Changed by a program", min_length=1, max_length=200)
    expect: int | None = Field(None, ge=0)
    name: str | None = Field(None, min_length=1, max_length=200)
    language: Literal["en", "fr"] | None = None
    mode: Literal["predefined", "informative", "suggestive", "full"] | None = None
    expert: bool | None = None
    cleaning: list[CleaningStep] | None = None
    reading: dict[str, Any] | None = Field(None, description="Arguments of pv.read: delimiter, encoding, na, kinds, …")
    trees: dict[str, dict[str, Any]] | None = None
    context: dict[str, Any] | None = None
    selected: list[str] | None = None
    chosen: str | None = None


class Sample(Said):
    name: str


class Database(Said):
    url: str = Field(max_length=2000)
    query: str = Field(max_length=100_000)


class NewJob(Said):
    kind: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class NewRelease(Said):
    """`plan` is the document of a plan; without it, that of the project."""

    plan: dict[str, Any] | None = None


class NewGrant(Said):
    """What may be spent in all. A grant can be raised, and not lowered."""

    epsilon: float = Field(gt=0, le=1000)
    delta: float = Field(0.0, ge=0, lt=1)


class Draft(Said):
    k: int = Field(5, ge=2)
    l: int | None = Field(None, ge=2)  # noqa: E741 (the name the model has)


class NewGuidance(Said):
    """`seconds` may be spent on runs on the table; `methods` are those to look at."""

    context: dict[str, Any] | None = None
    seconds: float = Field(0.0, ge=0, le=3600)
    methods: list[str] | None = None


class Choice(Said):
    signatures: list[str] = Field(min_length=1, max_length=50)


class Listed(BaseModel):
    id: str
    name: str
    created: float
    changed: float
    table: str | None


class Shown(BaseModel):
    id: str
    version: int
    document: dict[str, Any]
    history: list[str]


class Work(BaseModel):
    """A job. `left` are the seconds that are left, as far as can be told."""

    id: str
    kind: str
    state: Literal["waiting", "running", "done", "failed", "stopped", "interrupted"]
    progress: float
    said: str
    left: float | None
    error: str | None
    files: list[str]
    arguments: dict[str, Any]
    result: dict[str, Any] | None


def listed(summary: Summary) -> Listed:
    return Listed(
        id=summary.id, name=summary.name, created=summary.created, changed=summary.changed, table=summary.table
    )


def shown(project: Project) -> Shown:
    return Shown(
        id=project.id,
        version=project.version,
        document=project.document.model_dump(mode="json"),
        history=[change.what for change in project.history],
    )


def work(job: Job) -> Work:
    return Work(
        id=job.id,
        kind=job.kind,
        state=job.state,
        progress=job.progress,
        said=job.said,
        left=job.left,
        error=job.error,
        files=job.files,
        arguments=dict(job.arguments),
        result=None if job.result is None else dict(job.result),
    )
