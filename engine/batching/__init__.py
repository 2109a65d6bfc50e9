"""Many requests in one batch: who runs when, what happens when memory is full, what it costs, and what it must not
change: the tokens."""

from __future__ import annotations

from engine.batching.jobs import Job, Mistake, Setup, WhenFull, many_jobs
from engine.batching.outcome import Outcome, Price, Sums, percentile, serve, sweep
from engine.batching.scenario import Scenario
from engine.batching.scheduler import Door, Moved, Pass, Rows, Scheduler
from engine.batching.steps import (
    Begin,
    Bill,
    Cell,
    Event,
    Given,
    Preempted,
    Ran,
    Request,
    Scheduled,
    Sent,
    State,
    Status,
    Step,
    Victim,
)
from engine.batching.trace import trace

__all__ = [
    "Begin",
    "Bill",
    "Cell",
    "Door",
    "Event",
    "Given",
    "Job",
    "Mistake",
    "Moved",
    "Outcome",
    "Pass",
    "Preempted",
    "Price",
    "Ran",
    "Request",
    "Rows",
    "Scenario",
    "Scheduled",
    "Scheduler",
    "Sent",
    "Setup",
    "State",
    "Status",
    "Step",
    "Sums",
    "Victim",
    "WhenFull",
    "many_jobs",
    "percentile",
    "serve",
    "sweep",
    "trace",
]
