"""How many rows and how many pairs without a cache, and which of the two a number counts."""

from __future__ import annotations

from engine.counts import naive, without_cache
from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.form import FORM, NEW, PROMPT
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.questions.given import (
    FROM_ONE,
    GIVEN,
    HUNDRED,
    ONE_HEAD,
    TEN_FIVE,
    as_pairs,
    as_rows,
    invent,
    itself,
    steps,
    sum_of,
    triangle,
    triangles,
)
from lessons.kit.format import count
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number, Vector
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import PAIR, ROW

ROWS: Question[Scenario] = Question(
    slug="rows_without",
    title=Text("Rows without a cache", "没有缓存的行数"),
    prompt=GIVEN
    + ONE_HEAD
    + Text("No cache is kept. How many query rows are run in all?", "不保留缓存。一共算多少查询行？"),
    form=FORM.only(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((2, 30), (3, 12)),
    formula=lambda s: s.plain.rows,
    slips=(
        Slip(
            "with_cache",
            Text("With a cache", "按有缓存算了"),
            lambda s: s.cached.rows,
            Text(
                "That is each position once, as with a cache. Without one every pass starts from position 0.",
                "这是每个位置只算一次，也就是有缓存的情形。没有缓存时每步都从位置 0 算起。",
            ),
        ),
        Slip(
            "no_prompt",
            Text("Forgot the prompt", "忘了提示"),
            lambda s: naive(s.n_new).rows,
            Text(
                "Passes of 1, 2, …, M rows leave out the prompt, which is run again in every pass.",
                "1、2、…、M 行漏掉了提示；提示在每一步里都要重算。",
            ),
        ),
        Slip(
            "no_growth",
            Text("Forgot the growth", "忘了变长"),
            lambda s: s.n_prompt * s.n_new,
            Text(
                "That is P rows in each pass. Each pass is one row longer than the last.",
                "这是每步都算 P 行。其实每步都比上一步多一行。",
            ),
        ),
        Slip(
            "one_more",
            Text("One pass too many", "多算一步"),
            lambda s: without_cache(s.n_prompt, s.n_new + 1).rows,
            Text(
                "The passes have P, P + 1, …, P + M − 1 rows: the last new token is chosen, not run.",
                "各步有 P、P + 1、…、P + M − 1 行：最后一个新 token 只被选出，不再送入。",
            ),
        ),
    ),
    working=Told(
        "P + (P + 1) + … + (P + M − 1) = {plain.rows}, in {n_new} passes.",
        "P + (P + 1) + … + (P + M − 1) = {plain.rows}，共 {n_new} 步。",
    ),
    way=itself,
    reply=Number(ROW),
    rows=(
        Line(Text("rows of the first pass, P", "第一步的行数，P"), Text("the prompt", "提示"), as_rows("prefill.rows")),
        Line(
            Text("rows of the last pass, P + M − 1", "最后一步的行数，P + M − 1"),
            "{n_prompt} + {n_new} − 1",
            as_rows("last_plain.rows"),
        ),
        Line(Text("all passes", "所有步合计"), lambda s: sum_of(s.n_prompt, s.n_positions), as_rows("plain.rows")),
    ),
)

_SQUARES: Slip[Scenario] = MISTAKES.slip(
    Mistake.FULL_SQUARE,
    lambda s: s.squares,
    itself,
    name="squares",
    title=Text("Whole squares", "整个方阵"),
    said=Text(
        "Squares were counted. Nearly half of each is masked: a causal pass needs none of that half.",
        "数的是方阵。每个方阵有将近一半被屏蔽，因果前向用不着这一半。",
    ),
)
_LAST_PASS: Slip[Scenario] = Slip(
    "last_pass",
    Text("The last pass only", "只算了最后一步"),
    lambda s: s.last_plain.pairs,
    Text(
        "Only the last pass was counted. It is all that a cached decoder scores; without a cache each pass scores a "
        "triangle of its own.",
        "只数了最后一步，也就是有缓存时的全部。没有缓存时，每步都要算自己的三角形。",
    ),
)

PAIRS: Question[Scenario] = Question(
    slug="pairs_without",
    title=Text("Pairs without a cache", "没有缓存的配对数"),
    prompt=GIVEN
    + ONE_HEAD
    + Text("No cache is kept. How many query·key pairs are scored in all?", "不保留缓存。一共算多少查询·键配对？"),
    form=FORM.only(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((2, 20), (3, 10)),
    formula=lambda s: s.plain.pairs,
    slips=(
        MISTAKES.slip(
            Mistake.NEWEST_QUERY,
            lambda s: s.plain.rows,
            itself,
            name="rows",
            title=Text("Counted rows", "数成了行"),
            said=Text(
                "Those are the rows, and also the pairs of each pass’s newest query alone. Every row of a pass "
                "scores its own pairs.",
                "这是行数，也等于每步只数最新查询的配对。其实一步里的每一行都有自己的配对。",
            ),
        ),
        _SQUARES,
        _LAST_PASS,
        together(_SQUARES, _LAST_PASS, lambda s: s.n_positions**2),
        Slip(
            "no_prompt",
            Text("Forgot the prompt", "忘了提示"),
            lambda s: naive(s.n_new).pairs,
            Text(
                "That starts from an empty prompt. The first pass already has P rows.",
                "这是从空提示算起。第一步就已经有 P 行。",
            ),
        ),
    ),
    working=Told(
        "One triangle n(n + 1)/2 for each n from P to P + M − 1: {plain.pairs}.",
        "n 从 P 到 P + M − 1，每个 n 一个三角形 n(n + 1)/2：{plain.pairs}。",
    ),
    way=itself,
    reply=Number(PAIR),
    rows=(
        Line(
            Text("passes of length n", "长度为 n 的各步"),
            Text("a triangle n(n + 1)/2 each", "每步一个三角形 n(n + 1)/2"),
            "n = {n_prompt} … {n_positions}",
        ),
        Line(
            Text("triangles 1 to N, N(N + 1)(N + 2)/6", "三角形 1 到 N，N(N + 1)(N + 2)/6"),
            lambda s: triangles(s.n_positions),
            lambda s: PAIR.after(count(naive(s.n_positions).pairs)),
        ),
        Line(
            Text("those below P, which are not run", "其中小于 P 的并不发生"),
            lambda s: triangles(s.n_prompt - 1),
            lambda s: PAIR.after(count(naive(s.n_prompt - 1).pairs)),
        ),
        Line(
            Text("pairs", "配对数"),
            lambda s: f"{count(naive(s.n_positions).pairs)} − {count(naive(s.n_prompt - 1).pairs)}",
            as_pairs("plain.pairs"),
        ),
    ),
)

UNIT: Question[Scenario] = Question(
    slug="unit",
    title=Text("Which unit is it?", "单位是什么？"),
    prompt=FROM_ONE
    + Told(
        "A text says: “attention operations: {plain.rows} without a cache, {cached.rows} with one”. How many "
        "query·key pairs are scored, without a cache and with one? Give 2 numbers.",
        "有一篇文字说：“注意力操作：没有缓存 {plain.rows}，有缓存 {cached.rows}”。按查询·键配对算，没有缓存和有缓存"
        "各是多少？请写 2 个数。",
    ),
    form=FORM.only(NEW),
    inputs=HUNDRED,
    invent=steps(6, 120),
    formula=lambda s: (s.plain.pairs, s.cached.pairs),
    slips=(
        MISTAKES.slip(
            Mistake.ROWS_AS_PAIRS,
            lambda s: (s.plain.rows, s.cached.rows),
            itself,
            name="rows",
            title=Text("Repeated the rows", "照抄了行数"),
            said=Text(
                "Both are query rows. A row’s query meets many keys.", "两个都是查询行数。一行的查询要遇到许多键。"
            ),
        ),
        MISTAKES.slip(
            Mistake.NEWEST_QUERY,
            lambda s: (s.plain.rows, s.cached.pairs),
            itself,
            name="newest",
            title=Text("Newest queries only", "只数最新的查询"),
            said=Text(
                "Without a cache the earlier queries of each pass are scored again, too. Counted like this both come "
                "out alike.",
                "没有缓存时，每步里较早的查询也要重算。这样数，两边一样多。",
            ),
        ),
        MISTAKES.slip(
            Mistake.FULL_SQUARE,
            lambda s: (s.squares, s.cached.pairs),
            itself,
            name="squares",
            title=Text("Whole squares", "整个方阵"),
            said=Text(
                "Nearly half of each square is masked: a causal pass needs none of that half.",
                "每个方阵有将近一半被屏蔽，因果前向用不着这一半。",
            ),
        ),
        MISTAKES.slip(
            Mistake.OWN_KEY,
            lambda s: (s.plain.pairs, s.cached.rows),
            itself,
            name="mixed",
            title=Text("Pairs against rows", "拿配对比行"),
            said=Text(
                "The first number is in pairs, the second in rows. A cached query still reads all keys.",
                "第一个数是配对，第二个却是行。有缓存的查询仍要读全部键。",
            ),
        ),
        Slip(
            "swapped",
            Text("Swapped the two numbers", "两个数写反了"),
            lambda s: (s.cached.pairs, s.plain.pairs),
            Text(
                "Both numbers are right; the question asks first for the side without a cache.",
                "两个数都对；但题目先问的是没有缓存的一边。",
            ),
        ),
    ),
    working=Told(
        "N(N + 1)(N + 2)/6 = {plain.pairs} and N(N + 1)/2 = {cached.pairs}.",
        "N(N + 1)(N + 2)/6 = {plain.pairs}，N(N + 1)/2 = {cached.pairs}。",
    ),
    way=itself,
    reply=Vector(),
    rows=(
        Line(
            Text("without a cache: one triangle a pass", "没有缓存：每步一个三角形"),
            lambda s: triangles(s.n_new),
            as_pairs("plain.pairs"),
        ),
        Line(
            Text("with a cache: one row of keys a pass", "有缓存：每步一行键"),
            lambda s: triangle(s.n_new),
            as_pairs("cached.pairs"),
        ),
        Line(
            Text("both", "两个数"),
            Text("without, with", "没有缓存，有缓存"),
            "{plain.pairs}, {cached.pairs}",
        ),
    ),
)
