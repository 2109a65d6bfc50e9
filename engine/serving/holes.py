"""The free pieces of a pool that is handed out in pieces of any size."""

from __future__ import annotations

from bisect import bisect_left, insort


class Holes:
    """Places 0 … n − 1, all free at first. Neighbouring holes are one; kept by address, and by size too.

    >>> holes = Holes(10)
    >>> [holes.take(n) for n in (3, 4, 3)], holes.take(1)
    ([0, 3, 7], None)
    >>> holes.give(0, 3)
    >>> holes.give(7, 3)
    >>> holes.free, holes.take(4), holes.largest  # six are free, four are not to be had
    (6, None, 3)
    """

    def __init__(self, n: int) -> None:
        self._starts, self._sizes = [0], [n]  # by address
        self._by_size = [(n, 0)]
        self.free = n

    @property
    def pieces(self) -> tuple[tuple[int, int], ...]:
        """Where each hole starts, and its size."""
        return tuple(zip(self._starts, self._sizes, strict=True))

    @property
    def largest(self) -> int:
        """The size of the largest hole, 0 if there is none."""
        return self._by_size[-1][0] if self._by_size else 0

    def take(self, n: int, *, smallest: bool = False) -> int | None:
        """The beginning of the first hole that has n places, or of the smallest such hole; None where there is none."""
        if n > self.largest:
            return None
        if smallest:
            _, start = self._by_size[bisect_left(self._by_size, (n, 0))]
            i = bisect_left(self._starts, start)
        else:
            i = next(i for i, size in enumerate(self._sizes) if size >= n)
        start, size = self._starts[i], self._sizes[i]
        self._cut(i)
        if size > n:
            self._put(i, start + n, size - n)
        self.free -= n
        return start

    def give(self, start: int, n: int) -> None:
        """Places start … start + n − 1 are free again."""
        self.free += n
        i = bisect_left(self._starts, start)
        if i < len(self._starts) and self._starts[i] == start + n:
            n += self._sizes[i]
            self._cut(i)
        if i and self._starts[i - 1] + self._sizes[i - 1] == start:
            i -= 1
            start, n = self._starts[i], n + self._sizes[i]
            self._cut(i)
        self._put(i, start, n)

    def _cut(self, i: int) -> None:
        start, size = self._starts.pop(i), self._sizes.pop(i)
        del self._by_size[bisect_left(self._by_size, (size, start))]

    def _put(self, i: int, start: int, size: int) -> None:
        self._starts.insert(i, start)
        self._sizes.insert(i, size)
        insort(self._by_size, (size, start))
