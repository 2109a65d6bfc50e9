"""What the KV bytes lesson says and draws: the chapter's figures (Q026), the published models, each wrong way's own
figure."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.attention import softmax
from engine.decoder import Decoder
from engine.generation import CONFIG, prompt
from engine.kv_cache import KVCache
from engine.kv_formats import Format
from engine.kv_ladder import Mistake, applies
from engine.kv_size import Device, Scenario
from engine.models import MODELS
from lessons.kit.controls import BadInput, Choice, OptionalWhole, Real, Whole
from lessons.kit.lesson import Frame
from lessons.kit.reply import Find, Order, Pick, Tick
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell
from lessons.kit.text import Lang, Text
from lessons.kv_bytes import LESSON
from lessons.kv_bytes.charts.context import longest_that_fits
from lessons.kv_bytes.charts.rounding import ROUNDED
from lessons.kv_bytes.questions import QUESTIONS
from lessons.kv_bytes.questions.device import BESIDE, FITS
from lessons.kv_bytes.questions.kinds import MLA, SCALES
from lessons.kv_bytes.questions.sizes import BY_HAND, TOKEN, TOTAL
from lessons.kv_bytes.questions.units import UNITS
from lessons.kv_bytes.questions.windows import WINDOWS
from lessons.kv_bytes.scene.sheets import ROWS, full_rows
from pages.shell.lesson.player import message
from tests.lessons.reading import LANGS, ONE, differing, rendered, said, svg, written

PRESET = {preset.slug: preset.scenario for preset in LESSON.presets}
SAYS_INVISIBLE = {"en": "invisible", "zh": "看不出来"}
THIN = "\u202f"


def shown(frame: Frame, lang: Lang) -> str:
    """All that a reader sees of a step, digits ungrouped."""
    words = [
        frame.narration.title.of(lang),
        rendered(frame.narration.headline.of(lang)).text,
        rendered(frame.narration.text.of(lang)).text,
    ]
    words += [text.of(lang) for text in said(frame.narration)]
    words += [word.text for word in written(svg(frame.scene, lang))]
    return "\n".join(words).replace(THIN, "")


def frames_of(scenario: Scenario) -> dict[str, Frame]:
    return {frame.narration.id: frame for frame in LESSON.frames(scenario)}


def read(**typed: str) -> Scenario:
    return LESSON.form.read(typed, LESSON.scenario)


# The chapter's figures, and the published ones


@pytest.mark.parametrize(
    ("preset", "step", "figures"),
    [
        ("chapter", "tokens", ("32768", "1048576")),
        ("chapter", "width", ("1073741824",)),  # Q026, step 1
        ("chapter", "bytes", ("2147483648 B", "2 GiB")),  # step 2
        ("chapter", "k-and-v", ("4294967296 B", "4 GiB")),  # step 3
        ("chapter", "units", ("4 GiB", "4.29497 GB")),
        ("chapter", "one-more", ("131072 B", "128 KiB", "1 / 32768")),  # step 4
        ("chapter", "head-counts", ("16 GiB", "4 GiB", "512 MiB")),  # step 5
        ("chapter", "device", ("1.28 ms", "3.35 TB/s", "80 GB")),  # audit 0.32
        ("mha", "k-and-v", ("17179869184 B", "16 GiB")),
        ("llama-3-70b", "units", ("40 GiB", "42.9497 GB")),
        ("deepseek-v3", "one-more", ("70272 B",)),
        ("deepseek-v3", "head-counts", ("71.11",)),
        ("deepseek-v3-fp8", "one-more", ("40016 B",)),
        ("gemma-3-27b", "tokens", ("52 × 1024 + 10 × 131072",)),
        ("gemma-3-27b", "units", ("10.4062 GiB",)),
        ("mistral-7b", "k-and-v", ("512 MiB",)),
        ("qwen3-0-6b", "width", ("1024 ÷ 16", "64", "128")),
        ("gpt-oss-120b", "units", (f"{4_612.5 / 1024:.6g} GiB",)),
        ("scales", "k-and-v", (f"{4 * 72 / 256:g} GiB",)),
        ("batch", "k-and-v", ("32 GiB",)),
        ("numbers", "k-and-v", ("24 B",)),
    ],
)
@pytest.mark.parametrize("lang", LANGS)
def test_the_figures_are_read_at_the_step_where_they_arise(
    preset: str, step: str, figures: tuple[str, ...], lang: Lang
) -> None:
    words = shown(frames_of(PRESET[preset])[step], lang)
    for figure in figures:
        assert figure in words


@pytest.mark.parametrize("name", MODELS)
def test_every_model_can_be_chosen_and_its_ladder_ends_at_its_bytes(name: str) -> None:
    scenario = read(model=name)
    assert scenario == Scenario(MODELS[name])
    right = MODELS[name].kv_bytes(scenario.seq_len)
    for lang in LANGS:
        assert f"{right} B" in shown(frames_of(scenario)["k-and-v"], lang)


@pytest.mark.parametrize("name", [name for name in MODELS if not MODELS[name].verified])
def test_numbers_that_were_not_checked_are_not_shown_as_checked(name: str) -> None:
    text = frames_of(read(model=name))["layers"].narration.text
    assert "not checked" in text.en
    assert "未在发布者自己的文件中核对" in text.zh


# The wrong ways


@pytest.mark.parametrize(
    ("preset", "mistake", "parts_at", "figure"),
    [
        ("chapter", Mistake.FORGOT_V, "k-and-v", "2 GiB"),
        ("chapter", Mistake.QUERY_HEADS, "heads", "16 GiB"),
        ("chapter", Mistake.ONE_LAYER, "layers", "0.125 GiB"),
        ("chapter", Mistake.ONE_HEAD, "heads", "0.5 GiB"),
        ("chapter", Mistake.BITS_FOR_BYTES, "bytes", "32 GiB"),
        ("llama-3-70b", Mistake.GB_FOR_GIB, "units", "40 GB"),
        ("chapter", Mistake.THOUSAND_FOR_1024, "tokens", "3.90625 GiB"),
        ("qwen3-0-6b", Mistake.HIDDEN_OVER_HEADS, "width", "1.75 GiB"),
        ("mistral-7b", Mistake.NO_WINDOW, "tokens", "4 GiB"),
        ("deepseek-v3", Mistake.MLA_AS_GQA, "heads", "122 GiB"),
        ("deepseek-v3", Mistake.MLA_ROPE_AS_HEAD_DIM, "heads", "61 GiB"),
        ("deepseek-v3", Mistake.MLA_TWICE, "width", "3.8125 GiB"),
        ("deepseek-v3", Mistake.MLA_NO_ROPE, "width", "1.90625 GiB"),
    ],
)
def test_a_wrong_way_parts_at_its_own_factor_and_ends_at_its_own_figure(
    preset: str, mistake: Mistake, parts_at: str, figure: str
) -> None:
    frames = frames_of(replace(PRESET[preset], mistake=mistake))
    assert next(id_ for id_, frame in frames.items() if frame.scene.parts) == parts_at
    for lang in LANGS:
        assert figure in shown(frames["units"], lang)


@cache
def both(preset: str, mistake: Mistake) -> tuple[Frame, ...]:
    return LESSON.frames(replace(PRESET[preset], mistake=mistake))


@pytest.mark.parametrize("preset", PRESET)
@pytest.mark.parametrize("mistake", [m for m in Mistake if m is not Mistake.NONE])
def test_a_mistake_is_either_seen_or_said_to_be_invisible_at_every_step(preset: str, mistake: Mistake) -> None:
    wrong = replace(PRESET[preset], mistake=mistake).cache_bytes
    hidden = wrong == PRESET[preset].cache_bytes
    frames = both(preset, mistake)
    assert any(frame.scene.parts for frame in frames) == (not hidden)
    for frame in frames:
        for lang in LANGS:
            assert (SAYS_INVISIBLE[lang] in frame.narration.text.of(lang)) == hidden


def test_only_the_wrong_factor_is_hatched_among_the_factors() -> None:
    shapes = frames_of(replace(PRESET["chapter"], mistake=Mistake.QUERY_HEADS))["device"].scene.shapes
    hatched = {s.key for s in shapes if isinstance(s, Cell) and Role.WRONG in s.roles and ".factor." in s.key}
    assert hatched == {"wrong.factor.3.0"}


def test_the_gb_slip_says_that_40_gib_fit_into_a_device_that_they_do_not_fit() -> None:
    scenario = replace(PRESET["llama-3-70b"], device=Device(41.0, billions=0.0), mistake=Mistake.GB_FOR_GIB)
    text = frames_of(scenario)["device"].narration
    assert "do not fit" in text.headline.en
    assert "says that it fits" in text.text.en
    assert "放不下" in text.text.zh


# The picture


@given(st.integers(0, 80), st.integers(0, 80))
def test_rows_drawn_show_both_kinds_of_layers_where_there_are_both(n_local: int, n_full: int) -> None:
    if n_local + n_full:
        rows = full_rows(n_local, n_full)
        assert len(rows) == min(ROWS, n_local + n_full)
        assert any(rows) == bool(n_full)
        assert all(rows) == (not n_local)


@pytest.mark.parametrize("mistake", Mistake)
def test_the_default_message_is_small(mistake: Mistake) -> None:
    size = len(json.dumps(message(LESSON.slug, replace(LESSON.scenario, mistake=mistake), "zh", True)))
    assert size < 300_000


LARGEST = {
    "model": "Gemma-3-27B", "tokens": "16777216", "batch": "4096", "bits": "32", "group": "16", "scale": "16",
    "layers": "256", "heads": "256",
    "kv_heads": "256", "head_dim": "1024", "hidden": "262144", "local": "200", "window": "1000000", "memory": "100000",
    "params": "10000",
    "weight_bits": "32", "bandwidth": "0.001",
}  # fmt: skip
SMALLEST = {
    "model": "Llama-3-8B", "tokens": "1", "batch": "1", "bits": "2", "layers": "1", "heads": "1", "kv_heads": "1",
    "head_dim": "1", "hidden": "1",
    "memory": "0.001", "params": "0", "bandwidth": "1000",
}  # fmt: skip


@pytest.mark.parametrize("typed", [LARGEST, SMALLEST], ids=["largest", "smallest"])
@pytest.mark.parametrize("mistake", Mistake)
def test_at_the_bounds_the_picture_still_holds_its_words(typed: dict[str, str], mistake: Mistake) -> None:
    scenario = read(**typed, mistake=mistake.value)
    for frame in LESSON.frames(scenario):
        for lang in LANGS:
            words = [w for w in written(svg(frame.scene, lang)) if w.text.strip()]
            assert min(w.left for w in words) >= 0
            assert max(w.right for w in words) <= frame.scene.width
            assert max(w.bottom for w in words) <= frame.scene.height
        assert all(differing(text) == {} for text in said(frame.narration))
    assert len(json.dumps(message(LESSON.slug, scenario, "zh", True))) < 500_000
    for chart in LESSON.charts:
        assert chart.draw(scenario, "zh").data
        assert differing(chart.alt(scenario)) == {}


# The form


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ({"kv_heads": "7"}, "Query heads"),  # 32 is no multiple of 7
        ({"model": "DeepSeek-V3", "kv_heads": "8", "rank": "512"}, "cannot both"),
        ({"model": "DeepSeek-V3", "rank": "0"}, "KV heads"),
        ({"local": "33", "window": "8"}, "Layers with a window"),
        ({"local": "4"}, "Window"),
        ({"window": "8"}, "Layers with a window"),
        ({"tokens": "0"}, "Tokens of a sequence"),
        ({"tokens": "many"}, "Tokens of a sequence"),
        ({"bits": "7"}, "Bits a number"),
        ({"memory": "-1"}, "Device memory"),
        ({"layers": "1.5"}, "Layers"),
    ],
)
def test_what_cannot_be_used_is_named_in_both_languages(typed: dict[str, str], names: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(**typed)
    [complaint] = caught.value.complaints
    assert names in complaint.en
    assert differing(complaint) == {}
    assert re.search("[应能]", complaint.zh)


def test_own_numbers_stand_in_for_the_models_and_go_back_into_the_fields() -> None:
    scenario = read(model="Llama-3-8B", kv_heads="32")
    assert scenario == PRESET["mha"]
    typed = LESSON.form.write(scenario)
    assert (typed["kv_heads"], typed["layers"]) == ("32", "")
    halved = read(model="Mistral-7B-v0.1", layers="16")
    assert (halved.model.n_local, halved.model.n_layers) == (16, 16)
    grouped = read(model="DeepSeek-V3", kv_heads="8")
    assert (grouped.model.n_kv_heads, grouped.model.mla_rank, grouped.model.rope_dim) == (8, 0, 0)
    latent = read(model="Llama-3-8B", rank="256", rope="32")
    assert (latent.model.n_kv_heads, latent.model.numbers) == (None, 288)
    for own in (scenario, halved, grouped, latent):
        assert LESSON.form.read(LESSON.form.write(own), LESSON.scenario) == own
    assert "own numbers" in frames_of(scenario)["k-and-v"].narration.text.en


def _typed(control: Any) -> st.SearchStrategy[str]:
    match control:
        case Choice(options=options):
            return st.sampled_from([value for value, _ in options])
        case Whole(low=low, high=high):
            return st.integers(low, high).map(str)
        case OptionalWhole(low=low):  # numbers that mostly go together
            return st.sampled_from(["", "", "", "", *(n for n in ("0", "1", "8", "32") if int(n) >= low)])
        case Real(low=low, high=high):
            return st.sampled_from([str(low), "1", str(high)])
    raise TypeError


@settings(max_examples=60, deadline=None)
@given(st.fixed_dictionaries({control.name: _typed(control) for control in LESSON.form.controls}))
@example(LARGEST)
def test_whatever_the_form_accepts_can_be_stepped_and_read_back(typed: dict[str, str]) -> None:
    try:
        scenario = read(**typed)
    except BadInput:
        return
    assert LESSON.form.read(LESSON.form.write(scenario), LESSON.scenario) == scenario
    frames = LESSON.frames(scenario)
    assert len({frame.narration.id for frame in frames}) == len(frames)
    for frame in frames:
        for text in (*said(frame.narration), frame.scene.label):
            assert differing(text) == {}, text


# Questions


def plain(s: Scenario) -> int:
    m = s.model
    assert m.n_kv_heads is not None
    windows = [m.window or s.seq_len] * m.n_local + [s.seq_len] * (m.n_layers - m.n_local)
    return int(sum(2 * s.batch * min(s.seq_len, w) * m.n_kv_heads * m.head_dim * s.format.itemsize for w in windows))


def test_right_answers_are_those_of_the_plain_formula() -> None:
    for seed in range(15):
        s = TOTAL.draw(seed).inputs
        assert TOTAL.answer(s) == (plain(s) / 2**30,)
        s = WINDOWS.draw(seed).inputs
        assert WINDOWS.answer(s) == (plain(s) / 2**30,)
        s = TOKEN.draw(seed).inputs
        assert TOKEN.answer(s) == (plain(replace(s, seq_len=1, batch=1)) / 2**10,)
        room = FITS.draw(seed).inputs
        (n,) = FITS.answer(room)
        assert (
            plain(replace(room.scenario, seq_len=int(n)))
            <= room.free * 2**30
            < plain(replace(room.scenario, seq_len=int(n) + 1))
        )
        assert room.way.seq_len == n


def test_the_chapters_check_24_numbers_12_without_v_36_with_q() -> None:
    instance = BY_HAND.instance(BY_HAND.inputs)
    assert instance.answer == (24.0,)
    assert (instance.slips["forgot-v"], instance.slips["q-too"]) == ((12.0,), (36.0,))


def test_published_answers_and_the_wrong_ones_to_reject() -> None:
    instance = MLA.instance(MLA.inputs)
    assert instance.answer == (70_272.0,)
    assert {x for (x,) in instance.slips.values()} == {124_928, 62_464, 1_748_992, 1_998_848, 3_997_696}  # T31
    assert UNITS.answer(UNITS.inputs) == pytest.approx((42.949673,), abs=1e-6)
    assert WINDOWS.answer(WINDOWS.inputs) == (10_656 / 1024,)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.slug)
def test_slips_that_show_a_way_show_a_mistake_that_can_be_made(question: Any) -> None:
    for seed in range(5):
        inputs = question.draw(seed).inputs
        for slip in question.slips:
            if slip.way is not None:
                way = slip.way(inputs)
                assert applies(way.mistake, way.model)


def test_the_longest_context_said_to_fit_does_fit() -> None:
    scenario = PRESET["chapter"]
    fits = longest_that_fits(scenario)
    d = scenario.device
    assert d.weights + replace(scenario, seq_len=fits).cache_bytes <= d.memory
    assert longest_that_fits(replace(scenario, device=Device(1.0))) == 0


def test_a_scale_for_every_group_is_drawn_as_a_step_of_its_own() -> None:
    assert "scales" not in frames_of(PRESET["chapter"])
    assert "scales" in frames_of(replace(PRESET["chapter"], format=Format(Fraction(1), 128, 4)))


# One more token, in models whose layers keep different numbers of tokens


def ungrouped(text: Text, lang: Lang) -> str:
    return rendered(text.of(lang)).text.replace(THIN, "")


def more(name: str, tokens: int) -> Text:
    return frames_of(Scenario(MODELS[name], tokens))["one-more"].narration.text


def added(name: str, tokens: int) -> int:
    model = MODELS[name]
    return model.kv_bytes(tokens + 1) - model.kv_bytes(tokens)


@pytest.mark.parametrize(
    ("name", "whole", "grows"), [("Gemma-3-27B", "507904", "10 × 8192 B = 81920 B"), ("gpt-oss-120b", "73728",
    "18 × 2048 B = 36864 B")]
)  # fmt: skip
@pytest.mark.parametrize("lang", LANGS)
def test_with_full_windows_only_the_other_layers_are_counted_for_one_more_token(
    name: str, whole: str, grows: str, lang: Lang
) -> None:
    words = ungrouped(more(name, 131_072), lang)
    assert grows in words
    assert grows.endswith(f" {added(name, 131_072)} B")
    assert f"= {whole} B" in words
    assert {"en": "would be too much", "zh": "多算了"}[lang] in words
    assert {"en": "Leave T out", "zh": "把乘积里的 T 去掉："}[lang] not in words


@pytest.mark.parametrize("lang", LANGS)
def test_while_windows_fill_every_layer_grows_and_the_step_says_until_when(lang: Lang) -> None:
    words = ungrouped(more("Gemma-3-27B", 1_000), lang)
    for figure in (f"{added('Gemma-3-27B', 1_000)} B", f"{added('Gemma-3-27B', 1_024)} B", "1024", "24"):
        assert figure in words
    assert added("Gemma-3-27B", 1_023) == added("Gemma-3-27B", 1_000) > added("Gemma-3-27B", 1_024)
    assert {"en": "until the sequence ends", "zh": "直到序列结束"}[lang] not in words
    stops = ungrouped(more("Mistral-7B-v0.1", 4_000), lang)
    assert added("Mistral-7B-v0.1", 4_096) == 0
    assert {"en": "the cache stops growing", "zh": "缓存不再增长"}[lang] in stops


def test_a_token_without_windows_adds_the_product_without_t_and_b_where_there_are_several_sequences() -> None:
    assert "Leave T out of the product" in more("Llama-3-8B", 32_768).en
    assert "Leave B and T out of the product" in frames_of(PRESET["batch"])["one-more"].narration.text.en
    assert f"{added('Llama-3-8B', 32_768)} B" in ungrouped(frames_of(PRESET["batch"])["one-more"].narration.text, "en")


@pytest.mark.parametrize("lang", LANGS)
def test_ignored_windows_that_are_just_full_show_at_the_next_token(lang: Lang) -> None:
    frames = frames_of(Scenario(MODELS["Gemma-3-27B"], 1_024, mistake=Mistake.NO_WINDOW))
    assert SAYS_INVISIBLE[lang] in frames["tokens"].narration.text.of(lang)
    assert {"en": "just full", "zh": "刚好装满"}[lang] in frames["tokens"].narration.text.of(lang)
    assert SAYS_INVISIBLE[lang] not in frames["one-more"].narration.text.of(lang)
    assert frames["one-more"].scene.parts


# Ones without an s


@pytest.mark.parametrize(
    "words", ["1 KV heads", "takes 1 bytes", "the 1 layers keep", "all 1 heads", "1 layer have", "1 of the layers keep"]
)
def test_what_is_searched_for_is_found(words: str) -> None:
    assert ONE.search(words)


@pytest.mark.parametrize(
    "words", ["11 heads", "0.1 bytes", "1 head", "2 × 1 numbers", "1 layer keeps", "1 KV head, one for each"]
)
def test_what_is_right_is_let_pass(words: str) -> None:
    assert not ONE.search(words)


ONES = {"layers": "1", "heads": "1", "kv_heads": "1", "head_dim": "1", "hidden": "1", "tokens": "1", "bits": "8"}
WITH_ONES = {
    "one of each": ONES,
    "one more token": ONES | {"tokens": "2", "heads": "2"},
    "a scale each": ONES | {"group": "1", "scale": "1"},
    "one scale": ONES | {"group": "8", "scale": "1", "head_dim": "8"},
    "one window": ONES | {"layers": "2", "local": "1", "window": "1", "tokens": "5"},
    "one window in one layer": ONES | {"local": "1", "window": "1"},
    "one token short of a window": ONES | {"layers": "3", "local": "2", "window": "2"},
    "a latent of one": {**ONES, "model": "DeepSeek-V3", "kv_heads": "", "rank": "1", "rope": "1"},
    "a latent, rotated part in 16 bits": {**ONES, "model": "DeepSeek-V3", "kv_heads": "", "rank": "2", "rope": "1",
    "rotated": "16"},
}  # fmt: skip


@pytest.mark.parametrize("typed", WITH_ONES.values(), ids=WITH_ONES)
@pytest.mark.parametrize("mistake", Mistake)
def test_of_one_thing_no_step_speaks_as_of_several(typed: dict[str, str], mistake: Mistake) -> None:
    scenario = read(**typed, mistake=mistake.value)
    for frame in LESSON.frames(scenario):
        words = [*(rendered(text.en).text for text in said(frame.narration)), frame.scene.label.en]
        words += [word.text for word in written(svg(frame.scene, "en"))]
        assert [w for w in words if ONE.search(w.replace(THIN, ""))] == []
        assert all(differing(text) == {} for text in (*said(frame.narration), frame.scene.label))
    assert not any(ONE.search(chart.alt(scenario).en.replace(THIN, "")) for chart in LESSON.charts)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.slug)
def test_of_one_thing_no_question_speaks_as_of_several(question: Any) -> None:
    """The smallest numbers that the form takes, all of them and one at a time."""
    own = question.form.write(question.inputs)
    least = {
        control.name: str(control.low) if isinstance(control, Whole) else control.options[-1][0] if isinstance(control,
        Choice) else own[control.name]
        for control in question.form.controls
    }  # fmt: skip
    tried = [
        least,
        *(own | {name: text} for name, text in least.items()),
        *(least | {name: text} for name, text in own.items()),
    ]
    asked = 0
    for typed in tried:
        try:
            inputs = question.form.read(typed, question.inputs)
        except BadInput:
            continue
        asked += 1
        texts = [question.asked(inputs), question.worked(inputs), *(slip.told(inputs) for slip in question.slips)]
        texts += [row.what for row in question.lines(inputs)]
        match question.reply:
            case Pick(options=options) | Order(options=options):
                texts += options(inputs)
            case Tick(rows=rows):
                texts += rows(inputs)
            case Find(claims=claims):
                texts += [text for claim in claims(inputs) for text in (claim.said, *claim.corrections)]
        assert [text.en for text in texts if ONE.search(text.en.replace(THIN, ""))] == []
        assert [text for text in (question.asked(inputs), question.worked(inputs)) if differing(text)] == []
    assert asked


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"layers": "1", "local": "2", "window": "8"}, "the 1 layer;"),
        ({"model": "Llama-3-8B", "local": "1"}, "1 layer has"),
    ],
)
def test_a_complaint_speaks_of_one_layer_as_of_one(typed: dict[str, str], complaint: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(**typed)
    assert complaint in caught.value.complaints[0].en


def test_a_question_on_scales_always_has_scales() -> None:
    with pytest.raises(BadInput):
        SCALES.form.read(SCALES.form.write(SCALES.inputs) | {"group": ""}, SCALES.inputs)


# Billions in Chinese


@pytest.mark.parametrize(
    ("billions", "zh"), [(8.0, "80 亿个参数"), (0.6, "6 亿个参数"), (671.0, "6710 亿个参数"), (0.0, "0 个参数")]
)
def test_parameters_are_counted_in_yi_for_b_is_a_byte(billions: float, zh: str) -> None:
    scenario = replace(PRESET["chapter"], device=Device(billions=billions))
    text = frames_of(scenario)["device"].narration.text
    assert zh in text.zh
    assert f"{billions:g} billion parameters" in text.en
    beside = BESIDE.asked(replace(BESIDE.inputs, device=replace(BESIDE.inputs.device, billions=billions)))
    assert zh in beside.zh
    assert f"{billions:g} billion numbers" in beside.en
    for said_ in (text, beside):
        assert differing(said_) == {}
        assert not re.search(r"\dB", said_.zh)


def test_a_wrong_power_of_ten_in_one_language_is_noticed() -> None:
    assert differing(Text("8 billion", "80 亿")) == {}
    assert differing(Text("8 billion", "8 亿"))
    assert differing(Text("1500 billion", "1.5 万亿")) == {}


# Presets


def test_the_numbers_in_a_presets_name_are_those_of_its_scenario() -> None:
    title = {preset.slug: preset.title.en for preset in LESSON.presets}
    assert f"{PRESET['chapter'].model.n_kv_heads} KV heads" in title["chapter"]
    assert f"{PRESET['mha'].model.n_kv_heads} KV heads" in title["mha"]
    assert PRESET["mha"].model.n_kv_heads == PRESET["mha"].model.n_heads
    assert f"{PRESET['batch'].batch} sequences" in title["batch"]
    for slug in ("scales", "deepseek-v3-fp8"):
        assert f"in {int(PRESET[slug].format.itemsize * 8)} bits" in title[slug]
    by_hand = PRESET["numbers"]
    assert f"{by_hand.seq_len} positions of {by_hand.model.head_dim} numbers" in title["numbers"]


# Rounded K, rounded V


def drawn() -> dict[tuple[str, str], dict[int, str]]:
    """What is hovered, by panel and part: bits and number."""
    fig = ROUNDED.draw(LESSON.scenario, "en")
    found = {}
    for curve in fig.data:
        panel, part = curve.hovertemplate.removeprefix("Δ ").split(": ")[0].split(", ")
        found[panel, part] = dict(zip(curve.x, curve.customdata, strict=True))
    return found


def plainly(bits: int, *, k_too: bool, v_too: bool) -> dict[str, float]:
    """The largest differences, by formulas: each vector of the cache over its own step, the new token behind them."""

    def quantised(a: Any) -> Any:
        step = np.abs(a).max(axis=-1, keepdims=True) / (2 ** (bits - 1) - 1)
        return np.round(a / step) * step

    decoder, tokens = Decoder(CONFIG), prompt(12)
    whole = KVCache(CONFIG)
    token = int(decoder.forward(tokens, whole).logits[-1].argmax())
    cut = KVCache.of(
        CONFIG, [quantised(a) if k_too else a for a in whole.k], [quantised(a) if v_too else a for a in whole.v]
    )
    right, wrong = decoder.forward([token], whole.fork()), decoder.forward([token], cut)
    # layer 0 has the same query in both: of the embedding alone
    x = decoder.weights.embedding[token]
    q = (x / np.sqrt((x**2).mean() + 1e-6)) @ decoder.weights.layers[0].q[:, :4]
    turn = 12 * 10_000.0 ** (-np.arange(2) / 2)
    q = np.concatenate([q[:2] * np.cos(turn) - q[2:] * np.sin(turn), q[2:] * np.cos(turn) + q[:2] * np.sin(turn)])
    seen = []
    for run in (right, wrong):
        s = run.k[0][0] @ q / 2
        p = softmax(s)
        seen.append((s, p, p @ run.v[0][0], run.logits[0]))
    names = ("scores", "weights", "output", "logits")
    return {name: float(np.abs(b - a).max()) for name, a, b in zip(names, *seen, strict=True)}


@pytest.mark.parametrize("bits", [8, 4, 2])
@pytest.mark.parametrize(
    ("part", "k_too", "v_too"), [("K rounded", True, False), ("V rounded", False, True), ("both", True, True)]
)
def test_the_chart_of_rounding_shows_what_the_formulas_give(bits: int, part: str, k_too: bool, v_too: bool) -> None:
    chart = drawn()
    for panel, x in plainly(bits, k_too=k_too, v_too=v_too).items():
        assert float(chart[panel, part][bits]) == pytest.approx(x, rel=0.06, abs=1e-12)


def test_rounded_v_lies_on_0_in_scores_and_weights_at_any_number_of_bits_and_nothing_else_does() -> None:
    for (panel, part), numbers in drawn().items():
        zero = part == "V rounded" and panel in ("scores", "weights")
        assert all((x == "0") == zero for x in numbers.values()), (panel, part)


@pytest.mark.parametrize("lang", LANGS)
def test_the_words_about_rounding_are_the_charts_own_numbers(lang: Lang) -> None:
    chart = drawn()
    caption = ROUNDED.caption.of(lang)
    for panel, part in (
        ("scores", "K rounded"),
        ("weights", "K rounded"),
        ("output", "K rounded"),
        ("output", "V rounded"),
        ("logits", "K rounded"),
        ("logits", "V rounded"),
        ("logits", "both"),
    ):
        assert chart[panel, part][4] in caption
    alt = ROUNDED.alt(LESSON.scenario).of(lang)
    assert all(numbers[4] in alt for numbers in chart.values())
    [answer] = [answer.of(lang) for asked, answer in LESSON.follow_ups if "quantis" in asked.en]
    assert chart["weights", "K rounded"][4] in answer
    assert chart["output", "V rounded"][4] in answer
    assert {"en": "last chart under Explore", "zh": "“探索”里最后一张图"}[lang] in answer
    assert LESSON.charts[-1] is ROUNDED


def test_the_limits_of_the_rounding_chart_are_said_beside_it() -> None:
    assert "no trained model" in ROUNDED.caption.en
    assert "不是训练出来的" in ROUNDED.caption.zh


@pytest.mark.parametrize("lang", LANGS)
def test_the_rounding_chart_is_drawn_once_and_every_point_stands_within_fixed_axes(lang: Lang) -> None:
    fig = ROUNDED.draw(LESSON.scenario, lang)
    assert isinstance(fig, go.Figure)
    assert ROUNDED.draw(PRESET["deepseek-v3"], lang) is fig
    for curve in fig.data:
        axis = fig.layout[curve.yaxis.replace("y", "yaxis")]
        low, high = axis.range
        assert all(10**low < y < 10**high for y in curve.y)
        assert all(fig.layout.xaxis.range[1] < x < fig.layout.xaxis.range[0] for x in curve.x)
    assert len({curve.marker.symbol for curve in fig.data}) == len({curve.line.dash for curve in fig.data}) == 3
