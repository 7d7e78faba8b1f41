"""A plugin of pytest that loads one module of the package with a change, as the environment names it, within a limit of
processor time."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import Phase, settings

from tools.mutation.operators import mutated


class _Loader(importlib.machinery.SourceFileLoader):
    index = -1

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return compile(mutated(Path(path).read_text(encoding="utf-8"), self.index), path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, path: str, index: int) -> None:
        self.name, self.path, self.index = name, path, index

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> Any:  # noqa: ARG002
        if fullname != self.name:
            return None
        loader = _Loader(fullname, self.path)
        loader.index = self.index
        folder = [str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=loader, submodule_search_locations=folder
        )


def pytest_configure() -> None:
    """That an example fails is enough to know: nobody needs the simplest one."""
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("changes", settings(), phases=phases)
    settings.load_profile("changes")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Only the tests that are asked for, in their order; files stand for all of their own."""
    wanted = json.loads(Path(os.environ["PARAVENT_TESTS"]).read_text(encoding="utf-8"))
    if not any("::" in test for test in wanted):
        return
    turn = {test: number for number, test in enumerate(wanted)}
    here = {item.nodeid: item for item in items if item.nodeid in turn}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in here])
    items[:] = sorted(here.values(), key=lambda item: turn[item.nodeid])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"processor seconds: {time.process_time():.2f}")


if "PARAVENT_PROCESSOR_SECONDS" in os.environ:
    _seconds = int(os.environ["PARAVENT_PROCESSOR_SECONDS"])
    resource.setrlimit(resource.RLIMIT_CPU, (_seconds, _seconds + 1))

if os.environ.get("PARAVENT_MUTANT"):
    _path, _index = os.environ["PARAVENT_MUTANT"].rsplit(":", 1)
    _parts = Path(_path).with_suffix("").parts
    _name = ".".join(_parts[_parts.index("paravent") :]).removesuffix(".__init__")
    sys.meta_path.insert(0, _Finder(_name, _path, int(_index)))
