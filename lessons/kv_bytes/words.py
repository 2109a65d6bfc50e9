"""Every sentence of a step, both languages side by side. Numbers come from the step."""

from __future__ import annotations

from engine.kv_ladder import Mistake
from engine.kv_size import (
    HeadCounts,
    Layout,
    Multiply,
    OnDevice,
    OneMore,
    RungName,
    Scenario,
    Step,
    Units,
)
from lessons.kit.format import count, many
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text, paragraphs, same
from lessons.kv_bytes.asks import ask
from lessons.kv_bytes.mistakes import MISTAKES, said, why_invisible
from lessons.kv_bytes.quantities import big, bytes_, gb, gib, milliseconds, times
from lessons.kv_bytes.reasons import explain
from lessons.kv_bytes.rungs import TITLES, factor, in_bytes, name_of, product, short_size

TITLE = Text("KV bytes", "KV 字节数")
QUESTION = Text(
    "How much memory do the keys and values of a long context take?",
    "一段长上下文的键和值到底占多少显存？",
)


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    text = paragraphs(explain(scenario, step), _wrong(scenario, step, wrong) if wrong is not None else same(""))
    id_, title = _name(scenario, step)
    return Narration(id_, title, headline(scenario, step), text, _facts(scenario, step, wrong), ask(scenario, step))


def _name(scenario: Scenario, step: Step) -> tuple[str, Text]:
    match step:
        case Multiply():
            name = step.rung.name
            mla = {RungName.HEADS: Text("Latent", "潜在向量"), RungName.WIDTH: Text("Numbers", "数的个数")}
            return name.value, mla.get(name, TITLES[name]) if scenario.model.is_mla else TITLES[name]
        case Units():
            return "units", Text("GiB and GB", "GiB 与 GB")
        case OneMore():
            return "one-more", Text("One more token", "再多一个 token")
        case HeadCounts():
            return "head-counts", Text("Other heads", "换头数")
        case OnDevice():
            return "device", Text("On a device", "放到设备上")


# --- headlines


def headline(scenario: Scenario, step: Step, *, markdown: bool = True) -> Text:
    """What happened, in one sentence."""
    m = scenario.model
    match step:
        case Multiply():
            return _rung_headline(scenario, step)
        case Units(total=total):
            return Text(f"{gib(total)} are {gb(total)}", f"{gib(total)} 等于 {gb(total)}")
        case OneMore(added=0):
            return Text(
                "One more token adds nothing: every layer forgets its oldest",
                "再多一个 token 不再增加：每一层都丢掉最旧的",
            )
        case OneMore(added=added, growing=growing) if growing < m.n_layers:
            return Text(
                f"One more token adds {short_size(added)}, in {growing} of {m.n_layers} layers",
                f"再多一个 token 增加 {short_size(added)}，只在 {growing} 层中（共 {m.n_layers} 层）",
            )
        case OneMore(added=added):
            return Text(f"One more token adds {short_size(added)}", f"再多一个 token 增加 {short_size(added)}")
        case HeadCounts(layouts=layouts):
            return _layouts_headline(scenario, layouts)
        case OnDevice(left=left, memory=memory) if left < 0:
            return Text(f"Weights and cache do not fit into {gb(memory)}", f"权重加缓存放不进 {gb(memory)}")
        case OnDevice(left=left):
            return Text(
                f"Weights and cache leave {short_size(left)}, and more must fit in there",
                f"权重和缓存之外剩 {short_size(left)}，还有别的要放进去",
            )


def _rung_headline(scenario: Scenario, step: Multiply) -> Text:
    m, rung = scenario.model, step.rung
    n = rung.product
    match rung.name:
        case RungName.LAYERS if len(m.groups) > 1:
            full = m.n_layers - m.n_local
            return Text(
                f"Each layer keeps its own: {m.n_local} of them a window, {full} everything",
                f"每层各存各的：{m.n_local} 层只存窗口，{full} 层全存",
            )
        case RungName.LAYERS:
            what = Text("latents", "潜在向量") if m.is_mla else Text("K and V", " K 和 V")
            if m.n_layers == 1:
                return Text(f"{many(m.n_layers, 'layer')} keeps its {what.en}", f"{m.n_layers} 层，保存自己的{what.zh}")
            return Text(f"Each of the {m.n_layers} layers keeps its own {what.en}", f"{m.n_layers} 层各存各的{what.zh}")
        case RungName.BATCH:
            b = scenario.batch
            return Text(
                f"{count(b)} sequences, each with a history of its own"
                if b > 1
                else f"{count(b)} sequence, with one history",
                f"{count(b)} 条序列，各有自己的历史" if b > 1 else f"{count(b)} 条序列，一份历史",
            )
        case RungName.TOKENS:
            return Text(f"A row for each token in each layer: {big(n)}", f"每层每个 token 一行：{big(n)} 行")
        case RungName.HEADS if m.is_mla:
            if m.n_heads == 1:
                return Text(f"One vector serves {many(m.n_heads, 'head')}", f"一个向量供 {m.n_heads} 个头使用")
            return Text(f"One vector serves all {m.n_heads} heads", f"一个向量供全部 {m.n_heads} 个头使用")
        case RungName.HEADS if m.n_kv_heads == m.n_heads:
            return Text(
                f"{many(m.n_heads, 'KV head')}, one for each query head", f"{m.n_heads} 个 KV 头，每个查询头各一个"
            )
        case RungName.HEADS:
            return Text(
                f"{many(m.n_kv_heads or 0, 'KV head')}, not the {m.n_heads} query heads",
                f"{m.n_kv_heads} 个 KV 头，不是 {m.n_heads} 个查询头",
            )
        case RungName.WIDTH if m.is_mla:
            return Text(
                f"{m.mla_rank} + {m.rope_dim} numbers: {big(n)} in all",
                f"{m.mla_rank} + {m.rope_dim} 个数：共 {big(n)} 个",
            )
        case RungName.WIDTH:
            return Text(
                f"{many(m.head_dim, 'number')} a head: K holds {big(n)}",
                f"每头 {count(m.head_dim)} 个数：K 共有 {big(n)} 个数",
            )
        case RungName.ITEMSIZE if m.is_mla:
            return Text(f"In bytes: {short_size(n)}", f"换成字节：{short_size(n)}")
        case RungName.ITEMSIZE:
            return Text(f"In bytes: K alone is {short_size(n)}", f"换成字节：仅 K 就有 {short_size(n)}")
        case RungName.SCALES:
            more = n - step.ladder[step.at - 1].product
            return Text(f"Scales add {short_size(more)}", f"比例因子再加 {short_size(more)}")
        case RungName.K_AND_V if m.is_mla:
            return Text(f"Nothing more for V: the cache is {short_size(n)}", f"V 不再另占：缓存是 {short_size(n)}")
        case RungName.K_AND_V:
            return Text(f"V is as large as K: {short_size(n)} in all", f"V 与 K 一样大：合计 {short_size(n)}")


def _layouts_headline(scenario: Scenario, layouts: tuple[Layout, ...]) -> Text:
    own = next(layout for layout in layouts if layout.own)
    other = layouts[-1] if not layouts[-1].own else layouts[-2] if len(layouts) > 1 else own
    if own.heads is None:
        return Text(
            f"Written out for every head it would be {short_size(other.total)}, {times(other.total, own.total)} "
            "times as much",
            f"若为每个头展开，就是 {short_size(other.total)}，是现在的 {times(other.total, own.total)} 倍",
        )
    if other is own:
        return Text("One head is all there is", "只有一个头，没有别的选择")
    return Text(
        f"With {other.heads} KV head{'s' * ((other.heads or 0) > 1)} it would be {short_size(other.total)}",
        f"若有 {other.heads} 个 KV 头，就是 {short_size(other.total)}",
    )


# --- the table beside the sentence


def _facts(scenario: Scenario, step: Step, wrong: Step | None) -> Facts:
    right = _fact_rows(scenario, step)
    head: tuple[Text | str, ...] = ("", Text("value", "数值"))
    if isinstance(step, Multiply):
        head = ("", Text("before", "之前"), Text("after", "之后"))
    if wrong is None:
        return Facts(
            head, tuple(right), frozenset(i for i, line in enumerate(right) if len(line) > 2 and line[1] != line[2])
        )
    other = _fact_rows(scenario, wrong)
    rows = tuple((*line, theirs[-1]) for line, theirs in zip(right, other, strict=True))
    spoilt = frozenset(i for i, line in enumerate(rows) if line[-1] != line[-2])
    changed = frozenset(i for i, line in enumerate(right) if len(line) > 2 and line[1] != line[2])
    return Facts((*head, Text("wrong way", "错误做法")), rows, changed, spoilt)


def _fact_rows(scenario: Scenario, step: Step) -> list[tuple[Text | str, ...]]:
    match step:
        case Multiply(ladder=ladder, at=at):
            rung = step.rung
            before = "–" if at == 0 else product(ladder[at - 1])
            rows: list[tuple[Text | str, ...]] = [
                (name_of(scenario, rung.name), "", factor(rung)),
                (Text("product", "乘积"), before, product(rung)),
            ]
            if in_bytes(rung.name):
                last = ladder[at - 1]
                rows.append(
                    (
                        Text("that is", "即"),
                        short_size(last.product) if in_bytes(last.name) else "–",
                        short_size(rung.product),
                    )
                )
            return rows
        case Units(total=total):
            return [(Text("bytes", "字节"), bytes_(total)), ("÷ 2³⁰", gib(total)), ("÷ 10⁹", gb(total))]
        case OneMore(total=total, added=added, growing=growing):
            share = same("0") if not added else same(f"1 / {big(round(total / added))}")
            return [
                (Text("added", "增加"), short_size(added)),
                (Text("layers that grow", "增长的层"), str(growing)),
                (Text("part of the cache", "占缓存的"), share),
            ]
        case HeadCounts(layouts=layouts):
            return [
                (
                    Text("latent", "潜在向量")
                    if x.heads is None
                    else Text(f"{x.heads} KV head{'s' * (x.heads > 1)}", f"{x.heads} 个 KV 头"),
                    short_size(x.total),
                )
                for x in layouts
            ]
        case OnDevice():
            return [
                (Text("memory", "显存"), gib(step.memory)),
                (Text("weights", "权重"), gib(step.weights)),
                (Text("cache", "缓存"), gib(step.total)),
                (Text("left over", "剩余"), gib(step.left)),
                (Text("read it once", "读一遍"), milliseconds(step.read_seconds)),
            ]


# --- the wrong way, beside it


def _wrong(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """What the chosen mistake does in this step."""
    lead = Text(
        f"**✗ Wrong way** ({MISTAKES[scenario.mistake].en}): ", f"**✗ 错误做法**（{MISTAKES[scenario.mistake].zh}）："
    )
    later = isinstance(step, OneMore) and isinstance(wrong, OneMore) and step.added != wrong.added
    alike = step.ladder == wrong.ladder and scenario.made is not Mistake.GB_FOR_GIB
    if scenario.made is Mistake.NONE or (alike and not later):
        return (
            lead
            + Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为")
            + why_invisible(scenario)
        )
    match step, wrong:
        case Multiply(), Multiply():
            if step.rung != wrong.rung and step.ladder[: step.at] == wrong.ladder[: step.at]:
                return lead + said(scenario)
            a, b = step.rung.product, wrong.rung.product
            if a == b:
                return lead + Text("no difference so far.", "到目前为止没有差别。")
            return lead + Text(
                f"its product is {times(b, a)} times the right one.", f"它的乘积是正确值的 {times(b, a)} 倍。"
            )
        case Units(), Units():
            if scenario.mistake is Mistake.GB_FOR_GIB:
                return lead + said(scenario)
            return lead + Text(
                f"ends at {gib(wrong.total)} instead of {gib(step.total)}.",
                f"得到 {gib(wrong.total)}，而不是 {gib(step.total)}。",
            )
        case OneMore(), OneMore():
            if step.added == wrong.added:
                return lead + Text("adds as much for one more token.", "再多一个 token 时增加的一样多。")
            return lead + Text(
                f"adds {short_size(wrong.added)} for one more token.",
                f"再多一个 token 时增加 {short_size(wrong.added)}。",
            )
        case OnDevice(), OnDevice():
            return lead + _verdict(step, wrong)
    assert isinstance(wrong, HeadCounts)
    return lead + Text(f"its own total is {short_size(wrong.total)}.", f"它自己的总量是 {short_size(wrong.total)}。")


def _verdict(step: OnDevice, wrong: OnDevice) -> Text:
    if step.left < 0 <= wrong.left:
        return Text(
            f"says that it fits, with {short_size(wrong.left)} to spare. It does not.",
            f"以为放得下，还剩 {short_size(wrong.left)}。其实放不下。",
        )
    if wrong.left < 0 <= step.left:
        return Text(
            f"says that {short_size(-wrong.left)} are missing. In truth it fits.",
            f"以为还缺 {short_size(-wrong.left)}。其实放得下。",
        )
    return Text(
        f"takes the cache for {gib(wrong.total)} instead of {gib(step.total)}.",
        f"把 {gib(step.total)} 的缓存当成 {gib(wrong.total)}。",
    )
