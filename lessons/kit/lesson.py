"""What a lesson declares, and how its steps become frames that a player can show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import pandas as pd

from lessons.kit.ask import Ask
from lessons.kit.claims import Claim
from lessons.kit.controls import Choice
from lessons.kit.form import Form
from lessons.kit.scene import Scene
from lessons.kit.sources import Source
from lessons.kit.text import Lang, Text, paragraphs, unmarked

if TYPE_CHECKING:
    from lessons.kit.charts import Chart
    from lessons.kit.code import Code
    from lessons.kit.mistake import Mistakes
    from lessons.kit.question import Question

S = TypeVar("S")  # Scenario: everything the reader may change
T = TypeVar("T")  # Step: a frozen snapshot


@dataclass(frozen=True)
class Ledger:
    """What the mechanism does to each of the three accounts, and the one it is for."""

    work: Text
    moved: Text
    resident: Text
    saves: Literal["work", "moved", "resident", "all"]  # all: each account has a mechanism of its own


@dataclass(frozen=True)
class Preset(Generic[S]):
    """A named Scenario; `slug` is its value in the player's list."""

    slug: str
    title: Text
    scenario: S


@dataclass(frozen=True)
class Facts:
    """The small table beside a step's sentence. `changed` are the rows to emphasise, `wrong` those whose last number a
    mistake has spoilt."""

    head: tuple[Text | str, ...]
    rows: tuple[tuple[Text | str, ...], ...]
    changed: frozenset[int] = frozenset()
    wrong: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Narration:
    """All that is said of a step. `id` is the same for the same moment of two Scenarios, `title` names it in the strip,
    `headline` states what happened, `why` gives the reason (Markdown), `wrong` tells what a chosen mistake does here.
    `ask` is put to the reader before the step shows itself. `row` is the step's line of the table: the wrong
    way's where a mistake is chosen. `claims` are the conclusions that headline and reason draw, with their numbers."""

    id: str
    title: Text
    headline: Text
    why: Text
    facts: Facts | None = None
    ask: Ask | None = None
    wrong: Text | None = None
    row: Mapping[str, object] = field(default_factory=dict, hash=False)
    claims: tuple[Claim, ...] = ()

    @property
    def text(self) -> Text:
        """What stands under the headline."""
        return self.why if self.wrong is None else paragraphs(self.why, self.wrong)


def like(step: T, wrong: object) -> T | None:
    """The wrong way's step beside this one, which is of the same kind: both ways stop in the same places."""
    if wrong is None:
        return None
    assert isinstance(wrong, type(step)), f"{type(wrong).__name__} beside {type(step).__name__}"
    return wrong


@dataclass(frozen=True)
class Frame:
    """One step as the player shows it."""

    narration: Narration
    scene: Scene


@dataclass(frozen=True)
class Lesson(Generic[S, T]):
    """One lesson. `narrate` and `draw` get a step and, where a mistake is chosen, the same step of the wrong way."""

    slug: str
    title: Text
    question: Text
    place: Text
    minutes: int
    ledger: Ledger
    form: Form[S]
    scenario: S
    presets: tuple[Preset[S], ...]
    trace: Callable[[S], Iterable[T]]
    narrate: Callable[[S, T, T | None], Narration]
    draw: Callable[[S, T, T | None], Scene]
    mistakes: Mistakes[S]
    questions: tuple[Question[Any], ...]
    why: Text
    how: Text
    limits: Text
    check: Text
    follow_ups: tuple[tuple[Text, Text], ...]
    sources: tuple[Source, ...]
    charts: tuple[Chart[S], ...] = ()
    code: Code[S, T] | None = None

    def pairs(self, scenario: S) -> Iterator[tuple[T, T | None]]:
        """Each step of the right way, with the wrong way's beside it where the scenario makes a mistake."""
        right = self.without_mistake(scenario)
        if right == scenario:
            return ((step, None) for step in self.trace(scenario))
        return zip(self.trace(right), self.trace(scenario), strict=True)

    def without_mistake(self, scenario: S) -> S:
        """The same Scenario, the right way."""
        return self.mistakes.without(scenario)

    def told(self, scenario: S) -> tuple[Narration, ...]:
        """All steps in words, without their pictures."""
        return tuple(self.narrate(scenario, step, wrong) for step, wrong in self.pairs(scenario))

    def frames(self, scenario: S) -> tuple[Frame, ...]:
        """All steps, in words and as pictures. Whoever cannot see a picture is told what it shows, and the headline."""
        return tuple(
            Frame(words, self._drawn(scenario, step, wrong, words))
            for words, (step, wrong) in zip(self.told(scenario), self.pairs(scenario), strict=True)
        )

    def _drawn(self, scenario: S, step: T, wrong: T | None, words: Narration) -> Scene:
        scene = self.draw(scenario, step, wrong)
        return replace(scene, label=scene.label + unmarked(words.headline))

    def table(self, scenario: S, lang: Lang) -> pd.DataFrame:
        """The trace of the scenario itself, a row a step; a wrong way's trace if it makes a mistake."""
        heading = Text("step", "步骤").of(lang)
        return pd.DataFrame([{heading: words.title.of(lang), **words.row} for words in self.told(scenario)])

    def preset_of(self, scenario: S) -> Preset[S] | None:
        """The preset that has these numbers, whatever mistake is chosen."""
        right = self.without_mistake(scenario)
        return next((preset for preset in self.presets if preset.scenario == right), None)

    @property
    def player_choices(self) -> tuple[Choice, ...]:
        """The controls that the player itself offers."""
        return tuple(c for c in self.form.controls if isinstance(c, Choice) and c.short is not None)
