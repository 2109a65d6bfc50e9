"""The next token of one request asks all that its table finds."""

from __future__ import annotations

from engine.shared_blocks import Attended, Mistake, Scenario, Step
from lessons.copy_on_write.steps.table import WRONG, Line, beside, row, wrong_hits
from lessons.kit.format import fixed
from lessons.kit.lesson import Facts, Narration
from lessons.kit.scene import ROUNDING
from lessons.kit.text import Text
from lessons.kit.told import Told


def attended(s: Scenario, step: Step, event: Attended, wrong: Attended | None) -> Narration:
    own = wrong or event
    return Narration(
        id=f"{event.name.lower()}/attend",
        title=Told("{name} attends", "{name} 做注意力").on(event),
        headline=Told("{name} gets the output it would get alone", "{name} 得到的输出与独自运行时相同").on(event),
        why=Told(
            "The next token of {name}, position {position}, asks {position|the|all} {position:position} that the "
            "table finds. In the last layer of the little decoder query head 0 gets ({output:vector}). The same "
            "tokens run with nothing shared and nothing cached give ({fresh:vector}): equal but for "
            "[rounding](term:rounding).",
            "{name} 的下一个 token（位置 {position}）向块表找到的全部 {position} 个位置提问。在小解码器的最后一层，"
            "查询头 0 得到（{output:vector}）。同样的 token 不共享、不缓存地运行，得到（{fresh:vector}）：除[舍入"
            "](term:rounding)外完全相等。",
        ).on(event),
        facts=_facts(event, wrong),
        wrong=beside(s, event, wrong, lambda wrong: _verdict(s, event, wrong)),
        row=row(own, own.output),
    )


def _facts(event: Attended, wrong: Attended | None) -> Facts:
    """The output number by number, as found through the table and as run alone."""
    n = len(event.output)
    names = (*(f"o{i + 1}" for i in range(n)), Text("off by", "偏差"), Text("logits off by", "logits 偏差"))
    columns = [_column(event), (*map(fixed, event.fresh), "–", "–"), *([] if wrong is None else [_column(wrong)])]
    head: Line = ("", Text("shared", "共享"), Text("alone", "独自"), *(() if wrong is None else (WRONG,)))
    spoilt = range(n + 2) if wrong is not None and wrong.error > ROUNDING else ()
    return Facts(head, tuple(zip(names, *columns, strict=True)), frozenset({n}), frozenset(spoilt))


def _column(event: Attended) -> tuple[str, ...]:
    return (*map(fixed, event.output), _error(event.error), _error(event.logit_error))


def _error(x: float) -> str:
    return fixed(x) if x > ROUNDING else "0"


def _verdict(s: Scenario, event: Attended, wrong: Attended) -> Text:
    if wrong.error > ROUNDING:
        return _off(s, event, wrong) + Text("Nothing warned.", "没有任何报错。")
    if s.mistake is Mistake.NO_SALT and wrong_hits(s):
        return Text(
            "the same numbers, and a fault all the same. B’s first token came sooner, because A had sent this "
            "prefix: by timing, one tenant can find out what another has asked.",
            "数值相同，但仍是错误。因为 A 发送过这个前缀，B 的首个 token 来得更早：一个租户凭计时就能探知另一个租户"
            "问过什么。",
        )
    if s.mistake is Mistake.NO_COPY and event.memory != wrong.memory:
        return Told(
            "{name} gets the right output: what was written last is still there. Whoever writes first at a "
            "position loses: see {other}, or let the other write first.",
            "{name} 得到正确的输出：最后写入的还在。在同一位置先写的一方受损：看 {other}，或者换一方先写。",
        ).on(wrong)
    return Text("no difference.", "没有差别。")


def _off(s: Scenario, event: Attended, wrong: Attended) -> Text:
    off = Told(
        "{name}’s output is ({output:vector}), off by {error}; its logits are off by up to {logit_error}. ",
        "{name} 的输出是（{output:vector}），偏差 {error}；logits 最多偏差 {logit_error}。",
    ).on(wrong)
    if s.mistake is not Mistake.NO_COPY:
        return off
    both = zip(event.memory.read(event.name), wrong.memory.read(wrong.name), strict=True)
    position, mine, theirs = next(
        (p, str(mine), str(theirs)) for p, (mine, theirs) in enumerate(both) if mine != theirs
    )
    return off + Told(
        "At position {position} it found {theirs} instead of {mine}. ",
        "它在位置 {position} 读到的是 {theirs}，而不是 {mine}。",
    ).on(position=position, mine=mine, theirs=theirs)
