"""The lesson's steps, run once for its figure, its words and its table."""

from engine.three_savings import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
