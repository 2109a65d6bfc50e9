"""The first page: the chapter's check before reading, and the picture of the three storage problems."""

from __future__ import annotations

import pytest

from lessons.home import CHECK, CHECK_TITLE, LEAD, PATH, PICTURE, PICTURE_TITLE
from lessons.home.question import Rows
from lessons.kit.controls import BadInput
from lessons.kit.text import Lang
from tests.lessons.reading import LANGS, differing, svg, texts


def test_one_layer_of_three_positions_of_four_numbers_keeps_24_numbers() -> None:
    assert CHECK.answer(Rows()) == (24.0,)
    assert "= 24" in CHECK.worked(Rows()).en


@pytest.mark.parametrize(("given", "slip"), [(12.0, "forgot_v"), (36.0, "q_too")])
def test_forgetting_v_gives_12_and_counting_q_as_well_gives_36(given: float, slip: str) -> None:
    assert CHECK.judge(Rows(), (given,)).slips == (slip,)


def test_layers_and_bytes_multiply_the_answer_and_each_left_out_is_a_slip_of_its_own() -> None:
    rows = Rows(layers=5, positions=3, numbers=4, itemsize=4)
    assert CHECK.answer(rows) == (2 * 5 * 3 * 4 * 4.0,)
    assert CHECK.judge(rows, (2 * 3 * 4 * 4.0,)).slips == ("one_layer",)
    assert CHECK.judge(rows, (2 * 5 * 3 * 4.0,)).slips == ("no_bytes",)


@pytest.mark.parametrize("typed", ["480", "480 B", "480 bytes", "480 字节", "0.48 kB", "2*5*3*4*4", "４８０"])
def test_bytes_are_taken_in_any_spelling(typed: str) -> None:
    assert CHECK.check(Rows(layers=5, positions=3, numbers=4, itemsize=4), typed).right


def test_numbers_that_are_counted_have_no_unit() -> None:
    assert CHECK.check(Rows(), "2*3*4").right
    with pytest.raises(BadInput):
        CHECK.check(Rows(), "24 GiB")


def test_forgetting_v_and_the_bytes_at_once_is_told() -> None:
    assert CHECK.judge(Rows(layers=5, positions=3, numbers=4, itemsize=4), (60.0,)).slips == ("forgot_v+no_bytes",)


def test_new_numbers_never_confuse_two_slips() -> None:
    for seed in range(300):
        instance = CHECK.draw(seed)
        assert CHECK.tells_apart(instance)
        assert differing(CHECK.asked(instance.inputs)) == differing(CHECK.worked(instance.inputs)) == {}


@pytest.mark.parametrize("lang", LANGS)
def test_the_picture_is_well_formed_and_says_the_same_numbers_in_both_languages(lang: Lang) -> None:
    assert svg(PICTURE, lang).get("aria-label") == PICTURE.label.of(lang)
    for _, text in texts(PICTURE):
        assert differing(text) == {}


def test_every_sentence_of_the_page_is_in_both_languages() -> None:
    for text in (LEAD, PATH, CHECK_TITLE, PICTURE_TITLE):
        assert text.en.strip()
        assert text.zh.strip()
        assert differing(text) == {}
