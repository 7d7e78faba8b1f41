"""A process that does one job after the other. It reads one line of JSON for each, and answers in lines of JSON.

Where its input ends, the server is gone, and so is it. Whatever libraries print goes nowhere: it may hold values.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import threading
from pathlib import Path
from typing import IO, Any

from paravent.errors import CancelledError, ParaventError
from paravent.web.jobs.job import FILES, RESULT
from paravent.web.jobs.progress import Progress
from paravent.web.plain import plain
from paravent.web.sentences import sentence


class _Line:
    """Answers, one line each, from whichever thread."""

    def __init__(self, out: IO[str]) -> None:
        self._out, self._lock = out, threading.Lock()

    def __call__(self, **told: Any) -> None:
        with self._lock, contextlib.suppress(OSError):
            self._out.write(f"{json.dumps(told)}\n")
            self._out.flush()


def main() -> None:
    answers = _Line(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    if os.environ.get("PARAVENT_DEBUG") != "1":
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
    os.dup2(2, 1)
    with contextlib.suppress(OSError):
        os.nice(3)  # the page answers first
    stop = threading.Event()
    asked: list[dict[str, Any]] = []
    ready = threading.Condition()

    def listen() -> None:
        for line in sys.stdin:
            told = json.loads(line)
            if told["do"] == "stop":
                stop.set()
            else:
                stop.clear()  # here, and not when the work begins: it may be stopped before
                with ready:
                    asked.append(told)
                    ready.notify()
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    import paravent.web.jobs.kinds.warm  # noqa: F401  (what every job needs, loaded before there is one)

    answers(say="ready")
    while True:
        with ready:
            while not asked:
                ready.wait()
            told = asked.pop(0)
        _work(told, answers, stop)


def _work(told: dict[str, Any], answers: _Line, stop: threading.Event) -> None:
    from paravent.web.jobs.kinds import kind_named
    from paravent.web.workspace.document import Source
    from paravent.web.workspace.files import private_folder, save_json
    from paravent.web.workspace.project import Project
    from paravent.web.workspace.quota import Quota

    try:
        _limit(told["memory"])
        if told["kind"] == "read":
            project = Project(Path(told["project"]), quota=Quota(**told["quota"]), read_only=True)
            project.look(Source.model_validate(told["source"]))
            answers(say="done")
            return
        folder = Path(told["job"])
        if not folder.is_dir():  # deleted before it began: nothing of it comes back
            raise CancelledError("the job is gone.")
        files = private_folder(folder / FILES, parents=False)
        progress = Progress(files, lambda said, done: answers(say="progress", said=said, done=done), stop)
        project = Project(Path(told["project"]), quota=Quota(**told["quota"]), read_only=True)
        result = kind_named(told["kind"])(project, told["arguments"], progress)
        save_json(folder / RESULT, plain(result))
        answers(say="done")
    except CancelledError:
        answers(say="stopped")
    except BaseException as error:
        if os.environ.get("PARAVENT_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        answers(say="failed", error=sentence(error), raw=error.raw if isinstance(error, ParaventError) else None)


def _limit(memory: int) -> None:
    """A wide net around what the server watches: memory that is asked for all at once is refused by the system."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (2 * memory + (4 << 30), resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
