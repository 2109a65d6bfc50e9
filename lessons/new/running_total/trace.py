"""The lesson's steps, run once for its figure, its words and its questions."""

from lessons.kit.remembered import remembered
from lessons.new.running_total.engine import trace as _trace

trace = remembered(_trace)
