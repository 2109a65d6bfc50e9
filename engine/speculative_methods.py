"""Ways to guess ahead that are in use: who proposes, who pays, and whether the target's distribution is kept.

Sources are what the projects say of themselves (READMEs and documentation that were read); speed-ups are theirs, on
their machines, against decoding token by token.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from engine.standing import Standing


class Keeps(Enum):
    """Whether what comes out is distributed as the target alone would have it."""

    ALWAYS = "always"
    IF_STRICT = "if_strict"  # with greedy decoding or rejection sampling, not with the relaxed rule it offers
    NO = "no"


class Proposes(Enum):
    """Who guesses."""

    DRAFT_MODEL = "draft_model"  # a smaller model with the same vocabulary
    HEAD = "head"  # trained heads on the target's own hidden states
    PROMPT = "prompt"  # a copy of what followed the same tokens before
    TARGET = "target"  # the target itself, solving for several tokens at once (Jacobi iteration)


class Pays(Enum):
    """What it costs besides the longer pass of the target."""

    DRAFT_PASSES = "draft_passes"  # k passes of the draft, its weights and its cache
    TRAINING = "training"  # heads must be trained for this target
    FLOPS = "flops"  # many more rows a pass: steps fall with the logarithm of the operations
    NOTHING = "nothing"  # a search in the prompt


@dataclass(frozen=True)
class Method:
    """One way. `reported` is the least and greatest speed-up that its authors give, None where none was read."""

    name: str
    proposes: Proposes
    pays: Pays
    keeps: Keeps
    reported: tuple[Fraction, Fraction] | None
    source: str
    standing: Standing


def _times(low: str, high: str) -> tuple[Fraction, Fraction]:
    return Fraction(low), Fraction(high)


METHODS = (
    Method(
        "draft model",
        Proposes.DRAFT_MODEL,
        Pays.DRAFT_PASSES,
        Keeps.ALWAYS,
        None,
        "vLLM, docs/features/speculative_decoding/draft_model.md; the rule is computed in engine.speculative",
        Standing.READ,
    ),
    Method(
        "EAGLE",
        Proposes.HEAD,
        Pays.TRAINING,
        Keeps.ALWAYS,
        _times("3", "3"),
        "SafeAILab/EAGLE, README (EAGLE-1, 13B)",
        Standing.READ,
    ),
    Method(
        "Medusa",
        Proposes.HEAD,
        Pays.TRAINING,
        Keeps.IF_STRICT,
        _times("2.2", "3.6"),
        "FasterDecoding/Medusa, README (its typical acceptance relaxes the distribution)",
        Standing.READ,
    ),
    Method(
        "lookahead",
        Proposes.TARGET,
        Pays.FLOPS,
        Keeps.ALWAYS,
        _times("1.5", "2.3"),
        "hao-ai-lab/LookaheadDecoding, README",
        Standing.READ,
    ),
    Method(
        "n-gram",
        Proposes.PROMPT,
        Pays.NOTHING,
        Keeps.ALWAYS,
        None,
        "vLLM, config/speculative.py (method ngram); Hugging Face transformers, prompt_lookup_num_tokens",
        Standing.READ,
    ),
    Method(
        "FLy",
        Proposes.DRAFT_MODEL,
        Pays.DRAFT_PASSES,
        Keeps.NO,
        None,
        "vLLM, docs/features/speculative_decoding/draft_model.md (“intentionally lossy”)",
        Standing.READ,
    ),
)
