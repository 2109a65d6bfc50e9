"""One at a time on the server: who holds the machine, and who waits in which order. It holds tokens, no persons and
no results."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

PATIENCE = 12.0  # seconds without a sign after which one who waits has left


class Held(Protocol):
    """What is held while the machine is: a process that is alive or has ended."""

    @property
    def alive(self) -> bool: ...


@dataclass
class Waiting:
    """One in the line, with the seconds that it will need and the clock when it last gave a sign."""

    token: str
    seconds: float
    seen: float


class Turns:
    """A line of tokens, safe to call from every reader's thread.

    The process of the one who holds the machine is only referred to, never owned: when its reader is gone nobody owns
    it, it ends (or its leash ends it), and the turn passes on without anyone giving it back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._line: list[Waiting] = []
        self._token = ""
        self._held: weakref.ref[Held] | None = None
        self._until = 0.0

    def take(self, token: str, seconds: float, make: Callable[[], Held]) -> Held | None:
        """The machine, if it is this token's turn: `make` starts the process. Else a place in the line, and None."""
        with self._lock:
            now = self._clock()
            self._line = [one for one in self._line if one.token == token or now - one.seen < PATIENCE]
            mine = next((one for one in self._line if one.token == token), None)
            if mine is None:
                mine = Waiting(token, seconds, now)
                self._line.append(mine)
            mine.seen = now
            if self._line[0] is not mine or self._busy():
                return None
            held = make()
            del self._line[0]
            self._token, self._held, self._until = token, weakref.ref(held), now + seconds
            return held

    def ahead(self, token: str) -> tuple[int, float]:
        """How many come before this token (the one who measures among them), and about how many seconds they need."""
        with self._lock:
            before = [] if self._token == token else self._before(token)
            busy = self._busy() and self._token != token
            left = max(0.0, self._until - self._clock()) if busy else 0.0
            return len(before) + busy, left + sum(one.seconds for one in before)

    def expect(self, token: str, seconds: float) -> None:
        """The one who holds the machine says how long it will still take."""
        with self._lock:
            if token == self._token:
                self._until = self._clock() + seconds

    def leave(self, token: str) -> None:
        """Out of the line. Who holds the machine gives it up by ending its process."""
        with self._lock:
            self._line = [one for one in self._line if one.token != token]

    def _before(self, token: str) -> list[Waiting]:
        now, before = self._clock(), []
        for one in self._line:
            if one.token == token:
                break
            if now - one.seen < PATIENCE:
                before.append(one)
        return before

    def _busy(self) -> bool:
        held = None if self._held is None else self._held()
        return held is not None and held.alive
