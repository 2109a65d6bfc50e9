"""The lesson's steps, run once for its figure, its words and its questions."""

from engine.flash_io import walk
from lessons.kit.remembered import remembered

trace = remembered(walk)
