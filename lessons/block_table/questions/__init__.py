"""Questions on looking up and growing. Every answer and every slip is computed by the engine or by a formula of one
line."""

from __future__ import annotations

from typing import Any

from lessons.block_table.questions.capacity import FIT, TABLE_BYTES
from lessons.block_table.questions.claims import FRAGMENTATION, ORDINALS
from lessons.block_table.questions.growing import GROWN, NEXT
from lessons.block_table.questions.lengths import BLOCKS, BY_WASTE, FILL, WASTE
from lessons.block_table.questions.lines import FIND_GROWTH, FIND_LOOK_UP
from lessons.block_table.questions.lookup import BLOCK, SLOT
from lessons.block_table.questions.tables import READ, UNMAPPED
from lessons.kit.question import Question

QUESTIONS: tuple[Question[Any], ...] = (
    SLOT,
    BLOCK,
    READ,
    UNMAPPED,
    BLOCKS,
    FILL,
    WASTE,
    BY_WASTE,
    FRAGMENTATION,
    NEXT,
    GROWN,
    ORDINALS,
    TABLE_BYTES,
    FIT,
    FIND_LOOK_UP,
    FIND_GROWTH,
)
