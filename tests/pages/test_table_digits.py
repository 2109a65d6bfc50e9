"""The table of a trace on the screen: how many digits of a number are shown."""

from __future__ import annotations

import pandas as pd
import pytest

from lessons import LESSONS
from lessons.online_softmax import LESSON
from pages.shell.lesson.explore import digits, with_infinities


@pytest.mark.parametrize(("column", "figure"), [("ℓ", "1.135335"), ("u1", "10.270671"), ("o1", "9.046377")])
def test_the_chapters_figures_are_read_in_the_table_of_two_tiles(column: str, figure: str) -> None:
    two_tiles = next(preset.scenario for preset in LESSON.presets if preset.slug == "two-tiles")
    numbers = LESSON.table(two_tiles, "en")[column]
    form = digits(numbers)
    assert form is not None
    assert figure in [form % x for x in numbers]  # Q027


def test_what_is_not_0_does_not_read_as_0_and_whole_numbers_have_no_point() -> None:
    for lesson in LESSONS:
        for preset in lesson.presets:
            for name, column in lesson.table(preset.scenario, "en").items():
                form = digits(column)
                if form is not None:
                    assert all(float(form % x) != 0 for x in column.dropna() if x != 0), (
                        lesson.slug,
                        preset.slug,
                        name,
                    )
    assert digits(pd.Series([1.0, float("nan"), float("-inf")])) is None
    assert digits(pd.Series(["1.5"])) is None


def test_before_the_first_tile_m_reads_as_in_the_figure_and_stays_a_number() -> None:
    frame = LESSON.table(LESSON.scenario, "en")
    shown = with_infinities(frame)
    assert shown.data.equals(frame)
    html = shown.to_html()
    assert "−∞" in html
    assert "inf" not in html.lower()
    assert all(f">{digits(frame['o1']) % x}<" in html for x in frame["o1"].dropna())
    assert pd.api.types.is_float_dtype(frame["m"])
    assert "-inf" in frame.to_csv()


def test_a_table_without_infinities_is_shown_as_it_is() -> None:
    others = [lesson for lesson in LESSONS if lesson is not LESSON]
    assert all(with_infinities(frame := lesson.table(lesson.scenario, "en")) is frame for lesson in others)
