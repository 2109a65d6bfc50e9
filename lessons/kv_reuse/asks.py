"""What the lesson asks before it shows: who sees the new token, what it has to compute, which rows an edit spoils in
layer 0."""

from __future__ import annotations

from engine.kv_reuse import Project, Replaced, SameView, Scenario, Step
from engine.prompt_edits import ROUNDING
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.text import Text
from lessons.kv_reuse.tokens import letter


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most."""
    match step:
        case SameView():
            return _view(scenario, step)
        case Project(layer=0):
            return _computed(scenario)
        case Replaced():
            return _spoilt(scenario, step)
        case _:
            return None


def _whole(prompt: Text, answer: int, *slips: tuple[int, Text]) -> Ask | None:
    """Only the very number is right."""
    guesses = [Guess(float(value), said) for value, said in slips]
    return asking(prompt, float(answer), guesses, relative=0, absolute=0, shown=str(answer))


def _view(scenario: Scenario, step: SameView) -> Ask | None:
    new, n = letter(scenario.appended), step.proof.n_old
    seen = sum(bool(row[-1]) for row in step.proof.seen[:-1])
    return _whole(
        Text(
            f"{n} old quer{'ies' if n > 1 else 'y'}: how many may see {new}? A number.",
            f"{n} 个旧查询中，有几个能看见 {new}？填一个数。",
        ),
        seen,
        (
            n,
            Text(
                f"That would be a model in which everyone sees everyone. In this one {seen} of {n} do.",
                f"那是人人互相可见的模型。在这个模型里，{n} 个中有 {seen} 个。",
            ),
        ),
        (
            0,
            Text(
                f"That would be a causal model. In this one {seen} of {n} do.",
                f"那是因果模型。在这个模型里，{n} 个中有 {seen} 个。",
            ),
        ),
        (
            1,
            Text(
                f"The nearest gets no exception: the mask alone decides, and here {seen} of {n} do.",
                f"离得最近的也不例外：只由掩码决定，这里 {n} 个中有 {seen} 个。",
            ),
        ),
    )


def _computed(scenario: Scenario) -> Ask | None:
    new, n = letter(scenario.appended), len(scenario.longer)
    return _whole(
        Text(
            f"{new} goes through layer 0. How many rows of q, k and v are computed there, together?",
            f"{new} 走过第 0 层。这一层一共要算几行 q、k、v？",
        ),
        3,
        (
            3 * n,
            Text(
                f"That computes all {n} tokens again. The old k and v are in the cache, and the old q are not needed.",
                f"这是把 {n} 个 token 全部重算。旧的 k、v 在缓存里，旧的 q 用不着。",
            ),
        ),
        (
            2 * n + 1,
            Text(
                f"That computes k and v of all {n} tokens again. The old ones are in the cache.",
                f"这是把 {n} 个 token 的 k、v 全部重算。旧的在缓存里。",
            ),
        ),
        (2, Text(f"{new} asks as well: it needs a q of its own.", f"{new} 自己也要提问：它需要自己的 q。")),
        (
            1,
            Text(
                f"{new} needs a q to ask with, and a k and a v for itself and for those to come.",
                f"{new} 要用 q 去问，还要有 k 和 v，供自己和以后的 token 用。",
            ),
        ),
    )


def _spoilt(scenario: Scenario, step: Replaced) -> Ask | None:
    was, now, at, n = (
        letter(scenario.longer[scenario.edit_at]),
        letter(scenario.edit_to),
        scenario.edit_at,
        len(scenario.longer),
    )
    spoilt = int((step.k[0] > ROUNDING).sum())
    own = Text(
        "In layer 0, k comes from one token and its position alone.", "第 0 层的 k 只由一个 token 和它的位置算出。"
    )
    return _whole(
        Text(
            f"{was} at position {at} becomes {now}. How many of the {n} rows of k in **layer 0** no longer hold?",
            f"位置 {at} 的 {was} 换成 {now}。**第 0 层**的 {n} 行 k 中有几行失效？",
        ),
        spoilt,
        (
            n - at,
            Text(
                "That counts all from the edit on, which is so in deeper layers. ",
                "这是从编辑位置起全部算上，更深的层才是这样。",
            )
            + own,
        ),
        (n, Text("That counts the whole cache. ", "这是整个缓存。") + own),
        (n - at - 1, Text("That counts those behind the edit. ", "这是编辑位置之后的。") + own),
        (0, Text("The replaced token’s own row has changed. ", "被替换的 token 自己的那一行变了。") + own),
        (1, Text(f"{was} was replaced by itself: nothing has changed.", f"{was} 换成了它自己：什么也没变。")),
    )
