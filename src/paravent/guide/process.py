"""The process as a document: everything that was said, found and chosen, without the table and the releases.

It follows the meta-models of context and process (Ben Fredj 2017): context parameters, signatures with their status,
local evaluations that are predicted or measured, global ones with score and rank, and the choice. What is read back is
ranked again from its values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from paravent.arguments import check_call
from paravent.errors import PlanError
from paravent.guide.context import Context
from paravent.guide.guidance import Guidance
from paravent.guide.ranking import Ranking
from paravent.guide.running import Result
from paravent.guide.signatures import Reason, Relevant, Signature
from paravent.knowledge.loading import load
from paravent.knowledge.predicting.prediction import Prediction
from paravent.plan.document import from_document, to_document
from paravent.table.atomic import replacing
from paravent.table.table import Table

FORMAT = "paravent guidance 1"


def save(guidance: Guidance, path: Path) -> None:
    """Write the document, whole or not at all."""
    text = json.dumps(process_document(guidance), indent=1, ensure_ascii=False, allow_nan=False)
    with replacing(path) as part:
        part.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def process_document(guidance: Guidance) -> dict[str, Any]:
    """The process as a document."""
    check_call(process_document, locals())
    return {
        "format": FORMAT,
        "version": version("paravent"),
        "table": {"fingerprint": guidance.fingerprint, "rows": guidance.rows},
        "mode": guidance.mode,
        "language": guidance.known.language,
        "methods": None if guidance.methods is None else list(guidance.methods),
        "context": guidance.context.to_dict(),
        "plan": to_document(guidance.plan),
        "signatures": [_signature(guidance, each) for each in guidance.signatures],
        "dropped": {
            key: [{"sentence": each.sentence, "rule": each.rule} for each in reasons]
            for key, reasons in guidance.dropped.items()
        },
        "weights": dict(guidance.context.goals.weights),
        "predicted": _ranking(guidance.ranking),
        "measured": _ranking(guidance.results) if guidance.finished else [],
        "selected": list(guidance.selected),
        "results": {
            name: {
                "status": each.status,
                "values": dict(each.values),
                "reason": each.reason,
                "seconds": each.seconds,
            }
            for name, each in guidance.finished.items()
        },
        "chosen": guidance.chosen,
    }


def load_process(path: Path, table: Table | None) -> Guidance:
    """The guidance of a document."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"guidance {str(path)!r} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise PlanError(f"guidance {str(path)!r} is no JSON document.") from None
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise PlanError(f"guidance {str(path)!r} is no process of guidance. Name a file that Guidance.save wrote.")
    try:
        return from_dict(document, table)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PlanError(f"guidance {str(path)!r} is damaged: {error}.") from None


def from_dict(document: Mapping[str, Any], table: Table | None) -> Guidance:
    about = document["table"]
    if table is not None and table.fingerprint != about["fingerprint"]:
        raise PlanError("guidance: the process is about another table. Give the one that it was made for.")
    signatures = tuple(
        Signature(
            each["name"],
            each["key"],
            each["method"],
            each["k"],
            each["max_sup"],
            from_document(each["plan"]),
            tuple(each["marks"]),
            tuple(each.get("because", ())),
        )
        for each in document["signatures"]
    )
    dropped = {
        key: tuple(Reason(each["sentence"], each["rule"]) for each in reasons)
        for key, reasons in document["dropped"].items()
    }
    predictions = {
        each["name"]: {name: _prediction(told) for name, told in each["predictions"].items()}
        for each in document["signatures"]
    }
    found = Guidance(
        Context.from_dict(document["context"]),
        from_document(document["plan"]),
        Relevant(signatures, MappingProxyType(dropped)),
        predictions,
        table=table,
        known=load(language=document["language"]),
        mode=document["mode"],
        methods=None if document["methods"] is None else tuple(document["methods"]),
        fingerprint=about["fingerprint"],
        rows=about["rows"],
    )
    found.selected = tuple(document["selected"])
    found.finished = {
        name: Result(name, each["status"], each["values"], each["reason"], each["seconds"])
        for name, each in document["results"].items()
    }
    found.chosen = document["chosen"]
    return found


def _signature(guidance: Guidance, own: Signature) -> dict[str, Any]:
    told = guidance.predictions[own.name]
    return {
        "name": own.name,
        "key": own.key,
        "method": own.method,
        "k": own.k,
        "max_sup": own.max_sup,
        "status": _status(guidance, own.name),
        "marks": list(own.marks),
        "because": list(own.because),
        "plan": to_document(own.plan),
        "predictions": {name: asdict(each) for name, each in told.items()},
    }


def _status(guidance: Guidance, name: str) -> str:
    if name == guidance.chosen:
        return "chosen"
    if name in guidance.finished:
        return "executed"
    if name in guidance.selected:
        return "selected"
    return "candidate" if name not in guidance.ranking.unscored else "relevant"


def _ranking(ranking: Ranking) -> list[dict[str, Any]]:
    return [
        {
            "name": place.name,
            "rank": place.rank,
            "score": place.score,
            "base": place.base,
            "contributions": dict(place.contributions),
        }
        for place in ranking.places
    ]


def _prediction(document: Mapping[str, Any]) -> Prediction:
    return Prediction(**{**document, "because": tuple(document["because"])})
