"""Names of tokens and of differences, which pictures and words share."""

from __future__ import annotations

from engine.kv_reuse import Scenario
from engine.prompt_edits import ROUNDING
from lessons.kit.format import fixed
from lessons.kit.text import Text

LETTERS = "ABCDEFGHIJK"
"""Token 0 is written A, token 10 is K."""


def letter(token: int) -> str:
    return LETTERS[token]


def together(tokens: tuple[int, ...]) -> Text:
    """A, B and C; from four on only how many."""
    if len(tokens) > 3:
        return Text(f"{len(tokens)} tokens", f"{len(tokens)} 个 token")
    names = [letter(t) for t in tokens]
    if len(names) == 1:
        return Text(names[0], names[0])
    return Text(f"{', '.join(names[:-1])} and {names[-1]}", f"{'、'.join(names[:-1])} 和 {names[-1]}")


def old_tokens(scenario: Scenario) -> Text:
    """The cached tokens by name, or *the 6 old tokens*."""
    n = len(scenario.tokens)
    return together(scenario.tokens) if n <= 3 else Text(f"the {n} old tokens", f"{n} 个旧 token")


def delta(x: float) -> str:
    """A measured difference: 0 only where it is exactly 0."""
    return fixed(float(x)) if x else "0"


def brief(x: float) -> str:
    """The same in few characters: 0, the power of ten of a rounding, or two decimals."""
    if not x:
        return "0"
    written = fixed(float(x), 2)
    return "10" + written.split("×10")[1] if "×10" in written else written


def holds(x: float) -> bool:
    """Whether a measured difference is none, or rounding."""
    return float(x) <= ROUNDING
