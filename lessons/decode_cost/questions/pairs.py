"""How many rows, and how many pairs: of a prefill, of a generation without a cache, of decoding with one, and in
which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.counts import cached, decode, naive, naive_squares, prefill, without_cache
from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.form import NEW, PROMPT, form
from lessons.decode_cost.questions.given import (
    FROM_PREFILL,
    HUNDRED,
    ONE_HEAD,
    TEN_FIVE,
    given,
    invent,
    itself,
    pairs_row,
    slip,
    steps,
    sum_of,
)
from lessons.kit.format import count, short
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Number, Vector
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import PAIR, ROW

PREFILL: Question[Scenario] = Question(
    slug="prefill_pairs",
    title=Text("Pairs of a prefill", "预填充的配对数"),
    prompt=Told(
        "A causal prefill sends {n_prompt:token} through in one pass. How many query·key pairs does one head of one "
        "layer score?",
        "因果预填充一次前向处理 {n_prompt} 个 token。一层的一个头要算多少查询·键配对？",
    ),
    form=form(PROMPT),
    inputs=TEN_FIVE,
    invent=invent((4, 60), (5, 5)),
    formula=lambda s: prefill(s.n_prompt).pairs,
    slips=(
        slip(
            "square",
            Text("The whole square", "整个方阵"),
            lambda p, m: p * p,
            Text(
                "That is P². A causal query never meets later keys: only the triangle counts.",
                "这是 P²。因果查询从不遇到后面的键：只算三角形。",
            ),
            Mistake.FULL_SQUARE,
        ),
        slip(
            "no_own_key",
            Text("Left out the diagonal", "漏了对角线"),
            lambda p, m: p * (p - 1) / 2,
            Text(
                "That is P(P − 1)/2. Each query also meets its own key.", "这是 P(P − 1)/2。每个查询也会遇到自己的键。"
            ),
        ),
        slip(
            "rows",
            Text("Counted rows", "数成了行"),
            lambda p, m: p,
            Text(
                "That is the number of query rows. Row i scores a pair with each of keys 0 … i.",
                "这是查询行数。第 i 行与键 0 … i 各算一对。",
            ),
            Mistake.ROWS_AS_PAIRS,
        ),
    ),
    working=lambda s: Text(
        f"1 + 2 + … + {count(s.n_prompt)} = P(P + 1)/2 = {count(prefill(s.n_prompt).pairs)}.",
        f"1 + 2 + … + {count(s.n_prompt)} = P(P + 1)/2 = {count(prefill(s.n_prompt).pairs)}。",
    ),
    way=itself,
    reply=Number(PAIR),
    rows=lambda s: (
        Row(
            Text("query rows", "查询行数"), Text("one for each token", "每个 token 一行"), ROW.after(count(s.n_prompt))
        ),
        Row(
            Text("keys met by a row, on average", "平均每行遇到几个键"),
            f"(1 + {count(s.n_prompt)}) / 2",
            short((1 + s.n_prompt) / 2),
        ),
        pairs_row(
            Text("pairs", "配对数"), f"{count(s.n_prompt)} × {short((1 + s.n_prompt) / 2)}", prefill(s.n_prompt).pairs
        ),
    ),
)

ROWS: Question[Scenario] = Question(
    slug="rows_without",
    title=Text("Rows without a cache", "没有缓存的行数"),
    prompt=lambda s: (
        given(s)
        + FROM_PREFILL
        + ONE_HEAD
        + Text("No cache is kept. How many query rows are run in all?", "不保留缓存。一共算多少查询行？")
    ),
    form=form(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((2, 30), (3, 12)),
    formula=lambda s: without_cache(s.n_prompt, s.n_new).rows,
    slips=(
        slip(
            "with_cache",
            Text("With a cache", "按有缓存算了"),
            lambda p, m: p + m - 1,
            Text(
                "That is each position once, as with a cache. Without one every pass starts from position 0.",
                "这是每个位置只算一次，也就是有缓存的情形。没有缓存时每步都从位置 0 算起。",
            ),
        ),
        slip(
            "no_prompt",
            Text("Forgot the prompt", "忘了提示"),
            lambda p, m: m * (m + 1) / 2,
            Text(
                "Passes of 1, 2, …, M rows leave out the prompt, which is run again in every pass.",
                "1、2、…、M 行漏掉了提示；提示在每一步里都要重算。",
            ),
        ),
        slip(
            "no_growth",
            Text("Forgot the growth", "忘了变长"),
            lambda p, m: p * m,
            Text(
                "That is P rows in each pass. Each pass is one row longer than the last.",
                "这是每步都算 P 行。其实每步都比上一步多一行。",
            ),
        ),
        slip(
            "one_more",
            Text("One pass too many", "多算一步"),
            lambda p, m: without_cache(p, m + 1).rows,
            Text(
                "The passes have P, P + 1, …, P + M − 1 rows: the last new token is chosen, not run.",
                "各步有 P、P + 1、…、P + M − 1 行：最后一个新 token 只被选出，不再送入。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"P + (P + 1) + … + (P + M − 1) = {count(without_cache(s.n_prompt, s.n_new).rows)}, in {count(s.n_new)} "
        "passes.",
        f"P + (P + 1) + … + (P + M − 1) = {count(without_cache(s.n_prompt, s.n_new).rows)}，共 {count(s.n_new)} 步。",
    ),
    way=itself,
    reply=Number(ROW),
    rows=lambda s: (
        Row(
            Text("rows of the first pass, P", "第一步的行数，P"),
            Text("the prompt", "提示"),
            ROW.after(count(s.n_prompt)),
        ),
        Row(
            Text("rows of the last pass, P + M − 1", "最后一步的行数，P + M − 1"),
            f"{count(s.n_prompt)} + {count(s.n_new)} − 1",
            ROW.after(count(s.n_positions)),
        ),
        Row(
            Text("all passes", "所有步合计"),
            sum_of(s.n_prompt, s.n_positions),
            ROW.after(count(without_cache(s.n_prompt, s.n_new).rows)),
        ),
    ),
)

_SQUARES = slip(
    "squares",
    Text("Whole squares", "整个方阵"),
    lambda p, m: naive_squares(p + m - 1) - naive_squares(p - 1),
    Text(
        "Squares were counted. Nearly half of each is masked: a causal pass needs none of that half.",
        "数的是方阵。每个方阵有将近一半被屏蔽，因果前向用不着这一半。",
    ),
    Mistake.FULL_SQUARE,
)
_LAST_PASS = slip(
    "last_pass",
    Text("The last pass only", "只算了最后一步"),
    lambda p, m: prefill(p + m - 1).pairs,
    Text(
        "Only the last pass was counted. It is all that a cached decoder scores; without a cache each pass scores a "
        "triangle of its own.",
        "只数了最后一步，也就是有缓存时的全部。没有缓存时，每步都要算自己的三角形。",
    ),
)

PAIRS: Question[Scenario] = Question(
    slug="pairs_without",
    title=Text("Pairs without a cache", "没有缓存的配对数"),
    prompt=lambda s: (
        given(s)
        + FROM_PREFILL
        + ONE_HEAD
        + Text("No cache is kept. How many query·key pairs are scored in all?", "不保留缓存。一共算多少查询·键配对？")
    ),
    form=form(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((2, 20), (3, 10)),
    formula=lambda s: without_cache(s.n_prompt, s.n_new).pairs,
    slips=(
        slip(
            "rows",
            Text("Counted rows", "数成了行"),
            lambda p, m: without_cache(p, m).rows,
            Text(
                "Those are the rows, and also the pairs of each pass’s newest query alone. Every row of a pass "
                "scores its own pairs.",
                "这是行数，也等于每步只数最新查询的配对。其实一步里的每一行都有自己的配对。",
            ),
            Mistake.NEWEST_QUERY,
        ),
        _SQUARES,
        _LAST_PASS,
        together(_SQUARES, _LAST_PASS, lambda s: s.n_positions**2),
        slip(
            "no_prompt",
            Text("Forgot the prompt", "忘了提示"),
            lambda p, m: naive(m).pairs,
            Text(
                "That starts from an empty prompt. The first pass already has P rows.",
                "这是从空提示算起。第一步就已经有 P 行。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"One triangle n(n + 1)/2 for each n from P to P + M − 1: {count(without_cache(s.n_prompt, s.n_new).pairs)}.",
        f"n 从 P 到 P + M − 1，每个 n 一个三角形 n(n + 1)/2：{count(without_cache(s.n_prompt, s.n_new).pairs)}。",
    ),
    way=itself,
    reply=Number(PAIR),
    rows=lambda s: (
        Row(
            Text("passes of length n", "长度为 n 的各步"),
            Text("a triangle n(n + 1)/2 each", "每步一个三角形 n(n + 1)/2"),
            f"n = {count(s.n_prompt)} … {count(s.n_positions)}",
        ),
        pairs_row(
            Text("triangles 1 to N, N(N + 1)(N + 2)/6", "三角形 1 到 N，N(N + 1)(N + 2)/6"),
            f"{count(s.n_positions)} × {count(s.n_positions + 1)} × {count(s.n_positions + 2)} / 6",
            naive(s.n_positions).pairs,
        ),
        pairs_row(
            Text("those below P, which are not run", "其中小于 P 的并不发生"),
            f"{count(s.n_prompt - 1)} × {count(s.n_prompt)} × {count(s.n_prompt + 1)} / 6",
            naive(s.n_prompt - 1).pairs,
        ),
        pairs_row(
            Text("pairs", "配对数"),
            f"{count(naive(s.n_positions).pairs)} − {count(naive(s.n_prompt - 1).pairs)}",
            without_cache(s.n_prompt, s.n_new).pairs,
        ),
    ),
)

_M_PASSES = slip(
    "m_passes",
    Text("One pass too many", "多算一步"),
    lambda p, m: decode(p, m, first_from_prefill=False).pairs,
    Text(
        "M passes were counted. The prompt’s pass gives the first new token, so M − 1 are left.",
        "数了 M 步。提示的前向已给出第一个新 token，只剩 M − 1 步。",
    ),
)
_OLD_KEYS = slip(
    "no_own_key",
    Text("Left out the own key", "漏了自己的键"),
    lambda p, m: decode(p, m, first_from_prefill=True).pairs - (m - 1),
    Text(
        "Only old keys were counted. Each query also meets the key of its own position.",
        "只数了旧键。每个查询也会遇到自己位置的键。",
    ),
)

DECODE: Question[Scenario] = Question(
    slug="decode_pairs",
    title=Text("Pairs of decoding with a cache", "有缓存时解码的配对数"),
    prompt=lambda s: (
        given(s)
        + FROM_PREFILL
        + ONE_HEAD
        + Text(
            "How many query·key pairs do the decode passes score with a cache, without the prefill and without "
            "running the last new token?",
            "有缓存时，各解码步一共算多少查询·键配对？不计预填充，最后一个新 token 也不送入。",
        )
    ),
    form=form(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((3, 30), (4, 12)),
    formula=lambda s: decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs,
    slips=(
        _M_PASSES,
        _OLD_KEYS,
        together(
            _M_PASSES,
            _OLD_KEYS,
            lambda s: decode(s.n_prompt, s.n_new, first_from_prefill=False).pairs - s.n_new,
        ),
        slip(
            "rows",
            Text("One pair a step", "每步只算一对"),
            lambda p, m: m - 1,
            Text(
                "That is the number of rows. A row’s query meets every key so far.",
                "这是行数。一行的查询要遇到至今的每个键。",
            ),
            Mistake.OWN_KEY,
        ),
        slip(
            "no_growth",
            Text("Forgot the growth", "忘了变长"),
            lambda p, m: (m - 1) * (p + 1),
            Text(
                "That is P + 1 keys in each pass, as if nothing were appended. The cache is one key longer each time.",
                "这是每步 P + 1 个键，好像从不追加。缓存每步都多一个键。",
            ),
            Mistake.NO_APPEND,
        ),
        slip(
            "with_prefill",
            Text("Added the prefill", "加上了预填充"),
            lambda p, m: cached(p + m - 1).pairs,
            Text("That is the whole generation. The prefill was not asked for.", "这是整段生成。题目不计预填充。"),
        ),
    ),
    working=lambda s: Text(
        "(P + 1) + … + (P + M − 1) = (M − 1)P + M(M − 1)/2 = "
        f"{count(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs)}.",
        "(P + 1) + … + (P + M − 1) = (M − 1)P + M(M − 1)/2 = "
        f"{count(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs)}。",
    ),
    way=itself,
    reply=Number(PAIR),
    rows=lambda s: (
        Row(Text("decode passes, M − 1", "解码步数，M − 1"), f"{count(s.n_new)} − 1", count(s.n_new - 1)),
        Row(
            Text("keys met in the first, P + 1", "第一步遇到的键，P + 1"),
            f"{count(s.n_prompt)} + 1",
            count(s.n_prompt + 1),
        ),
        Row(
            Text("keys met in the last, P + M − 1", "最后一步遇到的键，P + M − 1"),
            f"{count(s.n_prompt)} + {count(s.n_new)} − 1",
            count(s.n_positions),
        ),
        pairs_row(
            Text("pairs", "配对数"),
            sum_of(s.n_prompt + 1, s.n_positions) if s.n_new > 1 else Text("no pass at all", "没有解码步"),
            decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs,
        ),
    ),
)


def _two(
    name: str, title: Text, formula: Callable[[int], tuple[int, int]], said: Text, mistake: Mistake | None
) -> Slip[Scenario]:
    way = None if mistake is None else lambda s: replace(s, mistake=mistake)
    return Slip(name, title, lambda s: tuple(map(float, formula(s.n_new))), lambda s: said, way)


UNIT: Question[Scenario] = Question(
    slug="unit",
    title=Text("Which unit is it?", "单位是什么？"),
    prompt=lambda s: Text(
        f"{count(s.n_new)} step{'s' * (s.n_new > 1)} from a single token. {ONE_HEAD.en}A text says: “attention "
        f"operations: {count(naive(s.n_new).rows)} without a cache, {count(cached(s.n_new).rows)} with one”. How "
        "many query·key pairs "
        "are scored, without a cache and with one? Give 2 numbers.",
        f"从单个 token 起走 {count(s.n_new)} 步。{ONE_HEAD.zh}有一篇文字说：“注意力操作：没有缓存 "
        f"{count(naive(s.n_new).rows)}，有缓存 {count(cached(s.n_new).rows)}”。"
        "按查询·键配对算，没有缓存和有缓存各是多少？请写 2 个数。",
    ),
    form=form(NEW),
    inputs=HUNDRED,
    invent=steps(6, 120),
    formula=lambda s: (float(naive(s.n_new).pairs), float(cached(s.n_new).pairs)),
    slips=(
        _two(
            "rows",
            Text("Repeated the rows", "照抄了行数"),
            lambda n: (naive(n).rows, cached(n).rows),
            Text("Both are query rows. A row’s query meets many keys.", "两个都是查询行数。一行的查询要遇到许多键。"),
            Mistake.ROWS_AS_PAIRS,
        ),
        _two(
            "newest",
            Text("Newest queries only", "只数最新的查询"),
            lambda n: (cached(n).pairs, cached(n).pairs),
            Text(
                "Without a cache the earlier queries of each pass are scored again, too. Counted like this both come "
                "out alike.",
                "没有缓存时，每步里较早的查询也要重算。这样数，两边一样多。",
            ),
            Mistake.NEWEST_QUERY,
        ),
        _two(
            "squares",
            Text("Whole squares", "整个方阵"),
            lambda n: (naive_squares(n), cached(n).pairs),
            Text(
                "Nearly half of each square is masked: a causal pass needs none of that half.",
                "每个方阵有将近一半被屏蔽，因果前向用不着这一半。",
            ),
            Mistake.FULL_SQUARE,
        ),
        _two(
            "mixed",
            Text("Pairs against rows", "拿配对比行"),
            lambda n: (naive(n).pairs, cached(n).rows),
            Text(
                "The first number is in pairs, the second in rows. A cached query still reads all keys.",
                "第一个数是配对，第二个却是行。有缓存的查询仍要读全部键。",
            ),
            Mistake.OWN_KEY,
        ),
        _two(
            "swapped",
            Text("Swapped the two numbers", "两个数写反了"),
            lambda n: (cached(n).pairs, naive(n).pairs),
            Text(
                "Both numbers are right; the question asks first for the side without a cache.",
                "两个数都对；但题目先问的是没有缓存的一边。",
            ),
            None,
        ),
    ),
    working=lambda s: Text(
        f"N(N + 1)(N + 2)/6 = {count(naive(s.n_new).pairs)} and N(N + 1)/2 = {count(cached(s.n_new).pairs)}.",
        f"N(N + 1)(N + 2)/6 = {count(naive(s.n_new).pairs)}，N(N + 1)/2 = {count(cached(s.n_new).pairs)}。",
    ),
    way=itself,
    reply=Vector(),
    rows=lambda s: (
        pairs_row(
            Text("without a cache: one triangle a pass", "没有缓存：每步一个三角形"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} × {count(s.n_new + 2)} / 6",
            naive(s.n_new).pairs,
        ),
        pairs_row(
            Text("with a cache: one row of keys a pass", "有缓存：每步一行键"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} / 2",
            cached(s.n_new).pairs,
        ),
        Row(
            Text("both", "两个数"),
            Text("without, with", "没有缓存，有缓存"),
            f"{count(naive(s.n_new).pairs)}, {count(cached(s.n_new).pairs)}",
        ),
    ),
)
