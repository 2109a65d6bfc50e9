"""Rules for every test: where the oracle may be missing, how random tests draw, what a skip means in CI."""

from __future__ import annotations

import os

import hypothesis
import pytest

# Test processes run side by side: more threads of each would only wait for one another. Read by NumPy and PyTorch at
# import.
for _library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

THOROUGH = bool(os.environ.get("THOROUGH"))  # make test-all: the same properties over many more draws and pairs
IN_CI = bool(os.environ.get("CI"))

# No deadline: a slow machine is no wrong answer. In CI the draws are the same each time, so that a red run is the
# commit's doing; at home they differ, and what they find becomes an example in the test.
hypothesis.settings.register_profile("home", deadline=None)
hypothesis.settings.register_profile("all", deadline=None, max_examples=1000)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("all" if THOROUGH else "ci" if IN_CI else "home")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skipped test is a failure: what is not there (PyTorch, a browser) is a missing install step."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if IN_CI and reporter is not None and reporter.stats.get("skipped") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if IN_CI and terminalreporter.stats.get("skipped"):
        terminalreporter.write_line("A skipped test fails the run in CI; the summary says what was missing.", red=True)
