"""Catalogues of sentences and their translations, in the form of gettext (`.po`): one `msgid` and `msgstr` each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_ID, _TEXT = "msgid ", "msgstr "


def read(path: Path) -> dict[str, str]:
    """The sentences of a file with their translations; an empty text where one is missing."""
    found: dict[str, str] = {}
    english = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(_ID):
            english = json.loads(line.removeprefix(_ID))
        elif line.startswith(_TEXT):
            found[english] = json.loads(line.removeprefix(_TEXT))
    return found


def written(entries: Mapping[str, str]) -> str:
    """The file that holds these."""
    return "\n".join(
        f"{_ID}{json.dumps(english, ensure_ascii=False)}\n{_TEXT}{json.dumps(french, ensure_ascii=False)}\n"
        for english, french in entries.items()
    )
