"""The exercises in the order in which they are best done."""

from __future__ import annotations

from lessons.workshop.exercise import Exercise
from lessons.workshop.exercises.kv_cache import KV_CACHE
from lessons.workshop.exercises.tiled_softmax import TILED_SOFTMAX
from lessons.workshop.exercises.two_decoders import TWO_DECODERS

EXERCISES: tuple[Exercise, ...] = (KV_CACHE, TILED_SOFTMAX, TWO_DECODERS)
