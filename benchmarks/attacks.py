"""Linking people to a generalized release, beside comparing everybody with every class. `python -m benchmarks.attacks`

The baseline is the plain way in NumPy: for each column a table of which label covers which value, looked up for every
pair of a distinct person and a class. Both count the same rows for everybody. Then the whole of `release.attack()`.
"""

from __future__ import annotations

import numpy as np

import paravent as pv
from benchmarks.printing import best_of, print_table
from benchmarks.tables import adult, enlarged, plan
from paravent.plan.attack import scene_of
from paravent.privacy.attacks.links import Links


def plainly(links: Links) -> np.ndarray:
    """The rows that fit each kind of person, by looking at every pair."""
    classes, people = links.classes, links.people
    tables = [np.stack([c.covered(label) for label in range(c.n_labels)]) for c in links.coverings]
    rows = np.zeros(len(people), dtype=np.int64)
    for begin in range(0, len(people), 512):
        some = people.cells[begin : begin + 512]
        fits = np.ones((len(some), len(classes)), dtype=bool)
        for j, table in enumerate(tables):
            fits &= table[classes.cells[:, j]][:, some[:, j]].T
        rows[begin : begin + 512] = fits @ classes.sizes
    return np.asarray(rows[people.of_row])


def linked(scene: pv.attacks.Scene) -> np.ndarray:
    assert scene.people is not None
    return scene.links(scene.people, scene.quasi).rows_of_person


def main() -> None:
    rows = []
    for size in (7_500, 15_000, 30_162, 100_000, 300_000):
        frame = adult() if size == 30_162 else enlarged(adult(), size)
        wanted = plan(pv.methods.Mondrian())
        release = pv.anonymize(frame, wanted)
        scene = scene_of(release, wanted)
        assert scene.people is not None
        seconds, found = best_of(3, lambda scene=scene: linked(scene))  # type: ignore[misc]
        links = scene.links(scene.people, scene.quasi)
        plain: float | str = "-"
        if size <= 30_162:
            plain, expected = best_of(1, lambda links=links: plainly(links))  # type: ignore[misc]
            assert np.array_equal(found, expected)
        whole, _ = best_of(1, release.attack)
        ratio = f"{plain / seconds:.0f}×" if isinstance(plain, float) else "-"
        rows.append([size, len(links.people), len(links.classes), seconds, plain, ratio, whole])
    print_table(
        "Adult, 8 quasi-identifiers, Mondrian, k = 5: seconds",
        [
            "people = rows",
            "distinct people",
            "classes",
            "linkage",
            "every pair",
            "ratio",
            "all attacks, 2 000 attempts",
        ],
        rows,
    )


if __name__ == "__main__":
    main()
