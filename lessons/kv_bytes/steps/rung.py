"""What all rungs of the ladder have in common: a factor is put in."""

from __future__ import annotations

from engine.kv_size import Multiply, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.naming import factor, name_of, product, short_size, times
from lessons.kv_bytes.steps.table import Line, done, facts, row, unseen

_HEAD: Line = ("", Text("before", "之前"), Text("after", "之后"))


def put_in(s: Scenario, step: Multiply, wrong: Multiply | None, *, title: Text, headline: Text, why: Text) -> Narration:
    """A rung's own words, with what is said of every rung."""
    own = (wrong or step).rung
    return Narration(
        id=step.rung.name.value,
        title=title,
        headline=headline,
        why=why,
        facts=facts(_HEAD, _lines(s, step), None if wrong is None else _lines(s, wrong)),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: unseen(s, step, wrong) or _spoilt(s, step, wrong)),
        row=row(own.product if own.in_bytes else None, factor=factor(own, str), product=own.product),
    )


def _lines(s: Scenario, step: Multiply) -> list[Line]:
    rung, before = step.rung, step.before
    lines: list[Line] = [
        (name_of(s, rung.name), "", factor(rung)),
        (Text("product", "乘积"), "–" if before is None else product(before), product(rung)),
    ]
    if rung.in_bytes:
        bytes_before = short_size(before.product) if before is not None and before.in_bytes else "–"
        lines.append((Text("that is", "即"), bytes_before, short_size(rung.product)))
    return lines


def _spoilt(s: Scenario, step: Multiply, wrong: Multiply) -> Text:
    right, other = step.rung, wrong.rung
    if right != other and step.ladder[: step.at] == wrong.ladder[: step.at]:
        return done(s)
    if right.product == other.product:
        return Text("no difference so far.", "到目前为止没有差别。")
    return Told("its product is {times} times the right one.", "它的乘积是正确值的 {times} 倍。").on(
        times=times(other.product, right.product)
    )
