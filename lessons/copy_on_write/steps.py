"""What the lesson steps through."""

from engine.shared_blocks import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
