"""A token of the cached prompt is replaced: what no longer holds, and what is computed again."""

from __future__ import annotations

from engine.kv_reuse import Mended, Replaced, Scenario
from lessons.kit.ask import Ask
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told, say
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import COMPUTED, KEPT, counting, row


def replaced(s: Scenario, step: Replaced) -> Narration:
    if s.longer == s.edited:
        headline = Told(
            "{was} is replaced by itself at position {edit_at}: nothing changes",
            "位置 {edit_at} 的 {was} 换成它自己：什么也没变",
        )
    else:
        headline = Told(
            "{was} becomes {now} at position {edit_at}: what depends on it no longer holds",
            "位置 {edit_at} 的 {was} 换成 {now}：依赖它的都失效了",
        )
    x, k, v = (float(table.max()) for table in (step.x, step.k, step.v))
    return Narration(
        id="edit/replace",
        title=Told("Replace {was} by {now}", "把 {was} 换成 {now}").on(names(s)),
        headline=headline.on(names(s), s),
        why=_survivors(s, step),
        ask=_how_many(s, step),
        row=row(x=x, k=k, v=v),
    )


def _survivors(s: Scenario, step: Replaced) -> Text:
    if s.longer == s.edited:
        return Text("Same token, same position: every row still holds.", "token 相同、位置相同：每一行仍然有效。")
    said = Told(
        "Marked ≠: rows that were computed from {was}. In layer 0, {survivors} of {n_positions} rows still hold, "
        "even those behind position {edit_at}: in that layer k and v come from one token and its position alone.",
        "标 ≠ 的是由 {was} 算出的行。第 0 层 {n_positions} 行中有 {survivors} 行仍有效，位置 {edit_at} 之后的也在"
        "内：这一层的 k、v 只取决于一个 token 和它的位置。",
    ).on(names(s), s, survivors=s.n_positions - step.changed(0)[0])
    if s.n_layers == 1:
        return said
    return said + Told(
        " In layer 1, {lost:row} {lost|has|have} changed: their inputs had looked at {was}.",
        "第 1 层则有 {lost} 行变了：它们的输入看过 {was}。",
    ).on(names(s), lost=max(step.changed(1)))


def _how_many(s: Scenario, step: Replaced) -> Ask | None:
    n, at = s.n_positions, s.edit_at
    own = Text(
        "In layer 0, k comes from one token and its position alone.", "第 0 层的 k 只由一个 token 和它的位置算出。"
    )
    return counting(
        Told(
            "{was} at position {edit_at} becomes {now}. How many of the {n_positions} rows of k in **layer 0** no "
            "longer hold?",
            "位置 {edit_at} 的 {was} 换成 {now}。**第 0 层**的 {n_positions} 行 k 中有几行失效？",
        ),
        step.changed(0)[0],
        (
            n - at,
            Told(
                "That counts all from the edit on, which is so in deeper layers. ",
                "这是从编辑位置起全部算上，更深的层才是这样。",
            )
            + own,
        ),
        (n, Told("That counts the whole cache. ", "这是整个缓存。") + own),
        (n - at - 1, Told("That counts those behind the edit. ", "这是编辑位置之后的。") + own),
        (0, Told("The replaced token’s own row has changed. ", "被替换的 token 自己的那一行变了。") + own),
        (1, Told("{was} was replaced by itself: nothing has changed.", "{was} 换成了它自己：什么也没变。")),
        on=(names(s), s),
    )


def mended(s: Scenario, step: Mended, wrong: Mended | None) -> Narration:
    if s.first_to_recompute < s.edit_at:
        why = Text(
            "Tokens before the edit had looked forward at it, so the reusable prefix ends before them.",
            "编辑位置之前的 token 曾向后看到它，所以可复用的前缀在它们之前就结束了。",
        )
    else:
        why = Text(
            "A prompt’s cache can be kept up to the first token that differs. What counts are the tokens that the "
            "model reads, not the characters that we see: a changed system prompt, template or tool list moves that "
            "point nearer to the beginning.",
            "提示的缓存可以用到第一个不同的 token 为止。算数的是模型实际读到的 token，不是人眼看到的字符：改了系统"
            "提示、模板或工具列表，这个点就会往前移。",
        )
    concerned = wrong if s.mistake.on_the_edit else None
    anew, kept = len(step.computed), step.n_kept
    own = wrong or step
    return Narration(
        id="edit/recompute",
        title=Text("Recompute", "重算"),
        headline=_recomputed(s),
        why=why,
        facts=Facts(
            ("", COMPUTED, KEPT),
            (
                (Text("positions", "位置数"), str(anew), str(kept)),
                (Text("rows of k and of v", "k、v 各几行"), str(anew * s.n_layers), str(kept * s.n_layers)),
            ),
            frozenset({0, 1}),
        ),
        wrong=MISTAKES.beside(s, concerned, lambda _: say(MISTAKES.of(s).said, s)),
        row=row(k=float(own.k.max()), v=float(own.v.max()), computed=len(own.computed), kept=own.n_kept),
    )


def _recomputed(s: Scenario) -> Text:
    first, last = s.first_to_recompute, s.last
    if first == 0:
        said = Told(
            "Nothing can be kept: positions 0 to {last} are computed again", "什么也不能留：位置 0 到 {last} 全部重算"
        )
        return said.on(s)
    if first == 1:
        kept = Told("Position 0 is kept", "位置 0 留用")
    else:
        kept = Told("Positions 0 to {before} are kept", "位置 0 到 {before} 留用")
    if first == last:
        anew = Told("; position {last} is computed again", "；位置 {last} 重算")
    else:
        anew = Told(
            "; positions {first_to_recompute} to {last} are computed again",
            "；位置 {first_to_recompute} 到 {last} 重算",
        )
    return (kept + anew).on(s, before=first - 1)
