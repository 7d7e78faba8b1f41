"""The command line: the public functions, with arguments instead of Python."""

from __future__ import annotations


def main() -> None:
    from paravent.cli.app import app

    app()
