"""What steps ask before they show themselves: answerable from the step before, in both languages, on any numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from engine.online_softmax import Shrink, trace
from lessons import LESSONS
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Frame
from lessons.kit.text import Text, same
from lessons.online_softmax import LESSON
from tests.lessons.reading import CHINESE, LANGS, SVG, differing, shows_no_markup, svg

ONE, TWO = Guess(1.0, same("one")), Guess(2.0, same("two"))
WHICH = same("which?")


def walks() -> list[tuple[str, tuple[Frame, ...]]]:
    """Every lesson with every example, and with every mistake on its first."""
    found = []
    for lesson in LESSONS:
        mistake = next(choice for choice in lesson.player_choices if choice.name == "mistake")
        scenarios = {f"{lesson.slug}/{preset.slug}": preset.scenario for preset in lesson.presets}
        scenarios |= {
            f"{lesson.slug}/{name}": lesson.form.read({"mistake": name}, lesson.scenario) for name, _ in mistake.options
        }
        found += [(name, lesson.frames(scenario)) for name, scenario in scenarios.items()]
    return found


def test_what_is_asked_can_be_answered_from_the_step_before() -> None:
    asked = 0
    for name, frames in walks():
        assert frames[0].narration.ask is None, name
        for before, frame in pairwise(frames):
            ask = frame.narration.ask
            if ask is None:
                continue
            asked += 1
            keys = {shape.key for shape in before.scene.shapes}
            picked = {value for value in (ask.answer, *(slip.value for slip in ask.slips)) if isinstance(value, str)}
            assert picked | set(ask.among) <= keys, (name, frame.narration.id)
    assert asked > 0


def test_a_cell_that_may_be_picked_is_called_by_words_and_no_two_have_one_name() -> None:
    picked = 0
    for name, frames in walks():
        for before, frame in pairwise(frames):
            ask = frame.narration.ask
            if ask is None or ask.kind != "cell":
                continue
            for lang in LANGS:
                groups = [g for g in svg(before.scene, lang) if (g.get("class") or "").split()[0] in ("cell", "bar")]
                among = [g for g in groups if not ask.among or g.get("data-key") in ask.among]
                spoken = {
                    g.get("data-key"): g.get("data-name") or " ".join(t.text or "" for t in g.iter(f"{SVG}text"))
                    for g in among
                }
                assert len(among) > 1, name
                assert all(spoken.values()), (
                    name,
                    frame.narration.id,
                    [key for key, word in spoken.items() if not word],
                )
                names = [g.get("data-name") for g in among if g.get("data-name")]
                assert len(set(names)) == len(names), name
                assert lang != "zh" or all(CHINESE.search(word or "") for word in names), name
                picked += len(among)
    assert picked > 0


def test_what_is_asked_says_the_same_in_both_languages() -> None:
    for name, frames in walks():
        for ask in (frame.narration.ask for frame in frames if frame.narration.ask):
            for text in (ask.prompt, ask.truth, *ask.options, *(slip.said for slip in ask.slips)):
                assert differing(text) == {}, (name, text)
                for words in (text.en, text.zh):
                    assert words, name
                    assert shows_no_markup(words), (name, words)


@pytest.mark.parametrize(
    ("answer", "slips", "more"),
    [
        (3.0, (), {}),
        (math.nan, (ONE,), {}),
        (1.001, (ONE,), {}),
        (3.0, (ONE, Guess(1.001, same("one too"))), {}),
        (3.0, (Guess("cell", same("a cell")),), {}),
        (3.0, (ONE,), {"options": (same("a"), same("b"))}),
        (1.5, (TWO,), {"options": (same("a"), same("b"))}),
        ("a", (), {}),
        ("a", (), {"shown": "a", "options": (same("a"), same("b"))}),
        ("a", (Guess("c", same("c")),), {"shown": "a", "among": ("a", "b")}),
    ],
)
def test_a_question_that_could_not_be_judged_is_refused(
    answer: float | str, slips: tuple[Guess, ...], more: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match=r"slips|answer|options|shown|among"):
        Ask(WHICH, answer, slips, **more)  # type: ignore[arg-type]


def test_on_numbers_that_do_not_tell_a_slip_from_the_answer_it_is_left_out_or_nothing_is_asked() -> None:
    left = asking(WHICH, 2.0, (ONE, TWO, Guess(math.inf, same("overflow")), Guess(1.001, same("one again"))))
    assert left is not None
    assert left.slips == (ONE,)
    assert asking(WHICH, 1.0, (ONE,)) is None
    assert asking(WHICH, math.inf, (ONE,)) is None
    exact = asking(WHICH, 1000.0, (Guess(1001.0, same("one more")),), relative=0.0, absolute=0.0)
    assert exact is not None


def test_the_kind_follows_from_the_answer_and_the_truth_from_the_kind() -> None:
    options = (Text("the first", "第一个"), Text("the second", "第二个"))
    number, choice = Ask(WHICH, 24.0, (ONE,), shown="24"), Ask(WHICH, 2.0, (ONE,), options)
    cell = Ask(WHICH, "k.0", (), shown=Text("the first key", "第一个键"))
    assert [ask.kind for ask in (number, choice, cell)] == ["number", "choice", "cell"]
    assert [ask.truth.zh for ask in (number, choice, cell)] == ["24", "第二个", "第一个键"]
    assert Ask(WHICH, 0.1353352, (ONE,)).truth == same("0.1353")


def test_online_softmax_asks_for_the_factor_once_and_knows_what_the_forgetful_multiply_by() -> None:
    for preset in LESSON.presets:
        rises = [step for step in trace(preset.scenario) if isinstance(step, Shrink)]
        words = [frame.narration for frame in LESSON.frames(preset.scenario)]
        asked = [said.ask for said in words if said.ask and said.id.endswith("/shrink")]
        assert len(asked) == min(1, len(rises))
        for ask, rise in zip(asked, rises, strict=False):
            assert ask.answer == rise.alpha
            assert 1.0 in [slip.value for slip in ask.slips]
