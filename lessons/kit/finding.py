"""Find the error: several claims of which one is wrong, each with corrections to choose from. Claims and corrections
are declared in their natural order; where they stand follows from the question's numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from lessons.kit.places import place, shuffled
from lessons.kit.question import ANY, Slip
from lessons.kit.reply import Answer, Claim, Find
from lessons.kit.text import Text
from lessons.kit.told import Words, say

S = TypeVar("S")


@dataclass(frozen=True)
class Sound(Generic[S]):
    """A true claim. Marking it is a slip; `why` says why it is true, whatever correction was chosen."""

    name: str
    title: Text
    claim: Words[S]
    corrections: tuple[Words[S], ...]
    why: Words[S]


@dataclass(frozen=True)
class Correction(Generic[S]):
    """A wrong correction of the wrong claim, and the sentence about it."""

    name: str
    title: Text
    text: Words[S]
    said: Words[S]


@dataclass(frozen=True)
class Wrong(Generic[S]):
    """The wrong claim, what it should say, and other corrections that do not mend it."""

    claim: Words[S]
    right: Words[S]
    others: tuple[Correction[S], ...]


@dataclass(frozen=True)
class Finding(Generic[S]):
    """The claims as written, the wrong one among them; `numbers` are those that decide where each stands."""

    claims: tuple[Sound[S] | Wrong[S], ...]
    numbers: Callable[[S], tuple[float, ...]]

    @property
    def reply(self) -> Find[S]:
        return Find(self._shown)

    def answer(self, s: S) -> Answer:
        return (self._place(s, self._wrong_at), self._correction(s, 0))

    @property
    def slips(self) -> tuple[Slip[S], ...]:
        sounds = [self._doubted(i, claim) for i, claim in enumerate(self.claims) if isinstance(claim, Sound)]
        return (*sounds, *(self._mended(j, other) for j, other in enumerate(self.wrong.others, 1)))

    def told_apart(self, s: S) -> bool:
        """Whether on these numbers no claim reads like another, and no correction like another or like its claim."""
        claims = self._shown(s)
        groups = [[c.said for c in claims], *([c.said, *c.corrections] for c in claims)]
        return all(len({t.en for t in group}) == len({t.zh for t in group}) == len(group) for group in groups)

    @property
    def wrong(self) -> Wrong[S]:
        wrong = self.claims[self._wrong_at]
        assert isinstance(wrong, Wrong)
        return wrong

    @property
    def _wrong_at(self) -> int:
        [at] = (i for i, claim in enumerate(self.claims) if isinstance(claim, Wrong))
        return at

    def _doubted(self, i: int, claim: Sound[S]) -> Slip[S]:
        return Slip(claim.name, claim.title, lambda s: (self._place(s, i), ANY), claim.why)

    def _mended(self, j: int, other: Correction[S]) -> Slip[S]:
        return Slip(
            other.name,
            other.title,
            lambda s: (self._place(s, self._wrong_at), self._correction(s, j)),
            other.said,
        )

    def _order(self, s: S) -> tuple[int, ...]:
        return shuffled(len(self.claims), *self.numbers(s))

    def _place(self, s: S, i: int) -> float:
        return place(self._order(s), i)

    def _correction(self, s: S, j: int) -> float:
        """Where correction j of the wrong claim stands; 0 is the right one."""
        return place(self._within(s, self._wrong_at), j)

    def _within(self, s: S, i: int) -> tuple[int, ...]:
        return shuffled(len(self._texts(i)), *self.numbers(s), i)

    def _texts(self, i: int) -> tuple[Words[S], ...]:
        match self.claims[i]:
            case Wrong(right=right, others=others):
                return (right, *(other.text for other in others))
            case claim:
                return claim.corrections

    def _shown(self, s: S) -> tuple[Claim, ...]:
        return tuple(
            Claim(say(self.claims[i].claim, s), tuple(say(self._texts(i)[j], s) for j in self._within(s, i)))
            for i in self._order(s)
        )
