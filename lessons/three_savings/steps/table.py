"""What several steps have in common: the small table beside the words, the line of the trace's table, and what comes
of a misunderstanding made true."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from engine.three_ledgers import Ledgers
from engine.three_savings import Outcome, Scenario
from lessons.kit.format import count
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.kit.told import Told, say
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import named, written

Line = tuple[Text, Callable[[Ledgers], int]]

ROWS: Line = (Text("rows a layer", "每层行数"), lambda x: x.rows)
HEAD: Line = (Text("pairs a head", "每头配对"), lambda x: x.per_head.pairs)
VECTORS: Line = (Text("moved: q, k, v, o", "搬运：q、k、v、o"), lambda x: x.moved_vectors)
TABLES: Line = (Text("moved: tables", "搬运：分数表"), lambda x: x.moved_tables)
KV: Line = (Text("K, V at the end", "最后的 K、V"), lambda x: x.at_end.kv)
UNUSED: Line = (Text("set aside, unused", "预留未用"), lambda x: x.at_end.unused)
BLOCKS: Line = (Text("block table", "块表"), lambda x: x.at_end.block_table)
PASS: Line = (Text("fullest in pass", "最满在第几遍"), lambda x: x.peak_pass + 1)
TOTALS: tuple[Line, ...] = (
    (Text("pairs", "配对"), lambda x: x.pairs),
    (Text("bytes moved", "搬运字节"), lambda x: x.moved),
    (Text("bytes resident", "驻留字节"), lambda x: x.resident.total),
)
OFF_HERE = Text("its switch is off here, so nothing differs.", "这里它的开关是关的，所以没有差别。")


def row(way: Outcome | None) -> dict[str, object]:
    """The way that a step turns to as one line of the trace's table; empty where it shows no single way."""
    led = way and way.ledgers
    return {
        "way": way and named(way.switches).en,
        "rows": led and led.rows,
        "pairs": led and led.pairs,
        "moved q k v o": led and led.moved_vectors,
        "moved tables": led and led.moved_tables,
        "resident K V": led and led.resident.kv,
        "resident unused": led and led.resident.unused,
        "resident tables": led and led.resident.scores,
        "block table": led and led.resident.block_table,
        "picks": way and picks(way),
        "max |Δ logit|": way and way.error,
    }


def picks(way: Outcome) -> str:
    """The tokens it chooses, in a row."""
    return " ".join(map(str, way.picks))


def facts(lines: tuple[Line, ...], before: Outcome | None, now: Outcome, wrong: Outcome | None) -> Facts:
    """A way's numbers beside those before; a last column for the wrong way where there is one."""
    first = () if before is None else (before,)
    last = () if wrong is None else (wrong,)
    rows: list[tuple[Text | str, ...]] = [
        (label, *(count(value(way.ledgers)) for way in (*first, now, *last))) for label, value in lines
    ]
    errors = ("" for _ in first), (written(way.error) for way in (now, *last))
    rows.append((Text("largest |Δ logit|", "最大 |Δ logit|"), *chain(*errors)))
    return Facts(
        ("", *(named(way.switches) for way in (*first, now)), *(Text("wrong way", "错误做法") for _ in last)),
        tuple(rows),
        _differing(lines, now, *first),
        _differing(lines, now, *last) | {len(lines) for way in last if not way.same_output},
    )


def _differing(lines: tuple[Line, ...], now: Outcome, *other: Outcome) -> frozenset[int]:
    return frozenset(
        i for i, (_, value) in enumerate(lines) for way in other if value(way.ledgers) != value(now.ledgers)
    )


def made_true(s: Scenario, right: Outcome, wrong: Outcome) -> Text:
    """What comes of a misunderstanding in one way."""
    if not s.mistake.made_by(right.switches):
        return OFF_HERE
    mistake = MISTAKES.of(s)
    claim = say(mistake.said, s)
    if wrong.same_output:
        unseen = Text(" **The output does not show it here**, because ", "**在这组输入上，输出里看不出来**，因为")
        return claim + unseen + say(mistake.invisible, s)
    if wrong.picks == right.picks:
        chosen = Text("its tokens happen to be the same", "选出的 token 碰巧相同")
    else:
        chosen = Told("it picks {wrong} where {right} is right", "它选出 {wrong}，正确的是 {right}").on(
            wrong=picks(wrong), right=picks(right)
        )
    return claim + Told(
        " The logits are off by up to {error}; {chosen}. It scores {pairs} pairs, moves {moved} bytes and has "
        "{resident.total} resident.",
        "logits 最多差 {error}；{chosen}。它算 {pairs} 个配对，搬运 {moved} 字节，驻留 {resident.total} 字节。",
    ).on(wrong.ledgers, error=written(wrong.error), chosen=chosen)
