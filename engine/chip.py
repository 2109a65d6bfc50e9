"""The door between HBM and the chip: what passes is counted, array by array, as it passes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.attention import Array


@dataclass(frozen=True)
class Traffic:
    """Bytes read from and written to HBM, and the most bytes on the chip at once."""

    hbm_read: int
    hbm_written: int
    max_on_chip: int

    @property
    def hbm_moved(self) -> int:
        """Bytes moved either way."""
        return self.hbm_read + self.hbm_written


@dataclass(frozen=True)
class Crossing:
    """Bytes of one array that have crossed: `read` from HBM to the chip, `written` the other way."""

    name: str
    read: int = 0
    written: int = 0

    @property
    def moved(self) -> int:
        """Bytes moved either way."""
        return self.read + self.written


@dataclass(frozen=True)
class Moved:
    """What has crossed so far, a line for each array, always in the same order; bytes on the chip now and at most."""

    arrays: tuple[Crossing, ...]
    on_chip: int = 0
    max_on_chip: int = 0

    def of(self, name: str) -> Crossing:
        """The line of one array; zeros for an array that this way does not have."""
        return next((line for line in self.arrays if line.name == name), Crossing(name))

    @property
    def read(self) -> int:
        return sum(line.read for line in self.arrays)

    @property
    def written(self) -> int:
        return sum(line.written for line in self.arrays)

    @property
    def total(self) -> int:
        """Bytes moved either way."""
        return self.read + self.written

    @property
    def traffic(self) -> Traffic:
        """The same without names."""
        return Traffic(self.read, self.written, self.max_on_chip)


class Chip:
    """The only door between HBM and the chip, for the arrays of these names.

    A number counts as `itemsize` bytes, whatever it is computed in; None: as many as it has.
    """

    def __init__(self, *names: str, itemsize: int | None = None) -> None:
        self._lines = {name: Crossing(name) for name in names}
        self._itemsize = itemsize
        self._now = self._peak = 0

    def load(self, name: str, array: Array, *, counted: bool = True) -> Array:
        """A copy on the chip. Not `counted`: a bookkeeper who looks away."""
        if counted:
            line = self._lines[name]
            self._lines[name] = Crossing(name, line.read + self._bytes(array), line.written)
        return array.copy()

    def store(self, name: str, hbm: Array, array: Array) -> None:
        """Into HBM, over what lies there."""
        line = self._lines[name]
        self._lines[name] = Crossing(name, line.read, line.written + self._bytes(array))
        hbm[...] = array

    def holds(self, *arrays: Array) -> None:
        """These, and no others, lie on the chip now."""
        self._now = sum(map(self._bytes, arrays))
        self._peak = max(self._peak, self._now)

    def _bytes(self, array: Array) -> int:
        return array.nbytes if self._itemsize is None else array.size * self._itemsize

    @property
    def moved(self) -> Moved:
        return Moved(tuple(self._lines.values()), self._now, self._peak)

    @property
    def traffic(self) -> Traffic:
        return self.moved.traffic
