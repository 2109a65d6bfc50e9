"""One check shared by everything that counts: is this a whole number, and large enough?"""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np


def checked_int(name: str, value: SupportsIndex, at_least: int | None = 0) -> int:
    """`value` as an int of at least `at_least` (None: any), or ValueError that names the argument; no bool passes.

    >>> checked_int("n", 3)
    3
    >>> checked_int("block_size", 0, 1)
    Traceback (most recent call last):
    ValueError: block_size: a whole number, at least 1, got 0
    """
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None or (at_least is not None and number < at_least):
        bound = "" if at_least is None else f", at least {at_least}"
        raise ValueError(f"{name}: a whole number{bound}, got {value!r}")
    return number
