"""The stubs say what the registry has."""

from __future__ import annotations

from tools.stubs import stubs


def test_stubs_are_as_the_registry_has_it() -> None:
    for path, text in stubs().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is old: run `make format`"
