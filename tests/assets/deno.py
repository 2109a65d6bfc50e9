"""Deno, which runs and checks the browser's code without a browser. It fetches nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
QUIET = {"NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}


def ran(command: str, *arguments: str, told: str | None = None) -> str:
    """What a command of Deno's prints, run at the repository's root; it is told `told`. Raises AssertionError with
    what it complains of."""
    run = [sys.executable, "-m", "deno", command, "--no-remote", "--no-npm", *arguments]
    done = subprocess.run(
        run, input=told, capture_output=True, encoding="utf-8", cwd=ROOT, env=os.environ | QUIET, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
