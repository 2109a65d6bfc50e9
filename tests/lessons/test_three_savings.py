"""What the three-savings lesson says and draws: the chapter's warning, in numbers from the running decoder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.counts import decode, prefill, without_cache
from engine.three_ledgers import ALL_OFF, ALL_ON, CACHE, EVERY, PAGING, TILES, Switches, row_bytes
from engine.three_savings import CONFIG, Eight, Mistake, Scenario, Turn, outcome, tokens, trace
from lessons.kit.controls import BadInput
from lessons.kit.format import count
from lessons.kit.lesson import Frame
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell
from lessons.kit.text import Lang
from lessons.three_savings import LESSON
from lessons.three_savings.charts import growth, slope
from lessons.three_savings.form import MOST_NEW, MOST_PROMPT
from lessons.three_savings.questions import QUESTIONS
from tests.lessons.reading import LANGS, differing, rendered, said, svg, written

CHAPTER = LESSON.scenario
WAYS = [mistake for mistake in Mistake if mistake is not Mistake.NONE]
ANSWERS = {question.slug: question.answer(question.inputs) for question in QUESTIONS}
LARGEST = Scenario(tokens(MOST_PROMPT), MOST_NEW, 2, 1, 256, ALL_ON)
SMALLEST = Scenario((0, 10), 1, 32, 32, 2, ALL_OFF)


def frames_of(scenario: Scenario) -> dict[str, Frame]:
    return {frame.narration.id: frame for frame in LESSON.frames(scenario)}


def shown(frame: Frame, lang: Lang) -> str:
    """All that a reader sees of a step."""
    words = [rendered(frame.narration.headline.of(lang)).text, rendered(frame.narration.text.of(lang)).text]
    words += [text.of(lang) for text in said(frame.narration)]
    words += [word.text for word in written(svg(frame.scene, lang))]
    return "\n".join(words)


# The chapter's figures


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("step", "figures"),
    [
        ("off", (3160, 395, 60, 248_320, 186_880, 4928)),
        ("cache", (3160, 840, 395, 105, 60, 14, 76_288, 9792)),
        ("tiles", (3160, 104_448, 61_440, 1792)),
        ("paging", (9792, 4684, 4608, 512, 16)),
        ("together", (840, 44_032, 4112)),
        ("which", (3160, 840, 248_320, 104_448, 9792, 4684)),
    ],
)
def test_the_figures_of_ten_tokens_and_five_new_ones_stand_in_the_step(
    step: str, figures: tuple[int, ...], lang: Lang
) -> None:
    text = shown(frames_of(CHAPTER)[step], lang)
    for figure in figures:
        assert count(figure) in text


def test_those_figures_are_the_audits() -> None:
    assert without_cache(10, 5).pairs == 395
    assert prefill(10).pairs + decode(10, 5, first_from_prefill=True).pairs == 55 + 50 == 105
    assert 18 * row_bytes(CONFIG) == 4608


# The warning


def test_the_same_output_in_all_eight_ways() -> None:
    (step,) = (step for step in trace(CHAPTER) if isinstance(step, Eight))
    assert [way.switches for way in step.ways] == list(EVERY)
    assert len({way.picks for way in step.ways}) == 1
    assert max(way.error for way in step.ways) < 1e-12


def test_each_switch_falls_in_its_own_ledger_and_says_so_on_the_diagonal() -> None:
    scene = frames_of(CHAPTER)["which"].scene
    own = {shape.key for shape in scene.shapes if shape.key.endswith(".own")}
    assert own == {"which.cache.own", "which.tiles.own", "which.paging.own"}
    cache, tiles, paging = (step for step in trace(CHAPTER) if isinstance(step, Turn))
    assert cache.now.ledgers.pairs < cache.before.ledgers.pairs
    assert tiles.now.ledgers.moved < tiles.before.ledgers.moved
    assert tiles.now.ledgers.pairs == tiles.before.ledgers.pairs
    assert paging.now.ledgers.resident.total < paging.before.ledgers.resident.total
    assert (paging.now.ledgers.pairs, paging.now.ledgers.moved) == (
        paging.before.ledgers.pairs,
        paging.before.ledgers.moved,
    )


@pytest.mark.parametrize(
    ("step", "outlined"),
    [
        ("cache", {"work.pairs", "moved.vectors", "moved.tables", "resident.kv", "resident.unused", "resident.scores"}),
        ("tiles", {"moved.vectors"}),
        ("paging", {"resident.unused"}),
    ],
)
def test_only_what_changed_is_outlined(step: str, outlined: set[str]) -> None:
    shapes = frames_of(CHAPTER)[step].scene.shapes
    assert {s.key for s in shapes if Role.NEW in s.roles} == outlined | {f"switch.{step}"}


def test_the_price_of_the_cache_stands_in_another_ledger() -> None:
    text = shown(frames_of(CHAPTER)["cache"], "en")
    assert "its price" in text
    assert "× 1.99" in text


def test_where_the_cache_costs_no_room_in_all_the_step_says_why() -> None:
    scenario = next(p.scenario for p in LESSON.presets if p.slug == "short-reserve")
    off, cache = (outcome(scenario, way).ledgers.resident.total for way in (ALL_OFF, CACHE))
    assert cache < off
    assert "outweigh" in shown(frames_of(scenario)["cache"], "en")


@pytest.mark.parametrize("scenario", [preset.scenario for preset in LESSON.presets])
def test_three_savings_are_claimed_only_where_all_three_ledgers_are_smaller(scenario: Scenario) -> None:
    off, on = (outcome(scenario, way).ledgers for way in (ALL_OFF, ALL_ON))
    smaller = on.pairs < off.pairs and on.moved < off.moved and on.resident.total < off.resident.total
    assert ("three savings at once" in shown(frames_of(scenario)["together"], "en")) == smaller


def test_paging_alone_changes_nothing_and_the_step_says_why() -> None:
    frame = frames_of(replace(CHAPTER, choice=PAGING))["yours"]
    assert "nothing is kept that could be paged" in shown(frame, "en")
    assert not [s.key for s in frame.scene.shapes if s.key.endswith(".change")]


@pytest.mark.parametrize("switches", EVERY, ids=str)
def test_the_reader_may_choose_any_of_the_eight_ways_by_fields_or_by_a_link(switches: Switches) -> None:
    on = {"cache": switches.cache, "tiles": switches.tiles, "paging": switches.paging}
    scenario = LESSON.form.read({name: "on" if value else "off" for name, value in on.items()}, CHAPTER)
    assert scenario.choice == switches
    numbers = [
        count(outcome(CHAPTER, switches).ledgers.moved),
        count(outcome(CHAPTER, switches).ledgers.resident.total),
    ]
    assert all(number in shown(frames_of(scenario)["yours"], "en") for number in numbers)


# Misunderstandings


@pytest.mark.parametrize(
    ("mistake", "parts", "n"),
    [(Mistake.LINEAR, "cache", 4), (Mistake.SKIP_LOW, "tiles", 4), (Mistake.COMPRESS, "paging", 2)],
)
def test_a_misunderstanding_parts_where_its_switch_is_turned_on(mistake: Mistake, parts: str, n: int) -> None:
    frames = frames_of(replace(CHAPTER, mistake=mistake))
    assert next(id_ for id_, frame in frames.items() if frame.scene.parts) == parts
    assert f"changes in {n} of 8 ways" in shown(frames["eight"], "en")
    assert f"{8} 种做法中有 {n} 种" in shown(frames["eight"], "zh")
    hatched = [s for s in frames["eight"].scene.shapes if isinstance(s, Cell) and Role.WRONG in s.roles]
    assert len(hatched) == n


@pytest.mark.parametrize(
    ("mistake", "step", "figures"),
    [
        (Mistake.LINEAR, "cache", ("3.1647", "568", "4 9 6 6 6")),
        (Mistake.SKIP_LOW, "tiles", ("1.8165", "8 6 6 10 6", count(104_448))),
        (Mistake.COMPRESS, "paging", ("1.0358", "664", count(3656), "happen to be the same")),
    ],
)
def test_what_comes_of_it_is_computed_and_shown(mistake: Mistake, step: str, figures: tuple[str, ...]) -> None:
    text = shown(frames_of(replace(CHAPTER, mistake=mistake))[step], "en")
    for figure in figures:
        assert figure in text


@pytest.mark.parametrize("mistake", [Mistake.LINEAR, Mistake.COMPRESS])
def test_with_one_new_token_the_output_shows_nothing_and_the_step_says_why(mistake: Mistake) -> None:
    frames = frames_of(replace(CHAPTER, n_new=1, mistake=mistake))
    assert "the output does not show it here" in shown(frames["eight"], "en")
    assert "no pass reads what was kept" in shown(frames["eight"], "en")


# Inputs


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ({"prompt": "3"}, "Prompt"),
        ({"prompt": "3, 11"}, "Prompt"),
        ({"prompt": "3, x"}, "Prompt"),
        ({"prompt": ""}, "Prompt"),
        ({"prompt": ", ".join("1" * (MOST_PROMPT + 1))}, "Prompt"),
        ({"new": str(MOST_NEW + 1)}, "New tokens"),
        ({"tile": "1"}, "Tile size"),
        ({"block": "0"}, "Block size"),
        ({"reserve": "13"}, "Set aside"),
        ({"cache": "yes"}, "Your choice: KV cache"),
    ],
)
def test_what_cannot_be_used_is_said_in_both_languages(typed: dict[str, str], named: str) -> None:
    with pytest.raises(BadInput) as caught:
        LESSON.form.read(typed, CHAPTER)
    (complaint,) = caught.value.complaints
    assert named in complaint.en
    assert differing(complaint) == {}


@pytest.mark.parametrize("mistake", Mistake)
@pytest.mark.parametrize(
    "scenario", [LARGEST, SMALLEST, replace(LARGEST, max_len=29, block_size=32)], ids=["largest", "smallest", "block"]
)
def test_at_the_bounds_words_stay_inside_the_picture_and_the_numbers_agree(
    scenario: Scenario, mistake: Mistake
) -> None:
    for frame in LESSON.frames(replace(scenario, mistake=mistake)):
        assert all(differing(text) == {} for text in said(frame.narration))
        for lang in LANGS:
            words = [w for w in written(svg(frame.scene, lang)) if w.text.strip() and w.text != "✗"]
            assert all(w.left >= 0 and w.right <= frame.scene.width and w.bottom <= frame.scene.height for w in words)
            for i, a in enumerate(words):
                for b in words[:i]:
                    if a.bottom - b.top > 2 and b.bottom - a.top > 2:
                        assert min(a.right, b.right) - max(a.left, b.left) <= 2, (frame.narration.id, a, b)


# Growth and questions


def test_the_cache_lowers_the_line_of_work_and_does_not_tilt_it() -> None:
    for way in (ALL_OFF, CACHE):
        assert slope([x.pairs for x in growth(5, 4, 4, way)]) == pytest.approx(2, abs=0.01)
    assert slope([x.resident.total for x in growth(5, 4, 4, TILES)]) == pytest.approx(1, abs=0.01)


def test_the_questions_start_with_the_chapters_numbers() -> None:
    assert {
        "pairs-with-cache": (105.0,),
        "pairs-without-cache": (395.0,),
        "work-ratio": pytest.approx((395 / 105,)),
        "tables-resident": (2 * 14 * 14 * 8.0,),
        "tables-moved": (4 * 10 * 10 * 8.0,),
        "unused": (18 * 256.0,),
        "paged": (16 * 256.0,),
        "resident-ratio": (64 / 16,),
    }.items() <= ANSWERS.items()
