"""A run in a process of its own, the command line, and the machine under it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.measure import (
    Done,
    Failed,
    Measured,
    Plan,
    Running,
    Settings,
    load,
)
from engine.measuring import machine
from engine.measuring.process import ORPHANED, OVERDUE, UNHEARD
from tests.engine.small import TINY

ROOT = Path(__file__).resolve().parents[2]


# One thread: other tests may have the other core. The measuring itself does not mind.
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def tiny_child(**changes: Any) -> Settings:
    return replace(TINY, operations=("attention",), lengths=(48,), **changes)


def test_a_child_streams_the_same_events_and_ends() -> None:
    with Running(tiny_child(), env=ENV) as running:
        events = running.wait(300)
    assert isinstance(events[0], Plan)
    assert isinstance(events[-1], Done)
    streamed = tuple(event for event in events if isinstance(event, Measured))
    assert streamed == events[-1].run.results
    assert {m.case.way for m in streamed} == {"copy", "product", "plain", "tiled"}
    assert running.events() == []


def test_a_child_that_only_plans_measures_nothing() -> None:
    with Running(tiny_child(), mode="--plan", env=ENV) as running:
        events = running.wait(300)
    assert [type(event) for event in events] == [Plan]


def endless(**changes: Any) -> Settings:
    """Never done by itself within a test."""
    return replace(TINY, noise=1e-9, case_seconds=60.0, seconds=3600.0, **changes)


def first_events(running: Running) -> list[Any]:
    while not (events := running.events()):
        pass
    return events


def test_cancel_ends_the_child_at_once() -> None:
    running = Running(endless(), env=ENV)
    assert isinstance(first_events(running)[0], Plan)
    assert running.alive
    running.cancel()
    assert not running.alive
    assert running.events() == []
    running.cancel()


def test_a_child_whose_parent_goes_ends_by_itself() -> None:
    running = Running(endless(), env=ENV)
    first_events(running)
    process = running._process
    del running  # nobody holds it any more: its stdin closes
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=120) == ORPHANED


def test_a_child_that_nobody_listens_to_ends_by_itself() -> None:
    running = Running(endless(), leash=1.0, env=ENV)
    assert running._process.wait(timeout=120) == UNHEARD
    failed = running.events()[-1]
    assert isinstance(failed, Failed)
    assert "nobody listened" in failed.message


def test_a_child_whose_call_outlasts_the_budget_ends_by_itself() -> None:
    code = "from engine.measuring.process import end_overdue; import time; end_overdue(0.2); time.sleep(600)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=ENV, timeout=120, check=False)
    assert done.returncode == OVERDUE


def test_a_child_that_is_killed_is_a_failure_that_says_so() -> None:
    running = Running(endless(), env=ENV)
    first_events(running)
    running._process.kill()
    running._process.wait()
    assert "ended with" in running.events()[-1].message  # type: ignore[union-attr]


def command(*arguments: str, before: str = "pass") -> subprocess.CompletedProcess[str]:
    """The command line, after `before` has run in the same interpreter."""
    code = (
        f"import runpy, sys; {before}; sys.argv[1:] = {list(arguments)!r}; runpy.run_module('engine.measure', "
        "run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=ENV, capture_output=True, encoding="utf-8", timeout=300, check=False
    )


def small(**changes: Any) -> str:
    return json.dumps({**TINY.as_dict(), "operations": ["attention"], "lengths": [48], **changes})


def test_the_command_line_prints_a_table_and_writes_a_record(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    done = command("--quick", "--settings", small(), "--json", str(file))
    assert done.returncode == 0, done.stderr
    saved = load(file.read_text(encoding="utf-8"))
    for m in saved.results:
        assert m.case.way in done.stdout
    assert "at most about" in done.stderr
    assert "[####" in done.stderr


def test_bad_arguments_are_named_and_nothing_is_run() -> None:
    done = command("--settings", '{"heads": 0}')
    assert done.returncode == 2
    assert "heads: a whole number, at least 1, got 0" in done.stderr


def test_without_pytorch_numpy_is_measured_and_what_was_looked_for_is_said() -> None:
    hide = "sys.modules['torch'] = None"
    without = json.loads(small())
    del without["backends"]  # the command line's own: both
    done = command("--settings", json.dumps(without), before=hide)
    assert done.returncode == 0, done.stderr
    assert "torch-cpu: not measured: PyTorch cannot be imported" in done.stderr
    assert "numpy float32" in done.stdout
    assert "torch" not in done.stdout
    found = command("--found", before=hide)
    assert "PyTorch cannot be imported" in found.stdout
    for device, backend in (("cpu", "torch-cpu"), ("cuda", "torch-cuda")):
        asked = command("--device", device, "--settings", small(backends=[backend]), before=hide)
        assert asked.returncode == 1
        assert f"{backend}: not measured: PyTorch cannot be imported" in asked.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the system's limit on mapped memory is asked of Linux only")
def test_the_system_holds_a_run_to_its_memory() -> None:
    """The plan believes that there is room for the tables; the limit, set as the command line sets it, knows better."""
    code = """
import dataclasses, json
from engine.measure import *
from engine.measuring import machine
from engine.measuring.process import ORPHANED, OVERDUE, UNHEARD
settings = Settings(operations=("attention",), lengths=(4096,), head_dim=16, copy_bytes=2**20, product_size=16,
case_seconds=0.001, seconds=600)
for event in measure(settings):
    if isinstance(event, Progress) and event.now and event.now.operation == "attention":
        machine.limit_memory(40 * 2**20)
    if isinstance(event, Done):
        print(json.dumps([[s.case.way, s.reason] for s in event.run.skipped]))
        print(json.dumps([m.case.way for m in event.run.results]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=ENV, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    skipped, timed = map(json.loads, done.stdout.splitlines())
    assert [way for way, _ in skipped] == ["plain"]
    assert skipped[0][1].startswith("does not fit in memory")
    assert timed == ["copy", "product", "tiled"]


# The machine


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n", "ascii")
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name\t: A Processor @ 3 GHz\n", "ascii")
    (tmp_path / "memory.max").write_text("1000000\n", "ascii")
    (tmp_path / "memory.current").write_text("400000\n", "ascii")
    for index, size in enumerate(("32K", "512K", "8M")):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "size").write_text(size, "ascii")
    return tmp_path


def test_the_machine_is_read_from_the_systems_files(files: Path) -> None:
    nowhere = files / "nowhere"
    assert machine.processor(files / "cpuinfo") == "A Processor @ 3 GHz"
    assert machine.processor(nowhere)
    assert machine.cache_bytes(files) == 8 * 2**20
    assert machine.cache_bytes(nowhere) == machine.FALLBACK_CACHE
    assert machine.free_bytes(files / "meminfo", nowhere) == 2048 * 1024
    assert machine.free_bytes(files / "meminfo", files) == 600000  # a container has less left
    (files / "memory.max").write_text("max\n", "ascii")
    assert machine.free_bytes(files / "meminfo", files) == 2048 * 1024
