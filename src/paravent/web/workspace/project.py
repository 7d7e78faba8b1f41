"""Project: one table to publish. Every change is saved at once, has a name in plain words, and can be undone."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

import paravent as pv
from paravent.errors import PlanError, TableError
from paravent.web.workspace.cache import finding, forget_tables, keep_table, known_table
from paravent.web.workspace.document import CleaningStep, Document, Source
from paravent.web.workspace.files import Missing, NotAllowed, erase, load_json, private_folder, save_json, sweep
from paravent.web.workspace.history import Change, History
from paravent.web.workspace.merge import Conflict, merged
from paravent.web.workspace.plans import plan_of
from paravent.web.workspace.quota import Quota
from paravent.web.workspace.sources import SAMPLES, Upload, cleaned, is_harmless, own_name, read_source, store

if TYPE_CHECKING:
    from paravent.web.jobs.jobs import Jobs

FILE = "project.json"
T = TypeVar("T")
Witness = Callable[[str, dict[str, Any]], None]
"""Told what was done, for the audit log: by ids, kinds and sizes alone."""


def unseen(what: str, about: dict[str, Any]) -> None:
    """For projects that nobody keeps a log of."""


Listener = Callable[[str], None]
"""Told what has changed: `document`, or `jobs`. It is called in the thread that made the change."""


class Project:
    """What a person has uploaded, said and found. One server holds one object of each project, for all tabs.

    `version` counts the changes. A change that is based on an older version is joined with what came after it; where
    both touch the same thing, it is a Conflict.

    >>> import tempfile
    >>> from paravent.web.workspace.workspace import Workspace
    >>> project = Workspace(tempfile.mkdtemp()).create("Patients")
    >>> _ = project.change("Chose the language", language="fr")
    >>> project.document.language, project.undo().language, project.redo().language
    ('fr', 'en', 'fr')
    >>> [change.what for change in project.history]
    ['Chose the language']
    """

    def __init__(
        self,
        folder: Path,
        *,
        quota: Quota | None = None,
        read_only: bool = False,
        witness: Witness = unseen,
        used: Callable[[], int] = lambda: 0,
    ) -> None:
        self.folder = folder
        self.id = folder.name
        self.quota = quota or Quota()
        self._read_only = read_only
        self._witness = witness
        self._used = used
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._load()
        if not read_only:
            sweep(folder)
            sweep(folder / "sources")

    @classmethod
    def create(cls, folder: Path, name: str, **given: Any) -> Project:
        """A new project in a folder that is not there yet."""
        document = _validated({"name": name})
        private_folder(folder)
        save_json(folder / FILE, _saved(document, 0, time.time(), History()))
        project = cls(folder, **given)
        project.witness("project made")
        return project

    def _load(self) -> None:
        told = load_json(self.folder / FILE)
        if told is None:
            raise Missing("there is no such project. Go back to the list, and choose one.")
        self.document = Document.model_validate(told["document"])
        self.version = int(told["version"])
        self.created = float(told["created"])
        self._history = History.from_dict(told["history"])

    @property
    def read_only(self) -> bool:
        """Whether it can only be looked at."""
        return self._read_only

    def refuse_change(self) -> None:
        """Complain where it can only be looked at."""
        if self._read_only:
            raise NotAllowed("you may look at this project, and not change it.")

    # changes

    def change(self, what: str, *, expect: int | None = None, **fields: Any) -> Document:
        """Change fields of the document: one step that can be undone, called `what`. `expect` is the version that the
        change was made from; what others have changed since then is kept."""
        self.refuse_change()
        with self._lock:
            before = self.document.model_dump(mode="json")
            wanted = _validated({**before, **_plain(fields)}).model_dump(mode="json")
            if expect is not None and expect != self.version:
                wanted = self._joined(before, wanted, expect, fields)
            document = _validated({**before, **{name: wanted[name] for name in fields}})
            after = document.model_dump(mode="json")
            changed = {name: before[name] for name in fields if before[name] != after[name]}
            if not changed:
                return self.document
            self._history.note(Change(what, time.time(), changed))
            self._keep(document, changed)
        self._tell("document")
        return self.document

    def undo(self) -> Document:
        """Take back the last change; nothing happens where there is none."""
        return self._back(self._history.done, self._history.undone)

    def redo(self) -> Document:
        """Do again what was taken back."""
        return self._back(self._history.undone, self._history.done)

    @property
    def history(self) -> list[Change]:
        """The changes that can be undone, the latest last."""
        return list(self._history.done)

    @property
    def undone(self) -> list[Change]:
        """The changes that can be done again, the next one last."""
        return list(self._history.undone)

    # the table

    def add_file(self, name: str, stream: IO[bytes] | Iterable[bytes]) -> Source:
        """Keep an upload, and make it the table of the project."""
        return self.take(self.keep_file(name, stream))

    def keep_file(self, name: str, stream: IO[bytes] | Iterable[bytes]) -> Source:
        """Keep an upload beside the table: a population, or people to attack with."""
        with self.upload(name) as upload:
            return store(upload, stream)

    def use_sample(self, name: str) -> Source:
        """Work on a table that comes with the program."""
        if name not in SAMPLES:
            raise TableError(f"there is no sample {name!r}. There is {', '.join(SAMPLES)}.")
        return self.take(Source(kind="sample", name=name))

    def use_database(self, url: str, query: str) -> Source:
        """Keep what a query gives. The address is shown without its password, and nothing of it is saved."""
        from paravent.web.workspace.databases import fetched

        self.refuse_change()
        if not self.quota.databases:
            raise NotAllowed("databases are not read here. Upload the table as a file.")
        return self.take(fetched(self.folder / "sources", url, query, self.quota))

    def upload(self, name: str) -> Upload:
        """A file that arrives piece by piece; `take` what comes of it."""
        self.refuse_change()
        return Upload(self.folder / "sources", name, self.quota, self._used())

    def discard(self, source: Source) -> None:
        """Delete a file that was kept and that nobody has taken."""
        self.refuse_change()
        (self.folder / "sources" / own_name(source.id)).unlink(missing_ok=True)

    def take(self, source: Source) -> Source:
        """Make something that was kept the table of the project."""
        what = {"sample": f"Opened the sample {source.name}", "database": "Read a database"}
        self.witness("table taken", kind=source.kind, size=source.size)
        self.change(
            what.get(source.kind, f"Uploaded {source.name}"),
            source=source,
            cleaning=() if self.document.source is not None else self.document.cleaning,  # of a process that was opened
            release=None,
            guidance=None,
        )
        return source

    def table(self) -> pv.Table:
        """The table as it was read and cleaned."""
        source, steps = self._source(), self.document.cleaning
        return (
            self._made(_key(source, steps), lambda: cleaned(self.look(source), steps)[0])
            if steps
            else self.look(source)
        )

    def original(self) -> pv.Table:
        """The table as it was read, before any cleaning."""
        return self.look(self._source())

    def look(self, source: Source) -> pv.Table:
        """The table of a source, which need not be the project's."""
        return self._made(_key(source, ()), lambda: self._read(source))

    def finding(self, what: str, find: Callable[[pv.Table], T]) -> T:
        """What is found in the table, kept in memory under a name until the table is another or is deleted."""
        key = _key(self._source(), self.document.cleaning)
        table = self.table()
        return finding(self.folder / "cache", f"{key} {what}", lambda: find(table))

    def cleaning(self) -> Any:
        """What cleaning takes out of the table, and why."""
        return cleaned(self.original(), self.document.cleaning)[1]

    def forget_tables(self) -> None:
        """Delete every table of people: uploads, what was made from them, what was said of their values (trees,
        bounds), and the way back to all that."""
        self.refuse_change()
        with self._lock:
            self.jobs.forget()
            forget_tables(self.folder / "cache")
            for name in ("sources", "cache", "trees"):
                erase(self.folder / name)
            self._history.clear()
            document = Document(name=self.document.name, language=self.document.language, mode=self.document.mode)
            self._keep(document, {})
        self.witness("tables deleted")
        self._tell("document")

    # the plan

    def plan(self) -> pv.Plan:
        """The plan that the document describes, with the trees that were edited."""
        return plan_of(self.document.plan, self.document.trees, self.folder)

    def plan_from(self, told: Mapping[str, Any] | None) -> pv.Plan:
        """The plan of another document, with the trees of the project; without one, that of the project."""
        return self.plan() if told is None else plan_of(told, self.document.trees, self.folder)

    # others

    @cached_property
    def jobs(self) -> Jobs:
        from paravent.web.jobs.jobs import Jobs

        return Jobs(self)

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Have a function called whenever the document or a job changes; the function that is returned ends that."""
        with self._lock:
            self._listeners.append(callback)

        def stop() -> None:
            with self._lock, contextlib.suppress(ValueError):
                self._listeners.remove(callback)

        return stop

    def witness(self, what: str, **about: Any) -> None:
        """Note in the audit log what was done, by ids, kinds and sizes alone."""
        self._witness(what, {"project": self.id, **about})

    def tell(self, what: str) -> None:
        """Tell all listeners that something has changed."""
        self._tell(what)

    def _tell(self, what: str) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            with contextlib.suppress(Exception):  # a tab that is gone must not stop the others
                listener(what)

    def _made(self, key: str, make: Callable[[], pv.Table]) -> pv.Table:
        found = known_table(self.folder / "cache", key)
        return keep_table(self.folder / "cache", key, make()) if found is None else found

    def _read(self, source: Source) -> pv.Table:
        """Read a source: what may unpack to more than it seems, or is large, in a process that has its limits."""
        if self._read_only or source.kind == "sample" or is_harmless(source):
            return read_source(self.folder / "sources", source, self.quota)
        from paravent.web.jobs.reading import read_apart

        read_apart(self, source)
        table = known_table(self.folder / "cache", _key(source, ()))
        if table is None:
            raise TableError(f"{source.name} has changed while it was read. Try again.")
        return table

    def _source(self) -> Source:
        if self.document.source is None:
            raise TableError("the project has no table yet. Upload one, or open a sample.")
        return self.document.source

    def _joined(self, now: dict[str, Any], mine: dict[str, Any], expect: int, fields: dict[str, Any]) -> dict[str, Any]:
        base = self._history.at(expect, self.version, now)
        if base is None:
            if all(now[name] == mine[name] for name in fields):
                return mine
            raise Conflict("the project has changed too much since this page was opened. Load the page again.")
        return {**mine, **{name: merged(base[name], now[name], mine[name], name) for name in fields}}

    def _back(self, takes: list[Change], gives: list[Change]) -> Document:
        self.refuse_change()
        with self._lock:
            if not takes:
                return self.document
            change = takes.pop()
            now = self.document.model_dump(mode="json")
            gives.append(Change(change.what, change.when, {name: now[name] for name in change.before}))
            document = _validated({**now, **change.before})
            self._keep(document, {name: now[name] for name in change.before})
        self._tell("document")
        return self.document

    def _keep(self, document: Document, before: dict[str, Any]) -> None:
        save_json(self.folder / FILE, _saved(document, self.version + 1, self.created, self._history))
        self.document, self.version = document, self.version + 1
        self._history.remember(self.version, before)


def _saved(document: Document, version: int, created: float, history: History) -> dict[str, Any]:
    return {
        "format": "paravent project 1",
        "version": version,
        "created": created,
        "changed": time.time(),
        "document": document.model_dump(mode="json"),
        "history": history.to_dict(),
    }


def _validated(fields: dict[str, Any]) -> Document:
    try:
        return Document.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the project"
        raise PlanError(f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}.") from None


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Values as JSON has them, so that what is compared and saved is the same."""

    def plain(value: Any) -> Any:
        if isinstance(value, Source | CleaningStep):
            return value.model_dump(mode="json")
        return [plain(each) for each in value] if isinstance(value, list | tuple) else value

    return {name: plain(value) for name, value in fields.items()}


def _key(source: Source, steps: Iterable[CleaningStep]) -> str:
    told = f"{pv.__version__}\n{source.model_dump_json()}\n{[step.model_dump_json() for step in steps]}"
    return hashlib.sha256(told.encode()).hexdigest()[:32]
