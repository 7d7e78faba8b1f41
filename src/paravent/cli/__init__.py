"""The command line: the public functions, with arguments instead of Python."""

from __future__ import annotations


def main() -> None:
    import sys

    from paravent.cli.app import run

    run(sys.argv[1:])
