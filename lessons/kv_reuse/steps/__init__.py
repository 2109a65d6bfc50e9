"""What is said of each step, a module for one kind of step or for two that belong together."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from engine.kv_reuse import (
    Appended,
    AskedNext,
    Cached,
    Conclusion,
    Finish,
    Look,
    Mended,
    NextLayer,
    NextToken,
    Project,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
    apart,
)
from lessons.kit.lesson import Narration, like
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.steps.answered import asked_next, next_token
from lessons.kv_reuse.steps.appended import appended
from lessons.kv_reuse.steps.cached import cached
from lessons.kv_reuse.steps.conclusion import conclusion
from lessons.kv_reuse.steps.edited import mended, replaced
from lessons.kv_reuse.steps.finish import finish
from lessons.kv_reuse.steps.look import look
from lessons.kv_reuse.steps.project import project
from lessons.kv_reuse.steps.same import next_layer, same_inputs, same_outputs
from lessons.kv_reuse.steps.view import same_view
from lessons.kv_reuse.trace import trace


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words; where a chosen mistake makes no difference, with the step at which it does."""
    told = _told(s, step, wrong)
    if wrong is None or told.wrong is not None:
        return told
    return replace(told, wrong=MISTAKES.beside(s, wrong, lambda _: _elsewhere(s, step, told.id)))


def _told(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    match step:
        case Cached():
            return cached(s, step, like(step, wrong))
        case Appended():
            return appended(s, step)
        case SameInputs():
            return same_inputs(s, step)
        case SameView():
            return same_view(s, step)
        case SameOutputs():
            return same_outputs(step)
        case NextLayer():
            return next_layer(step)
        case Conclusion():
            return conclusion(s, step)
        case Project():
            return project(s, step, like(step, wrong))
        case Look():
            return look(s, step, like(step, wrong))
        case Finish():
            return finish(s, step, like(step, wrong))
        case NextToken():
            return next_token(s, step, like(step, wrong))
        case Replaced():
            return replaced(s, step)
        case Mended():
            return mended(s, step, like(step, wrong))
        case AskedNext():
            return asked_next(s, step, like(step, wrong))


@lru_cache(maxsize=128)
def _moments(s: Scenario) -> tuple[tuple[str, Text, bool], ...]:
    """Each step's id and title, and whether the chosen mistake shows there."""
    right = MISTAKES.without(s)
    told = ((_told(right, step, None), apart(step, wrong)) for step, wrong in zip(trace(right), trace(s), strict=True))
    return tuple((words.id, words.title, shows) for words, shows in told)


def _elsewhere(s: Scenario, step: Step, here: str) -> Text:
    """At a step whose numbers are the right way's: nothing has shown yet, or where it has."""
    before = takewhile(lambda moment: moment[0] != here, _moments(s))
    shown = next((title for _, title, shows in before if shows), None)
    if isinstance(step, Replaced | Mended | AskedNext) and not s.mistake.on_the_edit:
        whole = Told(
            "these last steps start from a whole cache, so nothing differs here",
            "最后这几步用的是完整的缓存，所以这里没有差别",
        )
        if shown is None:
            return (whole + Text("; nor did it show before.", "；前面也没有出现差别。")).on()
        return (whole + Told("; it shows at step “{shown}”.", "；差别出现在“{shown}”一步。")).on(shown=shown)
    if shown is None:
        return Text("no difference so far.", "到目前为止没有差别。")
    return Told("no difference here; it shows at step “{shown}”.", "这一步没有差别；差别出现在“{shown}”一步。").on(
        shown=shown
    )
