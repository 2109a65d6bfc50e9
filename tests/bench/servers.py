"""Streamlit servers beside the app's own (tests.pages.harness.serve): another script, or one that times its runs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pages import harness

NATIVE, BARE, APP = "tests/bench/native.py", "tests/bench/bare.py", "app.py"


@contextmanager
def serve(script: str, log: Path, *, module: str = "streamlit") -> Iterator[harness.Server]:
    """`python -m module run script` on a free port, with the app's own settings; stopped at the end."""
    port = harness._free_port()
    url = f"http://{harness.HOST}:{port}"
    words = harness._command(port)
    words[words.index("streamlit")], words[words.index(APP)] = module, script
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(words, cwd=harness.ROOT, stdout=output, stderr=subprocess.STDOUT)
    try:
        if not harness._healthy(url, process):
            raise RuntimeError(f"{script} did not start; its log:\n{log.read_text('utf-8', 'replace')}")
        yield harness.Server(url, log, process.pid)
    finally:
        harness._stop(process)
