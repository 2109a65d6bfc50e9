"""One reader at the page that measures: what is chosen, what runs, what came of it."""

from __future__ import annotations

import platform
import secrets
import time
from dataclasses import dataclass, field
from enum import Enum

import streamlit as st

from engine.measure import (
    CUDA_FULL,
    CUDA_QUICK,
    FULL,
    QUICK,
    Done,
    Event,
    Failed,
    Measured,
    Plan,
    Progress,
    Run,
    Running,
    Settings,
    Skipped,
)
from lessons.kit.text import Text
from pages.shell.measured import say, words
from pages.shell.measured.form import everything
from pages.shell.measured.queue import Turns

PRESETS = {"quick": QUICK, "full": FULL, "cuda-quick": CUDA_QUICK, "cuda-full": CUDA_FULL}
MOST_RUNS = 6  # of this session that are kept
PLAN_SECONDS = 3.0  # an estimate takes about so long
GONE = 15.0  # seconds without a look at the run after which the reader was away


class Stage(Enum):
    """What this reader is at. Both later stages begin with waiting for a turn."""

    CHOOSING = ""
    ESTIMATING = "--plan"
    MEASURING = "run"


TURNS = {Stage.ESTIMATING: Turns(), Stage.MEASURING: Turns()}


@dataclass
class Desk:
    """`settings` are those of the last estimate, `plan` what it said. While something runs, `running` is its process,
    and what it told so far lies in `results`, `skipped` and `progress`. `runs` are this session's own with their
    numbers, the newest last."""

    token: str = field(default_factory=lambda: secrets.token_hex(8))
    operations: tuple[str, ...] = QUICK.operations
    backends: tuple[str, ...] = QUICK.backends
    dtypes: tuple[str, ...] = QUICK.dtypes
    base: Settings = QUICK
    typed: dict[str, str] = field(default_factory=lambda: everything().write(QUICK))
    version: int = 0
    complaints: tuple[Text, ...] = ()
    stage: Stage = Stage.CHOOSING
    settings: Settings | None = None
    plan: Plan | None = None
    running: Running | None = None
    results: list[Measured] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    progress: Progress | None = None
    looked: float = 0.0
    note: Text | None = None
    runs: list[tuple[int, Run]] = field(default_factory=list)
    fresh: bool = False  # a run has just ended and wants to be shown
    opened: str = (
        ""  # the file that lies in the field, as Streamlit calls it; then what it holds, or what is wrong with it
    )
    file: Run | None = None
    refused: Text | None = None

    def fill(self, preset: str) -> None:
        """Everything as the preset has it."""
        settings = PRESETS[preset]
        self.base, self.typed = settings, everything().write(settings)
        self.operations, self.backends, self.dtypes = settings.operations, settings.backends, settings.dtypes
        self.version += 1

    def begin(self, stage: Stage, settings: Settings) -> None:
        """Ask for a turn. Nothing runs before `poll` gets one."""
        if self.stage is not Stage.CHOOSING:
            return
        self.stage, self.settings, self.note = stage, settings, None
        self.results, self.skipped, self.progress = [], [], None
        self.looked = time.monotonic()
        if stage is Stage.ESTIMATING:
            self.plan = None

    def poll(self) -> None:
        """Take a turn that has come, or what the process has told since. Never blocks."""
        if self.stage is Stage.CHOOSING:
            return
        away, self.looked = time.monotonic() - self.looked > GONE, time.monotonic()
        if self.running is None:
            self._take()
        if self.running is None:
            return
        alive = self.running.alive
        for event in self.running.events():
            if self._at_rest():
                break  # it has told all; how its process ends after that (a driver may crash) matters to nobody
            self._told(event, away=away)
        if self.running is not None and not alive:
            self._end(words.LEFT if away else say.failed("the measuring process ended without a word"))

    def _at_rest(self) -> bool:
        return self.stage is Stage.CHOOSING

    def cancel(self) -> None:
        """End it now, keeping what was measured."""
        if self.stage is Stage.CHOOSING:
            return
        told = self.running.events() if self.running is not None else []
        self.results += [event for event in told if isinstance(event, Measured)]
        self.skipped += [event for event in told if isinstance(event, Skipped)]
        self._keep_part()

    def ahead(self) -> tuple[int, float]:
        """How many come first, and about how many seconds they need."""
        return TURNS[self.stage].ahead(self.token)

    def _take(self) -> None:
        settings, stage = self.settings, self.stage
        assert settings is not None
        seconds = (
            PLAN_SECONDS if stage is Stage.ESTIMATING else settings.seconds if self.plan is None else self.plan.seconds
        )
        mode = stage.value if stage is Stage.ESTIMATING else ""
        try:
            held = TURNS[stage].take(self.token, seconds, lambda: Running(settings, mode=mode))
        except OSError as error:  # no process to be had
            self._end(say.failed(str(error)))
            return
        assert held is None or isinstance(held, Running)
        self.running = held

    def _told(self, event: Event, *, away: bool) -> None:
        match event:
            case Plan():
                self.plan = event
                if self.stage is Stage.ESTIMATING:
                    self._end(None)
            case Progress():
                self.progress = event
                TURNS[self.stage].expect(self.token, event.left)
            case Measured():
                self.results.append(event)
            case Skipped():
                self.skipped.append(event)
            case Done(run=run):
                self._keep(run)
                self._end(None)
            case Failed(message=message):
                self._keep_part(words.LEFT if away else say.failed(message))

    def _keep_part(self, note: Text | None = None) -> None:
        """End early. What was measured makes a run that says so."""
        n, measuring = len(self.results), self.stage is Stage.MEASURING
        if n and self.plan is not None and self.settings is not None:
            host = (
                ("python", platform.python_version()),
                ("system", platform.system()),
                ("machine", platform.machine()),
            )
            seconds = self.progress.elapsed if self.progress is not None else 0.0
            self._keep(
                Run(
                    self.results[-1].timing.date,
                    host,
                    self.settings,
                    self.plan.places,
                    tuple(self.results),
                    tuple(self.skipped),
                    (),
                    seconds,
                    "cancelled",
                )
            )
        cancelled = (say.cancelled(n) if n else words.CANCELLED) if measuring else None
        self._end(note or cancelled)

    def _keep(self, run: Run) -> None:
        number = self.runs[-1][0] + 1 if self.runs else 1
        self.runs = [*self.runs, (number, run)][-MOST_RUNS:]
        self.fresh = True

    def _end(self, note: Text | None) -> None:
        TURNS[self.stage].leave(self.token)
        if self.running is not None:
            self.running.cancel()
        self.running, self.stage, self.note = None, Stage.CHOOSING, note


def desk() -> tuple[Desk, bool]:
    """This session's, and whether it is new."""
    is_new = "measured/desk" not in st.session_state
    kept: Desk = st.session_state.setdefault("measured/desk", Desk())
    return kept, is_new
