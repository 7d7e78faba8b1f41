"""One sentence for whatever goes wrong. Only the program's own errors may speak of values: their words were chosen."""

from __future__ import annotations

import errno
import os

from paravent.errors import CancelledError, ParaventError


def sentence(error: BaseException) -> str:
    """
    >>> sentence(ValueError("ann@example.org"))
    'This is a defect of paravent (ValueError), not of your data. Nothing was lost. Please report it.'
    """
    if isinstance(error, CancelledError):
        return "It was stopped."
    if isinstance(error, ParaventError):
        return str(error)
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    if isinstance(error, OSError):
        known = error.errno is not None and error.errno in errno.errorcode
        reason = os.strerror(error.errno) if known and error.errno is not None else type(error).__name__
        return f"{reason}. Nothing was lost; try again, or ask whoever runs this server."
    return (
        f"This is a defect of paravent ({type(error).__name__}), not of your data. Nothing was lost. Please report it."
    )


OUT_OF_MEMORY = (
    "The memory that one job may take is not enough for this. Use fewer rows or columns, or a quicker method."
)
