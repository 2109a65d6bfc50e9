"""What the lesson steps through."""

from engine.decode_cost import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
