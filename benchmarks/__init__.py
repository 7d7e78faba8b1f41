"""Measured comparisons. Each module is a command that prints a table: `python -m benchmarks.mondrian`."""
