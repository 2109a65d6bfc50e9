"""The lesson on sharing says what the chapter says, and shows what each wrong way does."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.shared_blocks import Arrival, Attended, Mistake, Scenario, trace
from lessons.copy_on_write import LESSON
from lessons.copy_on_write.charts import resident, saved
from lessons.copy_on_write.presets import CHAPTER
from lessons.copy_on_write.questions.common import COMMON, Common
from lessons.copy_on_write.questions.counts import FREE, REF_COUNT, Free, Writers
from lessons.copy_on_write.questions.forks import COPIED, NEW_BLOCKS, Append, Copied
from lessons.copy_on_write.questions.prefix import EDITED, REUSED, Edit, Hit
from lessons.kit.controls import BadInput
from lessons.kit.format import fixed
from lessons.kit.lesson import Frame
from lessons.kit.prose import to_html
from lessons.kit.shapes import Cell
from tests.lessons.reading import LANGS, differing, said, svg, written

PRESETS = {preset.slug: preset.scenario for preset in LESSON.presets}


def frames(scenario: Scenario) -> dict[str, Frame]:
    return {frame.narration.id: frame for frame in LESSON.frames(scenario)}


def text(frame: Frame, lang: str = "en") -> str:
    words = frame.narration
    markdown = words.headline + words.text
    return re.sub(r"<[^>]*>", "", to_html(markdown.zh if lang == "zh" else markdown.en))


def cells(frame: Frame, prefix: str) -> list[str]:
    return [str(s.text) for s in frame.scene.shapes if isinstance(s, Cell) and re.fullmatch(rf"{prefix}\.\d+", s.key)]


# The chapter's figures, as they are read


def test_t43_is_told_step_by_step() -> None:
    steps = frames(CHAPTER)
    assert list(steps) == [
        "alone",
        "fork",
        "a-10/wants",
        "a-10/prepare",
        "a-10/write",
        "b-10/wants",
        "b-10/write",
        "a/attend",
        "b/attend",
        "bill",
    ]
    for lang in ("en", "zh"):
        assert "2, 2, 2" in text(steps["fork"], lang)
        copied = text(steps["a-10/prepare"], lang)
        assert "[7, 2, 5]" in copied
        assert "[7, 2, 19]" in copied
        assert "22" in text(steps["a-10/write"], lang)
        assert "78" in text(steps["b-10/write"], lang)
    rows = {str(row[0]): row[1:] for row in steps["a-10/prepare"].narration.facts.rows}  # type: ignore[union-attr]
    assert [cells_[:2] for cells_ in rows.values()] == [("2", "2"), ("2", "2"), ("2", "1"), ("0", "1"), ("17", "16")]


def test_before_and_after_stand_in_the_picture_of_the_copy() -> None:
    words = [str(getattr(shape, "text", "")) for shape in frames(CHAPTER)["a-10/prepare"].scene.shapes]
    assert any("19 → 5" in word for word in words)
    assert any("references 2 → 1" in word for word in words)
    assert any("references 0 → 1" in word for word in words)


def test_twelve_tokens_need_no_copy() -> None:
    steps = frames(PRESETS["full-blocks"])
    assert "nothing is copied" in text(steps["a-12/prepare"])
    assert "什么也没复制" in text(steps["a-12/prepare"], "zh")


def test_four_blocks_instead_of_six_in_bytes_of_a_published_model() -> None:
    told = text(frames(CHAPTER)["bill"])
    for figure in ("4 blocks in use instead of 6", "512 KiB", "1 MiB", "2 slots, 256 KiB"):
        assert figure in told


# Wrong ways


@pytest.mark.parametrize(("preset", "victim", "other"), [("chapter", "a", "b"), ("b-first", "b", "a")])
def test_without_a_copy_the_first_writers_output_changes_and_the_numbers_are_shown(
    preset: str, victim: str, other: str
) -> None:
    scenario = replace(PRESETS[preset], mistake=Mistake.NO_COPY)
    [spoilt] = [s.event for s in trace(scenario) if isinstance(s.event, Attended) and s.event.name == victim.upper()]
    steps = frames(scenario)
    told = text(steps[f"{victim}/attend"])
    for x in (*spoilt.output, *spoilt.fresh, spoilt.error, spoilt.logit_error):
        assert fixed(x) in told
    assert f"found {other.upper()}10 instead of {victim.upper()}10" in told
    assert "right output" in text(steps[f"{other}/attend"])
    parts = [id_ for id_, frame in steps.items() if frame.scene.parts]
    assert parts[0].endswith("/prepare")


@pytest.mark.parametrize(
    ("preset", "mistake"),
    [
        ("other-adapter", Mistake.NO_ADAPTER),
        ("other-model", Mistake.NO_MODEL),
        ("tags", Mistake.UNTAGGED),
        ("repeated-block", Mistake.NO_PARENT),
    ],
)
def test_an_incomplete_name_is_a_wrong_hit_that_changes_the_output(preset: str, mistake: Mistake) -> None:
    steps = frames(replace(PRESETS[preset], mistake=mistake))
    assert "wrong hit" in "".join(text(frame) for id_, frame in steps.items() if id_.startswith("look-up"))
    assert "off by" in text(steps["b/attend"])
    assert steps["b/attend"].scene.parts
    assert not steps["names"].scene.parts


def test_without_the_salt_the_numbers_are_right_and_another_tenants() -> None:
    steps = frames(replace(PRESETS["other-tenant"], mistake=Mistake.NO_SALT))
    assert "another tenant’s" in text(steps["share"])
    assert "the same numbers" in text(steps["b/attend"])
    assert not any(
        s.key.startswith("wrong.o.") and any(r.name == "WRONG" for r in s.roles) for s in steps["b/attend"].scene.shapes
    )


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mistake", [m for m in Mistake if m is not Mistake.NONE])
def test_a_mistake_that_makes_no_difference_says_so_and_why(preset: str, mistake: Mistake) -> None:
    steps = frames(replace(PRESETS[preset], mistake=mistake))
    seen = any(frame.scene.parts for frame in steps.values())
    assert seen != ("invisible on these inputs" in text(steps["bill"]))


# Inputs


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"tokens": "13"}, "Tokens of A"),
        ({"block": "1"}, "Block size"),
        ({"writers": "A, C"}, "Who writes"),
        ({"writers": "ABABA"}, "Who writes"),
        ({"b": "same", "common": "11"}, "tokens in common"),
        ({"b": "same", "own": "5"}, "other tokens"),
        ({"b": "nobody"}, "How B starts"),
    ],
)
def test_what_cannot_be_used_is_answered_by_a_sentence_that_names_the_field(typed: dict[str, str], field: str) -> None:
    with pytest.raises(BadInput) as bad:
        LESSON.form.read(typed, CHAPTER)
    assert field in bad.value.complaints[0].en


def test_writers_may_be_typed_in_many_ways() -> None:
    for typed in ("A, B", "ab", "A B", "ａ、ｂ", "A；B"):
        assert LESSON.form.read({"writers": typed}, CHAPTER) == CHAPTER
    assert LESSON.form.read({"writers": ""}, CHAPTER).writers == ()


# Questions and charts


def test_the_cases_figures_are_the_answers() -> None:
    for inputs, blocks in ((Append(1, 16, 8), 3), (Append(16, 1, 8), 1), (Append(129, 129, 8), 17)):  # T43, vLLM's grid
        assert NEW_BLOCKS.answer(inputs) == (blocks,)
    for n, reused in ((48, 32), (49, 48), (16, 0), (1, 0)):  # T52
        assert REUSED.answer(Hit(n, n, 16)) == (reused,)
    for index, reused in ((0, 0), (15, 0), (16, 16), (95, 80), (96, 96), (99, 96), (100, 96)):  # T53
        assert EDITED.answer(Edit(200, index, 16)) == (reused,)
    assert REF_COUNT.answer(Writers(10, 4, 2, 1)) == (1,)
    assert REF_COUNT.answer(Writers(12, 4, 2, 1)) == (2,)
    assert FREE.answer(Free(10, 4, 20)) == (16,)
    assert COPIED.answer(Copied(10, 4)) == (256,)
    assert COMMON.answer(Common(2, 35, 1, 32)) == (3,)  # T51: 35 and 36 tokens share 32


def test_a_prefix_that_fills_no_block_saves_nothing() -> None:
    assert [saved(2, prefix, 4) for prefix in (0, 3, 4, 7, 8)] == [0, 0, 1, 1, 2]
    assert resident(2, 8, 4) == 4


def test_every_way_b_may_come_has_a_preset() -> None:
    assert {scenario.arrival for scenario in PRESETS.values()} == set(Arrival)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mistake", Mistake)
def test_charts_and_table_are_drawn_for_a_wrong_way_too(preset: str, mistake: Mistake) -> None:
    scenario = replace(PRESETS[preset], mistake=mistake)
    for chart in LESSON.charts:
        assert chart.draw(scenario, "zh").data
        assert chart.alt(scenario).en
    assert len(LESSON.table(scenario, "en")) == len(list(trace(scenario)))


@settings(max_examples=40)
@given(st.data())
def test_any_numbers_that_can_be_typed_can_be_shown(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    common = data.draw(st.integers(0, n))
    scenario = Scenario(
        data.draw(st.sampled_from(Arrival)),
        n,
        data.draw(st.integers(2, 8)),
        tuple(data.draw(st.lists(st.sampled_from("AB"), max_size=4))),
        common,
        data.draw(st.integers(int(common == 0), 12 - common)),
        data.draw(st.sampled_from(Mistake)),
    )
    assert LESSON.form.read(LESSON.form.write(scenario), CHAPTER) == scenario
    shown = LESSON.frames(scenario)
    assert len({frame.narration.id for frame in shown}) == len(shown)
    for frame in shown:
        for lang in LANGS:
            for word in written(svg(frame.scene, lang)):
                assert 0 <= word.left <= word.right <= frame.scene.width, word
                assert word.bottom <= frame.scene.height, word
        for text_ in said(frame.narration):
            assert differing(text_) == {}, text_
