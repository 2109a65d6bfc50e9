"""Work: query·key pairs with a cache and without."""

from __future__ import annotations

from dataclasses import replace

from engine.counts import prefill
from engine.three_ledgers import ALL_OFF, CACHE
from engine.three_savings import KEEP, Mistake, Scenario
from lessons.kit.format import count, fixed
from lessons.kit.question import Line, Question, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import PAIR, TIMES
from lessons.three_savings.form import N_PROMPT, NEW, counted
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.presets import CHAPTER
from lessons.three_savings.questions.given import GIVEN, ONE_MORE, chosen, invent

FIELDS = counted(N_PROMPT, NEW)
EXACT = Tolerance(0.0005, 0.0005)
MASKED = Text(
    "That counts the masked pairs of a full table. A causal query meets only itself and what is before it.",
    "这把整张表里被屏蔽的配对也算进去了。因果查询只遇到自己和它之前的键。",
)
ROWS = Text(
    "Those are query rows. Each row meets every key up to its own.",
    "这是查询的行数。每一行要遇到直到它自己为止的所有键。",
)


def _cached(s: Scenario) -> int:
    """Pairs of one head with a cache."""
    return s.cached.per_head.pairs


def _off(s: Scenario) -> int:
    """Pairs of one head without one."""
    return s.off.per_head.pairs


def _longer(s: Scenario) -> Scenario:
    """One pass more, as if the last new token had to go in, too."""
    return replace(s, n_new=s.n_new + 1, max_len=s.max_len + 1)


def _cached_squares(s: Scenario) -> int:
    """Pairs with the masked ones counted."""
    return s.n_prompt**2 + sum(_lengths(s)[1:])


def _off_squares(s: Scenario) -> int:
    return sum(t * t for t in _lengths(s))


def _lengths(s: Scenario) -> range:
    """Tokens in each pass without a cache; keys in each pass with one."""
    return range(s.n_prompt, s.n_kept + 1)


def _each_pass(s: Scenario) -> list[str]:
    """Pairs of each pass without a cache."""
    return [count(prefill(t).pairs) for t in _lengths(s)]


def _both(s: Scenario) -> str:
    """Pairs with a cache: the prompt's pass, and the later ones."""
    return f"{count(s.prompt_pairs)} + {count(_cached(s) - s.prompt_pairs)}"


_CACHE_ONE_MORE: Slip[Scenario] = Slip(
    "one-more", Text("One pass too many", "多算一遍"), lambda s: _cached(_longer(s)), ONE_MORE
)
_CACHE_MASKED: Slip[Scenario] = Slip(
    "masked", Text("Counted masked pairs", "把被屏蔽的也算了"), _cached_squares, MASKED
)

WITH_CACHE: Question[Scenario] = Question(
    slug="pairs-with-cache",
    title=Text("Work with a cache", "有缓存时的计算"),
    prompt=GIVEN
    + Text(
        " With a KV cache: how many query·key pairs does one head of one layer score in all?",
        "使用 KV 缓存：一层中一个头总共要算多少个查询·键配对？",
    ),
    form=FIELDS,
    inputs=chosen(CHAPTER, CACHE),
    invent=invent,
    formula=_cached,
    slips=(
        Slip(
            "no-cache",
            Text("No cache", "没有缓存"),
            _off,
            Text(
                "That is the count without a cache: every pass over the whole text.",
                "这是没有缓存的数目：每遍都处理全文。",
            ),
            lambda s: chosen(s, ALL_OFF),
        ),
        Slip(
            "no-prefill",
            Text("Forgot the prompt’s pass", "忘了提示那一遍"),
            lambda s: _cached(s) - s.prompt_pairs,
            Text(
                "Those are the later passes alone. The prompt’s own pass scores pairs, too.",
                "这只是后面各遍。提示那一遍自己也要算配对。",
            ),
        ),
        _CACHE_ONE_MORE,
        Slip("rows", Text("Counted rows", "数成了行"), lambda s: s.cached.rows, ROWS),
        MISTAKES.slip(
            Mistake.LINEAR,
            lambda s: s.linear_pairs,
            lambda s: chosen(s, CACHE),
            title=Text("Took the cache for linear", "以为缓存使它变成线性"),
            said=Text(
                f"That lets each later query look at {KEEP} keys. With a cache it still meets all that are kept.",
                f"这等于让后来的每个查询只看 {KEEP} 个键。有缓存时它仍要遇到所有留下的键。",
            ),
        ),
        _CACHE_MASKED,
        together(_CACHE_ONE_MORE, _CACHE_MASKED, lambda s: _cached_squares(_longer(s))),
    ),
    working=lambda s: Told(
        "The prompt: {n_prompt} · {next} ÷ 2 = {prompt_pairs}. Later passes, {n_later} of them: one query each against "
        "all keys so far. Together {cached.per_head.pairs}.",
        "提示：{n_prompt} · {next} ÷ 2 = {prompt_pairs}。后面 {n_later} 遍，每遍一个查询，遇到目前所有的键。合计 "
        "{cached.per_head.pairs}。",
    ).on(s, next=s.n_prompt + 1),
    way=lambda s: chosen(s, CACHE),
    reply=Number(PAIR),
    rows=(
        Line(
            Text("The prompt’s pass", "提示那一遍"), lambda s: f"{s.n_prompt} × {s.n_prompt + 1} ÷ 2", "{prompt_pairs}"
        ),
        Line(
            Text("The later passes, one query each", "后面各遍，每遍一个查询"),
            lambda s: " + ".join(map(str, _lengths(s)[1:])) or Text("none", "没有"),
            lambda s: count(sum(_lengths(s)[1:])),
        ),
        Line(Text("Together", "合计"), _both, lambda s: PAIR.after(count(_cached(s)))),
    ),
    tolerance=EXACT,
)

_OFF_ONE_MORE: Slip[Scenario] = Slip(
    "one-more", Text("One pass too many", "多算一遍"), lambda s: _off(_longer(s)), ONE_MORE
)
_OFF_MASKED: Slip[Scenario] = Slip("masked", Text("Counted masked pairs", "把被屏蔽的也算了"), _off_squares, MASKED)

WITHOUT_CACHE: Question[Scenario] = Question(
    slug="pairs-without-cache",
    title=Text("Work without a cache", "没有缓存时的计算"),
    prompt=GIVEN
    + Text(
        " Without a cache: how many query·key pairs does one head of one layer score in all?",
        "没有缓存：一层中一个头总共要算多少个查询·键配对？",
    ),
    form=FIELDS,
    inputs=chosen(CHAPTER, ALL_OFF),
    invent=invent,
    formula=_off,
    slips=(
        Slip(
            "with-cache",
            Text("With a cache", "按有缓存算"),
            _cached,
            Text(
                "That is the count with a cache, or of the last pass alone.", "这是有缓存的数目，也就是只算最后一遍。"
            ),
            lambda s: chosen(s, CACHE),
        ),
        Slip(
            "first-only",
            Text("Each pass like the first", "每遍都按第一遍算"),
            lambda s: s.n_new * s.prompt_pairs,
            Text(
                "The text grows by a token from pass to pass, and the pairs with it.",
                "文本每遍长一个 token，配对数随之增长。",
            ),
        ),
        _OFF_ONE_MORE,
        Slip("rows", Text("Counted rows", "数成了行"), lambda s: s.off.rows, ROWS),
        _OFF_MASKED,
        together(_OFF_ONE_MORE, _OFF_MASKED, lambda s: _off_squares(_longer(s))),
    ),
    working=Told(
        "A pass over t tokens scores t(t + 1) ÷ 2 pairs; the passes have t = {n_prompt} … {n_kept}. Together "
        "{off.per_head.pairs}.",
        "处理 t 个 token 的一遍要算 t(t + 1) ÷ 2 个配对；各遍 t = {n_prompt} … {n_kept}。合计 {off.per_head.pairs}。",
    ),
    way=lambda s: chosen(s, ALL_OFF),
    reply=Number(PAIR),
    rows=(
        Line(
            Text("Tokens in each pass", "各遍的 token 数"),
            Text("one more each time", "每遍多一个"),
            lambda s: ", ".join(map(str, _lengths(s))),
        ),
        Line(Text("Pairs in each pass", "各遍的配对数"), "t(t + 1) ÷ 2", lambda s: ", ".join(_each_pass(s))),
        Line(Text("Together", "合计"), lambda s: " + ".join(_each_pass(s)), lambda s: PAIR.after(count(_off(s)))),
    ),
    tolerance=EXACT,
)

WORK_RATIO: Question[Scenario] = Question(
    slug="work-ratio",
    title=Text("How much the cache saves", "缓存省多少"),
    prompt=GIVEN
    + Text(
        " How many times as many query·key pairs are there without a cache as with one?",
        "没有缓存时的查询·键配对数是有缓存时的几倍？",
    ),
    form=FIELDS,
    inputs=chosen(CHAPTER, CACHE),
    invent=invent,
    formula=lambda s: _off(s) / _cached(s),
    slips=(
        Slip(
            "inverted",
            Text("Upside down", "上下颠倒"),
            lambda s: _cached(s) / _off(s),
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
            lambda s: s.off.rows / s.cached.rows,
            Text("That is by how much the rows fall. The question is about pairs.", "这是行数的倍数。问的是配对。"),
        ),
        Slip(
            "masked",
            Text("Counted masked pairs", "把被屏蔽的也算了"),
            lambda s: _off_squares(s) / _cached_squares(s),
            MASKED,
        ),
    ),
    working=lambda s: Told("{off} ÷ {cached} = {ratio}.", "{off} ÷ {cached} = {ratio}。").on(
        off=_off(s), cached=_cached(s), ratio=_off(s) / _cached(s)
    ),
    way=lambda s: chosen(s, CACHE),
    reply=Number(TIMES),
    rows=(
        Line(
            Text("Pairs without a cache", "没有缓存的配对数"),
            lambda s: " + ".join(_each_pass(s)),
            "{off.per_head.pairs}",
        ),
        Line(Text("Pairs with one", "有缓存的配对数"), _both, "{cached.per_head.pairs}"),
        Line(
            Text("Ratio", "倍数"),
            "{off.per_head.pairs} ÷ {cached.per_head.pairs}",
            lambda s: fixed(_off(s) / _cached(s)),
        ),
    ),
)
