"""Measure on this machine what the lessons count: the door to `engine.measuring`, and the command line.

python -m engine.measure [--quick] [--device cpu|cuda] [--json FILE]

NumPy always; PyTorch where it is installed. Prints what it will do with an estimate of time and memory, then a table.
Exit status 0 if anything was timed, 1 if nothing was, 2 for bad arguments.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.measuring import console, gpu, machine
from engine.measuring.arrays import DTYPES, KERNELS, Unsupported
from engine.measuring.gpu import Sight
from engine.measuring.group import Count
from engine.measuring.laws import (
    BASE,
    Ceiling,
    Comparison,
    Fit,
    Point,
    Reason,
    busy,
    ceilings,
    comparisons,
    drifted,
    fits,
    overhead,
    roofline,
    slope,
)
from engine.measuring.plan import Case, Place, Plan, Planned, prepare
from engine.measuring.process import (
    Event,
    Failed,
    Found,
    Running,
    end_overdue,
    end_with_parent,
    look_from_outside,
    write_line,
)
from engine.measuring.record import Drift, Measured, Run, Skipped, as_json, load
from engine.measuring.runner import Done, Progress, measure
from engine.measuring.settings import (
    BACKENDS,
    CUDA_FULL,
    CUDA_QUICK,
    FULL,
    OPERATIONS,
    QUICK,
    Settings,
    preset,
    settings_of,
)
from engine.measuring.timing import Difference, Timing, Verdict, compare

__all__ = [
    "BACKENDS", "BASE", "CUDA_FULL", "CUDA_QUICK", "DTYPES", "FULL", "KERNELS", "OPERATIONS", "QUICK",
    "Case", "Ceiling", "Comparison", "Count", "Difference", "Done", "Drift", "Event", "Failed", "Fit", "Found",
    "Measured",



    "Place", "Plan", "Planned", "Point", "Progress", "Reason", "Run", "Running", "Settings", "Sight", "Skipped",
    "Timing",



    "Unsupported", "Verdict",
    "as_json", "busy", "ceilings", "compare", "comparisons", "drifted", "fits", "installed", "load",
    "look_from_outside",


    "measure",
    "overhead", "plan", "preset", "roofline", "settings_of", "slope",
]  # fmt: skip

SLACK = 256 * 2**20  # beyond the memory budget, for what libraries map and hardly touch
GRACE = 15.0  # seconds beyond the budget: PyTorch's import, and the call that is under way
installed = gpu.installed


def plan(settings: Settings) -> Plan:
    """What `measure` would do, with estimates. Imports PyTorch if the settings name it: a server asks a `Running`
    instead."""
    return prepare(settings)[0]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m engine.measure", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes; ends within 40 s on two cores")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where; cpu unless given")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the run there as well")
    parser.add_argument("--plan", action="store_true", help="only say what would be done, how long and how much memory")
    parser.add_argument("--found", action="store_true", help="only say whether PyTorch and a GPU are found")
    parser.add_argument("--settings", metavar="JSON", help="fields of Settings that differ from the preset")
    parser.add_argument("--stream", action="store_true", help="one JSON object a line instead; ends when stdin does")
    parser.add_argument(
        "--leash", type=float, default=0.0, metavar="SECONDS", help="with --stream: end after such silence on stdin"
    )
    asked = parser.parse_args(arguments)
    if asked.stream:
        return _stream(asked)
    if asked.found:
        return _say_found()
    try:
        settings = _settings(asked)
    except ValueError as error:
        parser.error(str(error))
    return _print(settings, asked)


def _settings(asked: argparse.Namespace) -> Settings:
    """The preset, on the CPU with PyTorch (the plan says if it is not there), changed by what --settings says."""
    settings = preset(quick=asked.quick, cuda=asked.device == "cuda")
    if asked.device == "cpu":
        settings = replace(settings, backends=("numpy", "torch-cpu"))
    return settings if asked.settings is None else settings_of(asked.settings, settings)


def _say_found() -> int:
    sight = gpu.look()
    print(f"PyTorch: {sight.torch_version or sight.torch_reason}")
    print(f"GPU: {sight.cuda_name or sight.cuda_reason}")
    return 0


def _print(settings: Settings, asked: argparse.Namespace) -> int:
    """Progress to stderr, so that stdout is the table alone."""
    live = sys.stderr.isatty()
    run: Run | None = None
    shown = 0
    for event in _limited(measure(settings) if not asked.plan else iter((plan(settings),))):
        match event:
            case Plan():
                print(*console.plan_lines(event), sep="\n", file=sys.stderr)
            case Progress() if live:
                print(f"\r{console.bar(event):<110.110}", end="", file=sys.stderr, flush=True)
            case Progress() if event.done * 10 // max(1, event.total) > shown:  # a log needs no more than ten lines
                shown = event.done * 10 // event.total
                print(console.bar(event), file=sys.stderr, flush=True)
            case Done():
                run = event.run
    if live:
        print(file=sys.stderr)
    if run is None:
        return 0
    print(console.table(run))
    if asked.json is not None:
        asked.json.write_text(as_json(run), encoding="utf-8")
    return 0 if run.results else 1


def _stream(asked: argparse.Namespace) -> int:
    """The protocol of `Running`."""
    end_with_parent(asked.leash)
    out = sys.stdout
    try:
        if asked.found:
            write_line(Found(gpu.look()), out)
            return 0
        settings = _settings(asked)
        end_overdue(1.25 * settings.seconds + GRACE)
        for event in iter((plan(settings),)) if asked.plan else _limited(measure(settings)):
            write_line(event, out)
    except BrokenPipeError:
        return 3
    except Exception as error:
        write_line(Failed(f"{type(error).__name__}: {error}"), out)
        return 1
    return 0


def _limited(events: Iterator[Event]) -> Iterator[Event]:
    """Once the plan is made, and libraries are loaded, the system holds this process to its budget of memory."""
    for event in events:
        yield event
        if isinstance(event, Plan) and "torch-cuda" not in {backend for backend, _ in event.limits}:
            machine.limit_memory(max((limit for _, limit in event.limits), default=0) + SLACK)


if __name__ == "__main__":
    sys.exit(main())
