"""What the lesson steps through."""

from engine.paged_output import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
