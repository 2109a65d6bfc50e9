"""Runs from elsewhere: a file that a reader opens, and those recorded with the app. Each is read whole or not at
all."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache

from engine.measure import DTYPES, Case, Run, load
from lessons.kit.text import Lang
from pages.shell.measured import say, words
from pages.shell.measured.charts import GROWING, growth, roofs, tiles, under_roof
from pages.shell.measured.tables import csv, slopes, timings
from pages.shell.measured.verdicts import verdicts
from pages.shell.site.assets import ASSETS

FOLDER = ASSETS / "measurements"
MOST_RESULTS = 1000
MOST_LISTED = 1000  # of anything else that a run lists
MOST_CHARACTERS = 10_000  # of a name, or of a reason
# Seconds of a timing, and any number: between these nothing overflows, whatever is made of two runs.
SHORTEST, LARGEST = 1e-12, 1e24


def opened(content: bytes) -> Run:
    """A run saved by this page or the command line. Raises ValueError that says what is wrong with it.

    Everything the page makes of a run is made once here, so that odd numbers are found before they are shown.
    """
    run = _sound(content)
    try:
        _everything(run, "en")
    except (ArithmeticError, LookupError, TypeError, ValueError, StopIteration) as error:
        raise ValueError(f"run: numbers that nothing can be made of ({type(error).__name__}: {error})") from None
    return run


def _sound(content: bytes) -> Run:
    """A run of bounded size, with names that are known and numbers that lie within bounds."""
    run = load(content)
    if len(run.results) + len(run.skipped) > MOST_RESULTS:
        raise ValueError(f"run.results: at most {MOST_RESULTS}")
    _bounded(asdict(run))
    for m in run.results:
        if m.timing.p10 < SHORTEST or (m.timing.peak_bytes or 0) < 0:
            raise ValueError(
                f"run.results: numbers that no clock shows: {m.timing.p10:.3g} s, {m.timing.peak_bytes} bytes"
            )
    for case in cases_of(run):
        for word, known in (
            (case.operation, words.OPERATION),
            (case.way, words.WAY),
            (case.backend, words.BACKEND),
            (case.dtype, DTYPES),
        ):
            if word not in known:
                raise ValueError(f"run.results: no such operation, way, backend or dtype: {word[:40]!r}")
    return run


def _bounded(value: object) -> None:
    match value:
        case dict():
            _bounded(list(value.values()))
        case list() | tuple():
            if len(value) > MOST_LISTED:
                raise ValueError(f"run: a list of more than {MOST_LISTED}")
            for one in value:
                _bounded(one)
        case str() if len(value) > MOST_CHARACTERS:
            raise ValueError(f"run: a text of more than {MOST_CHARACTERS} characters")
        case int() | float() if not abs(value) <= LARGEST:
            raise ValueError(f"run: numbers up to {LARGEST:g}, not one of {len(str(value))} characters")


def cases_of(run: Run) -> list[Case]:
    return [one.case for one in run.results] + [one.case for one in run.skipped]


def _everything(run: Run, lang: Lang) -> None:
    verdicts(run)
    say.about(run, own=False)
    say.drift(run)
    say.others(run)
    for case in cases_of(run):
        say.case(case)
    timings(run, lang)
    slopes(run, lang)
    csv(run)
    tiles(run, lang)
    for operation in GROWING:
        for memory in (False, True):
            growth(run, operation, lang, memory=memory, other=("", run))
    for roof in roofs(run).values():
        under_roof(run, roof, lang)


@cache
def recorded() -> dict[str, Run]:
    """By file name. A file that cannot be read is not there. The app's own are not drawn here first: that takes
    seconds."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        try:
            found[path.name] = _sound(path.read_bytes())
        except (OSError, ValueError):
            continue
    return found
