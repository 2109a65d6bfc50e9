"""Questions on the bytes of a cache. Every answer and every slip is computed by the engine or by a formula of one
line."""

from lessons.kv_bytes.questions.choices import HOLDS, LARGEST
from lessons.kv_bytes.questions.errors import FIT, GROUPS, LAYER
from lessons.kv_bytes.questions.kinds import MLA, SCALES, WINDOWS
from lessons.kv_bytes.questions.measures import SAVES
from lessons.kv_bytes.questions.rates import BACK, BESIDE, READ, UNITS
from lessons.kv_bytes.questions.sizes import BY_HAND, FITS, TOKEN, TOTAL
from lessons.kv_bytes.questions.windows import HELD

__all__ = [
    "BACK",
    "BESIDE",
    "BY_HAND",
    "FIT",
    "FITS",
    "GROUPS",
    "HELD",
    "HOLDS",
    "LARGEST",
    "LAYER",
    "MLA",
    "QUESTIONS",
    "READ",
    "SAVES",
    "SCALES",
    "TOKEN",
    "TOTAL",
    "UNITS",
    "WINDOWS",
]

QUESTIONS = (
    BY_HAND,
    TOTAL,
    TOKEN,
    LAYER,
    LARGEST,
    FITS,
    BACK,
    UNITS,
    HOLDS,
    FIT,
    BESIDE,
    READ,
    GROUPS,
    MLA,
    WINDOWS,
    HELD,
    SCALES,
    SAVES,
)
