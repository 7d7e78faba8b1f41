"""What became of each change, kept as lines of JSON: a run that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from tools.mutation.judge import Judgement


def digest_of(files: Iterable[Path]) -> str:
    """Of the module and of its tests: where one of them has changed, what was found before does not count."""
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


class Results:
    """Judgements by the key and the digest of their change. A line that was cut off, by a power failure or a kill, is
    passed over; what was undecided is judged again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._known: dict[tuple[str, str], Judgement] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text.splitlines():
            try:
                found = json.loads(line)
                judgement = Judgement(found["verdict"], found["by"])
                self._known[found["change"], found["digest"]] = judgement
            except (ValueError, KeyError, TypeError):
                continue
        if text and not text.endswith("\n"):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def get(self, change: str, digest: str) -> Judgement | None:
        found = self._known.get((change, digest))
        return None if found is None or found.verdict == "undecided" else found

    def add(self, change: str, digest: str, judgement: Judgement) -> None:
        line = {"change": change, "digest": digest, "verdict": judgement.verdict, "by": judgement.by}
        with self._lock:
            self._known[change, digest] = judgement
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
