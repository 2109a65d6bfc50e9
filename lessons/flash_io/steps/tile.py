"""One tile on the chip: its scores, the fold, and the tiles that are never computed."""

from __future__ import annotations

import numpy as np

from engine.flash_io import Fold, Mistake, Scenario, Score, Skip
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.steps.table import row, tile_name
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.claims import more
from lessons.kit.format import count, fixed
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def score(s: Scenario, step: Score, wrong: Score | None) -> Narration:
    n = step.s.size
    if step.n_hidden == n:
        headline = Told(
            "The chip computes {n:score}, and all of them are masked", "在片上算出 {n} 个分数，全部被屏蔽"
        ).on(n=n)
    elif step.n_hidden:
        headline = Told(
            "The chip computes {n:score}; {hidden} of them {hidden|is|are} masked",
            "在片上算出 {n} 个分数，其中 {hidden} 个被屏蔽",
        ).on(n=n, hidden=step.n_hidden)
    else:
        headline = Told("The chip computes {n:score}, and none is masked", "在片上算出 {n} 个分数，没有一个被屏蔽").on(
            n=n
        )
    if s.causal and step.is_partial:
        why = Told(
            "The [mask](term:mask) cuts through this tile: query i sees key j only where j ≤ i{shift}. A masked score "
            "becomes −∞. The table on the right is all there is of the scores now, and it never goes to HBM.",
            "[掩码](term:mask)切过这个分块：只有 j ≤ i{shift} 时，查询 i 才看得到键 j。被屏蔽的分数记为 −∞。分数此"
            "刻只有右边这一小张表，它从不写进 HBM。",
        ).on(shift=_shift(s))
    else:
        why = Text(
            "Every query of the tile sees every key of it. The table on the right is all there is of the scores now, "
            "and it never goes to HBM.",
            "分块里的每个查询都看得到每个键。分数此刻只有右边这一小张表，它从不写进 HBM。",
        )

    def did(wrong: Score) -> Text | None:
        if np.array_equal(wrong.s, step.s):
            return None
        if s.mistake in (Mistake.TOP_LEFT, Mistake.UNMASKED):
            return Told(
                "it masks {n:score} here instead of {right}.", "这里它屏蔽了 {n} 个分数，应当是 {right} 个。"
            ).on(n=wrong.n_hidden, right=step.n_hidden)
        return Told(
            "it multiplies q · k by {scale} instead of {right}.", "它把 q · k 乘了 {scale}，应当乘 {right}。"
        ).on(scale=s.scale, right=s.right_scale)

    own = wrong or step
    return Narration(
        id=f"s{step.rows.start}x{step.keys.start}",
        title=Told("Scores {tile}", "分数 {tile}").on(tile=tile_name(step.rows, step.keys)),
        headline=headline,
        why=why,
        facts=Facts(
            (Text("on the chip", "片上"), Text("bytes", "字节")),
            (
                (Text("now", "现在"), count(step.now.moved.on_chip)),
                (Text("the whole table would be", "整张表要"), count(s.n_q * s.n_k * s.itemsize)),
            ),
        ),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row(own.now.moved, own.now.n_pairs),
    )


def _shift(s: Scenario) -> str:
    sight = s.sight or 0
    return f" + {sight}" if sight > 0 else f" − {-sight}" if sight < 0 else ""


def fold(s: Scenario, step: Fold, wrong: Fold | None) -> Narration:
    first = bool((step.before.m == -np.inf).all())
    seen = int(np.count_nonzero(step.after.m > -np.inf))
    if not seen:
        headline = Text("No query has seen a key yet, so nothing is added", "还没有查询看到键，什么也没有累计")
    elif first:
        headline = Told(
            "The first tile gives {seen:row} {seen|its|their} m, ℓ and u", "第一个分块给 {seen} 行定下 m、ℓ、u"
        ).on(seen=seen)
    elif step.n_risen:
        headline = Told(
            "The maximum of {n:row} rises from one tile to the next, so ℓ and u are multiplied by α first",
            "{n} 行的最大值在这一块上升，所以先把 ℓ 和 u 乘以 α",
        ).on(n=step.n_risen)
    else:
        headline = Text(
            "Every row keeps its maximum, so the new weights are simply added",
            "各行的最大值保持原样，新的权重直接加上去",
        )
    why = Text(
        "Each row does what [online softmax](term:online-softmax) does for one query. The weights of this tile are "
        "used up at once: they multiply V and are dropped.",
        "每一行做的就是[在线 softmax](term:online-softmax) 对一个查询所做的事。这一块的权重当场用掉：乘上 V，随即丢"
        "弃。",
    )

    def did(wrong: Fold) -> Text | None:
        off = float(np.nanmax(np.abs(wrong.after.l - step.after.l)))
        if off == 0 and np.array_equal(wrong.after.u, step.after.u):
            return None
        return Told("ℓ is {l:vector} instead of {right:vector}.", "ℓ 是 {l:vector}，应当是 {right:vector}。").on(
            l=wrong.after.l, right=step.after.l
        )

    own, risen = wrong or step, (step.after.m > step.before.m) & (step.before.m > -np.inf)
    return Narration(
        id=f"f{step.rows.start}x{step.keys.start}",
        title=Told("Fold {tile}", "累计 {tile}").on(tile=tile_name(step.rows, step.keys)),
        headline=headline,
        why=why,
        facts=Facts(
            (Text("query", "查询"), Text("α", "α"), Text("ℓ before", "ℓ 之前"), Text("ℓ after", "ℓ 之后")),
            tuple(
                (str(i), fixed(alpha), fixed(before), fixed(after))
                for i, alpha, before, after in zip(step.rows, step.alpha, step.before.l, step.after.l, strict=True)
            ),
        ),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row(own.now.moved, own.now.n_pairs),
        claims=tuple(more(now, before) for now, before in zip(step.after.m[risen], step.before.m[risen], strict=True)),
    )


def skip(s: Scenario, step: Skip, wrong: Skip | None) -> Narration:
    n = len(step.tiles)
    pairs = sum(len(rows) * len(keys) for rows, keys in step.tiles)
    rows, keys = step.tiles[0]
    each = keys if s.keys_outside else rows
    return Narration(
        id=f"skip{each.start}",
        title=Text("Skip", "跳过"),
        headline=Told(
            "{n:tile} {n|is|are} skipped: no query in {n|it|them} may see a key there",
            "跳过 {n} 个分块：里面没有查询看得到那里的键",
        ).on(n=n),
        why=Told(
            "The mask hides all of {n|it|them}, so nothing is loaded and none of the {pairs:score} {pairs|is|are} "
            "computed. A causal mask therefore spares about half of the work and of the traffic of long sequences.",
            "掩码把它们全部遮住，所以不读数据，其中 {pairs} 个分数也不算。序列很长时，因果掩码因此省去约一半的"
            "计算和搬运。",
        ).on(n=n, pairs=pairs),
        facts=Facts(
            (Text("tiles", "分块"), Text("number", "个数")),
            (
                (Text("computed", "计算"), count(len(s.visits))),
                (Text("cut by the mask", "被掩码切开"), count(len(s.partial))),
                (Text("skipped", "跳过"), count(len(s.skipped))),
            ),
            frozenset({2}),
        ),
        ask=_how_many(s) if step.tiles[0] == s.skipped[0] else None,
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row((wrong or step).now.moved, (wrong or step).now.n_pairs),
    )


def _how_many(s: Scenario) -> Ask | None:
    pairs = sum(len(rows) * len(keys) for rows, keys in s.visits)
    seen = sum(min(max(i + 1 + (s.sight or 0), 0), s.n_k) for i in range(s.n_q))
    return asking(
        Told(
            "Of {n_q} × {n_k} = {all} scores, how many does the whole walk compute, masked ones inside a tile "
            "included?",
            "{n_q} × {n_k} = {all} 个分数里，整个过程一共计算多少个（分块内被屏蔽的也算）？",
        ).on(s, all=s.n_q * s.n_k),
        float(pairs),
        (
            Guess(
                float(s.n_q * s.n_k),
                Text("That is the whole table. Skipped tiles are not computed.", "这是整张表。跳过的分块不计算。"),
            ),
            Guess(
                float(seen),
                Text(
                    "Those are the pairs that may be seen. A tile that the mask cuts through is computed whole.",
                    "这是看得到的配对数。被掩码切开的分块要整块计算。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=count(pairs),
    )
