"""Comparisons as files: JSON with plans, answers and figures, and no value of the table."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from paravent.comparison.comparison import Comparison
from paravent.comparison.curves import Sweep
from paravent.comparison.demands import TOP, Met, demands_of
from paravent.comparison.entry import Entry, Failure, TableFacts, Wanted
from paravent.errors import ParaventError, PlanError
from paravent.measures import Absent, Measure, Measures
from paravent.methods.method import Method
from paravent.plan.file import relocated
from paravent.plan.plan import Plan
from paravent.table.atomic import real_path, replacing

FORMAT = "paravent comparison 1"


def to_document(comparison: Comparison, *, folder: Path | None = None, timings: bool = True) -> dict[str, Any]:
    """Nested dictionaries and lists. Relative paths in plans start at `folder` (None: as they are)."""
    known = _catalogue(comparison)
    return {
        "format": FORMAT,
        "paravent": comparison.version,
        "date": comparison.date,
        "table": vars(comparison.table),
        "quasi": list(comparison.quasi),
        "wanted": vars(comparison.wanted),
        "stopped": comparison.stopped,
        "comparable": comparison.comparable,
        "demands": [demand.describe(among=comparison.demands) for demand in comparison.demands],
        "sentences": [_redacted(sentence, comparison) for sentence in comparison.sentences],
        "levels": _levels(comparison),
        "front": list(comparison.front()) if _mapped(comparison) else [],
        "sweep": None if comparison.sweep is None else _sweep(comparison.sweep),
        "measures": {name: _about(measure) for name, measure in known.items()},
        "original": _figures(comparison.reference, known),
        "candidates": [_entry(entry, known, folder, timings) for entry in comparison.entries],
    }


def _levels(comparison: Comparison) -> list[dict[str, Any]]:
    by = comparison.about(comparison.wanted.by)
    found = []
    for level in comparison.levels():
        places = comparison.ranking(level) if by is not None and by.better != "neither" else ()
        ranked = [
            {
                "name": place.name,
                "rank": place.rank,
                "tied": place.tied,
                "value": place.value,
                "protects_more": bool((comparison[place.name].satisfied & comparison.demanded) - level.demands),
            }
            for place in places
        ]
        found.append({"asked": sorted(level.asked), "demands": sorted(level.demands), "ranking": ranked})
    return found


def _mapped(comparison: Comparison) -> bool:
    wanted = comparison.wanted
    return all(comparison.about(name) is not None for name in (wanted.risk, wanted.utility))


def _redacted(sentence: str, comparison: Comparison) -> str:
    for entry in comparison.failed:
        if entry.failure is not None:
            sentence = sentence.replace(entry.failure.message, entry.failure.redacted)
    return sentence


def _sweep(sweep: Sweep) -> dict[str, Any]:
    return {
        "parameters": {name: [_plain(value) for value in values] for name, values in sweep.parameters.items()},
        "one_at_a_time": sweep.one_at_a_time,
    }


def _entry(entry: Entry, known: Mapping[str, Measure], folder: Path | None, timings: bool) -> dict[str, Any]:
    plan = entry.plan if entry.plan is None or folder is None else relocated(entry.plan, folder)
    found = {
        "name": entry.name,
        "status": entry.status,
        "made_by": entry.made_by,
        "settings": {name: _plain(value) for name, value in entry.settings.items()},
        "plan": None if plan is None else plan.to_document(),
        "failure": None if entry.failure is None else {"kind": entry.failure.kind, "message": entry.failure.redacted},
        "promise": entry.promise,
        "asked": sorted(entry.asked),
        "checks": [{"holds": met.holds, "level": _number(met.level), "words": met.words} for met in entry.checks],
        "families": list(entry.families),
        "file": entry.file,
        "measures": _figures(entry.measures, known),
    }
    return {**found, "seconds": round(entry.seconds, 6)} if timings else found


def _catalogue(comparison: Comparison) -> dict[str, Measure]:
    """What each measure is, said once; candidates for which it is something else say so themselves."""
    known: dict[str, Measure] = {}
    for measures in (comparison.reference, *(entry.measures for entry in comparison.entries)):
        for measure in () if measures is None else measures.details():
            known.setdefault(measure.name, measure)
    return known


def _about(measure: Measure) -> dict[str, Any]:
    bounds = None if measure.bounds is None else [_number(bound) for bound in measure.bounds]
    said = {"title": measure.title, "meaning": measure.meaning, "better": measure.better, "unit": measure.unit}
    return {**said, "bounds": bounds}


def _figures(measures: Measures | None, known: Mapping[str, Measure]) -> dict[str, Any] | None:
    if measures is None:
        return None
    other = {m.name: _about(m) for m in measures.details() if _about(m) != _about(known[m.name])}
    return {
        "values": {measure.name: _number(measure.value) for measure in measures.details()},
        "about": other,
        "absent": dict(measures.absent),
    }


def _number(value: float | None) -> float | str | None:
    """A number in words of JSON: what is not one is None, infinity a text."""
    if value is None or math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _plain(value: Any) -> Any:
    from paravent.comparison.curves import shown

    return shown(value) if isinstance(value, Method) else value if isinstance(value, int | float | str) else str(value)


def save(comparison: Comparison, path: Path) -> None:
    document = to_document(comparison, folder=real_path(path).parent)
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    with replacing(path) as part:
        part.write_text(text + "\n", encoding="utf-8", newline="\n")


def load(path: Path) -> Comparison:
    """Read a comparison back. It has no releases; everything else is as it was saved."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"comparison {str(path)!r} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise PlanError(f"comparison {str(path)!r} is no file that Comparison.save wrote. Name another.")
    try:
        return from_document(document, folder=path.resolve().parent)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, ParaventError):
            raise
        raise PlanError(f"comparison {str(path)!r} is damaged. Run the comparison again.") from None


def from_document(document: Mapping[str, Any], *, folder: Path | None = None) -> Comparison:
    known = {name: _measure(name, 0.0, about) for name, about in document["measures"].items()}
    entries = tuple(_read_entry(entry, known, folder) for entry in document["candidates"])
    plans = [entry.plan for entry in entries if entry.plan is not None and entry.asked]
    sweep = document["sweep"]
    return Comparison(
        TableFacts(**document["table"]),
        tuple(document["quasi"]),
        tuple(dict.fromkeys(demand for plan in plans for demand in demands_of(plan))),
        entries,
        wanted=Wanted(**document["wanted"]),
        sweep=None if sweep is None else Sweep(sweep["parameters"], sweep["one_at_a_time"]),
        reference=_read_figures(document["original"], known),
        stopped=document["stopped"],
        version=document["paravent"],
        date=document["date"],
    )


def _read_entry(document: Mapping[str, Any], known: Mapping[str, Measure], folder: Path | None) -> Entry:
    failure = document["failure"]
    checks = tuple(Met(met["holds"], _read(met["level"]), met["words"]) for met in document["checks"])
    return Entry(
        document["name"],
        None if document["plan"] is None else Plan.from_document(document["plan"], folder=folder),
        document["settings"],
        document["made_by"],
        asked=frozenset(document["asked"]),
        status=document["status"],
        failure=None if failure is None else Failure(failure["kind"], failure["message"], failure["message"]),
        promise=document["promise"],
        checks=checks,
        measures=_read_figures(document["measures"], known),
        families=tuple(document["families"]),
        seconds=document.get("seconds", 0.0),
        file=document["file"],
    )


def _read_figures(document: Mapping[str, Any] | None, known: Mapping[str, Measure]) -> Measures | None:
    if document is None:
        return None
    found: list[Measure | Absent] = []
    for name, value in document["values"].items():
        number = math.nan if value is None else cast("float", _read(value))
        own = document["about"].get(name)
        found.append(replace(known[name], value=number) if own is None else _measure(name, number, own))
    return Measures([*found, *(Absent(name, why) for name, why in document["absent"].items())])


def _measure(name: str, value: float, about: Mapping[str, Any]) -> Measure:
    bounds = about["bounds"]
    limits = None if bounds is None else cast("tuple[float, float]", tuple(_read(bound) for bound in bounds))
    return Measure(name, value, about["title"], about["meaning"], about["better"], about["unit"], limits)


def _read(value: float | str | None) -> float | None:
    return float(value) if isinstance(value, str) else value


def continued(now: Comparison, earlier: Comparison, is_enough: Callable[[Entry], bool]) -> Comparison:
    """`now` with the entries that `earlier` has finished: same plan, every demand answered, same version and scale."""
    if earlier.version != now.version or earlier.quasi != now.quasi:
        return now
    answered = {demand: place for place, demand in enumerate(earlier.demands)}
    places = [answered.get(demand) for demand in now.demands]
    if any(place is None for place in places):
        return now
    before = {_plan_identity(entry.plan): entry for entry in earlier.done if entry.plan is not None}
    entries = []
    for entry in now.entries:
        old = before.get(_plan_identity(entry.plan)) if entry.plan is not None else None
        if old is None or entry.made_by != old.made_by or not is_enough(old):
            entries.append(entry)
            continue
        checks = tuple(old.checks[cast("int", place)] for place in places)
        entries.append(
            replace(old, name=entry.name, plan=entry.plan, settings=entry.settings, asked=entry.asked, checks=checks)
        )
    return replace(now, entries=tuple(entries), reference=earlier.reference)


def _plan_identity(plan: Plan) -> str:
    """A plan as text, the same wherever its file lies."""
    return json.dumps(relocated(plan, TOP).to_document(), sort_keys=True, default=str)
