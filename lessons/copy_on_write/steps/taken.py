"""B's table starts with the blocks found; B computes the rest of its prompt into blocks of its own."""

from __future__ import annotations

from engine.shared_blocks import Filled, Mistake, Scenario, Step, Taken
from lessons.copy_on_write.steps.table import beside, counts, row, whole
from lessons.kit.ask import Ask, Guess
from lessons.kit.lesson import Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told


def taken(s: Scenario, step: Step, event: Taken, wrong: Taken | None) -> Narration:
    n = len(event.blocks)
    if n:
        headline = Told(
            "B’s table starts with {table}: {n_reused:token} need no computing",
            "B 的块表以 {table} 开头：{n_reused} 个 token 不用再算",
        ).on(event, table=bracketed(event.blocks))
        why = Told(
            "The reference count of {each} block found goes up by 1. Full blocks only, {n} × {block_size} tokens: "
            "nobody writes into them any more, so **sharing like this never needs a copy**.",
            "{each}找到的块引用计数加 1。只共享满块，{n} × {block_size} 个 token：再没有人往里写，所以**这样的共享"
            "永远不需要复制**。",
        ).on(s, n=n, each=Text("the", "") if n == 1 else Text("each", "每个"))
    else:
        headline = Text("Nothing may be shared: B gets no block of A’s", "没有可共享的：A 的块 B 一个也不用")
        why = Text(
            "B computes its whole prompt. That costs time, never correctness: a miss is always safe.",
            "B 要计算整个提示。这只费时间，不影响正确性：未命中总是安全的。",
        )

    def did(wrong: Taken) -> Text | None:
        if wrong.blocks == event.blocks:
            return None
        lead = Told("B’s table starts with {table}. ", "B 的块表以 {table} 开头。").on(table=bracketed(wrong.blocks))
        return lead + _strangers(s, event.n_reused, wrong.n_reused - 1)

    return Narration(
        id="share",
        title=Text("Share", "共享"),
        headline=headline,
        why=why,
        facts=counts(step, wrong),
        ask=_how_many(s, event),
        wrong=beside(s, event, wrong, did),
        row=row(wrong or event),
    )


def _strangers(s: Scenario, first: int, last: int) -> Text:
    """Whose K and V a wrong hit hands over."""
    match s.mistake:
        case Mistake.NO_PARENT:
            return Told(
                "For positions {first} to {last} it holds keys turned to other positions, computed behind other "
                "tokens.",
                "位置 {first} 到 {last} 用的键是按别的位置旋转的，前文也不同。",
            ).on(first=first, last=last)
        case Mistake.NO_MODEL:
            return Text("Those K and V come from another model.", "那些 K、V 来自另一个模型。")
        case Mistake.NO_SALT:
            return Text(
                "The numbers fit, but they are another tenant’s: that they were there shows what the other has asked.",
                "数值是对的，但属于另一个租户：它们在那里，就泄露了对方问过什么。",
            )
        case _:
            return Text(
                "Those K and V were computed with other adapter weights.", "那些 K、V 是用另一套适配器权重算出的。"
            )


def _how_many(s: Scenario, event: Taken) -> Ask | None:
    prompt, n = len(s.prompts[1]), event.n_reused
    return whole(
        Told(
            "B’s prompt has {prompt:token}, in blocks of {block_size}. For how many of them need K and V not be "
            "computed again?",
            "B 的提示有 {prompt} 个 token，每块 {block_size} 个。其中多少个的 K、V 不用再算？",
        ).on(s, prompt=prompt),
        n,
        (
            Guess(
                float(s.n_shared),
                Told(
                    "So many begin like A’s. Of these only full blocks found by name count, and never the prompt’s "
                    "last token: {n}.",
                    "开头确有这么多与 A 相同。其中只算按名字找到的满块，提示的最后一个 token 也总要运行：{n} 个。",
                ).on(n=n),
            ),
            Guess(
                float(prompt // s.block_size * s.block_size),
                Told(
                    "Those are all full blocks of B. Only those that were found are used, and none that holds the "
                    "last token: {n} tokens.",
                    "这是 B 的全部满块。能用的只有找到的，而且不含最后一个 token 所在的块：{n} 个 token。",
                ).on(n=n),
            ),
            Guess(
                prompt - 1.0,
                Text(
                    "That leaves out the last token, as one must; but blocks are shared whole or not at all.",
                    "除去最后一个 token 是对的；但块要么整块共享，要么不共享。",
                ),
            ),
            Guess(float(prompt - n), Text("Those are the tokens that are computed.", "这是要计算的 token 数。")),
        ),
    )


def filled(s: Scenario, step: Step, event: Filled, wrong: Filled | None) -> Narration:
    return Narration(
        id="fill",
        title=Text("Compute the rest", "计算其余部分"),
        headline=Told(
            "B computes {n_computed:token} itself, in {n|a block|blocks} of its own",
            "B 自己计算 {n_computed} 个 token，放进自己的块里",
        ).on(event, n=len(event.allocated)),
        why=Told(
            "From position {position} on B reuses nothing. These tokens run over whatever K and V the table finds "
            "before them, and their own K and V go to {blocks}, which nobody else names. B’s last block is B’s "
            "alone from the start.",
            "从位置 {position} 起 B 什么也不复用。这些 token 在块表找到的前文 K、V 之上运行，自己的 K、V 写进 "
            "{blocks}，没有别人引用这些块。B 的最后一块从一开始就只属于 B。",
        ).on(event, blocks=bracketed(event.allocated)),
        facts=counts(step, wrong),
        wrong=beside(s, event, wrong, lambda wrong: _got(s, wrong) if wrong.n_computed != event.n_computed else None),
        row=row(wrong or event),
    )


def _got(s: Scenario, wrong: Filled) -> Text:
    if s.mistake is Mistake.NO_SALT:
        return Told(
            "B computes only {n_computed:token}, the rest it got from another tenant.",
            "B 只计算 {n_computed} 个 token，其余来自另一个租户。",
        ).on(wrong)
    return Told(
        "B computes only {n_computed:token}, and runs {n_computed|it|them} over K and V that are not its own.",
        "B 只计算 {n_computed} 个 token，而且是在不属于自己的 K、V 上运行。",
    ).on(wrong)
