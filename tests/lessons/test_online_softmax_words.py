"""What the online softmax lesson says and draws, against the plain formula, the source's figures and the audit's
table of wrong ways (shared/sources/audit.md, A2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from engine.online_softmax import Mistake, Scenario
from lessons.kit.controls import BadInput
from lessons.kit.lesson import Frame
from lessons.kit.question import Question
from lessons.kit.roles import Role
from lessons.kit.scene import legend
from lessons.kit.shapes import Bar, Cell, Label
from lessons.kit.text import Lang, Text
from lessons.online_softmax import LESSON
from lessons.online_softmax.form import KEYS
from lessons.online_softmax.presets import CHAPTER, TWO_TILES
from lessons.online_softmax.questions import QUESTIONS
from lessons.online_softmax.questions.claims import FOLD
from lessons.online_softmax.questions.parts import MERGE
from tests.lessons.reading import CASES, LANGS, Case, differing, rendered, said, svg, written

PRESET = {preset.slug: preset.scenario for preset in LESSON.presets}
WAYS = [mistake for mistake in Mistake if mistake is not Mistake.NONE]
OWN_CASES = [case for case in CASES if case.lesson is LESSON]
RESCALES = (Mistake.NO_RESCALE, Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY)
SAYS_INVISIBLE = {"en": "invisible", "zh": "看不出来"}

modest = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def four(x: float) -> str:
    """Python's own four decimals with the typographic minus."""
    return f"{x:.4f}".replace("-", "−")


def shown(frame: Frame, lang: Lang) -> str:
    """All that a reader sees of a step: the sentence, the small table, the picture."""
    words = [
        frame.narration.title.of(lang),
        rendered(frame.narration.headline.of(lang)).text,
        rendered(frame.narration.text.of(lang)).text,
    ]
    words += [text.of(lang) for text in said(frame.narration)]
    words += [word.text for word in written(svg(frame.scene, lang))]
    return "\n".join(words)


def frames_of(scenario: Scenario) -> dict[str, Frame]:
    return {frame.narration.id: frame for frame in LESSON.frames(scenario)}


def at_check(case: Case) -> Frame:
    return next(frame for frame in case.frames if frame.narration.id == "check")


# The oracle: each way in plain Python, a sum of weighted values, with no state to carry wrongly.


def plain(scenario: Scenario) -> list[float]:
    m = max(scenario.scores)
    if m == -math.inf:
        return [0.0] * scenario.d
    weights = [math.exp(s - m) for s in scenario.scores]
    return [
        math.fsum(w * row[i] for w, row in zip(weights, scenario.values, strict=True)) / math.fsum(weights)
        for i in range(scenario.d)
    ]


def wrong(scenario: Scenario) -> list[float]:
    """What the mistake makes of it. A key read in tile i weighs exp(s − reference) times the α of every later tile
    that the mistake does apply."""
    maxima = [max(scenario.scores[key] for key in tile.keys) for tile in scenario.tiles]
    running = [max(maxima[: i + 1]) for i in range(len(maxima))]
    up, down = [0.0] * scenario.d, 0.0
    for i, tile in enumerate(scenario.tiles):
        reference = {Mistake.TILE_MAX: maxima[i], Mistake.NO_MAX: 0.0}.get(scenario.mistake, running[i])
        alpha = math.exp(running[i] - running[-1]) if running[i] > -math.inf else 0.0
        on_l = 1.0 if scenario.mistake in (Mistake.NO_RESCALE, Mistake.NO_MAX, Mistake.RESCALE_U_ONLY) else alpha
        on_u = 1.0 if scenario.mistake in (Mistake.NO_RESCALE, Mistake.NO_MAX, Mistake.RESCALE_L_ONLY) else alpha
        for key in tile.keys:
            s = scenario.scores[key]
            if s > -math.inf:
                if s - reference > 709.78:
                    return [math.nan] * scenario.d
                p = math.exp(s - reference)
                down += on_l * p
                up = [u + on_u * p * x for u, x in zip(up, scenario.values[key], strict=True)]
    return [u / down if down else 0.0 for u in up]


def is_hidden(scenario: Scenario) -> bool:
    """Whether the mistake leaves the output as it is, up to rounding."""
    return all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(plain(scenario), wrong(scenario), strict=True)
    )


# The source's figures


@pytest.mark.parametrize(
    ("preset", "step", "figures"),
    [
        ("two-tiles", "tile-2/shrink", ("0.1353",)),  # Q027: α = e^(1 − 3)
        ("two-tiles", "tile-2/add", ("1.1353", "10.2707")),
        ("two-tiles", "divide", ("1.1353", "10.2707", "9.0464")),
        ("two-tiles", "check", ("9.0464",)),
        ("chapter", "tile-2/shrink", ("0.1353", "0.6767")),
        ("chapter", "tile-2/add", ("1.1353", "10.6767", "0.6767")),  # audit A2
        ("chapter", "tile-3/add", ("0.3679", "1.5032", "10.6767", "8.0343")),
        ("chapter", "check", ("7.1026", "5.3447")),
        ("tile-of-two", "tile-1/add", ("0.1353", "1.0000", "1.1353", "10.6767", "0.6767")),
        ("tile-of-two", "check", ("7.1026", "5.3447")),
        ("order-cba", "check", ("7.1026", "5.3447")),
        ("descending", "check", ("7.1026", "5.3447")),
        ("near-10000", "check", ("7.1026", "5.3447")),
        ("masked-first", "check", ("3.7311",)),
        ("all-equal", "check", ("2.5000",)),
    ],
)
@pytest.mark.parametrize("lang", LANGS)
def test_the_sources_figures_are_read_at_the_step_where_they_arise(
    preset: str, step: str, figures: tuple[str, ...], lang: Lang
) -> None:
    words = shown(frames_of(PRESET[preset])[step], lang)
    for figure in figures:
        assert figure in words


@pytest.mark.parametrize("case", OWN_CASES, ids=lambda case: case.id)
def test_the_check_shows_softmax_at_once_and_the_outputs_of_both_ways(case: Case) -> None:
    frame = at_check(case)
    right = plain(case.scenario)
    other = wrong(case.scenario)
    for lang in LANGS:
        words = shown(frame, lang)
        assert ", ".join(map(four, right)) in words
        if case.scenario.mistake is not Mistake.NONE:
            assert (", ".join(map(four, other)) if not math.isnan(other[0]) else "NaN") in words


numbers = st.integers(-50, 50).map(lambda n: n / 4)


@st.composite
def scenarios(draw: st.DrawFn, most: int = 5) -> Scenario:
    n, d = draw(st.integers(1, most)), draw(st.integers(1, 4))
    return Scenario(
        tuple(draw(st.lists(numbers | st.just(-math.inf), min_size=n, max_size=n))),
        tuple(draw(st.lists(st.tuples(*[numbers] * d), min_size=n, max_size=n))),
        tuple("ABCDEFGHIJKLMNOP"[:n]),
        draw(st.integers(1, n + 1)),
        draw(st.sampled_from(Mistake)),
        draw(st.none() | st.permutations(range(n)).map(tuple)),
    )


@modest
@given(scenarios())
def test_no_number_is_typed_whatever_the_inputs_the_check_shows_their_own_output(scenario: Scenario) -> None:
    exact = plain(scenario)
    # where a fifth digit is about to tip, the last bit decides
    assume(all((abs(x) >= 1e-3 and abs((x * 1e4) % 1 - 0.5) > 1e-6) or x == 0 for x in exact))
    last = frames_of(scenario)["check"]
    assert ", ".join(map(four, exact)) in shown(last, "en")
    assert ", ".join(map(four, exact)) in shown(last, "zh")


EXTREME = Scenario((709.0, -1e6, 1e6), ((1e6, -1e6),) * 3, ("A", "B", "C"))  # what the form still accepts


@modest
@given(scenarios())
@example(EXTREME)
@example(replace(EXTREME, mistake=Mistake.NO_MAX))
@example(replace(EXTREME, mistake=Mistake.NO_MAX, scores=(709.0, -math.inf, 709.0)))
@example(replace(EXTREME, mistake=Mistake.TILE_MAX))
@example(replace(EXTREME, mistake=Mistake.RESCALE_U_ONLY, order=(2, 0, 1)))
@example(replace(EXTREME, scores=(-math.inf,) * 3, mistake=Mistake.NO_RESCALE))
def test_whatever_the_inputs_both_ways_run_step_for_step_and_both_languages_agree(scenario: Scenario) -> None:
    frames = LESSON.frames(scenario)
    ids = [frame.narration.id for frame in frames]
    assert ids == [frame.narration.id for frame in LESSON.frames(replace(scenario, mistake=Mistake.NONE))]
    assert len(set(ids)) == len(ids)
    assert len({(frame.scene.width, frame.scene.height) for frame in frames}) == 1
    for frame in frames:
        for text in said(frame.narration):
            assert text.en.strip() or text.en == text.zh
            assert differing(text) == {}


# The wrong ways


@pytest.mark.parametrize(
    ("preset", "mistake", "figures"),
    [
        ("chapter", Mistake.NO_RESCALE, "6.3348, 5.2188"),
        ("chapter", Mistake.RESCALE_L_ONLY, "9.9786, 8.2208"),
        ("chapter", Mistake.RESCALE_U_ONLY, "4.5090, 3.3930"),
        ("chapter", Mistake.TILE_MAX, "5.0000, 9.6831"),
        ("tile-of-two", Mistake.TILE_MAX, "5.0000, 9.6831"),
        ("order-cba", Mistake.NO_RESCALE, "5.0000, 8.3333"),
        ("order-cba", Mistake.RESCALE_L_ONLY, "9.9786, 16.6310"),
        ("order-cba", Mistake.RESCALE_U_ONLY, "3.5589, 2.6781"),
        ("two-tiles", Mistake.NO_RESCALE, "6.0000"),  # audit 0.42
        ("two-tiles", Mistake.RESCALE_L_ONLY, "10.5696"),
        ("two-tiles", Mistake.RESCALE_U_ONLY, "5.1353"),
    ],
)
@pytest.mark.parametrize("lang", LANGS)
def test_the_check_names_the_wrong_output_of_the_audits_table(
    preset: str, mistake: Mistake, figures: str, lang: Lang
) -> None:
    check = frames_of(replace(PRESET[preset], mistake=mistake))["check"]
    words = rendered(check.narration.text.of(lang)).text
    assert figures in words
    assert SAYS_INVISIBLE[lang] not in words


@pytest.mark.parametrize("case", OWN_CASES, ids=lambda case: case.id)
def test_a_mistake_is_called_invisible_exactly_when_the_output_does_not_differ(case: Case) -> None:
    chosen = case.scenario.mistake is not Mistake.NONE
    for lang in LANGS:
        words = rendered(at_check(case).narration.text.of(lang)).text
        assert (SAYS_INVISIBLE[lang] in words) == (chosen and is_hidden(case.scenario))
        assert ("✗" in words) == chosen


@modest
@given(scenarios())
def test_whatever_the_inputs_invisible_is_said_exactly_when_the_output_does_not_differ(scenario: Scenario) -> None:
    difference = max(abs(a - b) for a, b in zip(plain(scenario), wrong(scenario), strict=True))
    assume(difference < 1e-12 or difference > 1e-6)
    words = rendered(frames_of(scenario)["check"].narration.text.en).text
    assert ("invisible" in words) == (scenario.mistake is not Mistake.NONE and difference < 1e-12)


@pytest.mark.parametrize(
    ("preset", "mistake", "reason"),
    [
        *(("tile-of-two", m, ("maximum never rises after the first visible", "最大值再也没有上升")) for m in RESCALES),
        *(("descending", m, ("maximum never rises after the first visible", "最大值再也没有上升")) for m in RESCALES),
        *(("all-equal", m, ("maximum never rises after the first visible", "最大值再也没有上升")) for m in RESCALES),
        (
            "order-cba",
            Mistake.TILE_MAX,
            ("own maximum of every visible tile is the running one", "自己的最大值恰好就是当前最大值"),
        ),
        (
            "two-tiles",
            Mistake.TILE_MAX,
            ("own maximum of every visible tile is the running one", "自己的最大值恰好就是当前最大值"),
        ),
        ("chapter", Mistake.NO_MAX, ("709.78", "709.78")),
        ("all-equal", Mistake.NO_MAX, ("709.78", "709.78")),
    ],
)
def test_the_reason_why_nothing_shows_is_the_right_one(preset: str, mistake: Mistake, reason: tuple[str, str]) -> None:
    narration = frames_of(replace(PRESET[preset], mistake=mistake))["check"].narration
    for lang, words in zip(LANGS, reason, strict=True):
        assert words in rendered(narration.text.of(lang)).text


def test_with_all_keys_in_one_tile_there_is_nothing_to_rescale() -> None:
    for mistake in RESCALES:
        text = frames_of(replace(CHAPTER, tile_size=3, mistake=mistake))["check"].narration.text
        assert "one tile" in text.en
        assert "同一个分块" in text.zh


def test_with_equal_values_one_set_of_weights_is_as_good_as_another() -> None:
    alike = replace(CHAPTER, values=((5.0, 1.0),) * 3)
    for mistake in (Mistake.NO_RESCALE, Mistake.TILE_MAX):
        text = frames_of(replace(alike, mistake=mistake))["check"].narration.text
        assert "all values are alike" in text.en
        assert "所有的值都一样" in text.zh


@pytest.mark.parametrize("lang", LANGS)
def test_scores_near_10000_overflow_unless_the_maximum_is_subtracted(lang: Lang) -> None:
    check = frames_of(replace(PRESET["near-10000"], mistake=Mistake.NO_MAX))["check"]
    words = rendered(check.narration.text.of(lang)).text
    assert {"en": "overflow", "zh": "溢出"}[lang] in words
    assert "NaN" in words
    assert "7.1026, 5.3447" in shown(check, lang)


@pytest.mark.parametrize(
    ("preset", "mistake", "step"),
    [
        ("chapter", Mistake.NO_RESCALE, "tile-2/shrink"),
        ("chapter", Mistake.RESCALE_L_ONLY, "tile-2/shrink"),
        ("chapter", Mistake.RESCALE_U_ONLY, "tile-2/shrink"),
        ("chapter", Mistake.TILE_MAX, "tile-3/add"),  # B is the first tile below the running maximum
        ("chapter", Mistake.NO_MAX, "tile-2/max"),  # 0 is C's own score: until A nothing differs
        ("two-tiles", Mistake.NO_RESCALE, "tile-2/shrink"),
        ("two-tiles", Mistake.NO_MAX, "tile-1/max"),
        ("tile-of-two", Mistake.TILE_MAX, "tile-2/add"),
        ("order-cba", Mistake.NO_RESCALE, "tile-2/shrink"),
        ("descending", Mistake.TILE_MAX, "tile-2/add"),
        ("tile-of-two", Mistake.NO_RESCALE, None),
        ("tile-of-two", Mistake.RESCALE_L_ONLY, None),
        ("tile-of-two", Mistake.RESCALE_U_ONLY, None),
        ("order-cba", Mistake.TILE_MAX, None),
        ("all-equal", Mistake.NO_RESCALE, None),
    ],
)
def test_the_ways_first_part_at_the_step_where_the_mistake_is_made(
    preset: str, mistake: Mistake, step: str | None
) -> None:
    frames = LESSON.frames(replace(PRESET[preset], mistake=mistake))
    assert next((frame.narration.id for frame in frames if frame.scene.parts), None) == step


def test_at_the_step_where_they_part_only_the_cells_that_differ_are_marked() -> None:
    frame = frames_of(replace(CHAPTER, mistake=Mistake.RESCALE_U_ONLY))["tile-2/shrink"]
    wrong_cells = {s.key: s for s in frame.scene.shapes if isinstance(s, Cell) and "WRONG" in [r.name for r in s.roles]}
    assert list(wrong_cells) == ["wrong.l.after.0", "wrong.o.after.0", "wrong.o.after.1"]
    # ℓ stays 1 where e⁻² was due, and u ÷ ℓ is off
    assert wrong_cells["wrong.l.after.0"].value == 1.0


@pytest.mark.parametrize("case", OWN_CASES, ids=lambda case: case.id)
def test_a_mistake_that_changes_the_output_is_marked_before_or_at_the_last_step(case: Case) -> None:
    if case.scenario.mistake is not Mistake.NONE and not is_hidden(case.scenario):
        assert at_check(case).scene.parts
        assert not case.frames[0].scene.parts


@pytest.mark.parametrize("mistake", [m for m in WAYS if m is not Mistake.NO_MAX])
def test_the_merge_of_tiles_is_wrong_in_every_way_on_the_chapters_order(mistake: Mistake) -> None:
    assert not is_hidden(replace(CHAPTER, mistake=mistake))  # "C, A, B one at a time shows all of them"


# Labels are the reader's own


def labelled(label: str, base: Scenario = CHAPTER) -> Scenario:
    """The base with its first label replaced by what a reader typed; BadInput where it is refused."""
    (row,) = KEYS.read(KEYS.typed([[label, "1", "1"]]))
    return replace(base, labels=(row.label, *base.labels[1:]))


accepted = st.one_of(
    st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12),
    st.text(st.sampled_from("*_$[]()<>|\\`~:#!&;'\"-+=.1aA{}@/^% "), min_size=1, max_size=12),
    st.text(st.sampled_from("键值分数块查询，。（）"), min_size=1, max_size=12),
).filter(lambda s: bool(s.strip()))


PLACEHOLDER = "Placeholder"
WHOLE_HEAD = ("table", "saved")  # steps that draw no bars


@cache
def with_placeholder(mistake: Mistake) -> list[tuple[Frame, dict[Lang, list[str]]]]:
    """The frames of the chapter with a harmless label, and the elements of their pictures."""
    frames = LESSON.frames(replace(labelled(PLACEHOLDER), mistake=mistake))
    return [(frame, {lang: [e.tag for e in svg(frame.scene, lang).iter()] for lang in LANGS}) for frame in frames]


def shown_labels(root: ET.Element) -> Iterator[str]:
    """The words under the first bar."""
    for group in root:
        if group.get("data-key") == "label.0":
            yield from (element.text or "" for element in group)


def stands_for(word: str, label: str) -> bool:
    """The label itself, or the start of it and an ellipsis."""
    return word == label or (word.endswith("…") and len(word) > 2 and label.startswith(word[:-1]))


@settings(max_examples=10)
@given(accepted)
@example("<img src=x>")
@example("</text><b>")
@example("]]>")
@example("&amp;")
@example("*_$[]()<>|")
@example("\\`~:#")
@example("[a](b)")
@example("$x$")
@example("1.")
@example("# a")
@example("**b**")
@example("- a")
@example("עברית")
@example("a\u00a0 b")
@example("W" * 12)
@example("键" * 12)
def test_any_accepted_label_is_drawn_and_told_as_typed_and_makes_no_element(label: str) -> None:
    ours = labelled(label)
    label = ours.labels[0]
    for mistake in (Mistake.NONE, Mistake.RESCALE_U_ONLY):
        pairs = zip(LESSON.frames(replace(ours, mistake=mistake)), with_placeholder(mistake), strict=True)
        for frame, (neutral, elements) in pairs:
            for lang in LANGS:
                root = svg(frame.scene, lang)
                assert [element.tag for element in root.iter()] == elements[lang]
                drawn = [stands_for(word, label) for word in shown_labels(root)]
                assert drawn == ([] if frame.narration.id in WHOLE_HEAD else [True])
                assert root.get("aria-label") == frame.scene.label.of(lang)
                ours_, other = frame.narration, neutral.narration
                for a, b in ((ours_.headline, other.headline), (ours_.text, other.text)):
                    html, plain_html = rendered(a.of(lang)), rendered(b.of(lang))
                    assert html.tags == plain_html.tags
                    assert html.text == plain_html.text.replace(PLACEHOLDER, label)
                assert ours_.title.of(lang) == other.title.of(lang).replace(PLACEHOLDER, label)
                assert frame.scene.label.of(lang) == neutral.scene.label.of(lang).replace(PLACEHOLDER, label)


def test_a_refused_label_never_reaches_the_picture() -> None:
    for label in ("\x00", "a\u202eb", "\ud800", "x" * 13):
        with pytest.raises(BadInput):
            labelled(label)


def cramped(n: int, d: int, label: str, mistake: Mistake) -> Scenario:
    """The largest table that the form accepts, with the longest numbers and words."""
    return Scenario(
        tuple(-1234.5678 - i for i in range(n)), ((-123456.78,) * d,) * n, (label,) * n, 1 if n < 5 else 3, mistake
    )


@pytest.mark.parametrize("label", ["W" * 12, "键" * 12, "i" * 12], ids=ascii)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 2), (5, 1), (5, 4), (16, 1), (16, 4)])
@pytest.mark.parametrize("mistake", [Mistake.NONE, Mistake.NO_RESCALE])
def test_the_largest_table_with_the_longest_words_still_fits_the_picture(
    n: int, d: int, label: str, mistake: Mistake
) -> None:
    frames = LESSON.frames(cramped(n, d, label, mistake))
    assert len({(frame.scene.width, frame.scene.height) for frame in frames}) == 1
    for frame in (frames[0], frames[1], frames[-3], frames[-1]):
        words = [word for word in written(svg(frame.scene, "zh")) if word.text.strip()]
        for word in words:
            assert word.left >= 0
            assert word.right <= frame.scene.width, word
            assert word.top >= 0
            assert word.bottom <= frame.scene.height, word


@pytest.mark.parametrize("label", ["W" * 12, "键" * 12], ids=ascii)
@pytest.mark.parametrize("n", [3, 4, 5, 8, 12, 16])
def test_labels_of_neighbours_do_not_run_into_each_other(n: int, label: str) -> None:
    scenario = Scenario(tuple(map(float, range(n))), ((1.0,),) * n, (label,) * n, 2)
    for frame in LESSON.frames(scenario)[1:4]:
        labels = [w for w in written(svg(frame.scene, "en")) if stands_for(w.text, label)]
        assert len(labels) == n
        for a, b in itertools.pairwise(labels):
            assert a.right <= b.left + 4, (a, b)


def test_a_bar_stands_for_each_key_in_reading_order_and_the_tallest_is_the_largest_score() -> None:
    scene = frames_of(PRESET["order-cba"])["tile-1/read"].scene
    bars = sorted((s for s in scene.shapes if isinstance(s, Bar)), key=lambda bar: bar.x)
    assert [bar.key for bar in bars] == ["bar.0", "bar.2", "bar.1"]
    assert [bar.text for bar in bars] == ["0", "1", "2"]
    assert bars[0].h < bars[1].h < bars[2].h


# Questions of this lesson

ANY_KEYS = [
    q for q in QUESTIONS if isinstance(q.inputs, Scenario) and q is not FOLD
]  # FOLD asks for a maximum that rises


def reads(slug: str, inputs: Scenario) -> dict[str, float | tuple[float, ...]]:
    """A question's right answer by the plain formula, where there is one."""
    m = max(inputs.scores)
    l = math.fsum(math.exp(s - m) for s in inputs.scores)
    return {
        "output": tuple(plain(inputs)),
        "merge": tuple(plain(inputs)),
        "denominator": (l,),
        "accumulator": tuple(x * l for x in plain(inputs)),
        "lse": (m + math.log(l),),
        "overflow": (math.log(1.7976931348623157e308) - m,),
    }


@pytest.mark.parametrize("question", ANY_KEYS, ids=lambda q: q.slug)
def test_right_answers_are_those_of_the_plain_formula(question: Question[Scenario]) -> None:
    for seed in range(12):
        inputs = question.draw(seed).inputs
        oracle = reads(question.slug, inputs)
        if question.slug in oracle:
            assert question.answer(inputs) == pytest.approx(oracle[question.slug], rel=1e-9)
    if question.slug == "shrinks":
        assert question.answer(question.inputs) == (2.0,)  # tiles (0 1)(2 3)(1 2)(4 5): 1 → 3, 3, 3 → 5


def test_the_chapters_numbers_are_what_its_questions_start_with() -> None:
    bank: tuple[Question[Any], ...] = QUESTIONS
    first = {question.slug: question.answer(question.inputs) for question in bank}
    assert first["output"] == pytest.approx((7.102562, 5.344722), abs=1e-6)
    assert first["alpha"] == pytest.approx((0.135335,), abs=1e-6)
    assert first["denominator"] == pytest.approx((1.503215,), abs=1e-6)
    assert first["accumulator"] == pytest.approx((10.676676, 8.034265), abs=1e-6)
    assert first["lse"] == pytest.approx((2.407606,), abs=1e-6)
    assert MERGE.inputs.tile_size > 1
    assert plain(TWO_TILES) == pytest.approx([9.046377], abs=1e-6)


@pytest.mark.parametrize("question", ANY_KEYS, ids=lambda q: q.slug)
@settings(max_examples=10)
@given(scenario=scenarios(most=4))
@example(scenario=EXTREME)
@example(scenario=replace(EXTREME, scores=(-math.inf,) * 3))
@example(scenario=replace(EXTREME, scores=(-math.inf, 0.0, 1.0)))
def test_whatever_numbers_are_put_into_a_question_it_can_be_asked_and_answered(
    question: Question[Scenario], scenario: Scenario
) -> None:
    inputs = replace(scenario, mistake=Mistake.NONE)
    assert differing(question.asked(inputs)) == {}
    exact = question.answer(inputs)
    if all(map(math.isfinite, exact)):
        assert question.judge(inputs, exact).right
    assert question.way is not None
    assert LESSON.frames(question.way(inputs))
    for slip in question.slips:
        if slip.way is not None:
            assert LESSON.frames(slip.way(inputs))


@pytest.mark.parametrize(("lang", "word"), [("en", "read"), ("zh", "已读")])
def test_after_the_last_tile_each_key_is_called_read_and_none_held(lang: Lang, word: str) -> None:
    frames = LESSON.frames(LESSON.scenario)
    assert "discarded every score with its tile" in frames[-3].narration.text.en
    for frame in frames[-3:-1]:
        states = {s.key: s.text for s in frame.scene.shapes if isinstance(s, Label) and s.key.startswith("state.")}
        assert {text.of(lang) for text in states.values() if isinstance(text, Text)} == {word}
        assert len(states) == len(LESSON.scenario.scores)


def test_the_legend_of_the_bars_shows_bars() -> None:
    entries = {entry["text"]: entry["svg"] for entry in legend([f.scene for f in LESSON.frames(LESSON.scenario)], "en")}
    for role in (Role.HELD, Role.LATER, Role.NOW):
        assert f'class="bar {role.css}"' in entries[role.value.en]


# What is concluded, from these inputs


def at_the_end(mistake: Mistake, *rows: str) -> str:
    """What the check says of a wrong way on these keys, one a tile."""
    typed = {"keys": "\n".join(rows), "tile": "1", "order": "", "mistake": mistake.value}
    scenario = LESSON.form.read(typed, LESSON.scenario)
    return rendered(frames_of(scenario)["check"].narration.text.en).text.split("✗")[1]


@pytest.mark.parametrize(
    ("mistake", "rows", "said"),
    [
        (Mistake.RESCALE_L_ONLY, ("A,1,2", "B,3,10"), "10.5696 lies above every value (at most 10)"),
        (Mistake.RESCALE_U_ONLY, ("A,0,5", "B,2,5"), "lies below every value (at least 5)"),
        (Mistake.RESCALE_L_ONLY, ("A,1,-5", "B,3,-10"), "lies below every value (at least −10)"),
        (Mistake.NO_RESCALE, ("A,1,2", "B,3,10"), "lies within the range of the values"),
        (Mistake.NO_MAX, ("A,10000,2", "B,3,10"), "e^s overflows to ∞"),
        (Mistake.NO_MAX, ("A,709.7,1", "B,709.7,2", "C,709.7,3"), "but their sum ℓ overflows"),
        (Mistake.NO_MAX, ("A,709,1000000", "B,0,1"), "ℓ is finite, but the sum u overflows"),
        (Mistake.NO_MAX, ("A,-800,1", "B,-800,3"), "so small that float64 writes it as 0"),
    ],
)
def test_what_gives_a_wrong_output_away_is_told_of_these_inputs(
    mistake: Mistake, rows: tuple[str, ...], said: str
) -> None:
    words = at_the_end(mistake, *rows)
    assert said.replace("e^s", "es") in words
    assert ("range" in words) == ("within the range" in said)


def test_where_the_old_keys_no_longer_count_nothing_says_that_the_quotient_stays() -> None:
    far = replace(CHAPTER, scores=(0.0, 10_000.0, 1.0))
    for scenario, stays in ((CHAPTER, True), (far, False)):
        frame = frames_of(scenario)["tile-2/shrink"]
        notes = [s for s in frame.scene.shapes if isinstance(s, Label) and s.key == "o.note"]
        assert bool(notes) == stays
        assert ("u ÷ ℓ stays" in frame.narration.why.en) == stays
    assert "no longer count" in frames_of(far)["tile-2/shrink"].narration.why.en


def test_a_tile_brings_keys_and_values_and_the_kernel_computes_their_scores() -> None:
    words = frames_of(CHAPTER)["tile-1/read"].narration.why
    assert "reads a tile of keys and values into fast memory and computes the scores there" in rendered(words.en).text
    assert "键和值" in words.zh


def test_the_last_step_names_the_ledgers_with_the_bytes_of_a_whole_head() -> None:
    t, d, tile = 32_768, 128, 128
    tables = 4 * t * t * 2  # scores and weights, out and back
    vectors = 4 * t * d * 2
    tiles = 2 * t * d * 2 + t // tile * (2 * t * d * 2) + 4 * t  # q and o once, k and v once a tile, the log-sum-exp
    frames = LESSON.frames(CHAPTER)
    assert f"{tables / 2**30:g} GiB" in frames[0].narration.headline.en
    for lang in LANGS:
        words = shown(frames[-1], lang)
        for n in (tables, tables + vectors, tiles):
            assert f"{n / 2**30:.4g} GiB" in words
    assert all(name in frames[-1].narration.why.en for name in ("Moved", "Resident", "Work", "Price"))


def test_of_each_key_read_the_plain_way_has_moved_score_and_weight_twice_and_tiles_nothing() -> None:
    for id_, keys in (("tile-1/read", 1), ("tile-2/shrink", 2), ("tile-3/add", 3), ("check", 3)):
        labels = {s.key: s.text for s in frames_of(CHAPTER)[id_].scene.shapes if isinstance(s, Label)}
        for key, n_bytes in (("moved.plain.number", 4 * 2 * keys), ("moved.tiles.number", 0)):
            text = labels[key]
            assert isinstance(text, Text)
            assert text.en == f"{n_bytes} B"


# One screen


@pytest.mark.parametrize("case", OWN_CASES, ids=lambda case: case.id)
def test_picture_and_words_fit_the_stage(case: Case) -> None:
    for frame in case.frames:
        assert frame.scene.width <= 960
        assert frame.scene.height <= 450
        words = frame.narration
        for text, en, zh in ((words.headline, 90, 40), (words.why, 330, 150), (words.wrong, 280, 120)):
            if text is not None:
                assert len(rendered(text.en).text.strip()) <= en, text.en
                assert len(rendered(text.zh).text.strip()) <= zh, text.zh


def test_the_largest_table_stays_within_the_larger_stage() -> None:
    for n, d in ((16, 4), (16, 1), (5, 2)):
        for mistake in (Mistake.NONE, Mistake.NO_RESCALE):
            assert LESSON.frames(cramped(n, d, "W", mistake))[0].scene.height <= 560
