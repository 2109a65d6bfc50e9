"""A run in a process of its own: its events as JSON lines, ended at once by a cancel, and by itself when nobody
listens.

The child writes one line an event to stdout. It reads stdin only to learn whether the parent is there: end of file
ends it, and so does silence longer than the leash. `Running.events` is what breaks the silence.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from engine.measuring import gpu
from engine.measuring.plan import Plan
from engine.measuring.record import Measured, Skipped, build, plain
from engine.measuring.runner import Done, Progress
from engine.measuring.settings import Settings

LEASH = 20.0  # seconds of silence after which a run that nobody watches ends
ORPHANED, UNHEARD, OVERDUE = 3, 4, 5  # exit statuses of a child that ends by itself
WORDS = {
    ORPHANED: "its standard input was closed",
    UNHEARD: "nobody listened any more",
    OVERDUE: "a single call outlasted the budget of seconds",
}
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Failed:
    """The run ended without a result, and why."""

    message: str


@dataclass(frozen=True)
class Found:
    """What the machine offers, seen by a process that has ended since: PyTorch is not imported here."""

    sight: gpu.Sight


Event = Plan | Progress | Measured | Skipped | Done | Failed | Found
_NAMES: dict[str, type[Event]] = {
    "plan": Plan,
    "progress": Progress,
    "result": Measured,
    "skipped": Skipped,
    "done": Done,
    "error": Failed,
    "found": Found,
}


def line_of(event: Event) -> str:
    """One JSON object without a line break."""
    name = next(name for name, kind in _NAMES.items() if type(event) is kind)
    return json.dumps({"event": name, **plain(event)}, ensure_ascii=False)


def event_of(line: str) -> Event:
    """Raises ValueError for a line that is no event."""
    raw = json.loads(line)
    if not isinstance(raw, dict) or raw.get("event") not in _NAMES:
        raise ValueError(f"event: one of {', '.join(_NAMES)}, got {line[:80]!r}")
    name = str(raw.pop("event"))
    event: Event = build(_NAMES[name], raw, name)
    return event


class Running:
    """A child that measures, plans or looks. Use it as a context manager, or call `cancel` when done with it."""

    def __init__(
        self, settings: Settings | None, *, mode: str = "", leash: float = LEASH, env: Mapping[str, str] | None = None
    ) -> None:
        """`mode`: "" measures, "--plan" only plans, "--found" (without settings) only looks for PyTorch and a GPU."""
        command = [sys.executable, "-m", "engine.measure", "--stream", "--leash", str(leash)]
        command += [mode] if mode else []
        command += ["--settings", json.dumps(settings.as_dict())] if settings is not None else []
        self._new: deque[Event] = deque()
        self._last_words: deque[str] = deque(maxlen=20)
        self._ended = False
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=ROOT, env=None if env is None else dict(env), encoding="utf-8", errors="replace",
        )  # fmt: skip
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None
        assert stderr is not None
        # The threads hold no reference to self: when nobody holds a Running, its stdin closes and the child ends.
        self._threads = [
            threading.Thread(target=_drain, args=(stdout, self._new), daemon=True),
            threading.Thread(target=_drain_words, args=(stderr, self._last_words), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def events(self) -> list[Event]:
        """What has come since the last call, and a sign to the child that somebody listens. The last is Done or
        Failed."""
        if self._ended:
            return []
        self._poke()
        code = self._process.poll()
        if code is not None:
            for thread in self._threads:
                thread.join(2.0)  # at once, unless the child has left a child of its own that holds the pipe
        found = []
        while self._new:
            found.append(self._new.popleft())
        last = any(isinstance(event, Done | Failed) for event in found)
        if code is not None:
            self._ended = True
            if code and not last:
                found.append(Failed(self._why(code)))
        self._ended = self._ended or last
        return found

    def wait(self, seconds: float) -> list[Event]:
        """All events until the child ends, at most so long; for what is short."""
        found: list[Event] = []
        until = time.monotonic() + seconds
        while not self._ended and time.monotonic() < until:
            found += self.events()
            time.sleep(0.02)
        return found

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def cancel(self) -> None:
        """End it now; nothing happens if it has ended."""
        self._ended = True
        if self.alive:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # what was not read yet has no reader
                self._process.stdin.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def _poke(self) -> None:
        stdin = self._process.stdin
        with contextlib.suppress(OSError):  # it has ended
            if stdin is not None and not stdin.closed:
                stdin.write("\n")
                stdin.flush()

    def _why(self, code: int) -> str:
        words = WORDS.get(code) or next((line for line in reversed(self._last_words) if line), "")
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return f"the measuring process ended with {how}" + (f": {words}" if words else "")


def _drain(stream: IO[str], events: deque[Event]) -> None:
    for line in stream:
        try:
            events.append(event_of(line))
        except (ValueError, RecursionError):
            continue  # a library printed to stdout
    stream.close()


def _drain_words(stream: IO[str], words: deque[str]) -> None:
    for line in stream:
        words.append(line.strip()[:500])
    stream.close()


def look_from_outside(seconds: float = 60.0) -> gpu.Sight:
    """`gpu.look`, in a process that ends again: importing PyTorch costs seconds and hundreds of MiB."""
    if gpu.installed() is None:
        return gpu.look()
    with Running(None, mode="--found") as running:
        for event in running.wait(seconds):
            if isinstance(event, Found):
                return event.sight
            if isinstance(event, Failed):
                return gpu.Sight(None, event.message, None, event.message)
    reason = f"no answer within {seconds:g} s"
    return gpu.Sight(None, reason, None, reason)


def end_with_parent(leash: float) -> None:
    """In the child: leave when stdin ends, or (leash above 0) after so many seconds without a byte from it."""
    heard = [time.monotonic()]

    def listen() -> None:
        while os.read(0, 4096):
            heard[0] = time.monotonic()
        os._exit(ORPHANED)

    def watch() -> None:
        while time.monotonic() - heard[0] < leash:
            time.sleep(min(0.25, leash))
        os._exit(UNHEARD)

    threading.Thread(target=listen, daemon=True).start()
    if leash > 0:
        threading.Thread(target=watch, daemon=True).start()


def end_overdue(seconds: float) -> None:
    """In the child: leave after so many seconds whatever it does; the run looks at its own clock between calls only."""

    def watch() -> None:
        time.sleep(seconds)
        os._exit(OVERDUE)

    threading.Thread(target=watch, daemon=True).start()


def write_line(event: Event, out: IO[str]) -> None:
    out.write(line_of(event) + "\n")
    out.flush()
