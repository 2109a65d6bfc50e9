"""Every sentence of the steps, both languages side by side. Numbers come from the step."""

from __future__ import annotations

from engine.counts import naive_squares, prefill
from engine.decode_cost import Convention, Growth, Passes, Price, Same, Scenario, Start, Step, Totals
from engine.generation import CONFIG, ITEMSIZE, MOST_RUN
from lessons.decode_cost.asks import ask
from lessons.decode_cost.facts import facts, small
from lessons.decode_cost.wrong import wrong_way
from lessons.kit.format import count, fixed, many, size
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, paragraphs, same

TITLE = Text("What decoding costs", "解码的代价")
QUESTION = Text(
    "How much work does a KV cache save, and what still grows quadratically?", "KV 缓存省下多少计算？什么仍按平方增长？"
)


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    text = paragraphs(_explain(scenario, step), wrong_way(scenario, step, wrong) if wrong is not None else same(""))
    id_, title = _name(step)
    return Narration(id_, title, headline(scenario, step), text, facts(scenario, step, wrong), ask(scenario, step))


def _name(step: Step) -> tuple[str, Text]:
    match step:
        case Start():
            return "start", Text("Two decoders", "两个解码器")
        case Passes(last=0):
            return "prompt", Text("The prompt", "提示")
        case Passes(first=first, last=last) if first == last:
            return f"pass-{last}", Text(f"Pass {last}", f"第 {last} 步")
        case Passes(first=first, last=last):
            return f"pass-{last}", Text(f"Passes {first}–{last}", f"第 {first}–{last} 步")
        case Same():
            return "same", Text("Same tokens", "同样的 token")
        case Totals():
            return "totals", Text("Unit by unit", "按单位分开")
        case Convention():
            return "passes", Text("Which passes count", "算哪几步")
        case Growth():
            return "growth", Text("Growth", "增长")
        case Price():
            return "price", Text("The price", "代价")


def headline(scenario: Scenario, step: Step, *, markdown: bool = True) -> Text:
    """What happened, in one sentence."""
    m = scenario.n_new
    match step:
        case Start():
            return Text("One prompt, two decoders, and for each two counters", "同一段提示，两个解码器，各有两个计数器")
        case Passes(last=0, plain=plain):
            rows, pairs = count(plain.after.rows), count(prefill(scenario.n_prompt).pairs)
            return Text(
                f"The prompt costs both the same: {many(plain.after.rows, 'row')}, "
                f"{many(prefill(scenario.n_prompt).pairs, 'pair')}",
                f"处理提示时，两者的计算量相同：{rows} 行、{pairs} 对",
            )
        case Passes(plain=plain, cached=cached, first=first, last=last):
            a, b = (side.after.rows - side.before.rows for side in (plain, cached))
            if first == last:
                return Text(
                    f"Without a cache {many(a, 'row')} run, with one {many(b, 'row')}",
                    f"没有缓存要算 {count(a)} 行，有缓存只算 {count(b)} 行",
                )
            return Text(
                f"Passes {first}–{last} run {many(a, 'row')} without a cache and {many(b, 'row')} with one",
                f"第 {first}–{last} 步：没有缓存算了 {count(a)} 行，有缓存 {count(b)} 行",
            )
        case Same(errors=errors):
            most = max(errors)
            if most == 0:
                return Text(
                    "Both choose the same tokens from the same logits", "两者的 logits 相同，选出的 token 也相同"
                )
            return Text(
                f"Both choose the same tokens; their logits differ by at most {fixed(most)}",
                f"两者选出同样的 token；logits 最多相差 {fixed(most)}",
            )
        case Totals(plain=plain, cached=cached):
            return Text(
                f"Rows: {count(plain.rows)} against {count(cached.rows)}. Pairs: {count(plain.pairs)} against "
                f"{count(cached.pairs)}",
                f"没有缓存 {count(plain.rows)} 行、{count(plain.pairs)} 对；有缓存 {count(cached.rows)} 行、"
                f"{count(cached.pairs)} 对",
            )
        case Convention():
            return Text(
                f"{count(m)} new token{'s' * (m > 1)} take {count(m - 1)} or {count(m)} decode passes: say which",
                f"{count(m)} 个新 token 要 {count(m - 1)} 步或 {count(m)} 步解码：请说明是哪一种",
            )
        case Growth():
            return Text(
                "Per step linear, whole generation still quadratic",
                "每一步是线性的，整段生成仍是平方级",
            )
        case Price(resident_last=held, read_total=back):
            return Text(
                f"The price: {size(held)} stay resident, {size(back)} are read back",
                f"代价：{size(held)} 驻留在内存里，读回 {size(back)}",
            )


# --- why


def _explain(scenario: Scenario, step: Step) -> Text:
    p, m, n = scenario.n_prompt, scenario.n_new, scenario.n_positions
    match step:
        case Start():
            c = CONFIG
            ran = Text(
                "Both really run, and the counters count what runs.",
                "两者都真的在运行，计数器数的是实际发生的计算。",
            )
            cell = Text(
                "The number in a cell: how often it has been computed so far.", "格里的数字：到目前为止算过几遍。"
            )
            if scenario.grain > 1:
                cell = Text(
                    f"A cell stands for {scenario.grain} × {scenario.grain} positions; its number: pairs scored in "
                    "it so far.",
                    f"一格代表 {scenario.grain} × {scenario.grain} 个位置；格里的数字：到目前为止其中算过的配对数。",
                )
            if not scenario.is_run:
                ran = Text(
                    f"This is longer than the {MOST_RUN} positions that are run here: passes are counted without the "
                    "model.",
                    f"这比这里能运行的 {MOST_RUN} 个位置更长：只逐步计数，不运行模型。",
                )
            return Text(
                "Each pass chooses the token with the largest logit, and appends it. The left decoder keeps nothing "
                "between "
                "passes; the right one keeps K and V in a [KV cache](term:kv-cache). A [query row](term:query-row) "
                "is one position sent through "
                "the layer: projections, attention, FFN. A [query·key pair](term:pair) is one score. Counts are of "
                "one head of one layer; this "
                f"model does {c.n_layers} times the rows and {c.n_layers * c.n_heads} times the pairs. {ran.en}\n\n"
                f"Lines are queries, columns keys, positions count from 0. {cell.en}",
                "每一步选出 logits 最大的 token，接到末尾。左边的解码器在各步之间什么也不留；右边的把 K、V 留在 [KV "
                "缓存](term:kv-cache)里。"
                "一个[查询行](term:query-row)是送过这一层的一个位置：投影、注意力、FFN。一个[查询·键配对"
                "](term:pair)是一个分数。"
                f"计数针对一层中的一个头；整个模型的行数是它的 {c.n_layers} 倍，配对数是它的 "
                f"{c.n_layers * c.n_heads} 倍。{ran.zh}\n\n"
                f"横行是查询，竖列是键，位置从 0 数起。{cell.zh}",
            )
        case Passes(last=0, tokens=tokens):
            chosen = _first_token(tokens)
            pairs = count(prefill(p).pairs)
            total = f"{_sum_to(p)} = {pairs}" if p > 1 else pairs
            return Text(
                f"[Prefill](term:prefill) sends {_positions(p).en} through in one pass. Position i sees keys 0 … i, "
                f"so there {'are' if p > 1 else 'is'} "
                f"{total} pair{'s: a triangle' * (p > 1)}. The last row’s logits already give the first new token"
                f"{chosen.en}. From now on the right decoder holds K and V of {_positions(p).en}.",
                f"[预填充](term:prefill)用一次前向处理{_positions(p).zh}。位置 i 看得到键 0 … i，所以有 "
                f"{total} 对{'：一个三角形' * (p > 1)}。最后一行的 logits 已经给出第一个新 token{chosen.zh}。"
                f"从此右边的解码器保存着{_positions(p).zh}的 K 和 V。",
            )
        case Passes(first=first, last=last) if first == last:
            return _one_pass(p + last, step)
        case Passes():
            return _many_passes(scenario, step)
        case Same(errors=errors):
            return Text(
                "Old states depend only on themselves and on earlier tokens, so what was kept is what would be "
                "computed again. "
                "Sums of another shape may [round](term:rounding) differently, so compare logits with a tolerance "
                "and tokens "
                f"exactly. Compared here: {count(len(errors))} passes, {CONFIG.vocab_size} logits each.",
                "旧状态只依赖自己和更早的 token，所以留下来的正是本要重算的东西。形状不同的求和[舍入"
                "](term:rounding)可能不同，"
                f"因此 logits 用容差比较，token 要完全一致。这里比较了 {count(len(errors))} 步，每步 "
                f"{CONFIG.vocab_size} 个 logits。",
            )
        case Totals():
            return _totals(scenario, step)
        case Convention(decode=decode, more=more):
            return Text(
                f"The prompt’s pass gives the first new token, so {count(m - 1)} [decode](term:decode) passes are "
                "left: (M − 1)P + M(M − 1)/2 = "
                f"{count(decode.pairs)} pairs for P = {count(p)} and M = {count(m)}. If the last new token is run as "
                "well, so that the cache is ready for what "
                f"follows, there is one pass more: MP + M(M + 1)/2 = {count(decode.pairs + more.pairs)}. Both are in "
                "use.",
                f"提示的那次前向已给出第一个新 token，所以还剩 {count(m - 1)} 步[解码](term:decode)：P = {count(p)}、"
                f"M = {count(m)} 时 (M − 1)P + M(M − 1)/2 = "
                f"{count(decode.pairs)} 对。若把最后一个新 token 也送过模型，让缓存为后文备好，就再多一步：MP + M(M "
                "+ 1)/2 = "
                f"{count(decode.pairs + more.pairs)} 对。两种算法都有人用。",
            )
        case Growth(doubled=doubled):
            (a, b), (c1, d), _, (e, f) = doubled
            return Text(
                "A step at length n scores n pairs: a straight line. All steps together score n(n + 1)/2, here "
                f"{_sum_to(n)} = "
                f"{count(c1)}: the area under it. Double the length and one step takes × {fixed(b / a, 1)}, the "
                f"whole × {fixed(d / c1, 1)}. Without a cache "
                f"the whole takes × {fixed(f / e, 1)}. A cache takes one power off each: the step falls from "
                "quadratic to linear, the whole from cubic to quadratic.",
                f"长度为 n 的一步有 n 对：一条直线。所有步合起来有 n(n + 1)/2 对，这里是 {_sum_to(n)} = {count(c1)}："
                "直线下的面积。"
                f"长度加倍，一步变成 × {fixed(b / a, 1)}，整段变成 × {fixed(d / c1, 1)}；没有缓存时整段变成 × "
                f"{fixed(f / e, 1)}。"
                "缓存让两者各降一次幂：一步从平方级到线性，整段从立方级到平方级。",
            )
        case Price(per_position=each):
            c = CONFIG
            return Text(
                f"A position costs 2 · {c.n_layers} layers · {c.n_kv_heads} KV heads · {c.head_dim} numbers · "
                f"{ITEMSIZE} bytes = {size(each)}, kept until the sequence "
                "ends. Each pass reads all old K and V back for a single row, so the bytes moved grow with the "
                "context as the pairs do. "
                "The work is not done again; the memory and the reading are what it costs.",
                f"一个位置占 2 · {c.n_layers} 层 · {c.n_kv_heads} 个 KV 头 · {c.head_dim} 个数 · {ITEMSIZE} 字节 = "
                f"{size(each)}，一直留到序列结束。"
                "每一步都为仅仅一行把全部旧的 K、V 读回来，所以搬运的字节和配对数一样随上下文增长。计算不再重做；代价"
                "是内存和读取。",
            )


def _positions(p: int) -> Text:
    if p == 1:
        return Text("the prompt’s only position", "提示仅有的那个位置")
    return Text(f"all {count(p)} prompt positions", f"提示的全部 {count(p)} 个位置")


def _first_token(tokens: tuple[int, ...] | None) -> Text:
    return Text(f", {tokens[0]}", f"：{tokens[0]}") if tokens else same("")


def _sum_to(n: int) -> str:
    """1 + 2 + 3, or 1 + 2 + … + 100."""
    return " + ".join(map(str, range(1, n + 1))) if n <= 6 else f"1 + 2 + … + {count(n)}"


def _one_pass(n: int, step: Passes) -> Text:
    pairs, before = prefill(n).pairs, prefill(n - 1).pairs
    chosen = same("")
    if step.tokens and step.error is not None:
        chosen = Text(
            f" Both choose token {step.tokens[-1]}; their logits differ by {small(step.error)}.",
            f"两者都选出 token {step.tokens[-1]}；logits 相差 {small(step.error)}。",
        )
    return Text(
        f"Without a cache nothing was kept: positions 0 … {n - 1} all run, and of {many(pairs, 'pair')} "
        f"{count(before)} {'are' if before > 1 else 'is'} scored once "
        f"more. With a cache K and V of {count(n - 1)} position{'s' * (n > 2)} {'are' if n > 2 else 'is'} read back "
        f"and only position {n - 1} runs. But "
        f"its one query still meets every key: {many(n, 'pair')}.{chosen.en}",
        f"没有缓存就什么也没留下：位置 0 … {n - 1} 全部要算，{count(pairs)} 对里有 {count(before)} 对是又算一遍。"
        f"有缓存时读回 {count(n - 1)} 个位置的 K、V，只算位置 {n - 1}。但它唯一的查询仍要遇到每个键：{count(n)} 对。"
        f"{chosen.zh}",
    )


def _many_passes(scenario: Scenario, step: Passes) -> Text:
    a, b = scenario.n_prompt + step.first, scenario.n_prompt + step.last
    pairs, again = prefill(b).pairs, prefill(b - 1).pairs
    return Text(
        f"Without a cache pass {step.first} runs {count(a)} rows, pass {step.last} runs {count(b)}; of that pass’s "
        f"{count(pairs)} pairs {count(again)} were scored "
        f"before. With a cache each pass runs one row, against {count(a)} keys at first and {count(b)} at last: the "
        "row is one, the "
        "reading grows.",
        f"没有缓存时，第 {step.first} 步算 {count(a)} 行，第 {step.last} 步算 {count(b)} 行；最后这步的 "
        f"{count(pairs)} 对里，{count(again)} 对以前算过。"
        f"有缓存时每步只算一行，面对的键从 {count(a)} 个增加到 {count(b)} 个：行只有一行，要读的却越来越多。",
    )


def _totals(scenario: Scenario, step: Totals) -> Text:
    a, b = step.plain, step.cached
    said = Text(
        "A row is all projections and the FFN of one position; a pair is one score. “Operations” alone names neither.",
        "一行是一个位置的全部投影和 FFN；一对是一个分数。只说“操作”，两者都没有说清。",
    )
    if scenario.n_prompt == 1 and scenario.n_new > 1:
        squares = naive_squares(scenario.n_new)
        return said + Text(
            f" “{count(a.rows)} against {count(b.rows)}” is right for rows. For attention pairs it is "
            f"{count(a.pairs)} against {count(b.pairs)}: the number "
            f"{count(a.rows)} is now on the *cached* side. Counting masked pairs too would give {count(squares)}, "
            "which no causal pass needs.",
            f"“{count(a.rows)} 比 {count(b.rows)}”用于行是对的。按注意力配对算则是 {count(a.pairs)} 比 "
            f"{count(b.pairs)}：这时 {count(a.rows)} "
            f"落在**有缓存**的一边。若把被屏蔽的配对也算上会得到 {count(squares)}，因果前向并不需要它们。",
        )
    p, last = scenario.n_prompt, scenario.n_positions
    return said + Text(
        f" Without a cache the rows are {_range_sum(p, last)} = {count(a.rows)}, the pairs one triangle for each "
        "pass. With one they are "
        f"{count(b.rows)} row{'s' * (b.rows != 1)} and a single triangle of {count(b.pairs)}: every pair scored "
        "exactly once.",
        f"没有缓存时行数是 {_range_sum(p, last)} = {count(a.rows)}，每步再算一整个三角形的配对。有缓存时是 "
        f"{count(b.rows)} 行和"
        f"唯一一个三角形 {count(b.pairs)} 对：每一对恰好算一次。",
    )


def _range_sum(a: int, b: int) -> str:
    if b - a < 6:
        return " + ".join(count(n) for n in range(a, b + 1))
    return f"{count(a)} + {count(a + 1)} + … + {count(b)}"
