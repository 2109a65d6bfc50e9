"""What the lesson on reusing K and V says and draws, against the chapter (Q025), the audit and the hard cases (B2)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.decoder import Decoder
from engine.invalidation import changes
from engine.kv_reuse import Mistake, Scenario, trace
from engine.prompt_edits import ROUNDING, Experiment, Operation, Sight, last_reached
from lessons.kit.controls import BadInput
from lessons.kit.lesson import Frame
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell
from lessons.kit.text import Lang, Text
from lessons.kv_reuse import LESSON
from lessons.kv_reuse.charts import CHARTS, costs_of, finding, outcome_of
from lessons.kv_reuse.questions.inputs import Rows
from lessons.kv_reuse.questions.rows import ROWS
from lessons.kv_reuse.questions.window import REACH, Field
from tests.lessons.reading import LANGS, differing, rendered, said, svg, written

CHAPTER = LESSON.scenario
PRESET = {preset.slug: preset.scenario for preset in LESSON.presets}
WAYS = [mistake for mistake in Mistake if mistake is not Mistake.NONE]
SAYS_INVISIBLE = {"en": "invisible", "zh": "看不出来"}


def shown(frame: Frame, lang: Lang) -> str:
    """All that a reader sees of a step: the sentences, the small table, the picture."""
    words = [rendered(text.of(lang)).text for text in (frame.narration.headline, frame.narration.text)]
    words += [text.of(lang) for text in said(frame.narration)]
    words += [word.text for word in written(svg(frame.scene, lang))]
    return "\n".join(words)


def frames_of(scenario: Scenario) -> dict[str, Frame]:
    return {frame.narration.id: frame for frame in LESSON.frames(scenario)}


def logits_of(frame: Frame, prefix: str = "") -> list[float]:
    cells = {shape.key: shape.value for shape in frame.scene.shapes if isinstance(shape, Cell)}
    return [float(cells[f"{prefix}logit.{t}"] or 0.0) for t in range(11)]


# The chapter's table: six steps on A, B, then C


def test_the_chapters_example_comes_first_two_layers_a_and_b_then_c_and_b_becomes_d() -> None:
    assert CHAPTER == Scenario((0, 1), appended=2, edit_at=1, edit_to=3, n_layers=2) == LESSON.presets[0].scenario
    assert list(frames_of(CHAPTER))[:7] == [
        "cached", "append", "layer-0/inputs", "layer-0/view", "layer-0/outputs", "layer-1/proof", "therefore",
    ]  # fmt: skip


@pytest.mark.parametrize("lang", LANGS)
def test_every_difference_of_the_proof_is_shown_as_measured(lang: Lang) -> None:
    decoder = Decoder(CHAPTER.config)
    measured = changes(decoder.forward(CHAPTER.tokens), decoder.forward(CHAPTER.longer))
    assert max(measured.k.max(), measured.v.max()) <= ROUNDING
    for id_ in ("layer-0/inputs", "layer-0/outputs", "layer-1/proof"):
        assert "|Δ|" in shown(frames_of(CHAPTER)[id_], lang)
        marked = [shape for shape in frames_of(CHAPTER)[id_].scene.shapes if Role.REUSED in shape.roles]
        assert len(marked) >= 4
        assert not any(Role.STALE in shape.roles for shape in frames_of(CHAPTER)[id_].scene.shapes)


def test_a_difference_that_is_rounding_is_shown_and_said_to_be_rounding() -> None:
    long = Scenario((0, 1, 2, 3, 4, 5, 6), appended=7, edit_at=1, edit_to=10, n_layers=3)
    words = shown(frames_of(long)["therefore"], "en")
    decoder = Decoder(long.config)
    rounding = float(changes(decoder.forward(long.tokens), decoder.forward(long.longer)).v.max())
    if rounding:  # which sums differ in the last bit depends on the machine
        assert "×10⁻¹" in words
        assert "rounding" in shown(frames_of(long)["layer-2/proof"], "en")
    assert "≠" not in words


@pytest.mark.parametrize("lang", LANGS)
def test_a_and_b_do_not_see_c_and_in_the_bidirectional_model_they_do(lang: Lang) -> None:
    right, fails = frames_of(CHAPTER)["layer-0/view"], frames_of(PRESET["both-ways"])["layer-0/view"]
    masked = [shape.key for shape in right.scene.shapes if Role.MASK in shape.roles]
    assert masked == ["sight.0.1", "sight.0.2", "sight.1.2"]
    stale = [shape.key for shape in fails.scene.shapes if Role.STALE in shape.roles]
    assert [key for key in stale if key.startswith("sight")] == ["sight.0.2", "sight.1.2"]
    assert "2" in shown(fails, lang)


@pytest.mark.parametrize("lang", LANGS)
def test_where_the_proof_fails_the_steps_say_so_and_the_logits_are_off(lang: Lang) -> None:
    frames = frames_of(PRESET["both-ways"])
    assert "0.5282" in shown(frames["layer-0/outputs"], lang)
    assert {"en": "may not be kept", "zh": "不能照用"}[lang] in shown(frames["therefore"], lang)
    assert "0.0463" in shown(frames["logits"], lang)


@pytest.mark.parametrize("lang", LANGS)
def test_the_new_tokens_path_shows_which_rows_are_reused_and_which_are_new(lang: Lang) -> None:
    for layer in range(2):
        frame = frames_of(CHAPTER)[f"path-{layer}/project"]
        roles = {shape.key: shape.roles for shape in frame.scene.shapes}
        assert all(Role.REUSED in roles[f"{row}.{layer}.{t}"] for row in "kv" for t in range(2))
        assert all(Role.NEW in roles[f"{row}.{layer}.2"] for row in "kv")
        assert Role.NEW in roles["close.q"]
        assert not any(key.startswith("x.") and not key.endswith(".2") for key in roles)  # only k and v were kept
    run = Decoder(CHAPTER.config).forward(CHAPTER.longer)
    np.testing.assert_allclose(logits_of(frames_of(CHAPTER)["logits"]), run.logits[-1], atol=1e-12)
    assert f"{run.logits[-1, 8]:.5f}" in shown(frames_of(CHAPTER)["logits"], lang)


# The wrong ways


@pytest.mark.parametrize(
    ("mistake", "step", "first", "off"),
    [
        (Mistake.TOP_LAYER, "logits", "path-0/project", "0.1252"),
        (Mistake.LAYER_0, "logits", "path-1/project", "0.2452"),
        (Mistake.OLD_Q, "logits", "path-0/project", "1.0684"),
        (Mistake.KEEP_ALL, "edit/ask", "edit/recompute", "0.6140"),
        (Mistake.EDITED_ONLY, "edit/ask", "edit/recompute", "0.0743"),
    ],
)
@pytest.mark.parametrize("lang", LANGS)
def test_each_wrong_way_parts_where_it_goes_wrong_and_its_logit_error_is_shown(
    mistake: Mistake, step: str, first: str, off: str, lang: Lang
) -> None:
    frames = LESSON.frames(replace(CHAPTER, mistake=mistake))
    assert next(frame.narration.id for frame in frames if frame.scene.parts) == first
    frame = next(frame for frame in frames if frame.narration.id == step)
    assert off in shown(frame, lang)
    assert float(np.abs(np.subtract(logits_of(frame), logits_of(frame, "wrong."))).max()) == pytest.approx(
        float(off), abs=5e-5
    )


@pytest.mark.parametrize("mistake", WAYS)
def test_a_wrong_way_stands_beside_the_right_one_only_where_it_matters(mistake: Mistake) -> None:
    late = ("edit/recompute", "edit/ask")
    for id_, frame in frames_of(replace(CHAPTER, mistake=mistake)).items():
        drawn = any(shape.key.startswith("wrong.") for shape in frame.scene.shapes)
        on_path = id_.startswith("path-") or id_ == "logits"
        assert drawn == (id_ in late if mistake.on_the_edit else on_path), id_


@pytest.mark.parametrize("mistake", WAYS)
def test_where_a_mistake_does_not_show_the_step_says_so_and_afterwards_names_the_step_where_it_did(
    mistake: Mistake,
) -> None:
    frames = list(frames_of(replace(CHAPTER, mistake=mistake)).values())
    first = next(i for i, frame in enumerate(frames) if frame.scene.parts)
    for i, frame in enumerate(frames[1:], start=1):
        words, title = frame.narration.text, frames[first].narration.title
        assert ("no difference so far" in words.en) == ("到目前为止没有差别" in words.zh) == (i < first), (
            frame.narration.id
        )
        later = i > first and not frame.scene.parts
        assert (f"it shows at step “{title.en}”" in words.en) == later, frame.narration.id
        assert (f"差别出现在“{title.zh}”一步" in words.zh) == later, frame.narration.id


def test_the_step_that_compares_goes_the_way_the_map_is_drawn_from_layer_0_on() -> None:
    frame = frames_of(CHAPTER)["append"]
    at = {shape.key: shape.y for shape in frame.scene.shapes}
    assert at["name.x.0"] < at["name.x.1"] < at["name.x.2"]
    assert "From layer 0 on" in frame.narration.text.en
    assert "从第 0 层起" in frame.narration.text.zh


def test_the_bytes_of_the_cache_stand_with_the_unit_of_one_number() -> None:
    facts = frames_of(CHAPTER)["cached"].narration.facts
    assert facts is not None
    assert ("bytes (8 a number)", "字节（每个数 8 字节）") in [
        (r[0].en, r[0].zh) for r in facts.rows if isinstance(r[0], Text)
    ]


@pytest.mark.parametrize(
    ("mistake", "change", "because"),
    [
        (Mistake.TOP_LAYER, {"n_layers": 1}, "one layer"),
        (Mistake.LAYER_0, {"n_layers": 1}, "one layer"),
        (Mistake.EDITED_ONLY, {"n_layers": 1}, "one layer"),
        (Mistake.EDITED_ONLY, {"edit_at": 2}, "nothing stands behind"),
        (Mistake.KEEP_ALL, {"edit_to": 1}, "replaced by itself"),
        (Mistake.KEEP_ALL, {"sight": Sight.WINDOW, "window": 1}, "Widen the window"),
    ],
)
def test_a_mistake_that_cannot_be_seen_says_why(mistake: Mistake, change: dict[str, object], because: str) -> None:
    scenario = replace(CHAPTER, mistake=mistake, **change)  # type: ignore[arg-type]
    frames = frames_of(scenario)
    last = frames["edit/ask" if mistake.on_the_edit else "logits"]
    assert because in shown(last, "en")
    for lang in LANGS:
        assert SAYS_INVISIBLE[lang] in shown(last, lang)
    assert not last.scene.parts


letters = st.integers(0, 10)
own = st.builds(
    Scenario,
    st.lists(letters, min_size=1, max_size=7).map(tuple),
    letters,
    st.integers(0, 1),
    letters,
    letters,
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from(Sight),
    st.integers(1, 5),
    st.integers(0, 6),
    st.sampled_from(Mistake),
)


@settings(max_examples=20, deadline=None)
@given(own)
def test_whatever_a_reader_types_both_languages_say_the_same_numbers_and_a_hidden_mistake_is_called_so(
    scenario: Scenario,
) -> None:
    assert LESSON.form.read(LESSON.form.write(scenario), CHAPTER) == scenario
    frames = frames_of(scenario)
    for frame in frames.values():
        assert all(differing(text) == {} for text in said(frame.narration)), frame.narration.id
        assert (frame.scene.width, frame.scene.height) == (1130, frames["cached"].scene.height)
        for lang in LANGS:
            for word in written(svg(frame.scene, lang)):
                assert -1 <= word.left <= word.right <= frame.scene.width + 1, (frame.narration.id, word)
                assert word.bottom <= frame.scene.height, (frame.narration.id, word)
    if scenario.mistake is not Mistake.NONE:
        last = frames["edit/ask" if scenario.mistake.on_the_edit else "logits"]
        for lang in LANGS:
            assert (SAYS_INVISIBLE[lang] in shown(last, lang)) == (not last.scene.parts)


# What is said of how many


@pytest.mark.parametrize(
    "scenario", [CHAPTER, PRESET["window"], replace(PRESET["window"], window=5)], ids=["all", "2", "4"]
)
def test_the_new_query_meets_the_cached_keys_that_its_window_reaches(scenario: Scenario) -> None:
    n = len(scenario.tokens)
    reach = n if scenario.sight is Sight.CAUSAL else min(scenario.window - 1, n)
    text = shown(frames_of(scenario)["path-0/look"], "en")
    assert f"meets {'every' if reach == n else f'{reach} of {n}'} cached k of layer 0, and its own" in text
    assert text.startswith("C" if n == 2 else "F")
    assert f"weighted sum of {reach + 1} values" in text


@pytest.mark.parametrize(
    "scenario", [PRESET["both-ways"], replace(CHAPTER, sight=Sight.PREFIX, prefix=3)], ids=["both ways", "prefix"]
)
def test_where_the_view_widens_it_does_for_every_old_token(scenario: Scenario) -> None:
    text = shown(frames_of(scenario)["layer-0/view"], "en")
    assert "A and B now see C as well" in text
    assert "lets 2 of 2 old queries see C" in text


def test_renewing_the_edited_row_alone_is_called_smaller_only_where_it_is() -> None:
    worse = Scenario((0, 4), appended=4, edit_at=1, edit_to=7, asked=9)
    for scenario, smaller in ((CHAPTER, True), (worse, False)):
        off = {}
        for mistake in (Mistake.KEEP_ALL, Mistake.EDITED_ONLY):
            *_, asked = trace(replace(scenario, mistake=mistake))
            off[mistake] = asked.error  # type: ignore[union-attr]
        assert (off[Mistake.EDITED_ONLY] < off[Mistake.KEEP_ALL]) is smaller
        text = shown(frames_of(replace(scenario, mistake=Mistake.EDITED_ONLY))["edit/ask"], "en")
        assert ("Smaller, and still wrong" in text) is smaller
        assert ("No smaller, and just as wrong" in text) is not smaller


# The edit and the laboratory


@pytest.mark.parametrize("lang", LANGS)
def test_c_survives_the_edit_in_layer_0_and_not_in_layer_1(lang: Lang) -> None:
    roles = {shape.key: shape.roles for shape in frames_of(CHAPTER)["edit/replace"].scene.shapes}
    assert Role.REUSED in roles["k.0.2"]
    assert Role.STALE in roles["k.1.2"]
    assert Role.STALE in roles["v.0.1"]
    assert all(Role.REUSED in roles[f"{row}.{layer}.0"] for row in "kv" for layer in range(2))


@pytest.mark.parametrize("lang", LANGS)
def test_the_laboratorys_picture_says_its_figures(lang: Lang) -> None:
    laboratory, cost = CHARTS
    alt = laboratory.alt(CHAPTER).of(lang)
    for figure in ("100", "128", "28"):
        assert figure in alt
    assert "0.0241428" in cost.alt(CHAPTER).of(lang)  # T15
    assert "0.0008212" in cost.alt(CHAPTER).of(lang)


@pytest.mark.parametrize(
    ("preset", "said_so"), [("chapter", "2 of 10 pass, 1 of them"), ("both-ways", "0 of 10 pass, 0 of them")]
)
def test_the_chart_says_how_many_errors_a_tolerance_lets_pass_as_many_as_lie_below_its_line(
    preset: str, said_so: str
) -> None:
    (chart,) = (chart for chart in CHARTS if chart.slug == "costs")
    fig = chart.draw(PRESET[preset], "en")
    (line,) = fig.layout.shapes
    assert line.y0 == line.y1 == 0.001
    alone = fig.data[1].y
    passed, right = sum(y <= line.y0 for y in alone), sum(y < 1e-12 for y in alone)
    words = f"{passed} of {len(alone)} pass, {right} of them"
    assert words == said_so
    assert words in fig.layout.annotations[0].text
    assert words in chart.alt(PRESET[preset]).en
    assert "many of them" not in chart.caption.en


def test_in_the_window_preset_the_change_ends_and_the_rest_is_exactly_as_it_was() -> None:
    scenario = PRESET["window"]
    outcome, lab = outcome_of(scenario), scenario.experiment
    ends = last_reached(lab.position, lab.n_layers - 1, scenario.window)
    assert np.flatnonzero(outcome.k[-1] > ROUNDING).tolist() == list(range(lab.position, ends + 1))


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("sight", Sight)
def test_every_operation_under_every_rule_of_sight_has_a_picture_and_a_sentence(
    operation: Operation, sight: Sight
) -> None:
    scenario = replace(CHAPTER, sight=sight, experiment=Experiment(operation, length=20, position=3))
    laboratory, cost = CHARTS
    for lang in LANGS:
        drawn = laboratory.draw(scenario, lang)
        assert {trace.type for trace in drawn.data} == {"heatmap"}
        zeros = next((t for t in drawn.data if t.name in ("exactly 0", "恰为 0")), None)
        assert (zeros is not None) == bool((outcome_of(scenario).k == 0).any() or (outcome_of(scenario).v == 0).any())
        cost.draw(scenario, lang)
    assert differing(finding(scenario)) == {}
    assert differing(laboratory.alt(scenario)) == {}
    assert differing(cost.alt(scenario)) == {}
    assert len(costs_of(scenario)[0]) == len(costs_of(scenario)[1])


@pytest.mark.parametrize("figure", ["100", "99", "96", "28", "0.0241428", "0.0008212"])
def test_the_question_on_token_100_tells_both_ways_of_counting_apart(figure: str) -> None:
    (_, answer), *_ = LESSON.follow_ups
    assert figure in answer.en
    assert figure in answer.zh


def test_the_models_that_fail_are_named_with_their_figures() -> None:  # T24
    _, _, (_, answer), *_ = LESSON.follow_ups
    for figure in ("0.163", "0.112"):
        assert figure in answer.en
        assert figure in answer.zh


# Questions against the engine


@pytest.mark.parametrize("rows", [Rows(6, 2, 3), Rows(8, 0, 2), Rows(4, 2, 3), Rows(5, 1, 1)])
def test_the_number_of_changed_rows_is_what_the_engine_measures(rows: Rows) -> None:
    assert ROWS.way is not None
    way = ROWS.way(rows)
    decoder = Decoder(way.config)
    changed = changes(decoder.forward(way.longer), decoder.forward(way.edited)).k > ROUNDING
    assert ROWS.answer(rows) == (float(changed.sum()),)


@pytest.mark.parametrize("field", [Field(3, 3, 4), Field(0, 2, 3), Field(5, 1, 6)])
def test_the_reach_of_an_edit_is_what_the_engine_measures(field: Field) -> None:
    n = int(REACH.answer(field)[0]) + 5
    config = replace(Scenario(n_layers=field.layers).config, window=field.window)
    tokens = [(7 * i + 3) % 11 for i in range(n)]
    edited = [*tokens[: field.at], (tokens[field.at] + 1) % 11, *tokens[field.at + 1 :]]
    moved = np.abs(Decoder(config).forward(tokens).hidden[-1] - Decoder(config).forward(edited).hidden[-1]).max(axis=1)
    assert float(np.flatnonzero(moved > ROUNDING).max()) == REACH.answer(field)[0]


# What may be typed


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ({"tokens": ""}, "Old tokens"),
        ({"tokens": "A L"}, "Old tokens"),
        ({"tokens": "ABCDEFGH"}, "Old tokens"),
        ({"edit_at": "3"}, "Replace at position"),
        ({"at": "128"}, "Position"),
        ({"op": "adapter", "adapter": "3"}, "Adapter"),
        ({"op": "drop", "by": "20", "length": "20", "at": "0"}, "Shift or forget"),
        ({"layers": "4"}, "Layers"),
        ({"sight": "nobody"}, "Who may see whom"),
    ],
)
def test_what_cannot_be_used_is_answered_with_a_sentence_that_names_the_field(
    typed: dict[str, str], named: str
) -> None:
    with pytest.raises(BadInput) as bad:
        LESSON.form.read(typed, CHAPTER)
    (complaint,) = bad.value.complaints
    assert named in complaint.en
    assert differing(complaint) == {}


@pytest.mark.parametrize("typed", ["A B", "ab", "A，B", "a、b", " A;B "])
def test_tokens_may_be_typed_with_or_without_anything_between(typed: str) -> None:
    assert LESSON.form.read({"tokens": typed}, CHAPTER) == CHAPTER
