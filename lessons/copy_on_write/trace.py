"""The lesson's steps, run once for its figure, its words and its charts."""

from engine.shared_blocks import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
