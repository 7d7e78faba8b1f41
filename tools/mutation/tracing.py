"""A plugin of pytest that notes which test runs which line, and how long it takes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

_folder = Path(os.environ["PARAVENT_TRACES"])
_cover = coverage.Coverage(
    data_file=str(_folder / "lines"),
    data_suffix=True,
    config_file=False,
    include=os.environ["PARAVENT_TRACED"].split(os.pathsep),
)
_seconds: dict[str, float] = {}
_failed: dict[str, float] = {}


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        _cover.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _cover.switch_context(item.nodeid)
    begun = time.process_time()
    try:
        return (yield)  # type: ignore[return-value]
    finally:
        _seconds[item.nodeid] = time.process_time() - begun
        _cover.switch_context("")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _failed[report.nodeid] = report.duration


def pytest_unconfigure(config: Any) -> None:  # noqa: ARG001
    if _seconds:
        _cover.stop()
        _cover.save()
        (_folder / f"seconds.{os.getpid()}.json").write_text(json.dumps(_seconds), encoding="utf-8")
        (_folder / f"failed.{os.getpid()}.json").write_text(json.dumps(_failed), encoding="utf-8")
