"""What was known of each value, in bits: non-uniform entropy, and the divergence of the whole table.

Both assume that a cell covers the value it stands for. Where values were replaced by others they do not apply.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from paravent.measures import Absent, Measure, as_percent
from paravent.utility.class_sizes import log_area
from paravent.utility.family import family
from paravent.utility.subject import Subject


@family
def information(subject: Subject) -> Iterator[Measure | Absent]:
    if not subject.axes or subject.n_rows == 0:
        return
    false = [axis.name for axis in subject.axes if axis.name in subject.perturbed]
    if subject.false_share or false:
        which = f"cells of {false[0]!r} may" if false else f"{as_percent(subject.false_share)} of the cells"
        why = f"{which} show another value than the original, so no cell can be taken to hold its value."
        yield Absent("utility.entropy", why)
        yield Absent("utility.kl", why)
        return
    yield Measure(
        "utility.entropy",
        non_uniform_entropy(subject),
        "Non-uniform entropy",
        "The share of the information in the cells that is lost, rare values weighing more than frequent ones "
        "(Gionis, Tassa 2009).",
        unit="share",
    )
    yield Measure(
        "utility.kl",
        kl_divergence(subject),
        "Kullback–Leibler divergence",
        "How far, in nats, the table lies from what somebody expects who spreads each class evenly over all that it "
        "covers (Kifer, Gehrke 2006).",
    )


def non_uniform_entropy(subject: Subject) -> float:
    """Σ −log P(value | what its cell covers), over all cells, as a share of what suppressing everything would cost.

    P counts rows of the original. A cell costs log(rows covered) − log(rows of its value): the second sum is the same
    for every release, so that rows need not be matched.
    """
    lost = worst = 0.0
    dropped = subject.n_rows - subject.released.height
    for reading in subject.readings:
        rows = np.bincount(reading.axis.codes, minlength=len(reading.axis))
        own = float(np.dot(rows, np.log2(rows)))
        # A missing cell stands in the original as the most frequent value: it has lost nothing.
        covered = np.where(reading.never_known, rows.max(), np.maximum(reading.total(rows), 1))
        everything = float(np.log2(subject.n_rows))
        lost += float(np.dot(reading.counts, np.log2(covered))) + dropped * everything - own
        worst += subject.n_rows * everything - own
    return min(max(lost / worst, 0.0), 1.0) if worst > 0 else 0.0


def kl_divergence(subject: Subject) -> float:
    """Σ p(t) log p(t) / q(t) over the rows of the original, q spreading the class of a row evenly over its area.

    Where classes overlap, q counts the row's own class alone, which bounds the divergence from above. Suppressed rows
    are one class that covers everything.
    """
    sizes = subject.classes.sizes
    total = float(np.dot(subject.original_sizes, np.log(subject.original_sizes)))
    total += float(np.dot(sizes, log_area(subject) - np.log(sizes)))
    absent = subject.n_suppressed + subject.left_out
    if absent:
        everything = sum(np.log(max(len(axis), 1)) for axis in subject.axes)
        total += absent * (everything - np.log(absent))
    return max(total / subject.n_rows, 0.0)
