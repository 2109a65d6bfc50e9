"""What the lesson asks before it shows: the pairs of a cached step, what is scored again without a cache, and how the
whole grows."""

from __future__ import annotations

from engine.counts import prefill
from engine.decode_cost import Growth, Passes, Scenario, Step
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import count, fixed
from lessons.kit.text import Text, same


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most."""
    match step:
        case Passes(first=1, last=1):
            return _cached_step(scenario, step)
        case Passes(first=first, last=last) if first == last == scenario.n_new - 1 >= 3:
            return _again(scenario.n_prompt + last)
        case Growth() if scenario.n_positions >= 3:
            return _growth(step)
        case _:
            return None


def _whole(prompt: Text, answer: int, *slips: tuple[int, Text]) -> Ask | None:
    """Only the very number is right."""
    guesses = [Guess(float(value), said) for value, said in slips]
    return asking(prompt, float(answer), guesses, relative=0, absolute=0, shown=count(answer))


def _cached_step(scenario: Scenario, step: Passes) -> Ask | None:
    p = scenario.n_prompt
    n, pairs = p + 1, step.cached.after.pairs - step.cached.before.pairs
    return _whole(
        Text(
            f"Decode pass 1, **with** a cache: position {count(p)} runs alone. How many query·key pairs does it score?",
            f"第 1 个解码步，**有**缓存：只运行位置 {count(p)}。它要算多少查询·键配对？",
        ),
        pairs,
        (
            1,
            Text(
                f"That is the number of rows. Its one query meets every key so far: {count(n)}.",
                f"这是行数。它唯一的查询要遇到至今的每个键：{count(n)} 个。",
            ),
        ),
        (
            prefill(n).pairs,
            Text(
                f"That is the whole triangle, as without a cache. One query runs, and it meets {count(n)} keys.",
                f"这是整个三角形，即没有缓存的情形。只运行一个查询，它遇到 {count(n)} 个键。",
            ),
        ),
        (
            p,
            Text(
                f"Those are the old keys. It meets its own as well: {count(n)}.",
                f"这只是旧键。它也遇到自己的键：共 {count(n)} 个。",
            ),
        ),
    )


def _again(n: int) -> Ask | None:
    all_pairs, before = prefill(n).pairs, prefill(n - 1).pairs
    return _whole(
        Text(
            f"The next pass runs {count(n)} rows **without** a cache and scores {count(all_pairs)} pairs. How many "
            "of these were scored before?",
            f"下一步**没有**缓存：运行 {count(n)} 行，算 {count(all_pairs)} 对。其中有多少对以前算过？",
        ),
        before,
        (
            n - 1,
            Text(
                f"That is the number of old rows. Their pairs are a triangle: {count(before)}.",
                f"这是旧行的行数。它们的配对是一个三角形：{count(before)} 对。",
            ),
        ),
        (
            all_pairs,
            Text(
                f"The newest query is new, and with it {count(n)} pairs.",
                f"最新的查询是新的，带来 {count(n)} 对新配对。",
            ),
        ),
        (
            n,
            Text(
                f"Those are the new ones: the newest query meets {count(n)} keys.",
                f"这是新的：最新的查询遇到 {count(n)} 个键。",
            ),
        ),
        (0, Text("Nothing was kept, so every old query is scored again.", "什么也没留下，所以每个旧查询都要重算。")),
    )


def _growth(step: Growth) -> Ask | None:
    factors = [b / a for a, b in step.doubled]  # with a cache: one step, the whole; without: one step, the whole
    one, whole, _, plain = (fixed(factor, 1) for factor in factors)
    n = step.lengths[-1]
    return asking(
        Text(
            f"With a cache, {count(n)} positions become {count(2 * n)}. The pairs of the **whole** generation become "
            "about …",
            f"有缓存时，{count(n)} 个位置变成 {count(2 * n)} 个。**整段**生成的配对数大约变成……",
        ),
        3,
        (
            Guess(
                1,
                Text(
                    "Old pairs are not scored again, but new queries meet old keys: new pairs.",
                    "旧的配对不会重算，但新的查询会遇到旧的键：那是新的配对。",
                ),
            ),
            Guess(
                2,
                Text(
                    f"That is one step: × {one}. Twice as many steps, up to twice as long, make × {whole}.",
                    f"这是一步：× {one}。步数加倍，每步又最多加倍，就是 × {whole}。",
                ),
            ),
            Guess(
                4,
                Text(
                    f"That is nearer to the whole without a cache, × {plain}. With one it is × {whole}.",
                    f"这更接近没有缓存的整段，× {plain}。有缓存时是 × {whole}。",
                ),
            ),
        ),
        options=(Text("as many as before", "不变"), same("× 2"), same("× 4"), same("× 8")),
    )
