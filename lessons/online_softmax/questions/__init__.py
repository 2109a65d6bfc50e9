"""Questions on folding tiles. Every answer and every slip is computed by the engine or by a formula of one line."""

from lessons.online_softmax.questions.drawn import CHAPTER, TWO_TILES
from lessons.online_softmax.questions.errors import DIAGNOSIS, FOLD, TABLES
from lessons.online_softmax.questions.folds import ACCUMULATOR, ALPHA, DENOMINATOR, OUTPUT
from lessons.online_softmax.questions.maxima import CHANGES, OVERFLOW, SHRINKS
from lessons.online_softmax.questions.parts import LSE, MERGE, WEIGHTS

__all__ = [
    "ACCUMULATOR",
    "ALPHA",
    "CHANGES",
    "CHAPTER",
    "DENOMINATOR",
    "DIAGNOSIS",
    "FOLD",
    "LSE",
    "MERGE",
    "OUTPUT",
    "OVERFLOW",
    "QUESTIONS",
    "SHRINKS",
    "TABLES",
    "TWO_TILES",
    "WEIGHTS",
]

QUESTIONS = (
    OUTPUT,
    ALPHA,
    DENOMINATOR,
    ACCUMULATOR,
    CHANGES,
    FOLD,
    MERGE,
    WEIGHTS,
    LSE,
    SHRINKS,
    DIAGNOSIS,
    TABLES,
    OVERFLOW,
)
