"""What is said of each step, one module for each kind of step or for two small ones."""

from __future__ import annotations

from engine.decode_cost import Convention, Growth, Passes, Price, Same, Scenario, Start, Step, Totals
from lessons.decode_cost.steps.growth import growth
from lessons.decode_cost.steps.passes import one_pass, prompt, several
from lessons.decode_cost.steps.price import price
from lessons.decode_cost.steps.same import same_tokens
from lessons.decode_cost.steps.start import start
from lessons.decode_cost.steps.totals import convention, totals
from lessons.kit.lesson import Narration, like


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words."""
    match step:
        case Start():
            return start(s, step, like(step, wrong))
        case Passes(last=0):
            return prompt(s, step, like(step, wrong))
        case Passes(first=first, last=last) if first == last:
            return one_pass(s, step, like(step, wrong))
        case Passes():
            return several(s, step, like(step, wrong))
        case Same():
            return same_tokens(s, step, like(step, wrong))
        case Totals():
            return totals(s, step, like(step, wrong))
        case Convention():
            return convention(s, step, like(step, wrong))
        case Growth():
            return growth(s, step, like(step, wrong))
        case Price():
            return price(s, step, like(step, wrong))
