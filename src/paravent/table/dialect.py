"""Dialect: how a delimited text file spells a table."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace

from paravent.errors import TableError

_WORDS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}


@dataclass(frozen=True)
class Dialect:
    """Delimiter, decimal sign and encoding.

    >>> Dialect().with_wishes(decimal=",")
    Dialect(delimiter=';', decimal=',', encoding='utf-8')
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def with_wishes(
        self, *, delimiter: str | None = None, decimal: str | None = None, encoding: str | None = None
    ) -> Dialect:
        """The dialect with what somebody wishes; a wish for one sign gives way in the other where both are equal."""
        wished = replace(
            self,
            delimiter=self.delimiter if delimiter is None else one_sign(delimiter, "delimiter"),
            decimal=self.decimal if decimal is None else decimal_sign(decimal),
            encoding=self.encoding if encoding is None else text_encoding(encoding),
        )
        if wished.delimiter != wished.decimal:
            return wished
        if delimiter is not None and decimal is not None:
            raise TableError(
                f"delimiter={delimiter!r} and decimal={decimal!r} are the same sign. Use ';' between cells."
            )
        return replace(wished, decimal=".") if decimal is None else replace(wished, delimiter=";")


def one_sign(sign: str, name: str, *, never: str = '\r\n\0"') -> str:
    """A sign that can stand between cells, or its name."""
    found = _WORDS.get(sign, sign)
    if len(found) != 1 or not found.isascii() or found in never:
        raise TableError(f"{name}={sign!r} is not one plain character. Use one such as ',' or ';'.")
    return found


def decimal_sign(sign: str) -> str:
    found = {"point": ".", "comma": ","}.get(sign, sign)
    if found not in (".", ","):
        raise TableError(f"decimal={sign!r} is not a decimal sign. Use '.' or ','.")
    return found


def text_encoding(name: str) -> str:
    """An encoding of text, by the name that Python has for it."""
    try:
        found = codecs.lookup(name)
        "".encode(found.name)
    except (LookupError, ValueError, TypeError):
        raise TableError(f"encoding={name!r} is not known. Use 'utf-8', 'utf-16', 'cp1252' or 'latin-1'.") from None
    if not getattr(found, "_is_text_encoding", True):
        raise TableError(f"encoding={name!r} is not an encoding of text. Use 'utf-8', 'utf-16', 'cp1252' or 'latin-1'.")
    return {"iso8859-1": "latin-1"}.get(found.name, found.name)
