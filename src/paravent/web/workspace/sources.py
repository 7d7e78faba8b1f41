"""Sources: an upload, a sample or the answer of a database becomes a file of the project, and a table when asked."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import paravent as pv
from paravent.errors import TableError
from paravent.web.workspace.document import CleaningStep, Source
from paravent.web.workspace.files import new_id, private_folder
from paravent.web.workspace.quota import Quota
from paravent.web.workspace.zips import refuse_bomb

ENDINGS = (
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".parquet", ".arrow", ".feather", ".xlsx", ".jsonl", ".ndjson",
    ".sav", ".zsav", ".dta", ".sas7bdat", ".xpt",
)  # fmt: skip
"""Files that can be uploaded, by the end of their names."""

SAMPLES: Mapping[str, str] = {"adult": "Adult (UCI census income, 30 162 people)"}
"""Tables to try the page with."""

OPTIONS = ("format", "sheet", "delimiter", "encoding", "decimal", "header", "quote", "na", "kinds")
"""Arguments of `pv.read` that a source may carry."""

_CHUNK = 1 << 20
_AT_ONCE = 4 << 20


class Upload:
    """A file that arrives piece by piece, under a name of our own. It is refused as soon as more comes than may, and
    nothing stays of one that is not kept."""

    def __init__(self, folder: Path, name: str, quota: Quota, used: int = 0) -> None:
        self.name, self._ending = shown_name(name), ending_of(name)
        self._quota, self._used, self._size = quota, used, 0
        self._own = f"{new_id()}{self._ending}"
        self._path = private_folder(folder) / self._own
        self._part = folder / f".{self._own}.part"
        self._file = self._part.open("xb")

    def write(self, chunk: bytes) -> None:
        self._size += len(chunk)
        self._quota.refuse_upload(self.name, self._size)
        self._quota.refuse_workspace(self._used + self._size)
        try:
            self._file.write(chunk)
        except OSError as error:
            raise TableError(f"{self.name} cannot be kept: {(error.strerror or str(error)).lower()}.") from None

    def keep(self) -> Source:
        """Everything has come."""
        if self._size == 0:
            raise TableError(f"{self.name} is empty. Upload a file with a row of names and rows of values.")
        self._file.flush()
        if self._ending == ".xlsx":
            refuse_bomb(self._part, self.name, self._quota)
        os.fsync(self._file.fileno())
        self._part.replace(self._path)
        return Source(kind="file", name=self.name, id=self._own, size=self._size)

    def __enter__(self) -> Upload:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)


def store(upload: Upload, stream: IO[bytes] | Iterable[bytes]) -> Source:
    """Keep all that comes."""
    for chunk in _chunks(stream):
        upload.write(chunk)
    return upload.keep()


def read_source(folder: Path, source: Source, quota: Quota) -> pv.Table:
    """The table of a source, before any cleaning."""
    options = {name: value for name, value in source.options.items() if name in OPTIONS}
    if source.kind == "sample":
        path = sample_path(source.name)
    else:
        path = folder / own_name(source.id)
        if not path.is_file():
            raise TableError(f"{source.name} is not here any more. Upload it again.")
    try:
        table = pv.read(path, **options)
    except TableError as error:  # a path of ours says nothing to anybody
        raise TableError(error.raw.replace(str(path), source.name)) from None
    quota.refuse_columns(source.name, len(table.names))
    notes = tuple(note.renaming(str(path), source.name) for note in table.notes)
    return replace(table, origin=replace(table.origin, description=source.name, notes=notes))


def cleaned(table: pv.Table, steps: Sequence[CleaningStep]) -> tuple[pv.Table, Any]:
    """The table after cleaning, and what went and why."""
    wanted: dict[str, Any] = {}
    for step in steps:
        if step.rules:
            wanted[step.kind] = {**(wanted.get(step.kind) or {}), **_pairs(step.rules)}
        elif step.kind in ("empty_columns",) or step.columns is None:
            wanted[step.kind] = "iqr" if step.kind == "outliers" else True
        else:
            wanted[step.kind] = (
                {**(wanted.get(step.kind) or {}), **dict.fromkeys(step.columns, "iqr")}
                if step.kind == "outliers"
                else list(step.columns)
            )
    return pv.clean(table, **wanted)


def _pairs(rules: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(rule) if isinstance(rule, list) else rule for name, rule in rules.items()}


def sample_path(name: str) -> Path:
    if name not in SAMPLES:
        raise TableError(f"there is no sample {name!r}. There is {', '.join(SAMPLES)}.")
    return pv.data.adult_path()


def shown_name(name: str) -> str:
    """A name as people see it: one line, no folders, not endless.

    >>> shown_name("../../etc/passwd"), shown_name("C:\\\\data\\\\ages\\n.csv")
    ('passwd', 'ages .csv')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = "".join(sign if sign.isprintable() else " " for sign in last).strip()
    return plain[:120] or "table"


def ending_of(name: str) -> str:
    low = name.lower()
    found = [ending for ending in ENDINGS if low.endswith(ending)]
    if not found:
        raise TableError(
            f"{shown_name(name)} is of no known kind. Upload {', '.join(ENDINGS)}, and name the file accordingly."
        )
    return max(found, key=len)


def is_harmless(source: Source) -> bool:
    """Whether it can be read at once: plain text of no great size unpacks to nothing else."""
    return source.size <= _AT_ONCE and source.id.endswith((".csv", ".tsv", ".txt", ".jsonl", ".ndjson"))


def own_name(text: str) -> str:
    """The name of a source on disk; nothing else is opened."""
    if not re.fullmatch(r"[0-9a-f]{16}\.[a-z0-9.]{2,9}", text):
        raise TableError("there is no such table. Upload it again.")
    return text


def _chunks(stream: IO[bytes] | Iterable[bytes]) -> Iterable[bytes]:
    if not hasattr(stream, "read"):
        yield from stream
        return
    while chunk := stream.read(_CHUNK):
        yield chunk
