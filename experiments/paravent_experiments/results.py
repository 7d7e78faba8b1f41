"""What an experiment has found so far, in a file, so that it can be taken up again where it was left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paravent.errors import PlanError
from paravent.table.atomic import replacing


@dataclass
class Results:
    """Finished parts by name, and the protocol they belong to. Parts of another protocol are never mixed in."""

    protocol: Mapping[str, Any]
    path: Path | None = None
    parts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, protocol: Mapping[str, Any], path: Path | None = None) -> Results:
        """What the file holds, if it is there.

        >>> Results.open({"experiment": "metrics"}).parts
        {}
        """
        if path is None or not path.exists():
            return cls(dict(protocol), path)
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            same = known["protocol"] == json.loads(json.dumps(protocol))
            parts = dict(known["parts"])
        except (ValueError, KeyError, TypeError):
            raise PlanError(f"{path} holds no results of an experiment. Name another file.") from None
        if not same:
            raise PlanError(f"{path} holds results of another protocol or version. Name another file, or remove it.")
        return cls(dict(protocol), path, parts)

    def add(self, name: str, part: Any) -> None:
        """Keep a finished part, on the disk too."""
        self.parts[name] = part
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as target:
                target.write_text(self._text(), encoding="utf-8")

    def _text(self) -> str:
        """One line a part."""
        parts = ",\n".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in self.parts.items())
        return f'{{"protocol": {json.dumps(self.protocol)},\n"parts": {{\n{parts}\n}}}}\n'
