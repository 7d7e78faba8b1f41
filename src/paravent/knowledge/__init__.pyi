# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off

__all__ = [
]
