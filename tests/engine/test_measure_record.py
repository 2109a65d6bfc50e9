"""A record of measurements is read whole or refused by name."""

from __future__ import annotations

import getpass
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.measure import (
    Done,
    Run,
    as_json,
    load,
    measure,
)
from tests.engine.small import TINY

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def run() -> Run:
    """One small run on NumPy."""
    *_, done = measure(TINY)
    assert isinstance(done, Done)
    return done.run


def test_a_run_survives_its_file(run: Run) -> None:
    assert load(as_json(run)) == run
    assert load(as_json(run).encode()) == run


def texts(raw: Any) -> set[str]:
    """Every text in it."""
    if isinstance(raw, dict | list):
        return {text for item in (raw.values() if isinstance(raw, dict) else raw) for text in texts(item)}
    return {raw} if isinstance(raw, str) else set()


def test_a_file_names_no_machine_no_user_and_no_path(run: Run) -> None:
    said = texts(json.loads(as_json(run)))
    assert not {platform.node(), getpass.getuser()} & said
    assert not [text for text in said for path in (str(ROOT), str(Path.home())) if len(path) > 1 and path in text]


def edited(run: Run, edit: Callable[[Any], None]) -> str:
    raw = json.loads(as_json(run))
    edit(raw)
    return json.dumps(raw)


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (
            lambda raw: raw.update(schema="another/file"),
            "schema: 'see-how-attention-saves/measurements', got 'another/file'",
        ),
        (lambda raw: raw.pop("schema"), "schema"),
        (lambda raw: raw.update(version=2), "version: 1, got 2"),
        (lambda raw: raw.update(version=True), "version: 1, got True"),
        (lambda raw: raw.pop("results"), "run: without results"),
        (lambda raw: raw.update(more=1), "run: with an unknown more"),
        (lambda raw: raw["results"].append({}), r"run.results\[\d+\]: without case"),
        (
            lambda raw: raw["results"][0]["timing"].update(median="fast"),
            r"results\[0\].timing.median: a number, got 'fast'",
        ),
        (lambda raw: raw["results"][0]["timing"].update(median=-1.0), r"results\[0\].timing: 0 < p10 ≤ median ≤ p90"),
        (lambda raw: raw["results"][0]["timing"].update(runs=2.5), "timing.runs: a whole number"),
        (lambda raw: raw["results"][0]["timing"].update(device=None), "timing.device: a text"),
        (lambda raw: raw["results"][0]["case"].update(shape=[["n"]]), r"case.shape\[0\]: 2 items, got 1"),
        (lambda raw: raw["settings"].update(heads=0), "run.settings.heads: a whole number, at least 1"),
        (lambda raw: raw.update(places={}), "run.places: a list, got an object"),
    ],
)
def test_a_file_that_is_not_of_this_schema_is_refused_by_name(
    run: Run, edit: Callable[[Any], None], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        load(edited(run, edit))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"schema": NaN}', "[" * 5000, b"\xff\xfe\x00"])
def test_what_is_no_record_at_all_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"^(file|schema): "):
        load(text)


def test_a_file_of_any_length_is_not_read() -> None:
    with pytest.raises(ValueError, match="at most 8 MiB"):
        load(" " * (8 * 2**20 + 1))
