"""Work: query·key pairs with a cache and without."""

from __future__ import annotations

from engine.three_savings import KEEP, Mistake, Scenario
from lessons.kit.format import count, fixed
from lessons.kit.question import Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.units import PAIR, TIMES
from lessons.three_savings.form import N_PROMPT, NEW, counted
from lessons.three_savings.questions.figures import (
    CACHE,
    CHAPTER,
    EXACT,
    MASKED,
    OFF,
    ONE_MORE,
    chosen,
    cost,
    given,
    invent,
    longer,
    n_prompt,
    pairs,
    squares,
)


def _prefill(s: Scenario) -> int:
    """Pairs of the prompt's own pass."""
    return n_prompt(s) * (n_prompt(s) + 1) // 2


def _lengths(s: Scenario) -> range:
    """Tokens in each pass without a cache; keys in each pass with one."""
    return range(n_prompt(s), s.n_kept + 1)


def _prompt_row(s: Scenario) -> Row:
    return Row(Text("The prompt’s pass", "提示那一遍"), f"{n_prompt(s)} × {n_prompt(s) + 1} ÷ 2", count(_prefill(s)))


def _later_row(s: Scenario) -> Row:
    """One query a pass against all keys so far."""
    later = list(_lengths(s))[1:]
    return Row(
        Text("The later passes, one query each", "后面各遍，每遍一个查询"),
        " + ".join(map(str, later)) or Text("none", "没有"),
        count(sum(later)),
    )


_CACHE_ONE_MORE: Slip[Scenario] = Slip(
    "one-more", Text("One pass too many", "多算一遍"), lambda s: pairs(longer(s), CACHE), lambda s: ONE_MORE
)
_CACHE_MASKED: Slip[Scenario] = Slip(
    "masked", Text("Counted masked pairs", "把被屏蔽的也算了"), lambda s: squares(s, CACHE), lambda s: MASKED
)

WITH_CACHE: Question[Scenario] = Question(
    slug="pairs-with-cache",
    title=Text("Work with a cache", "有缓存时的计算"),
    prompt=lambda s: (
        given(s)
        + Text(
            " With a KV cache: how many query·key pairs does one head of one layer score in all?",
            "使用 KV 缓存：一层中一个头总共要算多少个查询·键配对？",
        )
    ),
    form=counted(N_PROMPT, NEW),
    inputs=chosen(CHAPTER, CACHE),
    invent=invent,
    formula=lambda s: pairs(s, CACHE),
    slips=(
        Slip(
            "no-cache",
            Text("No cache", "没有缓存"),
            lambda s: pairs(s, OFF),
            Text(
                "That is the count without a cache: every pass over the whole text.",
                "这是没有缓存的数目：每遍都处理全文。",
            ),
            lambda s: chosen(s, OFF),
        ),
        Slip(
            "no-prefill",
            Text("Forgot the prompt’s pass", "忘了提示那一遍"),
            lambda s: pairs(s, CACHE) - n_prompt(s) * (n_prompt(s) + 1) // 2,
            Text(
                "Those are the later passes alone. The prompt’s own pass scores pairs, too.",
                "这只是后面各遍。提示那一遍自己也要算配对。",
            ),
        ),
        _CACHE_ONE_MORE,
        Slip(
            "rows",
            Text("Counted rows", "数成了行"),
            lambda s: cost(s, CACHE).rows,
            Text(
                "Those are query rows. Each row meets every key up to its own.",
                "这是查询的行数。每一行要遇到直到它自己为止的所有键。",
            ),
        ),
        Slip(
            "linear",
            Text("Took the cache for linear", "以为缓存使它变成线性"),
            lambda s: n_prompt(s) * (n_prompt(s) + 1) // 2 + (s.n_new - 1) * KEEP,
            Text(
                f"That lets each later query look at {KEEP} keys. With a cache it still meets all that are kept.",
                f"这等于让后来的每个查询只看 {KEEP} 个键。有缓存时它仍要遇到所有留下的键。",
            ),
            lambda s: chosen(s, CACHE, Mistake.LINEAR),
        ),
        _CACHE_MASKED,
        together(_CACHE_ONE_MORE, _CACHE_MASKED, lambda s: squares(longer(s), CACHE)),
    ),
    working=lambda s: Text(
        f"The prompt: {n_prompt(s)} · {n_prompt(s) + 1} ÷ 2 = {count(n_prompt(s) * (n_prompt(s) + 1) // 2)}. Later "
        f"passes, {s.n_new - 1} of them: one query each against "
        f"all keys so far. Together {count(pairs(s, CACHE))}.",
        f"提示：{n_prompt(s)} · {n_prompt(s) + 1} ÷ 2 = {count(n_prompt(s) * (n_prompt(s) + 1) // 2)}。后面 "
        f"{s.n_new - 1} 遍，每遍一个查询，遇到目前所有的键。"
        f"合计 {count(pairs(s, CACHE))}。",
    ),
    way=lambda s: chosen(s, CACHE),
    reply=Number(PAIR),
    rows=lambda s: (
        _prompt_row(s),
        _later_row(s),
        Row(
            Text("Together", "合计"),
            f"{count(_prefill(s))} + {count(pairs(s, CACHE) - _prefill(s))}",
            PAIR.after(count(pairs(s, CACHE))),
        ),
    ),
    tolerance=Tolerance(EXACT, 0.0005),
)

_OFF_ONE_MORE: Slip[Scenario] = Slip(
    "one-more", Text("One pass too many", "多算一遍"), lambda s: pairs(longer(s), OFF), lambda s: ONE_MORE
)
_OFF_MASKED: Slip[Scenario] = Slip(
    "masked", Text("Counted masked pairs", "把被屏蔽的也算了"), lambda s: squares(s, OFF), lambda s: MASKED
)

WITHOUT_CACHE: Question[Scenario] = Question(
    slug="pairs-without-cache",
    title=Text("Work without a cache", "没有缓存时的计算"),
    prompt=lambda s: (
        given(s)
        + Text(
            " Without a cache: how many query·key pairs does one head of one layer score in all?",
            "没有缓存：一层中一个头总共要算多少个查询·键配对？",
        )
    ),
    form=counted(N_PROMPT, NEW),
    inputs=chosen(CHAPTER, OFF),
    invent=invent,
    formula=lambda s: pairs(s, OFF),
    slips=(
        Slip(
            "with-cache",
            Text("With a cache", "按有缓存算"),
            lambda s: pairs(s, CACHE),
            Text(
                "That is the count with a cache, or of the last pass alone.", "这是有缓存的数目，也就是只算最后一遍。"
            ),
            lambda s: chosen(s, CACHE),
        ),
        Slip(
            "first-only",
            Text("Each pass like the first", "每遍都按第一遍算"),
            lambda s: s.n_new * n_prompt(s) * (n_prompt(s) + 1) // 2,
            Text(
                "The text grows by a token from pass to pass, and the pairs with it.",
                "文本每遍长一个 token，配对数随之增长。",
            ),
        ),
        _OFF_ONE_MORE,
        Slip(
            "rows",
            Text("Counted rows", "数成了行"),
            lambda s: cost(s, OFF).rows,
            Text(
                "Those are query rows. Each row meets every key up to its own.",
                "这是查询的行数。每一行要遇到直到它自己为止的所有键。",
            ),
        ),
        _OFF_MASKED,
        together(_OFF_ONE_MORE, _OFF_MASKED, lambda s: squares(longer(s), OFF)),
    ),
    working=lambda s: Text(
        f"A pass over t tokens scores t(t + 1) ÷ 2 pairs; the passes have t = {n_prompt(s)} … {s.n_kept}. Together "
        f"{count(pairs(s, OFF))}.",
        f"处理 t 个 token 的一遍要算 t(t + 1) ÷ 2 个配对；各遍 t = {n_prompt(s)} … {s.n_kept}。合计 "
        f"{count(pairs(s, OFF))}。",
    ),
    way=lambda s: chosen(s, OFF),
    reply=Number(PAIR),
    rows=lambda s: (
        Row(
            Text("Tokens in each pass", "各遍的 token 数"),
            Text("one more each time", "每遍多一个"),
            ", ".join(map(str, _lengths(s))),
        ),
        Row(
            Text("Pairs in each pass", "各遍的配对数"),
            "t(t + 1) ÷ 2",
            ", ".join(count(t * (t + 1) // 2) for t in _lengths(s)),
        ),
        Row(
            Text("Together", "合计"),
            " + ".join(count(t * (t + 1) // 2) for t in _lengths(s)),
            PAIR.after(count(pairs(s, OFF))),
        ),
    ),
    tolerance=Tolerance(EXACT, 0.0005),
)

WORK_RATIO: Question[Scenario] = Question(
    slug="work-ratio",
    title=Text("How much the cache saves", "缓存省多少"),
    prompt=lambda s: (
        given(s)
        + Text(
            " How many times as many query·key pairs are there without a cache as with one?",
            "没有缓存时的查询·键配对数是有缓存时的几倍？",
        )
    ),
    form=counted(N_PROMPT, NEW),
    inputs=chosen(CHAPTER, CACHE),
    invent=invent,
    formula=lambda s: (pairs(s, OFF) / pairs(s, CACHE),),
    slips=(
        Slip(
            "inverted",
            Text("Upside down", "上下颠倒"),
            lambda s: (pairs(s, CACHE) / pairs(s, OFF),),
            Text(
                "That is the part that is left with a cache. The question asks for its inverse.",
                "这是有缓存时剩下的那部分。问的是它的倒数。",
            ),
        ),
        Slip(
            "passes",
            Text("The number of passes", "遍数"),
            lambda s: s.n_new,
            Text(
                "Without a cache there are that many passes, but they are not all as long as the last.",
                "没有缓存时确实有这么多遍，但不是每遍都和最后一遍一样长。",
            ),
        ),
        Slip(
            "rows",
            Text("The ratio of rows", "行数之比"),
            lambda s: (cost(s, OFF).rows / cost(s, CACHE).rows,),
            Text("That is by how much the rows fall. The question is about pairs.", "这是行数的倍数。问的是配对。"),
        ),
        Slip(
            "masked",
            Text("Counted masked pairs", "把被屏蔽的也算了"),
            lambda s: (squares(s, OFF) / squares(s, CACHE),),
            lambda s: MASKED,
        ),
    ),
    working=lambda s: Text(
        f"{count(pairs(s, OFF))} ÷ {count(pairs(s, CACHE))} = {fixed(pairs(s, OFF) / pairs(s, CACHE))}.",
        f"{count(pairs(s, OFF))} ÷ {count(pairs(s, CACHE))} = {fixed(pairs(s, OFF) / pairs(s, CACHE))}。",
    ),
    way=lambda s: chosen(s, CACHE),
    reply=Number(TIMES),
    rows=lambda s: (
        Row(
            Text("Pairs without a cache", "没有缓存的配对数"),
            " + ".join(count(t * (t + 1) // 2) for t in _lengths(s)),
            count(pairs(s, OFF)),
        ),
        Row(
            Text("Pairs with one", "有缓存的配对数"),
            f"{count(_prefill(s))} + {count(pairs(s, CACHE) - _prefill(s))}",
            count(pairs(s, CACHE)),
        ),
        Row(
            Text("Ratio", "倍数"),
            f"{count(pairs(s, OFF))} ÷ {count(pairs(s, CACHE))}",
            fixed(pairs(s, OFF) / pairs(s, CACHE)),
        ),
    ),
)
