"""The grammar of labels that hold several values: sets, ranges and masks, apart from what a column makes of them.

Values that hold one of the signs of the grammar stand in double quotes inside ranges and sets.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_PLAIN = re.compile(r'[^\s,{}\[\]|"~*\\](?:[^,{}\[\]|"~*\\]*[^\s,{}\[\]|"~*\\])?')
_MEMBER = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,{}"|]+?)\s*(?:,|$)')
_RANGE = re.compile(r'("(?:[^"\\]|\\.)*"|[^~"]+)~("(?:[^"\\]|\\.)*"|[^~"]+)')
_MASK = re.compile(r'([^*~{}\[\]"|<>≤≥]+)(\*+)|(\*+)([^*~{}\[\]"|<>≤≥]+)')
_SIGNS = re.compile(r"^[\[\]{<>≤≥]|~|\*")


def as_member(value: str) -> str:
    """A value as it is written inside a range or a set."""
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _value(member: str) -> str | None:
    if not member.startswith('"'):
        return member
    try:
        return str(json.loads(member, strict=False))
    except ValueError:  # such as an unknown escape
        return None


def set_members(label: str) -> list[str]:
    """The values of a set label; none for a text that is no set label.

    >>> set_members('{a, "b, c"}'), set_members("{a"), set_members("{}")
    (['a', 'b, c'], [], [])
    """
    if len(label) < 2 or label[0] != "{" or label[-1] != "}":
        return []
    members, at, body = [], 0, label[1:-1]
    while at < len(body):
        found = _MEMBER.match(body, at)
        value = None if found is None else _value(found[1])
        if found is None or value is None:
            return []
        members.append(value)
        at = found.end()
    return members


def range_ends(label: str) -> tuple[str, str] | None:
    """The two values of a range label; None for a text that is no range label.

    >>> range_ends('"a~b"~c'), range_ends("a")
    (('a~b', 'c'), None)
    """
    found = _RANGE.fullmatch(label)
    if found is None:
        return None
    low, high = _value(found[1]), _value(found[2])
    return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class Mask:
    """The texts that begin with `prefix`, end with `suffix` and have at most `longest` characters: each star stands
    for one character or none."""

    prefix: str
    suffix: str
    longest: int

    def holds(self, text: str) -> bool:
        fixed = len(self.prefix or self.suffix)
        return text.startswith(self.prefix) and text.endswith(self.suffix) and fixed <= len(text) <= self.longest


def read_mask(label: str) -> Mask | None:
    """
    >>> [text for text in ("130", "13053", "130530", "14850") if read_mask("130**").holds(text)]
    ['130', '13053']
    >>> read_mask("*53").holds("053"), read_mask("*"), read_mask("13053")
    (True, None, None)
    """
    found = _MASK.fullmatch(label)
    return None if found is None else Mask(found[1] or "", found[4] or "", len(label))


def looks_like_label(text: str) -> bool:
    """Whether a text has signs of a label for several values, whatever column it stands in.

    >>> [looks_like_label(text) for text in ("[20, 29", "{a", "a~b", "< 20", "130**", "clerk")]
    [True, True, True, True, True, False]
    """
    return _SIGNS.search(text) is not None
