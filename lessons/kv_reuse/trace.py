"""The lesson's steps, run once for its figure, its words and its questions."""

from engine.kv_reuse import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
