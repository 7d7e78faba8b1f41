"""Where a user's layer lies. This costs nothing to import, so that whoever has no layer pays nothing for it."""

from __future__ import annotations

import os
from pathlib import Path


def usual_path() -> Path:
    """Where a user's layer lies unless another path is given: $PARAVENT_LAYER, or the folder for data of the user."""
    named = os.environ.get("PARAVENT_LAYER")
    if named:
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    data = Path(home) if home and Path(home).is_absolute() else Path.home() / ".local" / "share"
    return data / "paravent" / "knowledge.ttl"
