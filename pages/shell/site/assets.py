"""The files the browser runs, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ASSETS = Path(__file__).parents[3] / "assets"


@cache
def asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")
