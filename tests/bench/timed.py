"""`streamlit`, with one line in the log for each script run: how long the server took over it.

Needs Streamlit's private ScriptRunner._run_script; without it there is nothing to measure, and it says so.
"""

from __future__ import annotations

import time
from typing import Any

from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.web import cli

MARK = "script run:"


def times(log: str) -> list[tuple[float, float]]:
    """Of each run, in order, the milliseconds that passed and those its thread had the processor.

    >>> times("  URL: http://127.0.0.1:8501\\nscript run: 12.5 ms, 9.25 ms of processor\\n")
    [(12.5, 9.25)]
    """
    words = (line.split() for line in log.splitlines() if line.startswith(MARK) and line.endswith("processor"))
    return [(float(passed), float(busy)) for _, _, passed, _, busy, *_ in words]


def main() -> None:
    untimed = ScriptRunner._run_script

    def timed(self: ScriptRunner, rerun_data: Any) -> None:
        passed, busy = time.perf_counter(), time.thread_time()
        try:
            untimed(self, rerun_data)
        finally:
            passed, busy = time.perf_counter() - passed, time.thread_time() - busy
            print(f"{MARK} {passed * 1e3:.3f} ms, {busy * 1e3:.3f} ms of processor", flush=True)

    ScriptRunner._run_script = timed  # type: ignore[method-assign]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
