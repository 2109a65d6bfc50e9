"""What holds for every lesson, with every preset and every choice that the player offers. New lessons are covered by
being registered."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import fields
from typing import Any

import plotly.graph_objects as go
import pytest

from lessons import LESSONS
from lessons.kit.charts import Chart
from lessons.kit.glossary import GLOSSARY
from lessons.kit.lesson import Lesson, Preset
from lessons.kit.roles import Role
from lessons.kit.scene import legend
from lessons.kit.text import Lang
from tests.lessons.reading import (
    CHINESE,
    HALF_WIDTH,
    LANGS,
    MARKUP,
    ONE,
    Case,
    Picture,
    differing,
    in_every_case,
    is_good,
    named,
    rendered,
    said,
    shows_no_markup,
    texts,
)

AnyLesson = Lesson[Any, Any]
TERM = re.compile(r"\]\(term:([^)]*)\)")
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

WRONG_WAY = {  # its name in brackets, and something said of it
    "en": re.compile(r"\*\*✗ Wrong way\*\* \([^)]+\): \S+"),
    "zh": re.compile(r"\*\*✗ 错误做法\*\*（[^）]+）：\S+"),
}

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
each_chart = pytest.mark.parametrize(
    ("lesson", "chart"),
    [pytest.param(lesson, chart, id=f"{lesson.slug}-{chart.slug}") for lesson in LESSONS for chart in lesson.charts],
)


# What a lesson declares


def test_no_two_lessons_share_a_name_or_an_address() -> None:
    for names in ([x.slug for x in LESSONS], [x.title.en for x in LESSONS], [x.title.zh for x in LESSONS]):
        assert len(set(names)) == len(LESSONS)


@each_lesson
def test_a_lesson_leaves_nothing_out(lesson: AnyLesson) -> None:
    optional = {"charts", "code"}
    for field in fields(lesson):
        value = getattr(lesson, field.name)
        assert value or field.name in optional, field.name
    assert SLUG.fullmatch(lesson.slug)
    assert lesson.ledger.saves in {"work", "moved", "resident", "all"}
    assert lesson.minutes > 0


@each_lesson
def test_what_is_declared_says_the_same_numbers_in_both_languages_and_is_never_empty(lesson: AnyLesson) -> None:
    assert [path for path, text in texts(lesson) if not is_good(text, sentence=False)] == []


@each_lesson
def test_the_prose_around_the_player_is_in_chinese_too(lesson: AnyLesson) -> None:
    prose = [lesson.title, lesson.question, lesson.why, lesson.how, lesson.limits, lesson.check, lesson.place]
    prose += [text for pair in lesson.follow_ups for text in pair]
    prose += [preset.title for preset in lesson.presets]
    prose += [control.label for control in lesson.form.controls]
    prose += [source.what for source in lesson.sources]
    prose += [text for chart in lesson.charts for text in (chart.title, chart.caption)]
    assert [text for text in prose if not is_good(text, sentence=True)] == []


@each_lesson
def test_every_link_to_the_glossary_leads_somewhere(lesson: AnyLesson) -> None:
    all_texts = [*(text for _, text in texts(lesson)), *(text for _, text in texts(GLOSSARY))]
    terms = [TERM.findall(words) for text in all_texts for words in (text.en, text.zh)]
    assert {term for found in terms for term in found} <= GLOSSARY.keys()
    for text in all_texts:
        assert Counter(TERM.findall(text.en)) == Counter(TERM.findall(text.zh)), text.en


@each_lesson
def test_no_mark_of_markdown_is_left_visible_in_the_prose(lesson: AnyLesson) -> None:
    prose = [lesson.question, lesson.why, lesson.how, lesson.limits, lesson.check]
    prose += [text for pair in lesson.follow_ups for text in pair]
    prose += [text for source in lesson.sources for text in (source.title, source.what)]
    prose += [chart.caption for chart in lesson.charts]
    assert [words for text in prose for words in (text.en, text.zh) if not shows_no_markup(words)] == []


def test_every_term_is_explained_in_one_line_in_both_languages() -> None:
    for slug in GLOSSARY:
        with named(slug):
            is_explained(slug)


def is_explained(slug: str) -> None:
    term = GLOSSARY[slug]
    assert SLUG.fullmatch(slug)
    assert is_good(term.name, sentence=False)
    assert is_good(term.meaning, sentence=True)
    for lang in LANGS:
        assert "\n" not in term.meaning.of(lang)
        assert shows_no_markup(term.meaning.of(lang))
    assert term.meaning.en.endswith(".")
    assert term.meaning.zh.endswith("。")


@each_lesson
def test_presets_differ_in_name_words_and_numbers_and_the_first_thing_shown_is_one_of_them(lesson: AnyLesson) -> None:
    presets = lesson.presets
    for distinct in (
        {p.slug for p in presets},
        {p.title.en for p in presets},
        {p.title.zh for p in presets},
        {p.scenario for p in presets},
    ):
        assert len(distinct) == len(presets)
    assert all(SLUG.fullmatch(p.slug) for p in presets)
    assert lesson.preset_of(lesson.scenario) is not None


@each_lesson
def test_controls_and_their_choices_have_names_of_their_own(lesson: AnyLesson) -> None:
    names = [control.name for control in lesson.form.controls]
    assert len(set(names)) == len(names)
    assert all(SLUG.fullmatch(name) for name in names)
    for choice in lesson.player_choices:
        assert (
            len({value for value, _ in choice.options})
            == len({text for _, text in choice.options})
            == len(choice.options)
        )


# Every step of every scenario


@in_every_case
def test_a_scenario_reads_back_from_what_would_have_to_be_typed_for_it(case: Case) -> None:
    form = case.lesson.form
    typed = form.write(case.scenario)
    assert typed.keys() == {control.name for control in form.controls}
    assert form.read(typed, case.lesson.scenario) == case.scenario
    assert case.lesson.preset_of(case.scenario) == case.preset


@in_every_case
def test_both_languages_state_the_same_numbers_at_every_step(case: Case) -> None:
    for frame in case.frames:
        for text in said(frame.narration):
            assert differing(text) == {}, text
        assert differing(frame.scene.label) == {}, frame.scene.label
    for text in case.shape_texts:
        assert differing(text) == {}, text


@in_every_case
def test_every_step_has_a_title_a_headline_and_a_reason_in_both_languages(case: Case) -> None:
    for frame in case.frames:
        words = frame.narration
        for text in (words.title, words.headline, words.text, frame.scene.label):
            assert is_good(text, sentence=True), (words.id, text)
        for text in said(words):
            assert not HALF_WIDTH.search(text.zh)
        for text in (words.headline, words.text, frame.scene.label, *said(words)):
            assert not ONE.search(text.en.replace("\u202f", "")), text.en
        for text in (words.title, frame.scene.label):  # shown as they are, not as Markdown
            assert not MARKUP.search(text.en + text.zh), text
    for text in case.shape_texts:
        assert bool(text.en) == bool(text.zh)
        assert not HALF_WIDTH.search(text.zh)


@in_every_case
def test_the_words_of_a_step_are_clean_markdown_with_the_same_terms_in_both_languages(case: Case) -> None:
    for frame in case.frames:
        for text in (frame.narration.headline, frame.narration.text):
            assert set(TERM.findall(text.en)) == set(TERM.findall(text.zh)) <= GLOSSARY.keys(), text
            for words in (text.en, text.zh):
                assert shows_no_markup(words), words
        assert rendered(frame.narration.headline.en).tags == ("p",)
        assert rendered(frame.narration.headline.zh).tags == ("p",)


@in_every_case
def test_facts_are_a_table_with_as_many_cells_in_each_row(case: Case) -> None:
    for frame in case.frames:
        facts = frame.narration.facts
        if facts is not None:
            assert facts.rows
            assert {len(row) for row in facts.rows} == {len(facts.head)}
            assert facts.changed <= set(range(len(facts.rows)))


@in_every_case
def test_each_step_has_an_address_of_its_own(case: Case) -> None:
    ids = [frame.narration.id for frame in case.frames]
    assert len(set(ids)) == len(ids) >= 2
    assert all(re.fullmatch(r"[a-z0-9-]+(/[a-z0-9-]+)*", id_) for id_ in ids)


@in_every_case
def test_the_picture_is_well_formed_as_large_at_every_step_and_no_word_is_cut_or_hidden(case: Case) -> None:
    extents = {(frame.scene.width, frame.scene.height) for frame in case.frames}
    assert len(extents) == 1
    for lang in LANGS:
        for picture in case.pictures(lang):
            with named(f"{picture.frame.narration.id}, {lang}"):
                is_well_formed(picture, lang)
                stands_inside(picture)
                nothing_overlaps(picture)


def is_well_formed(picture: Picture, lang: Lang) -> None:
    frame, root = picture.frame, picture.root
    assert root.get("viewBox") == f"0 0 {frame.scene.width:g} {frame.scene.height:g}"
    assert root.get("role") == "img"
    assert root.get("aria-label") == frame.scene.label.of(lang)
    keys = [group.get("data-key") for group in root]
    assert keys == [shape.key for shape in frame.scene.shapes]
    assert len(set(keys)) == len(keys)
    for element in root.iter():
        for value in element.attrib.values():
            assert not re.search(r"\b(nan|inf)\b", value) or element is root, (element.tag, element.attrib)


def stands_inside(picture: Picture) -> None:
    for word in picture.words:
        assert word.left >= 0, word
        assert word.right <= picture.frame.scene.width, word
        assert word.top >= 0, word
        assert word.bottom <= picture.frame.scene.height, word


def nothing_overlaps(picture: Picture) -> None:
    words = sorted(
        (word for word in picture.words if word.text.strip() and word.text not in "✗⚓"), key=lambda w: w.top
    )
    for i, a in enumerate(words):
        for b in words[i + 1 :]:
            if b.top > a.bottom - 2:
                break
            if b.bottom - a.top > 2:
                assert min(a.right, b.right) - max(a.left, b.left) <= 2, (a, b)


@in_every_case
def test_the_legend_explains_each_role_that_is_drawn(case: Case) -> None:
    drawn = {role for frame in case.frames for role in frame.scene.roles}
    assert drawn
    for lang in LANGS:
        entries = legend((frame.scene for frame in case.frames), lang)
        assert [entry["text"] for entry in entries] == [role.value.of(lang) for role in Role if role in drawn]


@in_every_case
def test_the_same_thing_keeps_its_kind_from_step_to_step(case: Case) -> None:
    kinds: dict[str, str] = {}
    for frame in case.frames:
        for shape in frame.scene.shapes:
            assert kinds.setdefault(shape.key, shape.kind) == shape.kind, shape.key


@in_every_case
def test_with_a_mistake_chosen_every_step_says_what_it_does_there_or_that_it_does_nothing(case: Case) -> None:
    right = case.lesson.without_mistake(case.scenario) == case.scenario
    for frame in case.frames:
        words = frame.narration.text
        for sign, lead in ((WRONG_WAY["en"], words.en), (WRONG_WAY["zh"], words.zh)):
            last = lead.split("\n\n")[-1]
            assert bool(sign.match(last)) != right, (frame.narration.id, last)


@in_every_case
def test_the_wrong_way_is_shown_step_for_step_beside_the_right_one(case: Case) -> None:
    lesson, scenario = case.lesson, case.scenario
    right = lesson.without_mistake(scenario)
    assert lesson.without_mistake(right) == right
    alone = [frame.narration.id for frame in lesson.frames(right)]
    assert [frame.narration.id for frame in case.frames] == alone
    pairs = list(lesson.pairs(scenario))
    assert len(pairs) == len(alone)
    assert all((wrong is None) == (right == scenario) for _, wrong in pairs)
    if right == scenario:
        assert not any(frame.scene.parts for frame in case.frames)


@in_every_case
def test_the_trace_is_a_table_with_a_row_for_each_step(case: Case) -> None:
    for lang in LANGS:
        table = case.lesson.table(case.scenario, lang)
        assert list(table.iloc[:, 0]) == [frame.narration.title.of(lang) for frame in case.frames]
        assert len(set(table.columns)) == len(table.columns) > 1
        assert len(table.to_csv().splitlines()) == len(table) + 1


@in_every_case
def test_all_steps_in_one_message_stay_small(case: Case) -> None:
    shapes = {shape for frame in case.frames for shape in frame.scene.shapes}
    drawn = [shape.svg("zh") for shape in shapes]
    words = [text.zh for frame in case.frames for text in said(frame.narration)]
    assert len(json.dumps([*drawn, *words])) < 200_000


# Charts


@each_chart
def test_a_chart_draws_its_curves_and_says_in_words_what_it_shows(lesson: AnyLesson, chart: Chart[Any]) -> None:
    for preset in lesson.presets:
        with named(preset.slug):
            draws_its_curves(chart, preset)


def draws_its_curves(chart: Chart[Any], preset: Preset[Any]) -> None:
    alt = chart.alt(preset.scenario)
    assert is_good(alt, sentence=True), alt
    en, zh = (chart.draw(preset.scenario, lang) for lang in LANGS)
    assert len(en.data) == len(zh.data) >= 1
    assert len({curve.name for curve in en.data}) == len({curve.name for curve in zh.data}) == len(en.data)
    for axis in ("xaxis", "yaxis"):
        assert en.layout[axis].title.text
        assert CHINESE.search(zh.layout[axis].title.text)
    # colour is never the only cue
    lines = [curve for curve in en.data if isinstance(curve, go.Scatter)]  # a heatmap has words in its legend
    looks = [(curve.line.dash, curve.marker.symbol) for curve in lines]
    if len(looks) <= 5:
        assert len(set(looks)) == len(looks)
