"""The backward pass: the weights rebuilt tile by tile, gradients on the way."""

from __future__ import annotations

from engine.chip import Moved
from engine.flash_io import Forward, Gradients, Rebuild, Scenario, WriteKV
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.naming import ARRAYS, span, spelled
from lessons.flash_io.steps.table import crossed, row, tile_name
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.claims import alike, less, more
from lessons.kit.format import count
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def forward(s: Scenario, step: Forward, wrong: Forward | None) -> Narration:
    kept = step.lse.size * s.itemsize
    return Narration(
        id="forward",
        title=Text("What is left", "留下的东西"),
        headline=Told(
            "The forward pass left O and one number per query, {kept:B}, and no table of weights",
            "前向只留下 O 和每个查询一个数，共 {kept:B}，没有权重表",
        ).on(kept=kept),
        why=Told(
            "[Training](term:backward) needs every weight again to compute the gradients of Q, K and V. The plain "
            "way keeps P for that: {table:B} here, quadratic in the length. From the [log-sum-exp](term:lse) a "
            "weight can be rebuilt without searching for a maximum: p = exp(s − LSE).",
            "[训练](term:backward)要再用到每个权重，才能算出 Q、K、V 的梯度。普通做法为此保存 P：这里是 {table:B}，"
            "随长度平方增长。有了 [log-sum-exp](term:lse)，不必再找最大值就能重建权重：p = exp(s − LSE)。",
        ).on(table=s.n_q * s.n_k * s.itemsize),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(Moved(()), 0),
    )


def rebuild(s: Scenario, step: Rebuild, wrong: Rebuild | None) -> Narration:
    return Narration(
        id=f"r{step.rows.start}x{step.keys.start}",
        title=Told("Rebuild {tile}", "重建 {tile}").on(tile=tile_name(step.rows, step.keys)),
        headline=Told(
            "Weights are computed a second time: queries {rows} with keys {keys}",
            "查询 {rows} 与键 {keys} 的权重又算了一遍",
        ).on(rows=spelled(step.rows), keys=spelled(step.keys)),
        why=Text(
            "The chip multiplies q · k once more and gets $p = e^{s - LSE}$. The gradient that arrives at the "
            r"output gives $dP = dO\,V^T$ and $dS = P \circ (dP - \Delta)$ with $\Delta = \sum dO \cdot O$ per "
            "query. dK and dV collect on the chip; dQ of these queries is read, added to and written back.",
            r"片上重新计算 q · k，得到 $p = e^{s - LSE}$。传到输出的梯度给出 $dP = dO\,V^T$ 和 $dS = P \circ (dP - "
            r"\Delta)$，其中每个查询 $\Delta = \sum dO \cdot O$。dK、dV 累计在片上；这些查询的 dQ 读入、累加、写回。",
        ),
        facts=crossed(step.moved, ("q", "do", "dq")),
        ask=_stored_or_computed(s) if step.n_rebuilt == step.s.size else None,
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(step.moved, step.n_rebuilt),
    )


def _stored_or_computed(s: Scenario) -> Ask | None:
    return asking(
        Text("Where does the backward pass get the weights P from?", "反向传播从哪里得到权重 P？"),
        2.0,
        (
            Guess(
                1.0,
                Text(
                    "P was never written. Only O and one log-sum-exp per query were.",
                    "P 从没写出过。写出的只有 O 和每个查询一个 log-sum-exp。",
                ),
            ),
            Guess(
                3.0,
                Text(
                    "O is an average: many different weights give the same O.",
                    "O 是加权平均：许多不同的权重会给出同一个 O。",
                ),
            ),
        ),
        options=(
            Text("It reads the table that the forward pass stored", "读前向保存的表"),
            Text("It computes the scores again and uses the log-sum-exp", "重新计算分数，再用 log-sum-exp"),
            Text("It works them out from O", "由 O 反推出来"),
        ),
    )


def write_kv(s: Scenario, step: WriteKV, wrong: WriteKV | None) -> Narration:
    return Narration(
        id=f"dkv{step.keys.start}",
        title=Told("Write dK, dV {keys}", "写 dK、dV {keys}").on(keys=span(step.keys)),
        headline=Told(
            "dK and dV of keys {keys} are complete and go out once: {size:B}",
            "键 {keys} 的 dK、dV 算完，写出一次：{size:B}",
        ).on(keys=spelled(step.keys), size=2 * step.dk.size * s.itemsize),
        why=Text(
            "Every query that sees these keys has come by. The keys stand in the outer loop here, so that their "
            "gradients need no second trip.",
            "能看到这些键的查询都已来过。这里键在外层循环，它们的梯度因此不必来回搬运。",
        ),
        facts=crossed(step.moved, ("dk", "dv")),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(step.moved, 0),
    )


def gradients(s: Scenario, step: Gradients, wrong: Gradients | None) -> Narration:
    tiles, plain = step.moved.total, step.plain.total
    claim = alike(tiles, plain) if tiles == plain else less(tiles, plain) if tiles < plain else more(tiles, plain)
    headline = (
        Told(
            "Backward, tiles moved {tiles:B} and the plain way {plain:B}: fewer, for the same gradients",
            "反向时，分块搬运 {tiles:B}，普通做法 {plain:B}：更少，梯度相同",
        )
        if tiles < plain
        else Told(
            "Backward, tiles moved {tiles:B} and the plain way {plain:B}: at this size nothing is gained, and the "
            "gradients are the same",
            "反向时，分块搬运 {tiles:B}，普通做法 {plain:B}：这个大小没有好处，梯度相同",
        )
    ).on(tiles=tiles, plain=plain)
    names = dict.fromkeys((*(line.name for line in step.moved.arrays), "p", "dp", "ds"))
    rows = [(ARRAYS[name], count(step.moved.of(name).moved), count(step.plain.of(name).moved)) for name in names]
    return Narration(
        id="gradients",
        title=Text("Compare", "比较"),
        headline=headline,
        why=Told(
            "**Work**: {flop} FLOP in tiles against {plain_flop}, because q · k is computed a second time; skipped "
            "tiles spare some of it. **Bytes moved**: {tiles:B} against {plain:B}. **Bytes resident**: one "
            "log-sum-exp per query instead of the table P. Computing again is cheaper here than fetching.",
            "**计算**：分块 {flop} 次浮点运算，普通做法 {plain_flop} 次，因为 q · k 要再算一遍，跳过的分块又省下一"
            "些。**搬运的字节**：{tiles:B} 对 {plain:B}。**驻留的字节**：每个查询一个 log-sum-exp，代替整张表 P。在"
            "这里，重算比取回便宜。",
        ).on(step, tiles=tiles, plain=plain)
        if tiles < plain
        else Told(
            "**Work**: {flop} FLOP in tiles against {plain_flop}: q · k is computed a second time, and skipped tiles "
            "spare some work. **Bytes moved**: {tiles:B} against {plain:B}. **Bytes resident**: one log-sum-exp per "
            "query instead of the table P. The gain in bytes comes with the length.",
            "**计算**：分块 {flop} 次浮点运算，普通做法 {plain_flop} 次：q · k 要再算一遍，跳过的分块又省下一些。**"
            "搬运的字节**：{tiles:B} 对 {plain:B}。**驻留的字节**：每个查询一个 log-sum-exp，代替整张表 P。序列变"
            "长，搬运才会变少。",
        ).on(step, tiles=tiles, plain=plain),
        facts=Facts(
            (Text("bytes moved", "搬运的字节"), Text("tiles", "分块"), Text("plain", "普通")),
            (*rows, (Text("together", "合计"), count(tiles), count(plain))),
            frozenset({len(rows)}),
        ),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(step.moved, 0),
        claims=(claim, alike(0.0, step.error, 1e-9)),
    )
