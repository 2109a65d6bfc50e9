"""What the lesson asks before it shows: the same bytes in GB, the cache without sharing."""

from __future__ import annotations

from dataclasses import replace

from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, HeadCounts, Layout, Scenario, Step, Units, cache_bytes
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.text import Text
from lessons.kv_bytes.quantities import bytes_, gb, gib, times


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most. Always about the right way."""
    right = replace(scenario, mistake=Mistake.NONE)
    match step:
        case Units():
            return _in_gb(right)
        case HeadCounts(layouts=layouts):
            return _unshared(right, layouts)
    return None


def _in_gb(s: Scenario) -> Ask | None:
    total = cache_bytes(s)
    if total < GB // 100:
        return None
    figure = total / GIB
    return asking(
        Text(
            f"The cache takes {gib(total)}. How many GB is that (10⁹ bytes each)?",
            f"缓存占 {gib(total)}。合多少 GB（每 GB 10⁹ 字节）？",
        ),
        total / GB,
        (
            Guess(
                figure,
                Text(
                    f"That is the figure in GiB. A GiB is 2³⁰ B, more than a GB: the same {bytes_(total)} are more GB.",
                    f"这是以 GiB 计的数字。一个 GiB 是 2³⁰ B，比 GB 大：同样的 {bytes_(total)} 合更多的 GB。",
                ),
            ),
            Guess(
                figure * GB / GIB,
                Text(
                    "That converts the other way: a GB is the smaller unit, so the figure must grow.",
                    "换算方向反了：GB 是较小的单位，数字应当变大。",
                ),
            ),
        ),
        absolute=0.0,
        shown=gb(total),
    )


def _unshared(s: Scenario, layouts: tuple[Layout, ...]) -> Ask | None:
    m = s.model
    total = cache_bytes(s)
    if m.n_kv_heads is None or m.n_kv_heads == m.n_heads:
        return None
    own = next(layout.total for layout in layouts if layout.heads == m.n_heads)
    return asking(
        Text(
            f"If each of the {m.n_heads} query heads had a KV head of its own, how many times as large would the "
            "cache be?",
            f"若 {m.n_heads} 个查询头各有自己的 KV 头，缓存会是现在的几倍？",
        ),
        own / total,
        (
            Guess(
                float(m.n_heads),
                Text(
                    f"That is against a single KV head; the cache has {m.n_kv_heads} already: {m.n_heads} ÷ "
                    f"{m.n_kv_heads}.",
                    f"这是与只有一个 KV 头相比；缓存里已经有 {m.n_kv_heads} 个：{m.n_heads} ÷ {m.n_kv_heads}。",
                ),
            ),
            Guess(
                float(m.n_kv_heads),
                Text(
                    f"That is how many KV heads there are now; there would be {m.n_heads}, {times(own, total)} times "
                    "as many.",
                    f"这是现在的 KV 头数；那时会有 {m.n_heads} 个，是 {times(own, total)} 倍。",
                ),
            ),
            Guess(
                1.0,
                Text(
                    "Query heads do not enter the cache, but KV heads do, and there would be more of them.",
                    "查询头不进入缓存，但 KV 头进入，而且会变多。",
                ),
            ),
        ),
        shown=times(own, total),
    )
