"""The lessons in reading order: the only registry."""

from __future__ import annotations

from typing import Any

from lessons.block_table import LESSON as block_table
from lessons.copy_on_write import LESSON as copy_on_write
from lessons.decode_cost import LESSON as decode_cost
from lessons.flash_io import LESSON as flash_io
from lessons.kit.lesson import Lesson
from lessons.kv_bytes import LESSON as kv_bytes
from lessons.kv_reuse import LESSON as kv_reuse
from lessons.online_softmax import LESSON as online_softmax
from lessons.three_savings import LESSON as three_savings

LESSONS: tuple[Lesson[Any, Any], ...] = (
    kv_reuse,
    decode_cost,
    kv_bytes,
    online_softmax,
    flash_io,
    block_table,
    copy_on_write,
    three_savings,
)
