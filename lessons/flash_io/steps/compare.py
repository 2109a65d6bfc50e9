"""Both ways at the end: what was saved, in which ledger, at what price."""

from __future__ import annotations

from engine.flash_io import Compare, Mistake, Scenario
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.naming import ARRAYS
from lessons.flash_io.steps.table import row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.claims import alike, apart, less, more
from lessons.kit.format import count
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def compare(s: Scenario, step: Compare, wrong: Compare | None) -> Narration:
    tiles, plain = step.now.moved.total, step.plain.total
    claim = alike(tiles, plain) if tiles == plain else less(tiles, plain) if tiles < plain else more(tiles, plain)
    headline = (
        Told(
            "Tiles moved {tiles:B}, the plain way {plain:B}: fewer, for the same output",
            "分块搬运 {tiles:B}，普通做法 {plain:B}：更少，输出相同",
        )
        if tiles < plain
        else Told(
            "Tiles moved {tiles:B}, the plain way {plain:B}: nothing is gained at this size, and the output is the "
            "same",
            "分块搬运 {tiles:B}，普通做法 {plain:B}：这个大小没有好处，输出相同",
        )
    ).on(tiles=tiles, plain=plain)
    k, v = (step.now.moved.of(name) for name in ("k", "v"))
    price = (
        Told(
            "The price: O, m and ℓ travel with every tile, {o:B} for O alone.",
            "代价：O、m、ℓ 随每个分块来回，单是 O 就 {o:B}。",
        ).on(o=step.now.moved.of("o").moved)
        if s.keys_outside
        else Told(
            "The price: K and V are read for every tile of queries, {kv:B} instead of {once:B}.",
            "代价：每个查询分块都要读 K、V，共 {kv:B}，只读一遍是 {once:B}。",
        ).on(kv=k.read + v.read, once=2 * s.n_k * s.d * s.itemsize)
    )
    saved = Told(
        "**Work**: {pairs} scores computed, the plain way {all}. Tiles spare only what the mask hides. **Bytes "
        "moved**: {tiles:B} against {plain:B}. **Bytes resident**: {extra:B} besides Q, K, V and O, against "
        "{plain_extra:B} for two tables. ",
        "**计算**：算了 {pairs} 个分数，普通做法 {all} 个；分块只省下被掩码整块遮住的部分。**搬运的字节**："
        "{tiles:B} 对 {plain:B}。**驻留的字节**：除 Q、K、V、O 外 {extra:B}，普通做法的两张表要 {plain_extra:B}。",
    ).on(step, pairs=step.now.n_pairs, all=s.n_q * s.n_k, tiles=tiles, plain=plain)

    def did(wrong: Compare) -> Text | None:
        if s.mistake is Mistake.COUNT_ONCE and wrong.miscounted:
            return Told(
                "its book says {counted:B}, and {tiles:B} crossed the door.",
                "它的账上是 {counted:B}，实际过门 {tiles:B}。",
            ).on(counted=wrong.now.moved.total, tiles=tiles)
        if not wrong.differs:
            return None
        return Told(
            "the output is off by up to {error:delta}, far more than rounding error.",
            "输出最多相差 {error:delta}，远超舍入误差。",
        ).on(wrong)

    own = wrong or step
    names = [line.name for line in step.now.moved.arrays]
    rows = [
        (ARRAYS[name], count(step.now.moved.of(name).moved), count(step.plain.of(name).moved))
        for name in dict.fromkeys((*names, "s", "p"))
    ]
    return Narration(
        id="compare",
        title=Text("Compare", "比较"),
        headline=headline,
        why=saved + price,
        facts=Facts(
            (Text("bytes moved", "搬运的字节"), Text("tiles", "分块"), Text("plain", "普通")),
            (*rows, (Text("together", "合计"), count(tiles), count(plain))),
            frozenset({len(rows)}),
        ),
        ask=_which_array(s, step),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row(own.now.moved, own.now.n_pairs),
        claims=(
            claim,
            alike(0.0, step.error, 1e-9),
            *(() if wrong is None or not wrong.differs else (apart(0.0, wrong.error),)),
        ),
    )


def _which_array(s: Scenario, step: Compare) -> Ask | None:
    plain = step.plain.total
    tables = step.plain.of("s").moved + step.plain.of("p").moved
    return asking(
        Told(
            "The plain way moved {plain:B}. How many of them were the two tables, S and P?",
            "普通做法搬运了 {plain:B}。其中两张表 S 和 P 占多少字节？",
        ).on(plain=plain),
        float(tables),
        (
            Guess(
                tables / 2,
                Text("Each table crosses twice: it is written and read back.", "每张表过两次门：写出去，再读回来。"),
            ),
            Guess(
                float(plain),
                Text("Q, K, V and O cross as well, once each.", "Q、K、V、O 也各过一次门。"),
            ),
            Guess(
                tables / 4,
                Text(
                    "That is one table crossing once. There are two, and each crosses twice.",
                    "这是一张表过一次。表有两张，各过两次。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=f"{count(tables)} B",
    )
