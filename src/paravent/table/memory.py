"""How much memory this machine has, for those who are about to ask for some on the word of a file."""

from __future__ import annotations

import os


def check_room(needed: int) -> None:
    """Raise MemoryError where so many bytes are more than the machine has. Systems that do not tell are trusted.

    >>> check_room(2**70)
    Traceback (most recent call last):
    ...
    MemoryError
    """
    try:
        held = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return
    if needed > held > 0:
        raise MemoryError
