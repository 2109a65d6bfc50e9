"""What several steps have in common: the small table beside the words, the line of the trace's table, and when a
mistake is invisible."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Scenario, Step
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.kit.told import say
from lessons.kv_bytes.mistakes import MISTAKES

Line = tuple[Text | str, ...]

VALUE: Line = ("", Text("value", "数值"))


def row(n_bytes: int | None, *, factor: str | None = None, product: int | None = None) -> dict[str, object]:
    """A step as one line of the trace's table: plain numbers, empty where the step does not say."""
    gib, gb = (None, None) if n_bytes is None else (n_bytes / GIB, n_bytes / GB)
    return {"factor": factor, "product": product, "bytes": n_bytes, "GiB": gib, "GB": gb}


def facts(head: Line, lines: Sequence[Line], wrong: Sequence[Line] | None) -> Facts:
    """Lines of one number, or of what was before and what is now; in a last column the wrong way's, if there is one."""
    changed = frozenset(i for i, line in enumerate(lines) if len(line) > 2 and line[1] != line[2])
    if wrong is None:
        return Facts(head, tuple(lines), changed)
    both = tuple((*line, other[-1]) for line, other in zip(lines, wrong, strict=True))
    spoilt = frozenset(i for i, line in enumerate(both) if line[-1] != line[-2])
    return Facts((*head, Text("wrong way", "错误做法")), both, changed, spoilt)


def unseen(s: Scenario, step: Step, wrong: Step) -> Text | None:
    """That the mistake makes no difference on these inputs, where its ladder is the right one."""
    if step.ladder == wrong.ladder and s.made is not Mistake.GB_FOR_GIB:
        return MISTAKES.invisible(s)
    return None


def done(s: Scenario) -> Text:
    """What the mistake does where it parts from the right way."""
    return say(MISTAKES.of(s).said, s)
