"""Questions on counting. Every answer and every slip is computed by engine.counts or a formula of one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from engine.counts import cached, decode, naive, naive_squares, prefill, without_cache
from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.form import NEW, PROMPT, form
from lessons.kit.format import count, fixed
from lessons.kit.question import Question, Slip
from lessons.kit.reply import Vector
from lessons.kit.text import Text

TEN_FIVE, HUNDRED = Scenario(10, 5), Scenario(1, 100)


def _slip(
    name: str, title: Text, formula: Callable[[int, int], float], said: Text, mistake: Mistake | None = None
) -> Slip[Scenario]:
    """A slip whose number follows from P and M alone."""
    way = None if mistake is None else lambda s: replace(s, mistake=mistake)
    return Slip(name, title, lambda s: (float(formula(s.n_prompt, s.n_new)),), lambda s: said, way)


def _invent(p: tuple[int, int], m: tuple[int, int]) -> Callable[[random.Random], Scenario]:
    return lambda rng: Scenario(rng.randint(*p), rng.randint(*m))


def _steps(low: int, high: int) -> Callable[[random.Random], Scenario]:
    return lambda rng: Scenario(1, rng.randint(low, high))


def _given(s: Scenario) -> Text:
    return Text(
        f"A prompt of {count(s.n_prompt)} tokens, {count(s.n_new)} new tokens. ",
        f"提示 {count(s.n_prompt)} 个 token，新 token {count(s.n_new)} 个。",
    )


FROM_PREFILL = Text("The prompt’s logits give the first new token. ", "提示的 logits 给出第一个新 token。")


# --- 1 pairs of a prefill

PREFILL: Question[Scenario] = Question(
    "prefill_pairs",
    Text("Pairs of a prefill", "预填充的配对数"),
    lambda s: Text(
        f"A causal prefill sends {count(s.n_prompt)} tokens through in one pass. How many query·key pairs does one head of one layer score?",
        f"因果预填充一次前向处理 {count(s.n_prompt)} 个 token。一层的一个头要算多少查询·键配对？",
    ),
    form(PROMPT),
    TEN_FIVE,
    lambda rng: Scenario(rng.randint(4, 60), 5),
    lambda s: (float(prefill(s.n_prompt).pairs),),
    (
        _slip("square", Text("The whole square", "整个方阵"), lambda p, m: p * p,
              Text("That is P². A causal query never meets later keys: only the triangle counts.", "这是 P²。因果查询从不遇到后面的键：只算三角形。"),
              Mistake.FULL_SQUARE),
        _slip("no_own_key", Text("Left out the diagonal", "漏了对角线"), lambda p, m: p * (p - 1) / 2,
              Text("That is P(P − 1)/2. Each query also meets its own key.", "这是 P(P − 1)/2。每个查询也会遇到自己的键。")),
        _slip("rows", Text("Counted rows", "数成了行"), lambda p, m: p,
              Text("That is the number of query rows. Row i scores a pair with each of keys 0 … i.", "这是查询行数。第 i 行与键 0 … i 各算一对。"), Mistake.ROWS_AS_PAIRS),
    ),
    lambda s: Text(f"1 + 2 + … + {count(s.n_prompt)} = P(P + 1)/2 = {count(prefill(s.n_prompt).pairs)}.",
                   f"1 + 2 + … + {count(s.n_prompt)} = P(P + 1)/2 = {count(prefill(s.n_prompt).pairs)}。"),
    lambda s: s,
)  # fmt: skip


# --- 2 rows without a cache

ROWS: Question[Scenario] = Question(
    "rows_without",
    Text("Rows without a cache", "没有缓存的行数"),
    lambda s: _given(s)
    + FROM_PREFILL
    + Text("No cache is kept. How many query rows are run in all?", "不保留缓存。一共算多少查询行？"),
    form(PROMPT, NEW),
    TEN_FIVE,
    _invent((2, 30), (3, 12)),
    lambda s: (float(without_cache(s.n_prompt, s.n_new).rows),),
    (
        _slip("with_cache", Text("With a cache", "按有缓存算了"), lambda p, m: p + m - 1,
              Text("That is each position once, as with a cache. Without one every pass starts from position 0.", "这是每个位置只算一次，也就是有缓存的情形。没有缓存时每步都从位置 0 算起。")),
        _slip("no_prompt", Text("Forgot the prompt", "忘了提示"), lambda p, m: m * (m + 1) / 2,
              Text("Passes of 1, 2, …, M rows leave out the prompt, which is run again in every pass.", "1、2、…、M 行漏掉了提示；提示在每一步里都要重算。")),
        _slip("no_growth", Text("Forgot the growth", "忘了变长"), lambda p, m: p * m,
              Text("That is P rows in each pass. Each pass is one row longer than the last.", "这是每步都算 P 行。其实每步都比上一步多一行。")),
        _slip("one_more", Text("One pass too many", "多算一步"), lambda p, m: without_cache(p, m + 1).rows,
              Text("The passes have P, P + 1, …, P + M − 1 rows: the last new token is chosen, not run.", "各步有 P、P + 1、…、P + M − 1 行：最后一个新 token 只被选出，不再送入。")),
    ),
    lambda s: Text(f"P + (P + 1) + … + (P + M − 1) = {count(without_cache(s.n_prompt, s.n_new).rows)}, in {count(s.n_new)} passes.",
                   f"P + (P + 1) + … + (P + M − 1) = {count(without_cache(s.n_prompt, s.n_new).rows)}，共 {count(s.n_new)} 步。"),
    lambda s: s,
)  # fmt: skip


# --- 3 pairs without a cache

PAIRS: Question[Scenario] = Question(
    "pairs_without",
    Text("Pairs without a cache", "没有缓存的配对数"),
    lambda s: _given(s)
    + FROM_PREFILL
    + Text("No cache is kept. How many query·key pairs are scored in all?", "不保留缓存。一共算多少查询·键配对？"),
    form(PROMPT, NEW),
    TEN_FIVE,
    _invent((2, 20), (3, 10)),
    lambda s: (float(without_cache(s.n_prompt, s.n_new).pairs),),
    (
        _slip("rows", Text("Counted rows", "数成了行"), lambda p, m: without_cache(p, m).rows,
              Text("Those are the rows, and also the pairs of each pass’s newest query alone. Every row of a pass scores its own pairs.", "这是行数，也等于每步只数最新查询的配对。其实一步里的每一行都有自己的配对。"),
              Mistake.NEWEST_QUERY),
        _slip("squares", Text("Whole squares", "整个方阵"), lambda p, m: naive_squares(p + m - 1) - naive_squares(p - 1),
              Text("Those are squares. Nearly half of each is masked: a causal pass needs none of it.", "这是各步方阵之和。每个方阵有将近一半被屏蔽，因果前向用不着它们。"), Mistake.FULL_SQUARE),
        _slip("last_pass", Text("The last pass only", "只算了最后一步"), lambda p, m: prefill(p + m - 1).pairs,
              Text("That is one triangle, the last. It is all that a cached decoder scores; without a cache each pass scores one.", "这是最后一个三角形，也是有缓存时的全部。没有缓存时每步都算一个。")),
        _slip("no_prompt", Text("Forgot the prompt", "忘了提示"), lambda p, m: naive(m).pairs,
              Text("That starts from an empty prompt. The first pass already has P rows.", "这是从空提示算起。第一步就已经有 P 行。")),
    ),
    lambda s: Text(f"One triangle n(n + 1)/2 for each n from P to P + M − 1: {count(without_cache(s.n_prompt, s.n_new).pairs)}.",
                   f"n 从 P 到 P + M − 1，每个 n 一个三角形 n(n + 1)/2：{count(without_cache(s.n_prompt, s.n_new).pairs)}。"),
    lambda s: s,
)  # fmt: skip


# --- 4 pairs of decoding with a cache

DECODE: Question[Scenario] = Question(
    "decode_pairs",
    Text("Pairs of decoding with a cache", "有缓存时解码的配对数"),
    lambda s: _given(s)
    + FROM_PREFILL
    + Text(
        "How many query·key pairs do the decode passes score with a cache, without the prefill and without running the last new token?",
        "有缓存时，各解码步一共算多少查询·键配对？不计预填充，最后一个新 token 也不送入。",
    ),
    form(PROMPT, NEW),
    TEN_FIVE,
    _invent((3, 30), (4, 12)),
    lambda s: (float(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs),),
    (
        _slip("m_passes", Text("One pass too many", "多算一步"), lambda p, m: decode(p, m, first_from_prefill=False).pairs,
              Text("That is M passes. The prompt’s pass gives the first new token, so M − 1 are left.", "这是 M 步。提示的前向已给出第一个新 token，只剩 M − 1 步。")),
        _slip("no_own_key", Text("Left out the own key", "漏了自己的键"), lambda p, m: decode(p, m, first_from_prefill=True).pairs - (m - 1),
              Text("Those are the old keys. Each query also meets the key of its own position.", "这只是旧键。每个查询也会遇到自己位置的键。")),
        _slip("rows", Text("One pair a step", "每步只算一对"), lambda p, m: m - 1,
              Text("That is the number of rows. A row’s query meets every key so far.", "这是行数。一行的查询要遇到至今的每个键。"), Mistake.OWN_KEY),
        _slip("no_growth", Text("Forgot the growth", "忘了变长"), lambda p, m: (m - 1) * (p + 1),
              Text("That is P + 1 keys in each pass, as if nothing were appended. The cache is one key longer each time.", "这是每步 P + 1 个键，好像从不追加。缓存每步都多一个键。"), Mistake.NO_APPEND),
        _slip("with_prefill", Text("Added the prefill", "加上了预填充"), lambda p, m: cached(p + m - 1).pairs,
              Text("That is the whole generation. The prefill was not asked for.", "这是整段生成。题目不计预填充。")),
    ),
    lambda s: Text(f"(P + 1) + … + (P + M − 1) = (M − 1)P + M(M − 1)/2 = {count(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs)}.",
                   f"(P + 1) + … + (P + M − 1) = (M − 1)P + M(M − 1)/2 = {count(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs)}。"),
    lambda s: s,
)  # fmt: skip


# --- 5 which unit


def _two(
    name: str, title: Text, formula: Callable[[int], tuple[int, int]], said: Text, mistake: Mistake | None
) -> Slip[Scenario]:
    way = None if mistake is None else lambda s: replace(s, mistake=mistake)
    return Slip(name, title, lambda s: tuple(map(float, formula(s.n_new))), lambda s: said, way)


UNIT: Question[Scenario] = Question(
    "unit",
    Text("Which unit is it?", "单位是什么？"),
    lambda s: Text(
        f"{count(s.n_new)} steps from a single token. A text says: “attention operations: {count(naive(s.n_new).rows)} without a cache, {count(cached(s.n_new).rows)} with one”. How many query·key pairs "
        "are scored, without a cache and with one? Give 2 numbers.",
        f"从单个 token 起走 {count(s.n_new)} 步。有一篇文字说：“注意力操作：没有缓存 {count(naive(s.n_new).rows)}，有缓存 {count(cached(s.n_new).rows)}”。"
        "按查询·键配对算，没有缓存和有缓存各是多少？请写 2 个数。",
    ),
    form(NEW),
    HUNDRED,
    _steps(6, 120),
    lambda s: (float(naive(s.n_new).pairs), float(cached(s.n_new).pairs)),
    (
        _two("rows", Text("Repeated the rows", "照抄了行数"), lambda n: (naive(n).rows, cached(n).rows),
             Text("Both are query rows. A row’s query meets many keys.", "两个都是查询行数。一行的查询要遇到许多键。"), Mistake.ROWS_AS_PAIRS),
        _two("newest", Text("Newest queries only", "只数最新的查询"), lambda n: (cached(n).pairs, cached(n).pairs),
             Text("Without a cache the earlier queries of each pass are scored again, too. Counted like this both come out alike.", "没有缓存时，每步里较早的查询也要重算。这样数，两边一样多。"),
             Mistake.NEWEST_QUERY),
        _two("squares", Text("Whole squares", "整个方阵"), lambda n: (naive_squares(n), cached(n).pairs),
             Text("Nearly half of each square is masked: a causal pass needs none of it.", "每个方阵有将近一半被屏蔽，因果前向用不着它们。"), Mistake.FULL_SQUARE),
        _two("mixed", Text("Pairs against rows", "拿配对比行"), lambda n: (naive(n).pairs, cached(n).rows),
             Text("The first number is in pairs, the second in rows. A cached query still reads all keys.", "第一个数是配对，第二个却是行。有缓存的查询仍要读全部键。"), Mistake.OWN_KEY),
    ),
    lambda s: Text(f"N(N + 1)(N + 2)/6 = {count(naive(s.n_new).pairs)} and N(N + 1)/2 = {count(cached(s.n_new).pairs)}.",
                   f"N(N + 1)(N + 2)/6 = {count(naive(s.n_new).pairs)}，N(N + 1)/2 = {count(cached(s.n_new).pairs)}。"),
    lambda s: s,
    reply=Vector(),
)  # fmt: skip


# --- 6 the ratio


def _ratio(n: int) -> float:
    return naive(n).pairs / cached(n).pairs


RATIO: Question[Scenario] = Question(
    "ratio",
    Text("How many times the pairs?", "配对数是几倍？"),
    lambda s: Text(
        f"{count(s.n_new)} steps from a single token. How many times as many query·key pairs are scored without a cache as with one?",
        f"从单个 token 起走 {count(s.n_new)} 步。没有缓存时的查询·键配对数是有缓存时的几倍？",
    ),
    form(NEW),
    HUNDRED,
    _steps(8, 120),
    lambda s: (_ratio(s.n_new),),
    (
        _slip("rows", Text("The ratio of rows", "行数之比"), lambda p, m: naive(m).rows / cached(m).rows,
              Text("That is the ratio of query rows, (N + 1)/2.", "这是查询行数之比，(N + 1)/2。"), Mistake.ROWS_AS_PAIRS),
        _slip("squares", Text("Squares against a triangle", "方阵比三角形"), lambda p, m: naive_squares(m) / cached(m).pairs,
              Text("Without a cache the masked pairs were counted as well.", "没有缓存的一边把被屏蔽的配对也算进去了。"), Mistake.FULL_SQUARE),
        _slip("n", Text("The number of steps", "步数"), lambda p, m: m,
              Text("The last pass is far longer than the first; on average a pass is about a third of the last triangle.", "最后一步远比第一步长；平均每步大约是最后那个三角形的三分之一。")),
        _slip("mixed", Text("Pairs over rows", "配对除以行"), lambda p, m: naive(m).pairs / cached(m).rows,
              Text("Pairs without a cache were divided by rows with one: two units.", "没有缓存的配对除以了有缓存的行：两种单位。"), Mistake.OWN_KEY),
    ),
    lambda s: Text(f"(N + 2)/3 = {fixed(_ratio(s.n_new))}.", f"(N + 2)/3 = {fixed(_ratio(s.n_new))}。"),
    lambda s: s,
)  # fmt: skip


# --- 7 decode passes

PASSES: Question[Scenario] = Question(
    "passes",
    Text("How many decode passes?", "要几步解码？"),
    lambda s: _given(s)
    + FROM_PREFILL
    + Text(
        "How many decode passes follow the prompt’s, if the last new token is not run?",
        "若最后一个新 token 不送入，提示之后还要几步解码？",
    ),
    form(PROMPT, NEW),
    TEN_FIVE,
    _invent((2, 40), (2, 20)),
    lambda s: (float(s.n_new - 1),),
    (
        _slip("m", Text("One for each new token", "每个新 token 一步"), lambda p, m: m,
              Text("The first new token needs no pass of its own: the prompt’s last logits give it.", "第一个新 token 不需要单独一步：提示最后的 logits 已给出它。")),
        _slip("all_positions", Text("The prompt token by token", "提示逐个送入"), lambda p, m: p + m - 1,
              Text("That is every position in a pass of its own. The prompt goes through in one.", "这是每个位置单独一步。提示一次前向就送完了。")),
        _slip("plus_one", Text("Added the prompt’s pass", "加上了提示的一步"), lambda p, m: m + 1,
              Text("The prompt’s pass is not a decode pass, and it saves one.", "提示的前向不算解码步，而且还省下一步。")),
    ),
    lambda s: Text(f"M − 1 = {count(s.n_new - 1)}: the prompt’s pass already gave one token.", f"M − 1 = {count(s.n_new - 1)}：提示的前向已给出一个 token。"),
    lambda s: s,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 8 double the length

DOUBLE: Question[Scenario] = Question(
    "double",
    Text("Double the length", "长度加倍"),
    lambda s: Text(
        f"With a cache, {count(s.n_new)} steps from a single token become {count(2 * s.n_new)}. By which factor do the query·key pairs of the whole generation grow?",
        f"有缓存，从单个 token 起的 {count(s.n_new)} 步变成 {count(2 * s.n_new)} 步。整段生成的查询·键配对数变成几倍？",
    ),
    form(NEW),
    HUNDRED,
    _steps(6, 100),
    lambda s: (cached(2 * s.n_new).pairs / cached(s.n_new).pairs,),
    (
        _slip("linear", Text("Linear", "按线性算了"), lambda p, m: 2.0,
              Text("That is one step, or the rows. Twice as many steps, each up to twice as long, make about four times the pairs.", "这是一步，或者行数。步数加倍，每步又最多加倍，配对数大约是四倍。"), Mistake.ROWS_AS_PAIRS),
        _slip("no_cache", Text("Without a cache", "按没有缓存算了"), lambda p, m: naive(2 * m).pairs / naive(m).pairs,
              Text("That is the growth without a cache, which is cubic.", "这是没有缓存时的增长，立方级。")),
        _slip("constant", Text("No growth", "不增长"), lambda p, m: 1.0,
              Text("Old pairs are not scored again, but new queries meet old keys: new pairs.", "旧的配对不会重算，但新的查询会遇到旧的键：那是新的配对。")),
    ),
    lambda s: Text(f"{count(cached(2 * s.n_new).pairs)} ÷ {count(cached(s.n_new).pairs)} = {fixed(cached(2 * s.n_new).pairs / cached(s.n_new).pairs)}.",
                   f"{count(cached(2 * s.n_new).pairs)} ÷ {count(cached(s.n_new).pairs)} = {fixed(cached(2 * s.n_new).pairs / cached(s.n_new).pairs)}。"),
    lambda s: s,
)  # fmt: skip


# --- 9 what is read back


def _back(p: int, m: int) -> int:
    return decode(p, m, first_from_prefill=True).pairs - (m - 1)


READ_BACK: Question[Scenario] = Question(
    "read_back",
    Text("What is read back?", "读回多少？"),
    lambda s: _given(s)
    + FROM_PREFILL
    + Text(
        "Each decode pass reads the K and V of all old positions. How many positions is that, over all decode passes?",
        "每个解码步都读一遍所有旧位置的 K、V。各解码步合计读了多少个位置？",
    ),
    form(PROMPT, NEW),
    TEN_FIVE,
    _invent((4, 24), (4, 12)),
    lambda s: (float(_back(s.n_prompt, s.n_new)),),
    (
        _slip("own_too", Text("Read the new one, too", "把新的也算成读回"), lambda p, m: decode(p, m, first_from_prefill=True).pairs,
              Text("Those are the pairs. The newest K and V come from the pass itself, not from the cache.", "这是配对数。最新的 K、V 来自本步，不是从缓存读回的。")),
        _slip("once", Text("Each position once", "每个位置只读一次"), lambda p, m: p + m - 1,
              Text("That is what is resident. It is read again in every pass.", "这是驻留的数量。每一步都要再读一遍。")),
        _slip("prompt_only", Text("Only the prompt", "只读提示"), lambda p, m: (m - 1) * p,
              Text("The cache grows: the second decode pass reads P + 1 positions.", "缓存在变长：第二个解码步要读 P + 1 个位置。"), Mistake.NO_APPEND),
    ),
    lambda s: Text(f"P + (P + 1) + … + (P + M − 2) = {count(_back(s.n_prompt, s.n_new))}.", f"P + (P + 1) + … + (P + M − 2) = {count(_back(s.n_prompt, s.n_new))}。"),
    lambda s: s,
)  # fmt: skip

QUESTIONS = (PREFILL, ROWS, PAIRS, DECODE, UNIT, RATIO, PASSES, DOUBLE, READ_BACK)
