"""What the other columns say about one that says nothing of itself.

In a table of findings, payments or opinions, a column that nobody can read is more likely another of these than
something that outsiders know. It is a guess and is called one.
"""

from __future__ import annotations

from collections.abc import Mapping

from paravent.profiling.detect import Confidence, Facts, Proposal
from paravent.profiling.lexicon import Role, concept
from paravent.table.kinds import Kind

FEWEST = 3
MOST_DIFFERENT = 0.5


def in_context(facts: Mapping[str, Facts], proposals: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """The proposals, those that rest on nothing judged by the company that their columns keep.

    Where more than half of the columns that are recognised, identifiers apart, are sensitive, and at least three, an
    unreadable column is proposed as sensitive too; unless most of its values differ, which could link rows.

    >>> def column(name: str) -> Facts:
    ...     return Facts(name, Kind.INTEGER, rows=100, missing=0, distinct=5, sample=tuple("12345"))
    >>> from paravent.profiling.detect import detect
    >>> columns = {name: column(name) for name in ("age", "glucose", "dose", "diagnosis", "q7")}
    >>> str(in_context(columns, {name: detect(found) for name, found in columns.items()})["q7"].role)
    'sensitive'
    """
    readable = [proposal for proposal in proposals.values() if proposal.concept not in ("", "constant", "empty")]
    sensitive = [proposal for proposal in readable if proposal.role is Role.SENSITIVE]
    others = [proposal for proposal in readable if proposal.role is Role.QUASI]
    if len(sensitive) < FEWEST or len(sensitive) <= len(others):
        return dict(proposals)
    topic = concept(max(sorted({each.concept for each in sensitive}), key=[s.concept for s in sensitive].count)).title
    guess = Proposal(
        Role.SENSITIVE, Confidence.GUESS, f"nothing tells what it is; most other columns are sensitive, such as {topic}"
    )
    return {name: guess if _is_unreadable(facts[name], proposal) else proposal for name, proposal in proposals.items()}


def _is_unreadable(facts: Facts, proposal: Proposal) -> bool:
    if proposal.concept or proposal.role is not Role.QUASI:
        return False
    return facts.kind is Kind.FLOAT or facts.distinct_share < MOST_DIFFERENT
