"""A limit on how often somebody may try: by name and by address, longer each time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

FREE = 5
"""Tries that cost nothing but themselves."""
LONGEST = 900.0
_REMEMBERED = 10_000


class Limiter:
    """
    >>> now = [0.0]
    >>> limiter = Limiter(lambda: now[0])
    >>> for _ in range(6):
    ...     limiter.failed("ann")
    >>> limiter.wait("ann"), limiter.wait("bob")
    (2.0, 0.0)
    >>> now[0] = 3.0
    >>> limiter.wait("ann")
    0.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait(self, *whose: str) -> float:
        """Seconds to wait before the next try."""
        with self._lock:
            return max(0.0, *(self._until(each) - self._clock() for each in whose))

    def failed(self, *whose: str) -> None:
        with self._lock:
            for each in whose:
                count, last = self._failures.get(each, (0, 0.0))
                if self._clock() - last > LONGEST:
                    count = 0
                self._failures[each] = (count + 1, self._clock())
                self._failures.move_to_end(each)
            while len(self._failures) > _REMEMBERED:
                self._failures.popitem(last=False)

    def passed(self, *whose: str) -> None:
        with self._lock:
            for each in whose:
                self._failures.pop(each, None)

    def _until(self, whose: str) -> float:
        count, last = self._failures.get(whose, (0, 0.0))
        return last + min(LONGEST, 2.0 ** (count - FREE)) if count > FREE else 0.0
