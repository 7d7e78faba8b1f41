"""Job: one piece of work and what is known about it. What is on disk is enough to tell after the server was killed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from paravent.web.workspace.files import Missing

State = Literal["waiting", "running", "done", "failed", "stopped", "interrupted"]

FILE, RESULT, FILES = "job.json", "result.json", "files"


@dataclass(frozen=True)
class Job:
    """`progress` goes from 0 to 1, `said` is the stage at work, `left` the seconds that are left as far as can be told.
    `result` is there when it is done, `error` is one sentence when it failed."""

    id: str
    kind: str
    arguments: Mapping[str, Any]
    folder: Path
    state: State = "waiting"
    created: float = field(default_factory=time.time)
    started: float | None = None
    finished: float | None = None
    progress: float = 0.0
    said: str = ""
    left: float | None = None
    result: Mapping[str, Any] | None = None
    error: str | None = None

    @property
    def over(self) -> bool:
        """Nothing more will come of it, unless it is restarted."""
        return self.state not in ("waiting", "running")

    @property
    def files(self) -> list[str]:
        """The names of the files that it left."""
        try:
            return sorted(path.name for path in (self.folder / FILES).iterdir() if path.is_file())
        except OSError:
            return []

    def file(self, name: str) -> Path:
        """The path of a file that it left."""
        if name not in self.files:
            raise Missing(f"the job has left no file {name!r}.")
        return self.folder / FILES / name

    def with_(self, **changes: Any) -> Job:
        return replace(self, **changes)

    def saved(self) -> dict[str, Any]:
        """What its file holds; the result lies beside it."""
        told = {name: value for name, value in asdict(self).items() if name not in ("folder", "result", "left")}
        return {**told, "arguments": dict(self.arguments)}

    @classmethod
    def loaded(cls, folder: Path, told: Mapping[str, Any], result: Mapping[str, Any] | None) -> Job:
        return cls(**told, folder=folder, result=result)
