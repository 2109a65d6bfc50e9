"""What comes onto the chip."""

from __future__ import annotations

from engine.flash_io import Clear, LoadKV, LoadQ, Mistake, Scenario, Start
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.naming import span, spelled
from lessons.flash_io.steps.table import crossed, row
from lessons.kit.ask import Ask, asking
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def start(s: Scenario, step: Start, wrong: Start | None) -> Narration:
    vectors = (step.q.size + step.k.size + step.v.size) * s.itemsize
    return Narration(
        id="start",
        title=Text("In slow memory", "都在慢速显存"),
        headline=Told(
            "Q, K and V lie in HBM, {vectors:B} together, and the chip is empty",
            "Q、K、V 都在 HBM 里，共 {vectors:B}，片上还是空的",
        ).on(vectors=vectors),
        why=Told(
            "[Attention](term:attention) needs a score for each of {n_q} × {n_k} pairs. The plain way writes that "
            "[table](term:score-table) to [HBM](term:hbm), the slow memory, reads it back for the softmax, writes the "
            "weights and reads those back: four passes. Here the table is computed in [tiles](term:tile) of "
            "{tile_q:query} × {tile_k:key} instead. Watch the door in the middle: it counts every byte that crosses.",
            "[注意力](term:attention)要为 {n_q} × {n_k} 个配对各算一个分数。普通做法把这张[表](term:score-table)写"
            "进慢速显存 [HBM](term:hbm)，读回来做 softmax，写回权重，再读回来：四趟。这里改为按 {tile_q} 个查询 × "
            "{tile_k} 个键的[分块](term:tile)计算。请看中间的门：每个进出的字节都会计数。",
        ).on(s),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(step.now.moved, step.now.n_pairs),
    )


def clear(s: Scenario, step: Clear, wrong: Clear | None) -> Narration:
    return Narration(
        id="clear",
        title=Text("Clear O", "清空 O"),
        headline=Told(
            "O, m and ℓ of every query are written to HBM before anything is known: {written:B}",
            "还什么都不知道，就先把每个查询的 O、m、ℓ 写进 HBM：{written:B}",
        ).on(step.now.moved),
        why=Text(
            "In this order of the loops a tile of keys stays on the chip and the queries come by. What is known of a "
            "query must wait in HBM between two visits, so it starts there as o = 0, m = −∞ and ℓ = 0.",
            "在这种循环次序里，键的分块留在片上，查询轮流进来。一个查询在两次进来之间，已知的结果要放在 HBM 里，所"
            "以先写入 o = 0、m = −∞、ℓ = 0。",
        ),
        facts=crossed(step.now.moved, ("o", "m", "l")),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(step.now.moved, step.now.n_pairs),
    )


def load_q(s: Scenario, step: LoadQ, wrong: LoadQ | None) -> Narration:
    n = len(step.rows)
    if s.keys_outside:
        headline = Told(
            "Queries {rows} come in with their o, m and ℓ: {size:B}",
            "查询 {rows} 带着自己的 o、m、ℓ 进来：{size:B}",
        ).on(rows=spelled(step.rows), size=n * (2 * s.d + 2) * s.itemsize)
        why = Text(
            "The keys stay in this order of the loops, so the queries travel. Each brings what earlier tiles of keys "
            "have made of it, and u is restored as ℓ · o.",
            "在这种次序里键不动，查询来来去去。每个查询都带着之前各个键分块累计出的结果，u 由 ℓ · o 恢复。",
        )
    else:
        headline = Told("Queries {rows} come onto the chip: {size:B}", "查询 {rows} 进入片上：{size:B}").on(
            rows=spelled(step.rows), size=n * s.d * s.itemsize
        )
        blind = sum(1 for i in step.rows if i < s.n_blind)
        why = Text(
            "They stay until every key that they may see has come by. Each of these rows starts with m = −∞, ℓ = 0 and "
            "u = 0, as in [online softmax](term:online-softmax).",
            "它们留在片上，直到所有能看到的键都来过。每一行都从 m = −∞、ℓ = 0、u = 0 开始，与[在线 "
            "softmax](term:online-softmax) 相同。",
        )
        if blind:
            why += Told(
                " {blind:query} of them {blind|sees|see} no key at all: there are more queries than keys.",
                "其中 {blind} 个查询一个键也看不到：查询比键多。",
            ).on(blind=blind)

    def did(wrong: LoadQ) -> Text | None:
        if s.mistake is not Mistake.KEPT_STATE or not (wrong.held.m > step.held.m).any():
            return None
        return Told(
            "the rows start with what queries before them left behind: m is {m:vector} instead of {right:vector}.",
            "这些行沿用了之前查询留下的结果：m 是 {m:vector}，而不是 {right:vector}。",
        ).on(m=wrong.held.m, right=step.held.m)

    names = ("q", "o", "m", "l") if s.keys_outside else ("q",)
    return Narration(
        id=f"q{step.rows.start}" + (f"k{step.now.n_done}" if s.keys_outside else ""),
        title=Told("Load Q {rows}", "读 Q {rows}").on(rows=span(step.rows)),
        headline=headline,
        why=why,
        facts=crossed(step.now.moved, names, wrong.now.moved if wrong else None),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row((wrong or step).now.moved, (wrong or step).now.n_pairs),
    )


def load_kv(s: Scenario, step: LoadKV, wrong: LoadKV | None) -> Narration:
    size = len(step.keys) * 2 * s.d * s.itemsize
    keys = spelled(step.keys)
    if step.again:
        headline = Told(
            "Keys and values {keys} come in once more, trip {trip}: {size:B} again",
            "键和值 {keys} 再次进来，这是第 {trip} 趟：又是 {size:B}",
        ).on(keys=keys, trip=step.trip, size=size)
        why = Text(
            "The chip has no room for all of K and V, so each tile of queries has to fetch them for itself. “One trip "
            "per tile” hides this: a tile of K and V makes one trip **for every tile of queries that needs it**.",
            "片上放不下全部 K 和 V，所以每个查询分块都要自己再取一遍。“每个分块一趟”的说法掩盖了这一点：K、V 的一个"
            "分块，**每有一个需要它的查询分块就要来一趟**。",
        )
    else:
        headline = Told("Keys and values {keys} come onto the chip: {size:B}", "键和值 {keys} 进入片上：{size:B}").on(
            keys=keys, size=size
        )
        why = (
            Text(
                "They stay, and every tile of queries that sees them will come by.",
                "它们留在片上，每个能看到它们的查询分块会轮流进来。",
            )
            if s.keys_outside
            else Text(
                "The queries on the chip are scored against them in the next step. After that their place is needed "
                "for the next keys.",
                "下一步就用片上的查询与它们计算分数。之后，这块地方要让给后面的键。",
            )
        )

    def did(wrong: LoadKV) -> Text | None:
        if s.mistake is not Mistake.COUNT_ONCE or not step.again:
            return None
        return Told(
            "these {size:B} cross the door and are not counted: {counted:B} read so far instead of {read:B}.",
            "这 {size:B} 明明进了门却没有计数：记成读了 {counted:B}，实际是 {read:B}。",
        ).on(size=size, counted=wrong.now.moved.read, read=step.now.moved.read)

    return Narration(
        id=f"kv{step.keys.start}trip{step.trip}",
        title=Told("Load K, V {keys}", "读 K、V {keys}").on(keys=span(step.keys)),
        headline=headline,
        why=why,
        facts=crossed(step.now.moved, ("k", "v"), wrong.now.moved if wrong else None),
        ask=_how_much(s, step) if step.trip == 2 and step.keys.start == 0 else None,
        wrong=MISTAKES.beside(s, wrong, did),
        row=row((wrong or step).now.moved, (wrong or step).now.n_pairs),
    )


def _how_much(s: Scenario, step: LoadKV) -> Ask | None:
    k = step.now.moved.of("k").read
    one = len(step.keys) * s.d * s.itemsize
    before = k - one
    return asking(
        Told(
            "{before:B} of K have been read. The next tile of queries needs keys {keys} as well. How many bytes of K "
            "will have been read after that?",
            "到目前 K 读了 {before:B}。下一个查询分块也需要键 {keys}。读完之后，K 一共读了多少字节？",
        ).on(before=before, keys=spelled(step.keys)),
        float(k),
        (
            MISTAKES.guess(Mistake.COUNT_ONCE, float(before), s),
            MISTAKES.guess(
                Mistake.COUNT_ONCE,
                float(k + one),
                s,
                said=Told(
                    "That counts V as well. K alone is {one:B} a tile.", "这把 V 也算进去了。单是 K，每块 {one:B}。"
                ).on(one=one),
            ),
        ),
        relative=0,
        absolute=0,
        shown=f"{k} B",
    )
