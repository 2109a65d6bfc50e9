"""The lesson's steps, run once for its figure and its words."""

from engine.kv_size import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
