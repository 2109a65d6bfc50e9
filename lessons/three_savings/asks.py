"""What the lesson asks before it shows: the pairs that are left, the room that stays unused, how far eight outputs
are apart."""

from __future__ import annotations

import math

from engine.three_ledgers import row_bytes
from engine.three_savings import CONFIG, KEEP, Eight, Scenario, Step, Turn
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import count
from lessons.kit.text import Text
from lessons.three_savings.ways import HEADS, same_output


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most."""
    match step:
        case Turn(name="cache"):
            return _pairs(scenario, step)
        case Turn(name="paging"):
            return _unused(scenario, step)
        case Eight():
            return _outputs(step)
    return None


def _pairs(scenario: Scenario, step: Turn) -> Ask | None:
    before, now = (way.ledgers.pairs // HEADS for way in (step.before, step.now))
    rows, p = step.now.ledgers.rows, len(scenario.prompt)
    prompt = p * (p + 1) // 2
    linear = prompt + sum(min(KEEP, keys) for keys in range(p + 1, scenario.n_kept + 1))  # as that mistake's run counts
    later = scenario.n_new - 1
    s = "" if later == 1 else "s"
    return asking(
        Text(
            f"Without a cache each head scores {count(before)} pairs: {p} prompt tokens, {scenario.n_new} new. How "
            "many are there with a cache?",
            f"没有缓存时每个头要算 {count(before)} 个配对：提示 {p} 个 token，生成 {scenario.n_new} 个。有缓存时是多"
            "少个？",
        ),
        float(now),
        (
            Guess(
                float(linear),
                Text(
                    f"That lets a later query look at a few keys only. It meets every key that is kept: {count(now)}.",
                    f"这等于让后来的查询只看少数几个键。它要遇到所有留下的键：{count(now)}。",
                ),
            ),
            Guess(
                float(rows),
                Text(
                    f"Those are the rows that are run. Each row meets every key up to its own: {count(now)} pairs.",
                    f"这是处理的行数。每一行要遇到直到它自己为止的每个键：{count(now)} 个配对。",
                ),
            ),
            Guess(
                float(prompt),
                Text(
                    f"That is the prompt’s pass alone. Then {later} later pass{'es' if s else ''} of one query "
                    f"come{'s' * (later == 1)} on top.",
                    f"这只是提示那一遍。后面还有 {later} 遍，每遍一个查询。",
                ),
            ),
            Guess(
                float(now - prompt),
                Text(
                    f"Those are the later passes alone. The prompt’s own pass scores {count(prompt)}.",
                    f"这只是后面各遍。提示那一遍自己要算 {count(prompt)} 个。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=count(now),
    )


def _unused(scenario: Scenario, step: Turn) -> Ask | None:
    row, kept, size = row_bytes(CONFIG), scenario.n_kept, scenario.block_size
    before, now = step.before.ledgers.at_end.unused, step.now.ledgers.at_end.unused
    tail = now // row
    why = Text(
        f"The last block has {tail} empty slot{'s' * (tail != 1)} of {row} bytes.",
        f"末块有 {tail} 个空槽位，每个 {row} 字节。",
    )
    return asking(
        Text(
            f"With the cache {kept} positions of {row} bytes are kept at the end, and {count(before)} bytes set "
            f"aside are unused. How many are unused with blocks of {size} positions instead?",
            f"打开缓存，最后留下 {kept} 个位置，每个 {row} 字节；预留而未用 {count(before)} 字节。改用每块 {size} 个"
            "位置的内存块，未用的是多少字节？",
        ),
        float(now),
        (
            Guess(0.0, Text("Blocks come whole. ", "内存块是整块取的。") + why),
            Guess(
                float(before), Text("Blocks are taken only when a position needs one. ", "位置需要时才取内存块。") + why
            ),
            Guess(
                float(row * (kept % size)),
                Text("Those are the bytes in use in the last block. ", "这是末块里在用的字节。") + why,
            ),
            Guess(float(tail), Text("Those are positions. ", "这是位置数。") + why),
        ),
        relative=0,
        absolute=0,
        shown=count(now),
    )


def _outputs(step: Eight) -> Ask | None:
    n = sum(same_output(way) for way in step.ways)
    other = Text(
        f"Each of the three keeps every token and every number: {n} of {len(step.ways)} agree to rounding.",
        f"三者都保留每个 token、每个数：{len(step.ways)} 种里有 {n} 种只差舍入。",
    )
    return asking(
        Text(
            "Three switches make eight ways, run on the same tokens. Where do their logits differ by more than "
            "rounding?",
            "三个开关共有八种做法，处理同样的 token。在哪些情况下，logits 相差会超过舍入误差？",
        ),
        4.0 if n == len(step.ways) else math.nan,
        tuple(Guess(float(i), other) for i in (1, 2, 3)),
        options=(
            Text("wherever the cache is on", "只要打开缓存"),
            Text("wherever tiles are on", "只要打开分块"),
            Text("wherever paging is on", "只要打开分页"),
            Text("nowhere", "都不会"),
        ),
    )
