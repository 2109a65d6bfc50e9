"""Weights and cache on a device."""

from __future__ import annotations

from engine.kv_size import OnDevice, Scenario
from lessons.kit.format import gib, short
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.naming import billions_zh, milliseconds, short_size
from lessons.kv_bytes.steps.table import VALUE, Line, facts, row, unseen


def on_device(s: Scenario, step: OnDevice, wrong: OnDevice | None) -> Narration:
    if step.left < 0:
        headline = Told("Weights and cache do not fit into {memory:GB}", "权重加缓存放不进 {memory:GB}")
    else:
        headline = Told(
            "Weights and cache leave {left}, and more must fit in there", "权重和缓存之外剩 {left}，还有别的要放进去"
        )
    why = Told(
        "Weights: {billions}, {weights:GiB}. The division (memory − weights) ÷ cache gives {quotient}. That is "
        "**not** how many requests run at once: lengths differ and grow, blocks round up, kernels need workspace, "
        "and prefixes may be shared. To read the cache once takes at least {time} at {bandwidth_tb:short} TB/s, "
        "and each decode step reads all of it.",
        "权重：{billions}，{weights:GiB}。做除法（显存 − 权重）÷ 缓存得 {quotient}。这**不是**能同时处理的请求数："
        "长度各异且会增长，内存块要取整，内核要工作区，前缀也可能共享。以 {bandwidth_tb:short} TB/s 读一遍缓存至少"
        "要 {time}，而每个解码步都要全部读一遍。",
    )
    return Narration(
        id="device",
        title=Text("On a device", "放到设备上"),
        headline=headline.on(step, left=short_size(step.left)),
        why=why.on(
            step, s.device, billions=_billions(s), quotient=f"{step.quotient:.3g}", time=milliseconds(step.read_seconds)
        ),
        facts=facts(VALUE, _lines(step), None if wrong is None else _lines(wrong)),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: unseen(s, step, wrong) or _spoilt(step, wrong)),
        row=row((wrong or step).total),
    )


def _billions(s: Scenario) -> Text:
    n, bits = s.device.billions, s.device.weight_bits
    return Text(f"{short(n)} billion parameters of {bits} bits", f"{billions_zh(n)}参数，每个 {bits} 位")


def _lines(step: OnDevice) -> list[Line]:
    return [
        (Text("memory", "显存"), gib(step.memory)),
        (Text("weights", "权重"), gib(step.weights)),
        (Text("cache", "缓存"), gib(step.total)),
        (Text("left over", "剩余"), gib(step.left)),
        (Text("read it once", "读一遍"), milliseconds(step.read_seconds)),
    ]


def _spoilt(step: OnDevice, wrong: OnDevice) -> Text:
    if step.left < 0 <= wrong.left:
        return Told(
            "says that it fits, with {left} to spare. It does not.", "以为放得下，还剩 {left}。其实放不下。"
        ).on(left=short_size(wrong.left))
    if wrong.left < 0 <= step.left:
        return Told("says that {lacking} are missing. In truth it fits.", "以为还缺 {lacking}。其实放得下。").on(
            lacking=short_size(-wrong.left)
        )
    return Told(
        "takes the cache for {total:GiB} instead of {right:GiB}.", "把 {right:GiB} 的缓存当成 {total:GiB}。"
    ).on(wrong, right=step.total)
