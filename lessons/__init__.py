"""The lessons in reading order: the only registry."""

from __future__ import annotations

from typing import Any

from lessons.kit.lesson import Lesson
from lessons.online_softmax import LESSON as online_softmax

LESSONS: tuple[Lesson[Any, Any], ...] = (online_softmax,)
