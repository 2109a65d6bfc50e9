"""Runs from elsewhere: a file that a reader opens, and those recorded with the app. Each is read whole or not at all."""

from __future__ import annotations

from functools import cache

from engine.measure import DTYPES, Case, Run, load
from lessons.kit.text import Lang
from pages.shell import measured_say as say
from pages.shell import measured_words as words
from pages.shell.assets import ASSETS
from pages.shell.measured_charts import GROWING, growth, roofs, tiles, under_roof
from pages.shell.measured_tables import csv, slopes, timings
from pages.shell.measured_verdicts import verdicts

FOLDER = ASSETS / "measurements"
MOST_RESULTS = 1000


def opened(content: bytes) -> Run:
    """A run saved by this page or the command line. Raises ValueError that says what is wrong with it.

    Everything the page makes of a run is made once here, so that odd numbers are found before they are shown.
    """
    run = load(content)
    if len(run.results) + len(run.skipped) > MOST_RESULTS:
        raise ValueError(f"run.results: at most {MOST_RESULTS}")
    for case in cases_of(run):
        for word, known in (
            (case.operation, words.OPERATION),
            (case.way, words.WAY),
            (case.backend, words.BACKEND),
            (case.dtype, DTYPES),
        ):
            if word not in known:
                raise ValueError(f"run.results: no such operation, way, backend or dtype: {word[:40]!r}")
    try:
        _everything(run, "en")
    except (ArithmeticError, LookupError, TypeError, ValueError, StopIteration) as error:
        raise ValueError(f"run: numbers that nothing can be made of ({type(error).__name__}: {error})") from None
    return run


def cases_of(run: Run) -> list[Case]:
    return [one.case for one in run.results] + [one.case for one in run.skipped]


def _everything(run: Run, lang: Lang) -> None:
    verdicts(run)
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
    """By file name. A file that cannot be read is not there."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        try:
            found[path.name] = opened(path.read_bytes())
        except (OSError, ValueError):
            continue
    return found
