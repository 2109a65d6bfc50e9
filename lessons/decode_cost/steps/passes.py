"""Passes that both decoders run: the prompt's, one behind it, or several at once."""

from __future__ import annotations

from engine.counts import prefill
from engine.decode_cost import Passes, Scenario
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.naming import sum_of
from lessons.decode_cost.steps.table import FOUR, facts, four, row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import count
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text, same
from lessons.kit.told import Told, say


def prompt(s: Scenario, step: Passes, wrong: Passes | None) -> Narration:
    if s.n_prompt == 1:
        positions = Text("the prompt’s only position", "提示仅有的那个位置")
        pairs = Text("is 1 pair", "1 对")
    else:
        positions = Told("all {n_prompt} prompt positions", "提示的全部 {n_prompt} 个位置").on(s)
        pairs = Told("are {sum} = {prefill.pairs} pairs: a triangle", "{sum} = {prefill.pairs} 对：一个三角形").on(
            s, sum=sum_of(1, s.n_prompt)
        )
    chosen = same("")
    if step.tokens:
        chosen = Told(", {token}", "：{token}").on(token=step.tokens[0])
    return Narration(
        id="prompt",
        title=Text("The prompt", "提示"),
        headline=Told(
            "The prompt costs both the same: {plain.after.rows:row}, {prefill.pairs:pair}",
            "处理提示时，两者的计算量相同：{plain.after.rows} 行、{prefill.pairs} 对",
        ).on(step, s),
        why=Told(
            "[Prefill](term:prefill) sends {positions} through in one pass. Position i sees keys 0 … i, so there "
            "{pairs}. The last row’s logits already give the first new token{chosen}. From now on the right "
            "decoder holds K and V of {positions}.",
            "[预填充](term:prefill)用一次前向处理{positions}。位置 i 看得到键 0 … i，所以有 {pairs}。最后一行的 "
            "logits 已经给出第一个新 token{chosen}。从此右边的解码器保存着{positions}的 K 和 V。",
        ).on(positions=positions, pairs=pairs, chosen=chosen),
        facts=_facts(step, wrong),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _so_far(s, step, wrong)),
        row=_row(wrong or step),
    )


def one_pass(s: Scenario, step: Passes, wrong: Passes | None) -> Narration:
    n = s.n_prompt + step.last
    chosen = same("")
    if step.tokens and step.error is not None:
        chosen = Told(
            " Both choose token {token}; their logits differ by {error:delta}.",
            "两者都选出 token {token}；logits 相差 {error:delta}。",
        ).on(token=step.tokens[-1], error=step.error)
    ask = None
    if step.last == 1:
        ask = _with_a_cache(n, step.cached.new.pairs)
    elif step.last == s.n_new - 1 >= 3:
        ask = _again(n)
    return Narration(
        id=f"pass-{step.last}",
        title=Told("Pass {last}", "第 {last} 步").on(step),
        headline=Told(
            "Without a cache {plain.new.rows:row} run, with one {cached.new.rows:row}",
            "没有缓存要算 {plain.new.rows} 行，有缓存只算 {cached.new.rows} 行",
        ).on(step),
        why=Told(
            "Without a cache nothing was kept: positions 0 … {old:plain} all run, and of {pairs:pair} "
            "{before} {before|is|are} scored once more. With a cache K and V of {old:position} {old|is|are} read "
            "back and only position {old:plain} runs. But its one query still meets every key: "
            "{n:pair}.{chosen}",
            "没有缓存就什么也没留下：位置 0 … {old:plain} 全部要算，{pairs} 对里有 {before} 对是又算一遍。有缓"
            "存时读回 {old} 个位置的 K、V，只算位置 {old:plain}。但它唯一的查询仍要遇到每个键：{n} 对。"
            "{chosen}",
        ).on(n=n, old=n - 1, pairs=prefill(n).pairs, before=prefill(n - 1).pairs, chosen=chosen),
        facts=_facts(step, wrong),
        ask=ask,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _so_far(s, step, wrong)),
        row=_row(wrong or step),
    )


def several(s: Scenario, step: Passes, wrong: Passes | None) -> Narration:
    a, b = s.n_prompt + step.first, s.n_prompt + step.last
    return Narration(
        id=f"pass-{step.last}",
        title=Told("Passes {first}–{last}", "第 {first}–{last} 步").on(step),
        headline=Told(
            "Passes {first}–{last} run {plain.new.rows:row} without a cache and {cached.new.rows:row} with one",
            "第 {first}–{last} 步：没有缓存算了 {plain.new.rows} 行，有缓存 {cached.new.rows} 行",
        ).on(step),
        why=Told(
            "Without a cache pass {first} runs {a} rows, pass {last} runs {b}; of that pass’s {pairs} pairs "
            "{again} were scored before. With a cache each pass runs one row, against {a} keys at first and {b} at "
            "last: the row is one, the reading grows.",
            "没有缓存时，第 {first} 步算 {a} 行，第 {last} 步算 {b} 行；最后这步的 {pairs} 对里，{again} 对以前算"
            "过。有缓存时每步只算一行，面对的键从 {a} 个增加到 {b} 个：行只有一行，要读的却越来越多。",
        ).on(step, a=a, b=b, pairs=prefill(b).pairs, again=prefill(b - 1).pairs),
        facts=_facts(step, wrong),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _so_far(s, step, wrong)),
        row=_row(wrong or step),
    )


def _row(own: Passes) -> dict[str, object]:
    return row(own.plain.after, own.cached.after, own.cached.held, own.error)


def _facts(step: Passes, wrong: Passes | None) -> Facts:
    before, after = four(step.plain.before, step.cached.before), four(step.plain.after, step.cached.after)
    return facts(
        ("", Text("before", "之前"), Text("after", "之后")),
        lambda way: tuple(zip(FOUR, before, four(way.plain.after, way.cached.after), strict=True)),
        step,
        wrong,
        frozenset(i for i in range(4) if before[i] != after[i]),
    )


def _so_far(s: Scenario, step: Passes, wrong: Passes) -> Text:
    a, b = step.plain.after.pairs, step.cached.after.pairs
    miscounted = (a, b) != (wrong.plain.after.pairs, wrong.cached.after.pairs)
    parted = step.tokens is not None and step.tokens != wrong.tokens
    if not miscounted and not parted:
        return Text("no difference so far.", "到目前为止没有差别。")
    said = say(MISTAKES.of(s).said, s)
    if miscounted:
        said += Told(
            " So far {plain.after.pairs:pair} without a cache and {cached.after.pairs} with one, instead of {a} "
            "and {b}.",
            "到目前为止：没有缓存 {plain.after.pairs} 对，有缓存 {cached.after.pairs} 对，而应是 {a} 和 {b}。",
        ).on(wrong, a=a, b=b)
    if parted and step.tokens and wrong.tokens:
        said += Told(" It chooses token {theirs}, not {ours}.", "它选出的 token 是 {theirs}，而不是 {ours}。").on(
            theirs=wrong.tokens[-1], ours=step.tokens[-1]
        )
    return said


def _exactly(prompt: Text, answer: int, *slips: tuple[int, Text]) -> Ask | None:
    """Only the very number is right."""
    guesses = [Guess(float(value), said) for value, said in slips]
    return asking(prompt, float(answer), guesses, relative=0, absolute=0, shown=count(answer))


def _with_a_cache(n: int, pairs: int) -> Ask | None:
    """The pairs of the first decode pass, which meets n keys."""
    return _exactly(
        Told(
            "Decode pass 1, **with** a cache: position {old} runs alone. How many query·key pairs does it score?",
            "第 1 个解码步，**有**缓存：只运行位置 {old}。它要算多少查询·键配对？",
        ).on(old=n - 1),
        pairs,
        (
            1,
            Told(
                "That is the number of rows. Its one query meets every key so far: {n}.",
                "这是行数。它唯一的查询要遇到至今的每个键：{n} 个。",
            ).on(n=n),
        ),
        (
            prefill(n).pairs,
            Told(
                "That is the whole triangle, as without a cache. One query runs, and it meets {n} keys.",
                "这是整个三角形，即没有缓存的情形。只运行一个查询，它遇到 {n} 个键。",
            ).on(n=n),
        ),
        (
            n - 1,
            Told(
                "Those are the old keys. It meets its own as well: {n}.", "这只是旧键。它也遇到自己的键：共 {n} 个。"
            ).on(n=n),
        ),
    )


def _again(n: int) -> Ask | None:
    """How many pairs of the last pass, of n rows, are scored once more without a cache."""
    pairs, before = prefill(n).pairs, prefill(n - 1).pairs
    return _exactly(
        Told(
            "The next pass runs {n} rows **without** a cache and scores {pairs} pairs. How many of these were "
            "scored before?",
            "下一步**没有**缓存：运行 {n} 行，算 {pairs} 对。其中有多少对以前算过？",
        ).on(n=n, pairs=pairs),
        before,
        (
            n - 1,
            Told(
                "That is the number of old rows. Their pairs are a triangle: {before}.",
                "这是旧行的行数。它们的配对是一个三角形：{before} 对。",
            ).on(before=before),
        ),
        (
            pairs,
            Told("The newest query is new, and with it {n} pairs.", "最新的查询是新的，带来 {n} 对新配对。").on(n=n),
        ),
        (
            n,
            Told("Those are the new ones: the newest query meets {n} keys.", "这是新的：最新的查询遇到 {n} 个键。").on(
                n=n
            ),
        ),
        (0, Text("Nothing was kept, so every old query is scored again.", "什么也没留下，所以每个旧查询都要重算。")),
    )
