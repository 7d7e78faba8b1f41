"""Where the work runs when a table outgrows one machine. The names below are for the rooms above."""

from __future__ import annotations

from paravent.registry import exported

homes, __getattr__, __dir__ = exported(
    __name__,
    {
        "spark.estimate": "estimate",
        "spark.options": "Spark session",
        "spark.reading": "open_source",
        "spark.run": "anonymize_on_spark",
    },
)
