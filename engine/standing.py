"""How well a figure is known."""

from __future__ import annotations

from enum import Enum


class Standing(Enum):
    """From what was read to what is supposed."""

    READ = "read"  # in what its maker publishes: a page, a repository, a data file
    SECONDARY = "secondary"  # with somebody else
    COMPUTED = "computed"  # exactly, from figures that were read
    BOUND = "bound"  # a quotient of such figures: at least, or at most
    ASSUMED = "assumed"  # follows from an assumption that is named
