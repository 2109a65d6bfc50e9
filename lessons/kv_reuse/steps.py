"""What the lesson steps through."""

from engine.kv_reuse import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
