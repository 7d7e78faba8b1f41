"""Stored models: the joint models of the cube that ships, as JSON beside it, so that nobody waits for them.

The file names the cube that it was made of; with another cube beside it, models are learnt anew. After a new cube:
`python -m paravent.knowledge.predicting.stored`; with the names of metrics, where no other reads what has changed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Collection
from functools import cache

from paravent.knowledge.cube.store import beside_of, evaluations, shipped
from paravent.knowledge.predicting.joint import Joint

PLACE = shipped().with_name("models.json.gz")


def fingerprint() -> str:
    """What the shipped cube is known by."""
    return hashlib.sha256(shipped().read_bytes() + beside_of(shipped()).read_bytes()).hexdigest()


@cache
def stored() -> dict[str, Joint]:
    """The stored models by metric; none where they are not of the cube that ships."""
    if not PLACE.exists():
        return {}
    held = json.loads(gzip.decompress(PLACE.read_bytes()))
    if held["cube"] != fingerprint():
        return {}
    return {metric: Joint.from_dict(model) for metric, model in held["models"].items()}


def write(metrics: Collection[str] = ()) -> None:
    """Learn the models of the shipped cube and store them; of some metrics alone, beside those that are stored."""
    from paravent.knowledge.predicting.learners import JOINT
    from paravent.knowledge.predicting.models import Sheet
    from paravent.table.atomic import replacing

    cube = evaluations()
    models = json.loads(gzip.decompress(PLACE.read_bytes()))["models"] if metrics else {}
    for metric in metrics or cube.measured["metric"].unique().sort():
        models[metric] = Sheet.of(cube, metric, JOINT).joint.to_dict()
        print(metric, flush=True)
    text = json.dumps({"cube": fingerprint(), "models": models}, separators=(",", ":"))
    with replacing(PLACE) as place:
        place.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    import sys

    write(sys.argv[1:])
