"""How many pairs with a cache: of a prefill, and of decoding behind it."""

from __future__ import annotations

from engine.counts import decode, prefill
from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.form import FORM, NEW, PROMPT
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.questions.given import (
    GIVEN,
    ONE_HEAD,
    TEN_FIVE,
    as_pairs,
    as_rows,
    invent,
    itself,
    over_passes,
)
from lessons.kit.format import count, short
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import PAIR

PREFILL: Question[Scenario] = Question(
    slug="prefill_pairs",
    title=Text("Pairs of a prefill", "预填充的配对数"),
    prompt=Told(
        "A causal prefill sends {n_prompt:token} through in one pass. How many query·key pairs does one head of one "
        "layer score?",
        "因果预填充一次前向处理 {n_prompt} 个 token。一层的一个头要算多少查询·键配对？",
    ),
    form=FORM.only(PROMPT),
    inputs=TEN_FIVE,
    invent=invent((4, 60), (5, 5)),
    formula=lambda s: s.prefill.pairs,
    slips=(
        MISTAKES.slip(
            Mistake.FULL_SQUARE,
            lambda s: s.n_prompt**2,
            itself,
            name="square",
            title=Text("The whole square", "整个方阵"),
            said=Text(
                "That is P². A causal query never meets later keys: only the triangle counts.",
                "这是 P²。因果查询从不遇到后面的键：只算三角形。",
            ),
        ),
        Slip(
            "no_own_key",
            Text("Left out the diagonal", "漏了对角线"),
            lambda s: prefill(s.n_prompt - 1).pairs,
            Text(
                "That is P(P − 1)/2. Each query also meets its own key.", "这是 P(P − 1)/2。每个查询也会遇到自己的键。"
            ),
        ),
        MISTAKES.slip(
            Mistake.ROWS_AS_PAIRS,
            lambda s: s.prefill.rows,
            itself,
            name="rows",
            title=Text("Counted rows", "数成了行"),
            said=Text(
                "That is the number of query rows. Row i scores a pair with each of keys 0 … i.",
                "这是查询行数。第 i 行与键 0 … i 各算一对。",
            ),
        ),
    ),
    working=Told(
        "1 + 2 + … + {n_prompt} = P(P + 1)/2 = {prefill.pairs}.",
        "1 + 2 + … + {n_prompt} = P(P + 1)/2 = {prefill.pairs}。",
    ),
    way=itself,
    reply=Number(PAIR),
    rows=(
        Line(Text("query rows", "查询行数"), Text("one for each token", "每个 token 一行"), as_rows("prefill.rows")),
        Line(
            Text("keys met by a row, on average", "平均每行遇到几个键"),
            "(1 + {n_prompt}) / 2",
            lambda s: short((1 + s.n_prompt) / 2),
        ),
        Line(
            Text("pairs", "配对数"),
            lambda s: f"{count(s.n_prompt)} × {short((1 + s.n_prompt) / 2)}",
            as_pairs("prefill.pairs"),
        ),
    ),
)

_M_PASSES: Slip[Scenario] = Slip(
    "m_passes",
    Text("One pass too many", "多算一步"),
    lambda s: decode(s.n_prompt, s.n_new, first_from_prefill=False).pairs,
    Text(
        "M passes were counted. The prompt’s pass gives the first new token, so M − 1 are left.",
        "数了 M 步。提示的前向已给出第一个新 token，只剩 M − 1 步。",
    ),
)
_OLD_KEYS: Slip[Scenario] = Slip(
    "no_own_key",
    Text("Left out the own key", "漏了自己的键"),
    lambda s: s.read_back,
    Text(
        "Only old keys were counted. Each query also meets the key of its own position.",
        "只数了旧键。每个查询也会遇到自己位置的键。",
    ),
)

DECODE: Question[Scenario] = Question(
    slug="decode_pairs",
    title=Text("Pairs of decoding with a cache", "有缓存时解码的配对数"),
    prompt=GIVEN
    + ONE_HEAD
    + Text(
        "How many query·key pairs do the decode passes score with a cache, without the prefill and without "
        "running the last new token?",
        "有缓存时，各解码步一共算多少查询·键配对？不计预填充，最后一个新 token 也不送入。",
    ),
    form=FORM.only(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((3, 30), (4, 12)),
    formula=lambda s: s.decode.pairs,
    slips=(
        _M_PASSES,
        _OLD_KEYS,
        together(_M_PASSES, _OLD_KEYS, lambda s: decode(s.n_prompt, s.n_new, first_from_prefill=False).pairs - s.n_new),
        MISTAKES.slip(
            Mistake.OWN_KEY,
            lambda s: s.decode.rows,
            itself,
            name="rows",
            title=Text("One pair a step", "每步只算一对"),
            said=Text(
                "That is the number of rows. A row’s query meets every key so far.",
                "这是行数。一行的查询要遇到至今的每个键。",
            ),
        ),
        MISTAKES.slip(
            Mistake.NO_APPEND,
            lambda s: s.decode.rows * (s.n_prompt + 1),
            itself,
            name="no_growth",
            title=Text("Forgot the growth", "忘了变长"),
            said=Text(
                "That is P + 1 keys in each pass, as if nothing were appended. The cache is one key longer each time.",
                "这是每步 P + 1 个键，好像从不追加。缓存每步都多一个键。",
            ),
        ),
        Slip(
            "with_prefill",
            Text("Added the prefill", "加上了预填充"),
            lambda s: s.cached.pairs,
            Text("That is the whole generation. The prefill was not asked for.", "这是整段生成。题目不计预填充。"),
        ),
    ),
    working=Told(
        "(P + 1) + … + (P + M − 1) = (M − 1)P + M(M − 1)/2 = {decode.pairs}.",
        "(P + 1) + … + (P + M − 1) = (M − 1)P + M(M − 1)/2 = {decode.pairs}。",
    ),
    way=itself,
    reply=Number(PAIR),
    rows=(
        Line(Text("decode passes, M − 1", "解码步数，M − 1"), "{n_new} − 1", "{decode.rows}"),
        Line(
            Text("keys met in the first, P + 1", "第一步遇到的键，P + 1"),
            "{n_prompt} + 1",
            lambda s: count(s.n_prompt + 1),
        ),
        Line(
            Text("keys met in the last, P + M − 1", "最后一步遇到的键，P + M − 1"),
            "{n_prompt} + {n_new} − 1",
            "{n_positions}",
        ),
        Line(Text("pairs", "配对数"), lambda s: over_passes(s.n_prompt + 1, s.n_positions), as_pairs("decode.pairs")),
    ),
)
