"""Which pairs: cells of the triangle to tick, as the running decoders count them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from engine.decode_cost import FEW, Mistake, Passes, Scenario
from lessons.decode_cost.steps import trace
from lessons.kit.controls import BadInput, Whole
from lessons.kit.form import Form
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Span:
    """A prompt, and decode passes first … last behind it, in all at most FEW positions."""

    prompt: int = 3
    first: int = 2
    last: int = 3

    @property
    def n(self) -> int:
        return self.prompt + self.last


@dataclass(frozen=True)
class Often:
    """A prompt, `last` decode passes, and how often a pair has been scored at least."""

    prompt: int = 3
    last: int = 3
    times: int = 2

    @property
    def n(self) -> int:
        return self.prompt + self.last


@lru_cache(maxsize=512)
def scored(
    prompt: int, last: int, side: Literal["plain", "cached"], mistake: Mistake = Mistake.NONE
) -> tuple[Ints, ...]:
    """How often each pair has been scored after the prompt's pass and after each decode pass: (n, n) each, queries
    down."""
    steps = [step for step in trace(Scenario(prompt, last + 1, mistake)) if isinstance(step, Passes)]
    return tuple(np.array(getattr(step, side).table) for step in steps)


def _in_passes(q: Span, side: Literal["plain", "cached"], mistake: Mistake = Mistake.NONE) -> Bools:
    tables = scored(q.prompt, q.last, side, mistake)
    return np.asarray(tables[q.last] > tables[q.first - 1])


def _answer(cells: Bools) -> Answer:
    return tuple(map(float, cells.ravel().astype(int)))


def _names(word: Text) -> Callable[[Any], tuple[Text, ...]]:
    return lambda q: tuple(Text(f"{word.en} {i}", f"{word.zh} {i}") for i in range(q.n))


TABLE = Tick(_names(Text("query", "查询")), _names(Text("key", "键")))
PROMPT = Whole("prompt", Text("Prompt tokens P", "提示 token 数 P"), 1, FEW - 2)
LAST = Whole("last", Text("Decode passes", "解码步数"), 2, FEW - 1)


def _checked(prompt: int, last: int, *, among: bool, field: Text) -> None:
    if prompt + last > FEW:
        raise BadInput(
            Text(
                f"P and the decode passes together may be at most {FEW} here; they are {prompt + last}.",
                f"这里 P 与解码步数之和最多为 {FEW}；现在是 {prompt + last}。",
            )
        )
    if not among:
        raise BadInput(Text(f"**{field.en}** may not lie behind the last pass.", f"**{field.zh}**不能超过最后一步。"))


def _span(values: Mapping[str, Any]) -> Span:
    q = Span(**values)
    _checked(q.prompt, q.last, among=q.first <= q.last, field=FIRST.label)
    return q


def _often(values: Mapping[str, Any]) -> Often:
    q = Often(**values)
    _checked(q.prompt, q.last, among=q.times <= q.last, field=TIMES.label)
    return q


FIRST = Whole("first", Text("First of the passes asked for", "所问的第一步"), 1, FEW - 1)
TIMES = Whole("times", Text("At least how often", "至少几遍"), 2, FEW - 1)


SPANS = tuple(
    Span(p, first, last) for p in range(1, FEW - 1) for last in range(2, FEW + 1 - p) for first in range(1, last + 1)
)
OFTEN = tuple(
    Often(p, last, times) for p in range(1, FEW - 1) for last in range(2, FEW + 1 - p) for times in range(2, last + 1)
)


NEW_PAIRS: Question[Span] = Question(
    slug="new_pairs",
    title=Text("Which pairs does a step score?", "一步算哪些配对？"),
    prompt=lambda q: Text(
        f"A prompt of {q.prompt} token{'s' * (q.prompt > 1)} has gone through a causal model; positions count from "
        "0. With a cache, which query·key pairs "
        + (
            f"does decode pass {q.last} score?"
            if q.first == q.last
            else f"do decode passes {q.first} to {q.last} score?"
        ),
        f"因果模型已经算完 {q.prompt} 个 token 的提示；位置从 0 数。有缓存时，"
        + (
            f"第 {q.last} 个解码步算哪些查询·键配对？"
            if q.first == q.last
            else f"第 {q.first} 到 {q.last} 个解码步算哪些查询·键配对？"
        ),
    ),
    form=Form((PROMPT, FIRST, LAST), _span, asdict),
    inputs=Span(),
    invent=lambda rng: rng.choice(SPANS),
    formula=lambda q: _answer(_in_passes(q, "cached")),
    slips=(
        Slip(
            "no_cache",
            Text("Everything again", "全部重算"),
            lambda q: _answer(_in_passes(q, "plain")),
            Text(
                "That is what is scored without a cache. With one the old queries have had their answers and do not "
                "run.",
                "这是没有缓存时要算的。有缓存时，旧查询早已得到回答，不再运行。",
            ),
        ),
        Slip(
            "own_key",
            Text("Its own key alone", "只算了自己的键"),
            lambda q: _answer(_in_passes(q, "cached", Mistake.OWN_KEY)),
            Text(
                "A cached step runs one row, but that row’s query meets every key so far, not its own alone.",
                "有缓存的一步只算一行，但这一行的查询要遇到至今的每个键，不只是自己的。",
            ),
            lambda q: Scenario(q.prompt, q.last + 1, Mistake.OWN_KEY),
        ),
        Slip(
            "prompt_only",
            Text("The prompt and itself", "只看提示和自己"),
            lambda q: _answer(_in_passes(q, "cached", Mistake.NO_APPEND)),
            Text(
                "That leaves out the new tokens in between: each pass appends its K and V, and the next one reads "
                "them.",
                "这漏掉了中间的新 token：每一步都追加自己的 K、V，下一步就会读到。",
            ),
            lambda q: Scenario(q.prompt, q.last + 1, Mistake.NO_APPEND),
        ),
        Slip(
            "across",
            Text("Queries and keys exchanged", "查询与键颠倒"),
            lambda q: _answer(_in_passes(q, "cached").T),
            Text(
                "Those are the new positions’ columns: older queries would look at newer keys. It is the new queries "
                "that look, along their lines.",
                "这是新位置的列：等于旧查询去看新键。其实是新查询在看，沿着自己的那一行。",
            ),
        ),
    ),
    working=Text("One line for each pass, from key 0 to its own.", "每步一行，从键 0 到它自己的键。"),
    way=lambda q: Scenario(q.prompt, q.last + 1),
    reply=TABLE,
    rows=lambda q: (
        Row(
            Text("the first of these passes runs query", "这几步中第一步的查询"),
            f"{q.prompt} + {q.first} − 1",
            str(q.prompt + q.first - 1),
        ),
        Row(Text("the last runs query", "最后一步的查询"), f"{q.prompt} + {q.last} − 1", str(q.n - 1)),
        Row(
            Text("each meets the keys", "每个查询遇到的键"),
            Text("from 0 to its own", "从 0 到自己"),
            f"0 … {q.n - 1}"
            if q.first == q.last
            else Text(
                f"0 … {q.prompt + q.first - 1} at first, 0 … {q.n - 1} at last",
                f"起初 0 … {q.prompt + q.first - 1}，最后 0 … {q.n - 1}",
            ),
        ),
    ),
)


def _at_least(q: Often, times: int) -> Bools:
    return np.asarray(scored(q.prompt, q.last, "plain")[q.last] >= times)


def _by_key(q: Often) -> Bools:
    """The keys whose own rows were run often enough, and every query that meets one."""
    own = np.diag(scored(q.prompt, q.last, "plain")[q.last]) >= q.times
    return np.asarray(np.tril(np.broadcast_to(own, (q.n, q.n))))


def _square(q: Often) -> Bools:
    return np.asarray(scored(q.prompt, q.last, "plain", Mistake.FULL_SQUARE)[q.last] >= q.times)


AGAIN: Question[Often] = Question(
    slug="again",
    title=Text("Which pairs are scored again and again?", "哪些配对一算再算？"),
    prompt=Told(
        "No cache is kept. A prompt of {prompt:token} has gone through a causal model, then {last} more passes, each "
        "with one more token and over the whole text so far; positions count from 0. Which query·key pairs have been "
        "scored at least {times} times?",
        "不保留缓存。因果模型算完 {prompt} 个 token 的提示后，又走了 {last} 步，每步多一个 token，并把到此为止的全文"
        "重算；位置从 0 数。哪些查询·键配对至少算过 {times} 遍？",
    ),
    form=Form((PROMPT, LAST, TIMES), _often, asdict),
    inputs=Often(),
    invent=lambda rng: rng.choice(OFTEN),
    formula=lambda q: _answer(_at_least(q, q.times)),
    slips=(
        Slip(
            "exactly",
            Text("Exactly so often", "恰好这么多遍"),
            lambda q: _answer(_at_least(q, q.times) & ~_at_least(q, q.times + 1)),
            Text(
                "Those were scored exactly so often. Older ones were scored more often still.",
                "这些恰好算过这么多遍。更早的算得更多。",
            ),
        ),
        Slip(
            "once_more",
            Text("Once too often", "多算了一遍"),
            lambda q: _answer(_at_least(q, q.times + 1)),
            Text(
                "The prompt’s own pass scores its pairs as well: it counts as the first time.",
                "提示自己的那一步也算了它的配对：那是第一遍。",
            ),
        ),
        Slip(
            "by_key",
            Text("Went by the key’s age", "按键的先后算了"),
            lambda q: _answer(_by_key(q)),
            Text(
                "A pair is as old as its query: before that query arrived nobody asked.",
                "配对的先后由查询决定：查询到来之前，没有人问过。",
            ),
        ),
        Slip(
            "square",
            Text("Masked pairs, too", "把被屏蔽的也算上"),
            lambda q: _answer(_square(q)),
            Text(
                "Above the diagonal nothing is scored: a query never meets later keys.",
                "对角线以上什么也没算：查询从不遇到后面的键。",
            ),
            lambda q: Scenario(q.prompt, q.last + 1, Mistake.FULL_SQUARE),
        ),
    ),
    working=Text(
        "A pair is scored in the pass that brings its query, and in every pass after it.",
        "配对在它的查询到来的那一步算第一遍，以后每一步又算一遍。",
    ),
    way=lambda q: Scenario(q.prompt, q.last + 1),
    reply=TABLE,
    rows=lambda q: (
        Row(Text("passes so far", "到目前为止的步数"), f"1 + {q.last}", str(q.last + 1)),
        Row(
            Text("a query of the prompt has been run", "提示里的查询算过几遍"),
            Text("in every pass", "每一步都算"),
            str(q.last + 1),
        ),
        Row(
            Text("the newest query has been run", "最新的查询算过几遍"), Text("in its own pass", "只在自己那一步"), "1"
        ),
        Row(
            Text("the last query that has been run so often", "算够这么多遍的最后一个查询"),
            f"{q.n} − {q.times}",
            str(q.n - q.times),
        ),
    ),
)
