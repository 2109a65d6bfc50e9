"""What each step says, both languages side by side. Numbers come from the step."""

from __future__ import annotations

from engine.three_ledgers import ENTRY
from engine.three_savings import CONFIG, Ask, Baseline, Eight, Outcome, Scenario, Step, Together, Turn, Which, Yours
from lessons.kit.format import count, fixed
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, paragraphs, same
from lessons.three_savings.asks import ask
from lessons.three_savings.facts import facts
from lessons.three_savings.mistakes import told
from lessons.three_savings.ways import HEADS, LEDGERS, amount, named, ratio, same_output, turned

WIDE, LONG = 128, 32_768  # numbers a head and keys of the chapter’s long context, Q026


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where one is chosen."""
    text = paragraphs(_explain(scenario, step), told(scenario, step, wrong) if wrong is not None else same(""))
    id_, title = _name(step)
    return Narration(id_, title, headline(scenario, step), text, facts(step, wrong), ask(scenario, step))


def _name(step: Step) -> tuple[str, Text]:
    match step:
        case Ask():
            return "ask", Text("What is saved?", "省的是什么？")
        case Baseline():
            return "off", Text("All off", "全关")
        case Turn(name="cache"):
            return "cache", Text("Cache on", "打开缓存")
        case Turn(name="tiles"):
            return "tiles", Text("Tiles on", "打开分块")
        case Turn():
            return "paging", Text("Paging on", "打开分页")
        case Together():
            return "together", Text("All on", "全开")
        case Eight():
            return "eight", Text("All eight ways", "八种做法")
        case Yours():
            return "yours", Text("Your choice", "你的选择")
        case Which():
            return "which", Text("Which is which", "各省什么")


def headline(scenario: Scenario, step: Step) -> Text:
    """What happened, in one sentence."""
    match step:
        case Ask():
            return Text(
                "Three switches, three ledgers: which switch saves in which?", "三个开关、三本账：哪个开关省哪一本？"
            )
        case Baseline(now=now):
            return Text(
                f"All off: {count(amount(now, 'work'))} pairs, {count(amount(now, 'moved'))} bytes moved, "
                f"{count(amount(now, 'resident'))} bytes resident",
                f"全关：{count(amount(now, 'work'))} 个配对，搬运 {count(amount(now, 'moved'))} 字节，"
                f"驻留 {count(amount(now, 'resident'))} 字节",
            )
        case Turn(name="cache"):
            return Text("The cache: work ", "缓存：计算") + _turned(step, "work") + Text(" pairs", " 个配对")
        case Turn(name="tiles"):
            return (
                Text("Tiles: what is moved ", "分块：搬运")
                + _turned(step, "moved")
                + Text(" bytes; the work stays as it was", " 字节；计算不变")
            )
        case Turn():
            return (
                Text("Paging: what is resident ", "分页：驻留")
                + _turned(step, "resident")
                + Text(" bytes; work and traffic stay", " 字节；其他两本账不动")
            )
        case Together(before=before, now=now):
            if not same_output(now):
                return Text("All on: three switches at once", "全开：三个开关并用")
            if all(amount(now, ledger) < amount(before, ledger) for ledger in LEDGERS):
                return Text("All on: three savings at once, the same output", "全开：三种节约并存，输出相同")
            return Text(
                "All on: the same output, but not every ledger is smaller", "全开：输出相同，但并非每本账都变小"
            )
        case Eight(ways=ways):
            error = max(way.error for way in ways)
            return Text(
                f"Eight ways, one output: they differ by at most {fixed(error) if error else '0'}",
                f"八种做法，一个输出：相差最多 {fixed(error) if error else '0'}",
            )
        case Yours(now=now):
            return Text(
                f"Your choice: {named(now.switches).en}, beside all off",
                f"你的选择：{named(now.switches).zh}，与全关并列",
            )
        case Which():
            return Text(
                "The cache saves work, tiles save moving, paging saves room",
                "缓存省计算，分块省搬运，分页省空间",
            )


def _turned(step: Turn, ledger: str) -> Text:
    return turned(amount(step.before, ledger), amount(step.now, ledger))


def _explain(scenario: Scenario, step: Step) -> Text:
    p, m = len(scenario.prompt), scenario.n_new
    match step:
        case Ask():
            return Text(
                f"One prompt of {p} tokens, {m} new token{'s' * (m > 1)}, one set of weights: the little decoder "
                f"with {CONFIG.n_layers} layers of "
                f"{CONFIG.n_heads} heads. The [KV cache](term:kv-cache), [tiles](term:tile) (FlashAttention) and "
                "[paging](term:block-table) (PagedAttention) all “save”. Guess before you go on: which one computes "
                "less, which one "
                "carries less, which one takes up less room? None of the three drops, merges or summarises a token.",
                f"同一段 {p} 个 token 的提示，生成 {m} 个新 token，同一套权重：{CONFIG.n_layers} 层、每层 "
                f"{CONFIG.n_heads} 头的小解码器。"
                "[KV 缓存](term:kv-cache)、[分块](term:tile)（FlashAttention）、[分页"
                "](term:block-table)（PagedAttention）都说自己“省”。"
                "先猜一猜再往下看：哪个少算，哪个少搬，哪个少占地方？三者都不丢弃、不合并、不概括任何 token。",
            )
        case Baseline(now=now):
            return _baseline(scenario, now)
        case Turn(name="cache"):
            return _cache(scenario, step)
        case Turn(name="tiles"):
            return _tiles(scenario, step)
        case Turn():
            return _paging(scenario, step)
        case Together(before=before, now=now):
            w, mv, r = (ratio(amount(before, x), amount(now, x)) for x in ("work", "moved", "resident"))
            return Text(
                f"Work {w.en}, bytes moved {mv.en}, bytes resident {r.en}. The three do not get in each other’s way: "
                "the cache decides "
                "*whether* old rows are computed again, tiles *how* one attention is computed, paging *where* the "
                "kept rows lie.",
                f"计算 {w.zh}，搬运 {mv.zh}，驻留 {r.zh}。三者互不妨碍：缓存决定旧的行**是否**重算，分块决定一次注意"
                "力**怎样**算，"
                "分页决定留下的行**放在哪里**。",
            )
        case Eight():
            return Text(
                "Run on the same tokens; paging without a cache is one and the same run as without paging, for there "
                "is nothing to page. The column of |Δ logit| is the largest difference of a logit from all off: only "
                "[rounding](term:rounding). Read down a column: work changes with the cache alone; paging changes "
                "bytes resident alone, and only "
                "where there is a cache to page.",
                "都在同样的 token 上跑；没有缓存时，开不开分页是同一次运行，因为没有东西可分页。|Δ logit| 一列是与全"
                "关相比 logits 的最大差：只有[舍入](term:rounding)误差。竖着看每一列："
                "计算只随缓存变；分页只改变驻留，而且只有打开缓存时才起作用。",
            )
        case Yours(now=now):
            return _yours(now)
        case Which(turns=turns):
            return _which(turns)


def _baseline(scenario: Scenario, now: Outcome) -> Text:
    led, m = now.ledgers, scenario.n_new
    t = scenario.n_kept
    return Text(
        f"{f'Each of {m} passes' if m > 1 else 'The only pass'} runs the whole text so far: {count(led.rows)} "
        f"row{'s' * (led.rows != 1)} a layer, and in each of {HEADS} heads "
        f"{count(led.pairs // HEADS)} query·key pairs. Each head writes its two tables, scores and weights, to "
        f"[slow memory](term:hbm) and reads them back: {count(led.moved_tables)} of the bytes moved. Nothing is kept "
        "between passes; at the "
        f"fullest moment there are K and V of the running layer for {t} positions, and one head’s tables.",
        f"{f'共 {m} 遍，每遍都' if m > 1 else '只有一遍，'}处理到目前为止的全部文本：每层 {count(led.rows)} 行，"
        f"{HEADS} 个头各算 {count(led.pairs // HEADS)} 个查询·键配对。"
        f"每个头把分数和权重两张表写进[慢速显存](term:hbm)再读回来：占搬运字节中的 {count(led.moved_tables)}。"
        f"各遍之间什么也不留；最满时只有当前层 {t} 个位置的 K、V，以及一个头的两张表。",
    )


def _cache(scenario: Scenario, step: Turn) -> Text:
    before, now = step.before.ledgers, step.now.ledgers
    if now.pairs == before.pairs:
        return Text(
            "With one new token there is one pass, and nothing old to compute again: a cache pays only from the "
            "second new token on. "
            f"It is set aside all the same: K and V of its {CONFIG.n_layers} layers, {count(scenario.max_len)} "
            "positions.",
            "只有一个新 token 时只跑一遍，没有旧的东西可重算：从第二个新 token 起缓存才有用。"
            f"但它照样被预留：全部 {CONFIG.n_layers} 层、{count(scenario.max_len)} 个位置的 K、V。",
        )
    dearer = amount(step.now, "resident") > amount(step.before, "resident")
    price = Text(
        f"The price is in another ledger: K and V of its {CONFIG.n_layers} layers stay, in room set aside for "
        f"{count(scenario.max_len)} positions.",
        f"代价记在另一本账上：全部 {CONFIG.n_layers} 层的 K、V 要留着，占用为 {count(scenario.max_len)} 个位置预留的"
        "空间。",
    )
    if not dearer:
        price += Text(
            " Here the smaller tables outweigh it: the largest, of the last pass over everything, is gone.",
            "这里反被变小的表抵消：最后一遍处理全文时那张最大的表没有了。",
        )
    per = [fixed(x.moved / x.pairs, 1) for x in (before, now)]
    so = Text("Less attention also moves less", "注意力少算了，搬运也跟着少")
    if now.moved / now.pairs > before.moved / before.pairs:
        so += Text(", but each pair costs more moving", "，但每个配对要搬的更多")
    return (
        Text(
            f"After the prompt’s pass only the new token is run: {count(before.rows)} row{'s' * (before.rows != 1)} "
            f"a layer become {count(now.rows)}. Pairs still grow with "
            f"the text, for every new query meets all kept keys. {so.en}; bytes a pair: {per[0]} → {per[1]}. ",
            f"提示那一遍之后，每遍只处理新 token：每层 {count(before.rows)} 行变成 {count(now.rows)} 行。配对数仍随文"
            "本增长，"
            f"因为每个新查询都要遇到所有保留的键。{so.zh}；每个配对的字节：{per[0]} → {per[1]}。",
        )
        + price
    )


def _tiles(scenario: Scenario, step: Turn) -> Text:
    before, now = step.before.ledgers, step.now.ledgers
    d, long = WIDE, LONG
    part = fixed(100 * 4 * long / (2 * d * (1 + long) + 4 * long), 1)  # q, o, K, V; two rows out and back
    return Text(
        f"The same {count(now.pairs)} pairs, {scenario.tile_size} positions a [tile](term:tile): the tables never "
        "reach slow memory, so "
        f"{count(before.moved_tables)} bytes are not moved and {count(before.resident.scores)} bytes not resident. "
        "The price is inside the same "
        f"ledger: K and V are read again for every tile of queries, {count(before.moved_vectors)} → "
        f"{count(now.moved_vectors)}. A single new query has "
        f"one row of scores: with {d} numbers a head and {count(long)} keys its tables are {part} % of what moves, "
        "so there tiles save little.",
        f"还是那 {count(now.pairs)} 个配对，每个[分块](term:tile) {scenario.tile_size} 个位置：表从不进入慢速显存，所"
        "以少搬 "
        f"{count(before.moved_tables)} 字节，少驻留 {count(before.resident.scores)} 字节。代价就在同一本账里：每个查"
        "询分块都要把 K、V 重读一遍，"
        f"{count(before.moved_vectors)} → {count(now.moved_vectors)}。单个新查询只有一行分数：每头 {d} 个数、"
        f"{count(long)} 个键时，"
        f"表只占搬运的 {part} %，所以分块在那里省得很少。",
    )


def _paging(scenario: Scenario, step: Turn) -> Text:
    before, now, off = step.before.ledgers, step.now.ledgers, step.alone.ledgers
    blocks = now.at_end.block_table // ENTRY
    tail = Text(
        f"At the end {scenario.n_kept} positions lie in {blocks} [block{'s' * (blocks > 1)}](term:block) of "
        f"{scenario.block_size}; unused bytes "
        f"{count(before.at_end.unused)} → {count(now.at_end.unused)}.",
        f"最后 {scenario.n_kept} 个位置放在 {blocks} 个[内存块](term:block)里，每块 {scenario.block_size} 个；未用的"
        "字节 "
        f"{count(before.at_end.unused)} → {count(now.at_end.unused)}。",
    )
    return (
        Text(
            "Turned on over the cache, because alone it has nothing to page: with no cache it leaves "
            f"{count(amount(step.alone, 'resident'))} bytes "
            "resident, as all off does. Blocks are taken when a position needs one, instead of room for "
            f"{count(scenario.max_len)} at the start. ",
            f"这里是在缓存之上打开，因为单独打开没有东西可分页：没有缓存时驻留 {count(off.resident.total)} 字节，与全"
            "关一样。"
            f"位置需要时才取内存块，而不是一开始就留出 {count(scenario.max_len)} 个位置。",
        )
        + tail
        + Text(
            f" The price: a [block table](term:block-table) of {count(now.at_end.block_table)} bytes, looked up "
            f"{count(now.lookups)} times.",
            f"代价：一张 {count(now.at_end.block_table)} 字节的[块表](term:block-table)，共查 {count(now.lookups)} "
            "次。",
        )
    )


def _yours(now: Outcome) -> Text:
    on, effective = now.switches, now.switches.effective
    change = Text(
        "Set the three switches under *Change the numbers*. ",
        "在“修改数字”里设置三个开关。",
    )
    if on.paging and not effective.paging:
        return change + Text(
            "Paging is on, but nothing is kept that could be paged: it changes no ledger until the cache is on too.",
            "分页开着，但没有保留任何可分页的东西：缓存不开，它不改变任何一本账。",
        )
    if not any((on.cache, on.tiles, on.paging)):
        return change + Text("All are off now: both bars are the same way.", "现在全关：两条柱是同一种做法。")
    return change + Text(
        "Whatever you choose, the output strip at the bottom stays: the switches change what it costs, not what it "
        "says.",
        "无论怎样选，最下面的输出都不变：开关改变的是代价，不是内容。",
    )


def _which(turns: tuple[Turn, ...]) -> Text:
    cache, tiles, paging = turns
    w = ratio(amount(cache.before, "work"), amount(cache.now, "work"))
    mv = ratio(amount(tiles.before, "moved"), amount(tiles.now, "moved"))
    r = ratio(amount(paging.before, "resident"), amount(paging.now, "resident"))
    return Text(
        f"The cache keeps old work (pairs {w.en}) and pays in bytes resident. Tiles reorganise one attention (bytes "
        f"moved {mv.en}) and do the same "
        f"work. Paging places what the cache keeps (bytes resident {r.en}) and touches neither work nor traffic. "
        "Outside the outlined diagonal "
        "stand consequences and prices. Ask of any claim “it saves”: in which ledger?",
        f"缓存留住旧的计算（配对 {w.zh}），用驻留字节付账。分块重新安排一次注意力（搬运 {mv.zh}），计算照旧。分页安置"
        "缓存留下的东西"
        f"（驻留 {r.zh}），既不动计算也不动搬运。描边的对角线之外，是连带的结果和代价。凡听到“它省”，先问：省在哪一本"
        "账上？",
    )
