"""Space and time as one picture: who owned each place of the pool at each step, and whether anything lay in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.checked import checked_int
from engine.serving.places import Stay

NOBODY = -1


@dataclass(frozen=True, eq=False)
class Picture:
    """(rows, columns) each: the request that owns a place, NOBODY where it is free, and whether a token lies there.

    Row r shows token ⌊(r + ½) pool_tokens / rows⌋, column c the moment after step 1 + ⌊(c + ½) steps / columns⌋.
    """

    owner: npt.NDArray[np.int32]
    filled: npt.NDArray[np.bool_]


def picture(stays: Iterable[Stay], *, pool_tokens: int, steps: int, rows: int, columns: int) -> Picture:
    """What stays of `engine.serving.places` look like from afar. `steps` is how many the whole took.

    >>> stays = [Stay(0, 0, 4, 1, 4, 0), Stay(1, 2, 2, 5, 6, 4)]
    >>> seen = picture(stays, pool_tokens=4, steps=6, rows=4, columns=6)
    >>> print(np.where(seen.filled, seen.owner, seen.owner * 10))
    [[  0   0   0   0 -10 -10]
     [  0   0   0   0 -10 -10]
     [  0   0   0   0   1   1]
     [  0   0   0   0  10   1]]
    """
    tokens = _middles(checked_int("rows", rows, 1), checked_int("pool_tokens", pool_tokens, 1))
    moments = [1 + step for step in _middles(checked_int("columns", columns, 1), checked_int("steps", steps))]
    owner = np.full((rows, columns), NOBODY, np.int32)
    filled = np.zeros((rows, columns), np.bool_)
    token, moment = np.array(tokens)[:, None], np.array(moments)
    for stay in stays:
        r = slice(bisect_left(tokens, stay.start), bisect_left(tokens, stay.start + stay.size))
        c = slice(bisect_left(moments, stay.first), bisect_right(moments, stay.last))
        if r.start < r.stop and c.start < c.stop:
            owner[r, c] = stay.request
            filled[r, c] = token[r] - stay.start < moment[c] - stay.since
    return Picture(owner, filled)


def _middles(n: int, whole: int) -> list[int]:
    """The places in the middle of n equal parts."""
    return [(2 * i + 1) * whole // (2 * n) for i in range(n)]
