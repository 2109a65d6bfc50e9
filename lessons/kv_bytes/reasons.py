"""Why each step is as it is, in both languages. Numbers come from the step."""

from __future__ import annotations

from engine.kv_size import HeadCounts, Multiply, OnDevice, OneMore, RungName, Scenario, Step, Units, guessed_head_dim
from engine.models import MODELS
from lessons.kit.format import count, many, short
from lessons.kit.text import Text, literal, same
from lessons.kv_bytes.quantities import billions_zh, bytes_, gb, gib, milliseconds, plain_number, times
from lessons.kv_bytes.rungs import product


def model_name(scenario: Scenario) -> Text:
    """The model's name; where its numbers were changed, that it is only like it."""
    name = scenario.model.name
    if scenario.model == MODELS[name]:
        return same(name)
    return Text(f"own numbers, from {name}", f"自定数字（改自 {name}）")


def explain(scenario: Scenario, step: Step) -> Text:
    """The paragraph under the headline (Markdown)."""
    match step:
        case Multiply():
            return _explain_rung(scenario, step)
        case Units(total=total):
            return Text(
                f"{bytes_(total)} divided by 2³⁰ is {gib(total)}; by 10⁹ it is {gb(total)}. Many programs count in "
                "[GiB](term:gib), data sheets write GB, and a label alone does not always tell which is meant. For "
                "the same bytes the figure in GB is the larger one: compare "
                "like with like.",
                f"{bytes_(total)} 除以 2³⁰ 是 {gib(total)}，除以 10⁹ 是 {gb(total)}。许多程序用 [GiB](term:gib)，规格"
                "表写 GB，光看标签未必知道指的是哪一种。"
                "同样的字节，用 GB 表示的数字更大：要用同一种单位比较。",
            )
        case OneMore():
            return _explain_more(scenario, step)
        case HeadCounts():
            return _explain_layouts(scenario, step)
        case OnDevice():
            return _explain_device(scenario, step)


def _explain_rung(scenario: Scenario, step: Multiply) -> Text:
    m, f = scenario.model, scenario.format
    match step.rung.name:
        case RungName.LAYERS:
            source = literal(m.source)
            own = m != MODELS[m.name]
            where = (
                Text("The numbers are your own.", "这些数字由你填写。")
                if own
                else (
                    Text(f"The numbers are those of **{m.name}** ({source}).", f"数字取自 **{m.name}**（{source}）。")
                )
            )
            doubt = (
                Text("", "")
                if m.verified or own
                else Text(" They were not checked in the publisher’s own files.", "未在发布者自己的文件中核对。")
            )
            return Text(
                "K and V of a layer are computed from that layer’s input and are of no use to another, so the [KV "
                "cache](term:kv-cache) "
                f"has a part for every layer. {where.en}{doubt.en}",
                "一层的 K 和 V 由该层自己的输入算出，对别的层没有用，所以 [KV 缓存](term:kv-cache)每层都有一份。"
                f"{where.zh}{doubt.zh}",
            ) + _window_note(scenario)
        case RungName.BATCH:
            return Text(
                "Sequences that are served together each keep their own history. Only a prefix they share could be "
                "kept once; "
                "this count shares nothing.",
                "一起处理的序列各自保存历史。只有共同的前缀才可能只存一份；这里按完全不共享来数。",
            )
        case RungName.TOKENS:
            return _explain_tokens(scenario, step)
        case RungName.HEADS if m.is_mla:
            return Text(
                "[Multi-head latent attention](term:mla) keeps one short vector for a token; K and V of every head "
                "follow from "
                f"it. Neither the number of heads, {m.n_heads}, nor their size enters the cache.",
                "[多头潜在注意力（MLA）](term:mla)只为每个 token 保存一个短向量，各头的 K 和 V 都可由它得出。头数 "
                f"{m.n_heads} 和头维度都不进入缓存。",
            )
        case RungName.HEADS:
            group = m.n_heads // (m.n_kv_heads or 1)
            shared = (
                Text(
                    f"Groups of {group} query heads read the same [KV head](term:kv-head).",
                    f"每 {group} 个查询头共读一个 [KV 头](term:kv-head)。",
                )
                if group > 1
                else Text("Here no [KV head](term:kv-head) is shared.", "这里没有共用的 [KV 头](term:kv-head)。")
            )
            return Text(
                f"{shared.en} A query is used once and dropped, so query heads do not enter the cache. This counts "
                "K; V comes last.",
                f"{shared.zh}查询用一次就丢掉，所以查询头数不进入缓存。先数 K，最后再加 V。",
            )
        case RungName.WIDTH if m.is_mla:
            return Text(
                f"The latent has {many(m.mla_rank, 'number')}. Beside it stands one key part of "
                f"{many(m.rope_dim, 'number')} that has been "
                "rotated by position and cannot be folded into the latent; it is shared by all heads, too.",
                f"潜在向量有 {m.mla_rank} 个数。旁边还有 {m.rope_dim} 个数的键：它按位置旋转过，不能并入潜在向量，也"
                "由所有头共用。",
            )
        case RungName.WIDTH:
            return _explain_width(scenario)
        case RungName.ITEMSIZE:
            return _explain_bytes(scenario)
        case RungName.SCALES:
            groups, each = step.rung.parts
            sharing = (
                Text(f"Every {f.group} numbers share a scale", f"每 {f.group} 个数共用一个比例因子")
                if (f.group or 0) > 1
                else Text("Every number has a scale", "每个数都有一个比例因子")
            )
            return Text(
                "[Quantised](term:quantisation) numbers are stored small and multiplied by a scale when read. "
                f"{sharing.en} of "
                f"{many(each, 'byte')}: {many(groups, 'scale')} in each vector. Scales belong to the cache and are "
                "easily forgotten.",
                f"[量化](term:quantisation)后的数存得小，读出时再乘以比例因子。{sharing.zh}，每个比例因子 {each} 字"
                f"节：每个向量有 {groups} 个。"
                "它们也属于缓存，很容易漏掉。",
            )
        case RungName.K_AND_V if m.is_mla:
            return Text(
                "K and V both follow from the same latent, so there is no second copy. A factor of 2 here would be "
                "wrong.",
                "K 和 V 都由同一个潜在向量得出，没有第二份。在这里乘 2 就错了。",
            )
        case RungName.K_AND_V:
            size_note = (
                Text(
                    " The 2 in front is K and V; the 2 before it was bytes. They are two different twos.",
                    "这个 2 是 K 和 V 两份；前面那个 2 是字节数。两者不是一回事。",
                )
                if f.itemsize == 2
                else Text(" This 2 counts K and V, not bytes.", "这个 2 数的是 K 和 V，不是字节。")
            )
            return Text(
                f"Scores need keys, the average needs values: both are kept for every token.{size_note.en} "
                f"{_for(scenario).en} that is {product(step.rung)}.",
                f"算分数要用键，求平均要用值：每个 token 两样都存。{size_note.zh}{_for(scenario).zh}就是 "
                f"{product(step.rung)}。",
            )


def _for(scenario: Scenario) -> Text:
    """Whose cache, and how long."""
    name, t, b = model_name(scenario), scenario.seq_len, scenario.batch
    each = Text(f" in each of {count(b)} sequences", f"、{count(b)} 条序列") if b > 1 else Text("", "")
    return Text(f"For {name.en} at {many(t, 'token')}{each.en}", f"{name.zh} 在 {count(t)} 个 token{each.zh} 时")


def _window_note(scenario: Scenario) -> Text:
    m = scenario.model
    if not m.n_local:
        return same("")
    return Text(
        f" {m.n_local} of its {many(m.n_layers, 'layer')} {'has' if m.n_local == 1 else 'have'} a [sliding "
        f"window](term:sliding-window) of {many(m.window or 0, 'token')}.",
        f"{m.n_layers} 层中有 {m.n_local} 层带 {count(m.window or 0)} 个 token 的[滑动窗口](term:sliding-window)。",
    )


def _explain_tokens(scenario: Scenario, step: Multiply) -> Text:
    m, t = scenario.model, scenario.seq_len
    if not m.n_local:
        return Text(
            (
                "The 1 token stays: a new query may look at it."
                if t == 1
                else f"All {count(t)} tokens stay: a new query may look at any of them."
            )
            + " While a sequence is generated, only this factor grows.",
            f"全部 {count(t)} 个 token 都留着：新的查询可能看其中任何一个。生成过程中只有这个因子在增长。",
        )
    parts = [f"{group.n_layers} × {count(group.cached_tokens(t))}" for group in m.groups]
    full = t >= (m.window or 0)
    window = (
        Text("the window is full, and each new token pushes the oldest out", "窗口已满，每来一个新 token 就挤掉最旧的")
        if full
        else (Text("the window is not full yet and saves nothing", "窗口还没装满，什么也没省下"))
    )
    such = (
        Text(f" ({count(scenario.batch)} such sequences)", f"（这样的序列有 {count(scenario.batch)} 条）")
        if scenario.batch > 1
        else same("")
    )
    return Text(
        f"A layer with a [window](term:sliding-window) keeps the last {many(m.window or 0, 'token')}, the newest "
        f"included: {window.en}. Rows: {' + '.join(parts)}{such.en}. "
        "No constant number of bytes a token can describe this.",
        f"带[窗口](term:sliding-window)的层只保存最近 {count(m.window or 0)} 个 token（含最新的）：{window.zh}。行"
        f"数：{' + '.join(parts)}{such.zh}。"
        "用固定的“每 token 字节数”描述不了它。",
    )


def _explain_width(scenario: Scenario) -> Text:
    m = scenario.model
    base = Text(
        "[Head size](term:head-dim) is a number of its own in the model’s configuration.",
        "[头维度](term:head-dim)是模型配置里独立的一个数。",
    )
    if m.hidden is None:
        return base
    guess = guessed_head_dim(m)
    sums = f"{count(m.hidden)} ÷ {m.n_heads}"
    if guess == m.head_dim:
        return base + Text(
            f" Here hidden size ÷ query heads happens to give it ({sums} = {guess}); in many newer models it does not.",
            f"这里用隐藏维度 ÷ 查询头数恰好得到它（{sums} = {guess}）；许多新模型并非如此。",
        )
    return base + Text(
        f" Hidden size ÷ query heads would be {sums}, rounded down {guess}: {times(guess, m.head_dim)} times the "
        "right size.",
        f"用隐藏维度 ÷ 查询头数会得到 {sums}，取整为 {guess}：是正确值的 {times(guess, m.head_dim)} 倍。",
    )


def _explain_bytes(scenario: Scenario) -> Text:
    f = scenario.format
    bits, each = plain_number(f.itemsize * 8), plain_number(f.itemsize)
    text = Text(
        f"A number of {bits} bits takes {many(f.itemsize, 'byte')}: divide bits by 8 before multiplying.",
        f"{bits} 位的数占 {each} 个字节：先把位数除以 8 再乘。",
    )
    if f.rope_itemsize is not None and scenario.model.is_mla:
        rope = plain_number(f.rope_itemsize)
        text += Text(
            f" The rotated part is kept at {many(f.rope_itemsize, 'byte')} a number.",
            f"旋转部分仍按每个数 {rope} 个字节保存。",
        )
    if f.group is None and f.itemsize <= 1:
        text += Text(
            " No scale is counted: one for a whole tensor is too little to matter, one for each small group is not.",
            "这里没计比例因子：整个张量共用一个可以忽略，每小组一个就不能忽略。",
        )
    return text


def _explain_more(scenario: Scenario, step: OneMore) -> Text:
    m = scenario.model
    if step.added == 0:
        return Text(
            "All windows are full, so the cache has stopped growing. What it still costs is to read all of it at "
            "every step.",
            "所有窗口都已装满，缓存不再增长。但每一步仍要把它全部读一遍。",
        )
    if step.growing < m.n_layers:
        return _only_full_layers(m.n_layers, step)
    without = Text("B and T", "B 和 T") if scenario.batch > 1 else same("T")
    said = Text(
        f"Leave {without.en} out of the product: {bytes_(step.added)} for one token of one sequence. ",
        f"把乘积里的 {without.zh} 去掉：一条序列多一个 token 就是 {bytes_(step.added)}。",
    )
    if m.n_local:
        return said + _until_windows_are_full(scenario, step)
    return said + Text(
        "Each token that is generated adds as much, until the sequence ends or something is thrown out.",
        "每生成一个 token 都加这么多，直到序列结束或丢弃一部分。",
    )


def _only_full_layers(n_layers: int, step: OneMore) -> Text:
    """The windows are full: leaving T out of the product would count their layers, too."""
    each, full, local = step.added // step.growing, step.growing, n_layers - step.growing
    return Text(
        f"Only the {many(full, 'layer')} without a window grow{'s' * (full == 1)}: {full} × {bytes_(each)} = "
        f"{bytes_(step.added)} for one token of one sequence. "
        f"{f'The other {local} layers drop their' if local > 1 else 'The other layer drops its'} oldest token for "
        f"it, so the whole product without T, {n_layers} × {bytes_(each)} = {bytes_(n_layers * each)}, "
        "would be too much. From here on each token that is generated adds as much, until the sequence ends or "
        "something is thrown out.",
        f"只有不带窗口的 {full} 层在增长：一条序列多一个 token 就是 {full} × {bytes_(each)} = {bytes_(step.added)}。"
        f"{f'其余 {local} 层' if local > 1 else '另一层'}为它丢掉最旧的一个，"
        f"所以把整个乘积里的 T 去掉（{n_layers} × {bytes_(each)} = {bytes_(n_layers * each)}）就多算了。此后每生成一"
        "个 token 都加这么多，直到序列结束或丢弃一部分。",
    )


def _until_windows_are_full(scenario: Scenario, step: OneMore) -> Text:
    m = scenario.model
    window, full = m.window or 0, m.n_layers - m.n_local
    room = window - scenario.seq_len
    said = Text(
        f"Each token that is generated adds as much until the windows of {many(window, 'token')} are full, after "
        f"{count(room)} more. From then on ",
        f"{count(window)} 个 token 的窗口还能再装 {count(room)} 个，装满之前，每生成一个 token 都加这么多。装满之后，",
    )
    if not full:
        return said + Text(
            "every layer drops its oldest token for a new one, and the cache stops growing.",
            "每一层都为新 token 丢掉最旧的一个，缓存不再增长。",
        )
    after = bytes_(step.added // step.growing * full)
    return said + Text(
        f"only the {many(full, 'layer')} without a window grow{'s' * (full == 1)}, by {after} a token.",
        f"只有不带窗口的 {full} 层增长，每个 token {after}。",
    )


def _explain_layouts(scenario: Scenario, step: HeadCounts) -> Text:
    own = next(layout for layout in step.layouts if layout.own)
    if own.heads is None:
        m = scenario.model
        return Text(
            f"Some programs write K ({m.head_dim} + {m.rope_dim} numbers) and V ({m.head_dim}) out for every head, "
            f"{m.n_heads} in all, and cache those. That is "
            "right as well, but it gives up what the latent saves.",
            f"有的程序为 {m.n_heads} 个头分别展开 K（{m.head_dim} + {m.rope_dim} 个数）和 V（{m.head_dim} 个数）再缓"
            "存。这样也对，"
            "但放弃了潜在向量省下的一切。",
        )
    return Text(
        "Only the number of KV heads enters, so sharing them makes the cache smaller in proportion: MHA keeps one "
        "for each query head, GQA one for a group, "
        "MQA one in all. It is a choice made in training; a finished model needs more training to change it. And "
        "this is the cache, not the model’s whole memory.",
        "进入乘积的只有 KV 头数，所以共用几个头，缓存就按比例缩小：MHA 每个查询头一个，GQA 每组一个，MQA 总共一个。"
        "这是训练时的选择，训练好的模型要再训练才能改。另外这只是缓存，不是模型的全部显存。",
    )


def _explain_device(scenario: Scenario, step: OnDevice) -> Text:
    d = scenario.device
    bits = plain_number(d.weight_bits)
    weights = Text(
        f"Weights: {short(d.billions)} billion parameters of {bits} bits, {gib(step.weights)}.",
        f"权重：{billions_zh(d.billions)}参数，每个 {bits} 位，{gib(step.weights)}。",
    )
    quotient = f"{step.quotient:.3g}"
    return Text(
        f"{weights.en} The division (memory − weights) ÷ cache gives {quotient}. That is **not** how many requests "
        "run at once: lengths differ and grow, "
        "blocks round up, kernels need workspace, and prefixes may be shared. To read the cache once takes at least "
        f"{milliseconds(step.read_seconds)} at {short(d.bandwidth_tb)} TB/s, and "
        "each decode step reads all of it.",
        f"{weights.zh}做除法（显存 − 权重）÷ 缓存得 {quotient}。这**不是**能同时处理的请求数：长度各异且会增长，内存"
        "块要取整，内核要工作区，前缀也可能共享。"
        f"以 {short(d.bandwidth_tb)} TB/s 读一遍缓存至少要 {milliseconds(step.read_seconds)}，而每个解码步都要全部读"
        "一遍。",
    )
