"""What a run found, as a value and as JSON. A file of another schema is refused by name, never half read."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from engine.measuring.group import Count
from engine.measuring.plan import Case, Place
from engine.measuring.settings import Settings
from engine.measuring.timing import Timing

SCHEMA = "see-how-attention-saves/measurements"
VERSION = 1
MOST_BYTES = 8 * 2**20  # of a file that is read at all

T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """A case with its timing, its counts, and how far its result was from float64 (‖ours − exact‖ / ‖exact‖).

    `sets` of inputs were rotated through; `clock` and `peak_by` say what timed and what counted memory.
    """

    case: Case
    timing: Timing
    count: Count
    error: float
    tolerance: float
    sets: int
    clock: str
    peak_by: str


@dataclass(frozen=True)
class Skipped:
    """A case without a time, and why."""

    case: Case
    reason: str


@dataclass(frozen=True)
class Drift:
    """The matrix product's median at the start and again at the end: what the machine itself changed meanwhile."""

    backend: str
    dtype: str
    before: float
    after: float


@dataclass(frozen=True)
class Run:
    """`date` ISO 8601, UTC. `host`: Python, system, machine. `seconds` it took. `ended`: "done" or why it stopped
    early."""

    date: str
    host: tuple[tuple[str, str], ...]
    settings: Settings
    places: tuple[Place, ...]
    results: tuple[Measured, ...]
    skipped: tuple[Skipped, ...]
    drift: tuple[Drift, ...]
    seconds: float
    ended: str


def as_json(run: Run) -> str:
    """One object, with schema and version first; `load` reads it back to an equal `Run`."""
    return json.dumps({"schema": SCHEMA, "version": VERSION, **plain(run)}, ensure_ascii=False, indent=1) + "\n"


def load(text: str | bytes) -> Run:
    """Raises ValueError that names what is wrong: no JSON, another schema or version, a field missing or of another
    type."""
    if len(text) > MOST_BYTES:
        raise ValueError(f"file: at most {MOST_BYTES // 2**20} MiB")
    try:
        raw = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"file: no JSON ({error})") from None
    if not isinstance(raw, dict):
        raise ValueError(f"file: an object, got {type(raw).__name__}")
    if raw.get("schema") != SCHEMA:
        raise ValueError(f"schema: {SCHEMA!r}, got {raw.get('schema')!r}")
    if raw.get("version") != VERSION or isinstance(raw.get("version"), bool):
        raise ValueError(f"version: {VERSION}, got {raw.get('version')!r}")
    run: Run = build(Run, {name: value for name, value in raw.items() if name not in ("schema", "version")}, "run")
    for i, measured in enumerate(run.results):
        _check_measured(measured, f"run.results[{i}]")
    return run


def plain(value: Any) -> Any:
    """Dataclasses as objects, tuples as lists, for JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


def build(kind: Any, raw: Any, where: str) -> Any:
    """A value of the annotated type `kind` from what JSON gave. Raises ValueError that says where and what."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(raw, dict):
            raise ValueError(f"{where}: an object, got {_named(raw)}")
        hints = _hints(kind)
        fields = [field.name for field in dataclasses.fields(kind)]
        if set(raw) != set(fields):
            missing, extra = sorted(set(fields) - set(raw)), sorted(set(raw) - set(fields))
            said = [
                f"{word} {', '.join(names)}"
                for word, names in (("without", missing), ("with an unknown", extra))
                if names
            ]
            raise ValueError(f"{where}: {' and '.join(said)}")
        values = {name: build(hints[name], raw[name], f"{where}.{name}") for name in fields}
        try:
            return kind(**values)
        except ValueError as error:
            raise ValueError(f"{where}.{error}") from None
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        if not isinstance(raw, list):
            raise ValueError(f"{where}: a list, got {_named(raw)}")
        if arguments[-1] is ...:
            return tuple(build(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(raw))
        if len(raw) != len(arguments):
            raise ValueError(f"{where}: {len(arguments)} items, got {len(raw)}")
        return tuple(
            build(one, item, f"{where}[{i}]") for i, (one, item) in enumerate(zip(arguments, raw, strict=True))
        )
    if origin in (types.UnionType, typing.Union):
        if raw is None and type(None) in arguments:
            return None
        return build(next(one for one in arguments if one is not type(None)), raw, where)
    if kind is float and isinstance(raw, int) and not isinstance(raw, bool):
        return float(raw)
    if type(raw) is not kind:
        raise ValueError(f"{where}: {_KINDS[kind]}, got {_named(raw)}")
    return raw


_hints = lru_cache(typing.get_type_hints)  # slow, and asked for again by every row of a file
_KINDS = {int: "a whole number", float: "a number", str: "a text"}


def _named(raw: Any) -> str:
    if isinstance(raw, dict | list):
        return "an object" if isinstance(raw, dict) else "a list"
    return repr(raw)[:60]


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number here")


def _check_measured(measured: Measured, where: str) -> None:
    timing = measured.timing
    if not (0 < timing.p10 <= timing.median <= timing.p90 and math.isfinite(timing.p90)):
        raise ValueError(f"{where}.timing: 0 < p10 ≤ median ≤ p90, got {timing.p10}, {timing.median}, {timing.p90}")
    if timing.runs < 1 or timing.calls < 1 or not timing.noise >= 0:
        raise ValueError(f"{where}.timing: runs and calls at least 1, noise at least 0")
    if min(measured.count.operations, measured.count.must_move, measured.count.moves) < 0:
        raise ValueError(f"{where}.count: nothing below 0")
