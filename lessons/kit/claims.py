"""What a sentence concludes, beside the numbers of this run that say so: a claim that they deny is a fault."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum

from lessons.kit.text import Text


class Kind(Enum):
    """What is said of two numbers, and the words that say it in a headline."""

    LESS = re.compile(r"\b(saves?|fewer|less|smaller|cheaper|shrinks?|falls?|drops?)\b|节省|省下|更少|变小|减少|下降")
    MORE = re.compile(r"\b(grows?|larger|rises?|dearer|costs more)\b|增加|更多|变大|上升|增长")
    SAME = re.compile(r"\b(same|equals?|unchanged|identical|agrees?)\b|相同|一样|不变|相等|一致")
    APART = re.compile(r"\b(differs?|different|off by)\b|不同|偏差|相差|不一样")


@dataclass(frozen=True)
class Claim:
    """`left` is less than, more than, the same as, or apart from `right`, by more than rounding."""

    kind: Kind
    left: float
    right: float
    rounding: float = 1e-9

    @property
    def holds(self) -> bool:
        """Whether the numbers say so. A NaN is apart from every number."""
        if math.isnan(self.left) or math.isnan(self.right):
            return self.kind is Kind.APART
        same = math.isclose(self.left, self.right, rel_tol=self.rounding, abs_tol=self.rounding)
        match self.kind:
            case Kind.LESS:
                return not same and self.left < self.right
            case Kind.MORE:
                return not same and self.left > self.right
            case Kind.SAME:
                return same
            case Kind.APART:
                return not same


def less(left: float, right: float) -> Claim:
    """
    >>> less(1, 2).holds, less(2, 2).holds
    (True, False)
    """
    return Claim(Kind.LESS, left, right)


def more(left: float, right: float) -> Claim:
    return Claim(Kind.MORE, left, right)


def alike(left: float, right: float, rounding: float = 1e-9) -> Claim:
    return Claim(Kind.SAME, left, right, rounding)


def apart(left: float, right: float, rounding: float = 1e-9) -> Claim:
    return Claim(Kind.APART, left, right, rounding)


def concluded(words: Text) -> frozenset[Kind]:
    """The kinds of conclusion that the words draw, in either language."""
    return frozenset(kind for kind in Kind if kind.value.search(words.en) or kind.value.search(words.zh))
