"""Settings of every test run."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from hypothesis import settings

# A slow machine is no failing law.
settings.register_profile("paravent", deadline=None)
settings.load_profile("paravent")

_NATIVE = os.environ.get("PARAVENT_NATIVE")


def _use_native(path: Path) -> None:
    """Put another build of the kernels (`make sanitize`) in the place of the installed one."""
    name = "paravent.kernels._native"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"PARAVENT_NATIVE={path}: not an extension module of this Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


if _NATIVE:
    _use_native(Path(_NATIVE))


def pytest_report_header() -> str | None:
    return f"kernels: {_NATIVE}" if _NATIVE else None
