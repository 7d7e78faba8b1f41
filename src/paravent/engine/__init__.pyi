# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.engine.spark.estimate import estimate
from paravent.engine.spark.options import Spark
from paravent.engine.spark.options import session
from paravent.engine.spark.reading import open_source
from paravent.engine.spark.run import anonymize_on_spark

__all__ = [
    "Spark",
    "anonymize_on_spark",
    "estimate",
    "open_source",
    "session",
]
