"""What goes wrong by a user's hand: one sentence that names the place and the remedy.

A message may quote a value of the table to the person at work. Whatever travels further (logs, reports) uses
`redacted`, in which the quoted values are gone. Values enter a message through `quote` only. Where a remedy is written
differently in Python and on the command line, `either` holds both; each reader gets their own.
"""

from __future__ import annotations

import re

_OPEN, _CLOSE = "\ue000", "\ue001"
_QUOTED = re.compile(f"{_OPEN}.*?{_CLOSE}", re.DOTALL)
_PYTHON, _SHELL, _END = "\ue002", "\ue003", "\ue004"
_EITHER = re.compile(f"{_PYTHON}([^{_PYTHON}]*?){_SHELL}([^{_PYTHON}]*?){_END}", re.DOTALL)
_LONGEST = 60
_LONGEST_MESSAGE = 800


def quote(value: object, longest: int = _LONGEST) -> str:
    """A value of the user's table, marked so that it can be taken out of the message again."""
    text = repr(value)
    if len(text) > longest:
        text = f"{text[: longest - 1]}…"
    return f"{_OPEN}{text}{_CLOSE}"


def either(python: str, shell: str) -> str:
    """Two ways to write the same: for who calls a function, and for who types a command.

    >>> error = PlanError(f"no k is given. Write {either('k=5', '--k 5')}.")
    >>> str(error), error.prompted
    ('no k is given. Write k=5.', 'no k is given. Write --k 5.')
    """
    return f"{_PYTHON}{python}{_SHELL}{shell}{_END}"


def in_python(message: str) -> str:
    """The message for who calls a function."""
    return _EITHER.sub(r"\1", message)


def in_shell(message: str) -> str:
    """The message for who types a command."""
    return _EITHER.sub(r"\2", message)


def _plain(message: str) -> str:
    return message.replace(_OPEN, "").replace(_CLOSE, "")


class Note(str):
    """Something the user should know and nobody has to mend: a sentence, and the same sentence without values.

    >>> note = Note(f"column 'age': {quote('?')} is a value like any other.")
    >>> note, note.redacted
    ("column 'age': '?' is a value like any other.", "column 'age': <value> is a value like any other.")

    `prompted` is the same in the words of the command line.
    """

    redacted: str
    prompted: str

    def __new__(cls, message: str) -> Note:
        note = super().__new__(cls, _plain(in_python(message)))
        note.redacted = _QUOTED.sub("<value>", in_python(message))
        note.prompted = _plain(in_shell(message))
        note._raw = message
        return note

    _raw: str

    def renaming(self, old: str, new: str) -> Note:
        """The same sentence with another name for something, such as a file that people know by another one."""
        return Note(self._raw.replace(old, new))

    def __getnewargs__(self) -> tuple[str]:
        return (self._raw,)


def _brief(message: str) -> str:
    """A message that can be read; one that repeats something endless keeps its beginning, and the remedy at its end."""
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:400]} … {message[-200:]}"


class ParaventError(Exception):
    """A mistake that the user can mend.

    >>> error = TreeError(f"tree 'job': value {quote('clerk')} appears twice. Remove one of its rows.")
    >>> str(error)
    "tree 'job': value 'clerk' appears twice. Remove one of its rows."
    >>> error.redacted
    "tree 'job': value <value> appears twice. Remove one of its rows."

    `prompted` is the same in the words of the command line.
    """

    def __init__(self, message: str) -> None:
        message = str(message).replace("\n", " ")
        self.raw = message  # for a message that quotes this one
        self.redacted = _brief(_QUOTED.sub("<value>", in_python(message)))
        self.prompted = _brief(_plain(in_shell(message)))
        super().__init__(_brief(_plain(in_python(message))))


class TableError(ParaventError):
    """A file, query or frame that cannot become a Table, or a Table that cannot be written."""


class TreeError(ParaventError):
    """A generalization tree that is not one, or that does not fit its column."""


class PlanError(ParaventError):
    """A plan that says something impossible, or that does not fit the table."""


class RoleError(PlanError):
    """A plan that is silent about columns that could name people: they would be released as they are."""


class InfeasibleError(ParaventError):
    """A demand that no release of this table can meet."""


class UnsafeReleaseError(ParaventError):
    """The verifier found that a finished release does not hold what its plan promises. It is not returned."""


class CancelledError(ParaventError):
    """The user stopped the run."""
