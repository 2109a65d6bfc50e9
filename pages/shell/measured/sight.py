"""Whether PyTorch and a GPU are there: looked for once a server, in a process of its own, while nobody waits."""

from __future__ import annotations

import threading

from engine.measure import Sight, look_from_outside


class Look:
    """The server's one look. `found` is None until it is back, which takes seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.found: Sight | None = None

    def begin(self) -> None:
        """Start looking, if nobody has."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, daemon=True)
                self._thread.start()

    def again(self) -> None:
        """Forget what was found, and look once more: something may have been installed."""
        with self._lock:
            if self.found is not None:
                self.found = self._thread = None
        self.begin()

    def _look(self) -> None:
        try:
            self.found = look_from_outside()
        except Exception as error:  # whatever keeps a process from starting: then there is no PyTorch here
            self.found = Sight(None, f"{type(error).__name__}: {error}", None, f"{type(error).__name__}: {error}")


def backends(sight: Sight | None) -> tuple[str, ...]:
    """Those that can be chosen: NumPy always."""
    if sight is None:
        return ("numpy",)
    torch = ("torch-cpu",) if sight.torch_version else ()
    return ("numpy", *torch, *(("torch-cuda",) if sight.cuda_name else ()))


LOOK = Look()
