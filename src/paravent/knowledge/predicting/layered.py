"""Evaluations of the user's layer: numbers that an expert added count like published ones, and before them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from paravent.errors import ParaventError
from paravent.knowledge.cube.settings import setting_of
from paravent.knowledge.layer.place import usual_path
from paravent.knowledge.predicting.models import Point
from paravent.knowledge.predicting.prediction import Prediction

_KNOWN: dict[tuple[str, int, int], tuple[Added, ...]] = {}


@dataclass(frozen=True)
class Added:
    """An evaluation of a layer: a value of a metric of an algorithm, and what it was measured at."""

    method: str
    metric: str
    value: float
    source: str
    k: str | None
    columns: str | None
    shape: str | None
    rows: str | None

    def fits(self, method: str, metric: str, point: Point) -> bool:
        """Whether it is about this: same method and metric, k, quasi-identifiers and shape of the table, and rows where
        it names them. What it leaves open cannot fit."""
        here = point.described
        return (
            (self.method, self.metric) == (method, metric)
            and not point.l
            and _same(self.k, point.k)
            and _same(self.columns, here.columns)
            and self.shape == here.shape
            and (self.rows is None or _same(self.rows, here.rows))
        )


def of_layer(method: str, metric: str, point: Point) -> Prediction | None:
    """The evaluation of the usual layer that fits, the last of several; None where there is none."""
    found = [each for each in added() if each.fits(method, metric, point)]
    if not found:
        return None
    last = found[-1]
    return Prediction(method, metric, last.value, last.value, last.value, "published", 1, source=last.source)


def added() -> tuple[Added, ...]:
    """The evaluations of the usual layer; none where there is no layer, or none that can be read."""
    path = usual_path()
    if not os.path.isfile(path):
        return ()
    status = path.stat()
    stamp = (str(path), status.st_mtime_ns, status.st_size)
    if stamp not in _KNOWN:
        try:
            _KNOWN[stamp] = _read()
        except ParaventError:  # without rdflib, or with a layer that is not sound, the shipped knowledge speaks
            _KNOWN[stamp] = ()
    return _KNOWN[stamp]


def _read() -> tuple[Added, ...]:
    from paravent.knowledge.loading import load

    known, shipped = load(), set(load(shipped_only=True).keys("evaluation"))
    found = []
    for entry in known.entries("evaluation"):
        algorithm = known.entry(entry.value("evaluatesAlgorithm") or "")
        if entry.key in shipped or algorithm.registered is None:
            continue
        given: dict[str, str] = {}
        for key in entry.values("constrainedBy"):
            about = known.entry(key)
            name = about.value("ofInput") or about.value("ofDatasetDescriptor") or ""
            given[name] = about.value("value") or ""
        found.append(
            Added(
                setting_of(algorithm.registered, algorithm.value("call") or "").label,
                entry.value("evaluatesMetric") or "",
                float(entry.value("value") or "nan"),
                entry.value("source") or "",
                given.get("k"),
                given.get("quasi-identifier-count"),
                given.get("data-distribution"),
                given.get("row-count"),
            )
        )
    return tuple(found)


def _same(said: str | None, number: float) -> bool:
    try:
        return said is not None and float(said) == number
    except ValueError:
        return False
