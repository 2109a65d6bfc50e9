"""The small table beside a step's sentence."""

from __future__ import annotations

from engine.counts import Work
from engine.decode_cost import Convention, Growth, Passes, Price, Same, Scenario, Start, Step, Totals
from lessons.kit.format import count, fixed
from lessons.kit.lesson import Facts
from lessons.kit.text import Text


def small(x: float) -> str:
    """A difference; 0 as 0."""
    return fixed(x) if x else "0"


def facts(scenario: Scenario, step: Step, wrong: Step | None) -> Facts:
    head, lines, changed = _lines(scenario, step)
    if wrong is None:
        return Facts(head, tuple(lines), changed)
    other = [line[-1] for line in _lines(scenario, wrong)[1]]
    table = tuple((*line, word) for line, word in zip(lines, other, strict=True))
    spoilt = frozenset(i for i, line in enumerate(table) if line[-1] != line[-2])
    return Facts((*head, Text("wrong way", "错误做法")), table, changed, spoilt)


Lines = tuple[tuple[Text | str, ...], list[tuple[Text | str, ...]], frozenset[int]]

_FOUR = (
    Text("rows, without a cache", "行，没有缓存"),
    Text("rows, with a cache", "行，有缓存"),
    Text("pairs, without a cache", "配对，没有缓存"),
    Text("pairs, with a cache", "配对，有缓存"),
)


def _four(plain: Work, cached: Work) -> list[str]:
    return [count(x) for x in (plain.rows, cached.rows, plain.pairs, cached.pairs)]


def _lines(scenario: Scenario, step: Step) -> Lines:
    none: frozenset[int] = frozenset()
    match step:
        case Start():
            return (
                ("", Text("tokens", "token 数")),
                [
                    (Text("prompt P", "提示 P"), count(scenario.n_prompt)),
                    (Text("new M", "新 token M"), count(scenario.n_new)),
                    (Text("positions run, P + M − 1", "送过模型的位置，P + M − 1"), count(scenario.n_positions)),
                ],
                none,
            )
        case Passes(plain=plain, cached=cached):
            before, after = _four(plain.before, cached.before), _four(plain.after, cached.after)
            rows: list[tuple[Text | str, ...]] = list(zip(_FOUR, before, after, strict=True))
            changed = frozenset(i for i in range(4) if before[i] != after[i])
            return ("", Text("before", "之前"), Text("after", "之后")), rows, changed
        case Same(tokens=tokens, tokens_plain=tokens_plain, errors=errors):
            agree = sum(a == b for a, b in zip(tokens, tokens_plain, strict=True))
            return (
                ("", Text("with a cache", "有缓存")),
                [
                    (Text("passes compared", "比较的步数"), count(len(errors))),
                    (Text("tokens alike", "相同的 token"), count(agree)),
                    (Text("largest |difference|", "最大差"), small(max(errors))),
                ],
                frozenset({2}),
            )
        case Totals(plain=plain, cached=cached):
            words = _four(plain, cached)
            return ("", Text("whole generation", "整段生成")), list(zip(_FOUR, words, strict=True)), none
        case Convention(prefill=first, decode=decode, more=more):
            return (
                ("", Text("pairs", "配对")),
                [
                    (Text("prompt", "提示"), count(first.pairs)),
                    (Text("first token from the prompt", "第一个 token 来自提示"), count(decode.pairs)),
                    (Text("every new token run", "每个新 token 都送入"), count(decode.pairs + more.pairs)),
                ],
                none,
            )
        case Growth(step=last, whole=whole):
            return (
                ("", Text("pairs, with a cache", "配对，有缓存")),
                [
                    (Text("last step", "最后一步"), count(last.pairs)),
                    (Text("whole generation", "整段生成"), count(whole.pairs)),
                ],
                none,
            )
        case Price(per_position=each, resident_last=held, read_total=back):
            return (
                ("", Text("bytes", "字节")),
                [
                    (Text("one position", "一个位置"), count(each)),
                    (Text("resident at the end", "结束时驻留"), count(held)),
                    (Text("read back in all passes", "各步读回合计"), count(back)),
                ],
                none,
            )
