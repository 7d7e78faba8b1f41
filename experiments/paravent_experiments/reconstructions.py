"""Trees for Adult that agree with what is published about the source's own, and how much hangs on the choice.

Mauger 2021 gives the number of values, nodes and levels of each tree (Table 2.1) and shows the trees as pictures only.
Many trees have these numbers; those of occupation, marital status and workclass that come with ARX show which groups
were in use: two of the three have just the published numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

OCCUPATIONS: tuple[Any, ...] = (
    {"Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"]},
    "Other-service",
    {"Non-technical": ["Sales", "Exec-managerial", "Handlers-cleaners"]},
    "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv", "Armed-Forces",
)  # fmt: skip
"""Occupations as ARX groups and orders them. Its third group, Other, would be an 18th node: its values hang on the root
here."""

CHOSEN = "technical occupations"

SPAN = {"[3, 2000]": (41.74, 45.91), "[3, 15000]": (71.60, 75.53)}
"""GkAA's alteration (NLLM, VMN in percent) over all variants, from the lowest to the highest; a test holds it to the
recorded run."""


def caveat() -> str:
    """What has to stand wherever a number of Adult with the chosen trees does."""
    spans = " and ".join(f"from {low:.2f} to {high:.2f} % on {interval}" for interval, (low, high) in SPAN.items())
    return (
        f"Adult's trees were chosen to fit: of {len(variants())} reconstructions of the published size, those whose "
        f"results lie nearest to the published ones. Over all of them GkAA's alteration (NLLM) runs {spans}: "
        "a difference to a published number within such a span says nothing."
    )


def variants() -> dict[str, dict[str, Any]]:
    """What differs from the bundled trees, by name of the reconstruction; every tree has the published numbers.

    >>> variants()[CHOSEN]["occupation"].tree("occupation")
    <Tree 'occupation': 14 values, 17 nodes, height 3>
    """
    from paravent.hierarchy.builders import groups

    occupation = groups(list(OCCUPATIONS))
    marital = groups(
        {
            "spouse present": ["Married-civ-spouse", "Married-AF-spouse"],
            "spouse not present": [
                "Married-spouse-absent", "Never-married", "Separated", "Divorced", "Widowed",
            ],
        }
    )  # fmt: skip
    workclass = groups(
        {
            "non-government": ["Private", "Self-emp-not-inc", "Self-emp-inc"],
            "government": ["Federal-gov", "State-gov", "Local-gov"],
            "unemployed": ["Without-pay", "Never-worked"],
        }
    )
    education = groups(
        {
            "school": {
                "primary": ["Preschool", "1st-4th", "5th-6th"],
                "secondary": ["7th-8th", "9th", "10th", "11th", "12th", "HS-grad"],
            },
            "undergraduate": ["Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors"],
            "graduate": ["Masters", "Prof-school", "Doctorate"],
        }
    )
    ages = {"age": groups(_nested([str(a) for a in range(17, 91) if a not in (87, 89)], (4, 8, 20)))}
    arx = {"marital-status": marital, "workclass": workclass}
    return {
        "bundled": {},
        CHOSEN: {"occupation": occupation},
        "ages in 20, 8 and 4 groups": ages,
        "school and college": {"education": education},
        "marital status and workclass as ARX has them": arx,
        "as ARX, with technical occupations": {**arx, "occupation": occupation},
        "as ARX, technical occupations, school and college": {
            **arx,
            "occupation": occupation,
            "education": education,
        },
    }


def trees(name: str = CHOSEN) -> Mapping[str, Any]:
    """The trees of a reconstruction, by column."""
    from paravent import data

    return {column: str(data.adult_tree_path(column)) for column in data.ADULT_TREES} | variants()[name]


def _nested(values: list[str], counts: tuple[int, ...]) -> Any:
    """Values in so many groups of neighbours, each cut further; groups of one level differ by one value at most."""
    finest = counts[-1]
    ends = [round(i * len(values) / finest) for i in range(finest + 1)]
    level: list[tuple[str, Any]] = [(f"{values[a]}–{values[b - 1]}", values[a:b]) for a, b in itertools.pairwise(ends)]
    for count in reversed(counts[:-1]):
        ends = [round(i * len(level) / count) for i in range(count + 1)]
        level = [(f"{count}:{at}", dict(level[a:b])) for at, (a, b) in enumerate(itertools.pairwise(ends))]
    return dict(level)
