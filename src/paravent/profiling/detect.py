"""What a column is to somebody who looks for a person: a proposed role, how sure we are, and why.

Two witnesses are heard, the header (`lexicon`) and the values (`patterns`, `vocabulary`, and how
many of them differ). Where both agree the proposal is certain, where one speaks it is likely, where neither does it
is a guess. A column of which nothing is known is proposed as a quasi-identifier: an insensitive column is published
as it stands, and that needs a reason. Reasons count values, they never quote them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from paravent.profiling.lexicon import Concept, Role, concept, header_words, named_by
from paravent.profiling.patterns import PATTERNS, Pattern
from paravent.profiling.vocabulary import spoken
from paravent.table.kinds import Kind

NEARLY_ALL = 0.9
NEAR_UNIQUE = 0.95
ENOUGH_ROWS = 20
_WRITTEN = frozenset(("person name", "username", "url", "email", "biometric", "address"))
_COUNTED = frozenset(("id", "number", "nr", "no", "num", "nummer", "numero", "identifiant"))
_PERSON = re.compile(r"[^\W\d_]\S*(?:[ ,]+[^\W\d_]\S*){1,3}")


class Confidence(StrEnum):
    CERTAIN = "certain"
    LIKELY = "likely"
    GUESS = "guess"


@dataclass(frozen=True)
class Facts:
    """What is known of a column. `sample` holds different values as text; `low` and `high` are set for numbers."""

    name: str
    kind: Kind
    rows: int
    missing: int
    distinct: int
    sample: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def present(self) -> int:
        return self.rows - self.missing

    @property
    def distinct_share(self) -> float:
        """Different values, divided by the rows that have one."""
        return self.distinct / self.present if self.present else 0.0

    @property
    def is_wordy(self) -> bool:
        """Whether the values are sentences."""
        if self.kind not in (Kind.TEXT, Kind.NOMINAL) or not self.sample or self.distinct_share < 0.3:
            return False
        words = sum(len(value.split()) for value in self.sample) / len(self.sample)
        signs = sum(map(len, self.sample)) / len(self.sample)
        return words >= 5 and signs >= 30

    @property
    def is_flag(self) -> bool:
        """Whether a column has too few values for them to name people."""
        return self.distinct <= 3 and self.present >= ENOUGH_ROWS


@dataclass(frozen=True)
class Proposal:
    """A role for a column. `concept` says what the column seems to be (`age`, `phone`), empty where nothing tells."""

    role: Role
    confidence: Confidence
    reason: str
    concept: str = ""


def detect(facts: Facts) -> Proposal:
    """Propose a role.

    >>> proposal = detect(Facts("Âge", Kind.INTEGER, rows=100, missing=0, distinct=60, low=17, high=90))
    >>> print(f"{proposal.role} ({proposal.confidence}): {proposal.reason}")
    quasi-identifier (certain): the header names an age, and the numbers fit one
    """
    header = named_by(facts.name)
    return (
        _from_emptiness(facts)
        or _from_pattern(facts, header)
        or _from_sentences(facts, header)
        or _from_date(facts, header)
        or _from_header(facts, header)
        or _from_vocabulary(facts)
        or _from_uniqueness(facts)
        or Proposal(
            Role.QUASI,
            Confidence.GUESS,
            "nothing tells what it is; as long as somebody may know it of a person, it is safer to generalize it",
        )
    )


def _from_emptiness(facts: Facts) -> Proposal | None:
    if facts.present == 0:
        return Proposal(Role.INSENSITIVE, Confidence.CERTAIN, "it holds no value at all", "empty")
    if facts.distinct == 1 and facts.missing == 0 and facts.rows > 1:
        return Proposal(Role.INSENSITIVE, Confidence.CERTAIN, "every row has the same value", "constant")
    return None


def _best_pattern(facts: Facts, header: Concept | None) -> tuple[Pattern, float] | None:
    """The first shape that nearly all values have; shapes of plain numbers only where the header agrees."""
    if facts.kind in (Kind.FLOAT, Kind.DATE) or not facts.sample:
        return None
    for pattern in PATTERNS:
        agrees = header is not None and header.key == pattern.concept
        if not agrees and (not pattern.telling or len(facts.sample) < 3):
            continue
        if not agrees and facts.kind is Kind.INTEGER and len(facts.sample) < ENOUGH_ROWS:
            continue
        share = pattern.share(facts.sample[:50])
        if share >= NEARLY_ALL - 0.1 and (share := pattern.share(facts.sample)) >= NEARLY_ALL:
            return pattern, share
    return None


def _from_pattern(facts: Facts, header: Concept | None) -> Proposal | None:
    found = _best_pattern(facts, header)
    if found is None:
        return None
    pattern, share = found
    meant = concept("record id" if pattern.concept == "uuid" else pattern.concept)
    agrees = header is not None and header.key == meant.key
    how_many = "all" if share == 1 else f"{share:.0%} of"
    reason = f"{how_many} {len(facts.sample)} different values examined look like {pattern.title}"
    if agrees:
        reason += ", and so says the header"
    sure = agrees or (len(facts.sample) >= ENOUGH_ROWS and pattern.concept not in ("phone", "plate", "disease code"))
    return Proposal(meant.role, Confidence.CERTAIN if sure else Confidence.LIKELY, reason, meant.key)


def _from_sentences(facts: Facts, header: Concept | None) -> Proposal | None:
    named = header is not None and header.key == "free text" and facts.kind is Kind.TEXT
    if not facts.is_wordy and not named:
        return None
    return Proposal(
        Role.IDENTIFIER,
        Confidence.CERTAIN if named and facts.is_wordy else Confidence.LIKELY,
        "it holds free text, which may name people and cannot be generalized: drop it",
        "free text",
    )


def _from_date(facts: Facts, header: Concept | None) -> Proposal | None:
    if facts.kind is not Kind.DATE:
        return None
    if header is not None and header.key == "birth date":
        return Proposal(Role.QUASI, Confidence.CERTAIN, "the header names a birth date, and it holds dates", header.key)
    return Proposal(
        Role.QUASI,
        Confidence.LIKELY,
        "it holds dates; who knows when something happened to a person finds the row",
        "date",
    )


def _from_header(facts: Facts, header: Concept | None) -> Proposal | None:
    if header is None:
        return None
    if header.key == "survey weight" or (header.key == "body" and (facts.high or 0) > 1000):
        return _survey_weight(facts)
    if header.key in ("record id", "person number"):
        alone = header_words(facts.name) == ["id"]  # of whom a table of people speaks, however many rows each has
        return _record_id(facts, of_a_person=alone or header.key == "person number")
    if header.key == "free text" or (header.role is Role.IDENTIFIER and facts.is_flag):
        return None  # a header that speaks of words or numbers of people over a column that holds a few codes
    if header.key == "coordinates" and not facts.kind.is_numeric:
        return None
    if header.key in _WRITTEN and facts.kind.is_numeric:  # `twitter_followers`, unless it is a `twitter_id`
        return _record_id(facts, of_a_person=True) if _COUNTED.intersection(header_words(facts.name)) else None
    confidence, addition = _witness(facts, header)
    return Proposal(header.role, confidence, f"the header names {header.title}{addition}", header.key)


def _witness(facts: Facts, header: Concept) -> tuple[Confidence, str]:
    """Whether the values bear out what the header says."""
    numeric = facts.kind.is_numeric
    if header.key == "age" and numeric and facts.low is not None and facts.high is not None:
        if 0 <= facts.low <= facts.high <= 130:
            return Confidence.CERTAIN, ", and the numbers fit one"
        return Confidence.GUESS, ", but some numbers are no ages of people"
    if header.key == "birth date" and facts.low is not None and facts.high is not None:
        if 1850 <= facts.low <= facts.high <= 2100:
            return Confidence.CERTAIN, ", and it holds years"
        return Confidence.LIKELY, ""
    if header.key in ("money", "coordinates") and numeric:
        return Confidence.CERTAIN, ", and it holds numbers"
    if header.key == "sex":
        if facts.distinct > 10:
            return Confidence.GUESS, ", but there are more than ten different values"
        return Confidence.CERTAIN, ", and it has few values"
    vocabulary = None if numeric else spoken(facts.sample)
    if vocabulary is not None and vocabulary[0].concept == header.key:
        return Confidence.CERTAIN, f", and {vocabulary[1]} of {len(facts.sample)} values are {vocabulary[0].title}"
    if header.key == "person name" and header.weak and facts.distinct_share < 0.05:
        return Confidence.GUESS, ", but few of the values differ"
    return (Confidence.GUESS if header.weak and header.key != "person name" else Confidence.LIKELY), ""


def _survey_weight(facts: Facts) -> Proposal:
    if facts.distinct_share > 0.05:
        return Proposal(
            Role.IDENTIFIER,
            Confidence.GUESS,
            "the header names a survey weight, but it has so many different values that it links a released row to the "
            "source: drop it, or round it",
            "survey weight",
        )
    return Proposal(Role.INSENSITIVE, Confidence.LIKELY, "the header names a survey weight", "survey weight")


def _record_id(facts: Facts, *, of_a_person: bool) -> Proposal | None:
    """Numbers of records; few different ones are codes of something else. A patient may have any number of rows."""
    few = 0.2 if facts.present >= ENOUGH_ROWS else 0.8  # in a short table values repeat by chance
    many = facts.distinct >= ENOUGH_ROWS if of_a_person else False
    if facts.kind is Kind.FLOAT or facts.is_flag or (facts.distinct_share < few and not many):
        return None
    key = "person number" if of_a_person else "record id"
    if facts.distinct_share >= NEAR_UNIQUE:
        return Proposal(
            Role.IDENTIFIER,
            Confidence.CERTAIN,
            "the header names a record, and nearly every row has its own",
            key,
        )
    return Proposal(Role.IDENTIFIER, Confidence.LIKELY, "the header names a record; some have several rows", key)


def _from_vocabulary(facts: Facts) -> Proposal | None:
    found = None if facts.kind.is_numeric or not facts.sample else spoken(facts.sample)
    if found is None:
        return None
    vocabulary, hits = found
    meant = concept(vocabulary.concept)
    single_letters = all(len(value) == 1 for value in facts.sample)
    return Proposal(
        meant.role,
        Confidence.GUESS if single_letters else Confidence.LIKELY,
        f"{hits} of {len(facts.sample)} different values examined are {vocabulary.title}",
        meant.key,
    )


def _from_uniqueness(facts: Facts) -> Proposal | None:
    """Nearly every row has a value of its own. Measured numbers have that too: integers must look like numbering."""
    if facts.present < ENOUGH_ROWS or facts.kind is Kind.FLOAT:
        return None
    if facts.kind in (Kind.NOMINAL, Kind.TEXT):
        people = sum(_PERSON.fullmatch(value) is not None for value in facts.sample)
        if facts.distinct_share > 0.5 and people >= NEARLY_ALL * len(facts.sample):
            return Proposal(
                Role.IDENTIFIER, Confidence.GUESS, "most values are two to four words, like names", "person name"
            )
    if facts.distinct_share < NEAR_UNIQUE:
        return None
    if facts.kind is Kind.INTEGER:
        if facts.distinct < facts.present or facts.low is None or facts.high is None:
            return None
        if facts.high - facts.low + 1 == facts.distinct:
            return Proposal(Role.IDENTIFIER, Confidence.LIKELY, "it numbers the rows", "record id")
        if facts.low < 1000 or len(f"{facts.low:.0f}") < len(f"{facts.high:.0f}"):
            return None
        return Proposal(
            Role.IDENTIFIER, Confidence.LIKELY, "every row has a number of its own, all equally long", "record id"
        )
    share = "every row has" if facts.distinct == facts.present else f"{facts.distinct_share:.0%} of the rows have"
    sure = Confidence.LIKELY if facts.distinct == facts.present else Confidence.GUESS
    return Proposal(
        Role.IDENTIFIER, sure, f"{share} a value of {'its' if share[0] == 'e' else 'their'} own", "record id"
    )
