"""A misconception is one thing: the engine's Mistake, the wrong way in the player, a question's slip, a wrong guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, SupportsFloat, TypeVar

from lessons.kit.ask import Guess
from lessons.kit.controls import Choice
from lessons.kit.question import Slip
from lessons.kit.reply import Answer
from lessons.kit.text import Text
from lessons.kit.told import Words, say

COMPARE = Text("Compare with a mistake", "与一种错误比较")
SHORT = Text("Mistake", "错误")
NONE = Text("none", "不比较")
UNSEEN = Text("**Invisible on these inputs**, because ", "**在这组输入上看不出来**，因为")
NO_DIFFERENCE = Text("no difference here.", "这一步没有差别。")

S = TypeVar("S")
Q = TypeVar("Q")
T = TypeVar("T")


@dataclass(frozen=True)
class Wrong(Generic[S]):
    """One misconception: its name, what it does, and why that makes no difference on some inputs. The last two are the
    rest of a sentence, without a capital."""

    title: Text
    said: Words[S]
    invisible: Words[S]


@dataclass(frozen=True)
class Mistakes(Generic[S]):
    """All misconceptions of a lesson, by the members of the engine's Mistake; `none` is the member that makes none.

    The Scenario keeps its choice in the attribute `mistake`.
    """

    none: Enum
    wrongs: Mapping[Any, Wrong[S]] = field(hash=False)
    label: Text = COMPARE
    short: Text = SHORT
    unseen: Text = UNSEEN

    @property
    def choice(self) -> Choice:
        """The list in the player."""
        named = {self.none: NONE} | {mistake: wrong.title for mistake, wrong in self.wrongs.items()}
        return Choice.among("mistake", self.label, named, short=self.short)

    def of(self, scenario: S) -> Wrong[S]:
        """The misconception that a Scenario makes. Raises KeyError where it makes none."""
        return self.wrongs[_chosen(scenario)]

    def without(self, scenario: S) -> S:
        """The same Scenario, the right way."""
        return self._making(scenario, self.none)

    def beside(self, scenario: S, wrong: T | None, did: Callable[[T], Text | None]) -> Text | None:
        """The paragraph on the wrong way in a step: its name, and what it did there, which `did` says of its step (None
        where that is nothing). None where no mistake is chosen."""
        if wrong is None:
            return None
        name = self.of(scenario).title
        lead = Text(f"**✗ Wrong way** ({name.en}): ", f"**✗ 错误做法**（{name.zh}）：")
        return lead + (did(wrong) or NO_DIFFERENCE)

    def invisible(self, scenario: S) -> Text:
        """Why the chosen mistake makes no difference on these inputs, as a sentence."""
        return self.unseen + say(self.of(scenario).invisible, scenario)

    def slip(
        self,
        mistake: Enum,
        formula: Callable[[Q], SupportsFloat | Answer],
        way: Callable[[Q], S],
        *,
        title: Text | None = None,
        said: Words[Q] | None = None,
        name: str | None = None,
    ) -> Slip[Q]:
        """The slip of a question that makes this mistake: it shows itself in the player on `way`'s Scenario. Title and
        sentence are the mistake's own unless the question has others."""

        def shown(inputs: Q) -> S:
            return self._making(way(inputs), mistake)

        def told(inputs: Q) -> Text:
            return _sentence(say(self.wrongs[mistake].said, shown(inputs)))

        own = self.wrongs[mistake].title
        return Slip(name or str(mistake.value), title or _sentence(own), formula, said or told, shown)

    def guess(self, mistake: Enum, value: float | str, scenario: S, *, said: Text | None = None) -> Guess:
        """The wrong guess of an ask that makes this mistake; the sentence is the mistake's own unless the ask has
        another."""
        return Guess(value, said or _sentence(say(self.wrongs[mistake].said, self._making(scenario, mistake))))

    def _making(self, scenario: S, mistake: Enum) -> S:
        made: S = replace(scenario, mistake=mistake)  # type: ignore[type-var]
        return made


def _chosen(scenario: Any) -> Any:
    return scenario.mistake


def _sentence(words: Text) -> Text:
    """With a capital, where English has one; a letter of mathematics, such as u, stays as it is."""
    first = words.en.partition(" ")[0]
    if len(first) == 1 and first != "a":
        return words
    return Text(words.en[:1].upper() + words.en[1:], words.zh)
