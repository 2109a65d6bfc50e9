"""What the lesson steps through."""

from engine.online_softmax import trace as _trace
from lessons.kit.remembered import remembered

trace = remembered(_trace)
