"""Which pairs: cells of the triangle to tick, as the running decoders count them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.decode_cost import FEW, Mistake, Passes, Scenario
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.trace import trace
from lessons.kit.controls import Whole, about
from lessons.kit.form import Form
from lessons.kit.question import Line, Question, Slip
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Side = Literal["plain", "cached"]


@dataclass(frozen=True)
class Span:
    """A prompt, and decode passes first … last behind it, in all at most FEW positions."""

    prompt: int = 3
    first: int = 2
    last: int = 3

    @property
    def n(self) -> int:
        return self.prompt + self.last

    @property
    def first_query(self) -> int:
        """The position that the first of these passes runs."""
        return self.prompt + self.first - 1

    @property
    def last_query(self) -> int:
        return self.n - 1

    @property
    def generation(self) -> Scenario:
        return Scenario(self.prompt, self.last + 1)

    def scored(self, side: Side, mistake: Mistake = Mistake.NONE) -> Bools:
        """(n, n), queries down: whether a pair is scored in one of these passes."""
        tables = scored(self.prompt, self.last, side, mistake)
        return np.asarray(tables[self.last] > tables[self.first - 1])


@dataclass(frozen=True)
class Often:
    """A prompt, `last` decode passes, and how often a pair has been scored at least."""

    prompt: int = 3
    last: int = 3
    times: int = 2

    @property
    def n(self) -> int:
        return self.prompt + self.last

    @property
    def passes(self) -> int:
        """With the prompt's."""
        return self.last + 1

    @property
    def last_query(self) -> int:
        """The newest query that has been run so often."""
        return self.n - self.times

    @property
    def generation(self) -> Scenario:
        return Scenario(self.prompt, self.passes)

    def how_often(self, mistake: Mistake = Mistake.NONE) -> Ints:
        """(n, n), queries down: how often each pair has been scored without a cache."""
        return scored(self.prompt, self.last, "plain", mistake)[self.last]


@lru_cache(maxsize=512)
def scored(prompt: int, last: int, side: Side, mistake: Mistake) -> tuple[Ints, ...]:
    """How often each pair has been scored after the prompt's pass and after each decode pass: (n, n) each, queries
    down."""
    steps = [step for step in trace(Scenario(prompt, last + 1, mistake)) if isinstance(step, Passes)]
    return tuple(np.array(getattr(step, side).table) for step in steps)


def _answer(cells: Bools) -> Answer:
    return tuple(map(float, cells.ravel()))


def _too_long(prompt: int, last: int) -> Text:
    return Text(
        f"P and the decode passes together may be at most {FEW} here; they are {prompt + last}.",
        f"这里 P 与解码步数之和最多为 {FEW}；现在是 {prompt + last}。",
    )


def _behind(field: Whole) -> Text:
    return about(field, "may not lie behind the last pass.", "不能超过最后一步。")


def _no_span(q: Span) -> Iterator[Text]:
    if q.n > FEW:
        yield _too_long(q.prompt, q.last)
    elif q.first > q.last:
        yield _behind(FIRST)


def _not_so_often(q: Often) -> Iterator[Text]:
    if q.n > FEW:
        yield _too_long(q.prompt, q.last)
    elif q.times > q.last:
        yield _behind(TIMES)


TABLE = Tick[Span | Often](
    lambda q: tuple(Text(f"query {i}", f"查询 {i}") for i in range(q.n)),
    lambda q: tuple(Text(f"key {i}", f"键 {i}") for i in range(q.n)),
)
PROMPT = Whole("prompt", Text("Prompt tokens P", "提示 token 数 P"), 1, FEW - 2)
LAST = Whole("last", Text("Decode passes", "解码步数"), 2, FEW - 1)
FIRST = Whole("first", Text("First of the passes asked for", "所问的第一步"), 1, FEW - 1)
TIMES = Whole("times", Text("At least how often", "至少几遍"), 2, FEW - 1)

_SIZES = [(prompt, last) for prompt in range(1, FEW - 1) for last in range(2, FEW + 1 - prompt)]
SPANS = tuple(Span(prompt, first, last) for prompt, last in _SIZES for first in range(1, last + 1))
OFTEN = tuple(Often(prompt, last, times) for prompt, last in _SIZES for times in range(2, last + 1))


def _which(q: Span) -> Text:
    given = Told(
        "A prompt of {prompt:token} has gone through a causal model; positions count from 0. With a cache, which "
        "query·key pairs ",
        "因果模型已经算完 {prompt} 个 token 的提示；位置从 0 数。有缓存时，",
    )
    if q.first == q.last:
        asked = Told("does decode pass {last} score?", "第 {last} 个解码步算哪些查询·键配对？")
    else:
        asked = Told("do decode passes {first} to {last} score?", "第 {first} 到 {last} 个解码步算哪些查询·键配对？")
    return (given + asked).on(q)


def _keys_met(q: Span) -> Text | str:
    if q.first == q.last:
        return f"0 … {q.last_query}"
    return Told(
        "0 … {first_query} at first, 0 … {last_query} at last", "起初 0 … {first_query}，最后 0 … {last_query}"
    ).on(q)


NEW_PAIRS: Question[Span] = Question(
    slug="new_pairs",
    title=Text("Which pairs does a step score?", "一步算哪些配对？"),
    prompt=_which,
    form=Form((PROMPT, FIRST, LAST), unfit=_no_span),
    inputs=Span(),
    invent=lambda rng: rng.choice(SPANS),
    formula=lambda q: _answer(q.scored("cached")),
    slips=(
        Slip(
            "no_cache",
            Text("Everything again", "全部重算"),
            lambda q: _answer(q.scored("plain")),
            Text(
                "That is what is scored without a cache. With one the old queries have had their answers and do not "
                "run.",
                "这是没有缓存时要算的。有缓存时，旧查询早已得到回答，不再运行。",
            ),
        ),
        MISTAKES.slip(
            Mistake.OWN_KEY,
            lambda q: _answer(q.scored("cached", Mistake.OWN_KEY)),
            lambda q: q.generation,
            title=Text("Its own key alone", "只算了自己的键"),
            said=Text(
                "A cached step runs one row, but that row’s query meets every key so far, not its own alone.",
                "有缓存的一步只算一行，但这一行的查询要遇到至今的每个键，不只是自己的。",
            ),
        ),
        MISTAKES.slip(
            Mistake.NO_APPEND,
            lambda q: _answer(q.scored("cached", Mistake.NO_APPEND)),
            lambda q: q.generation,
            name="prompt_only",
            title=Text("The prompt and itself", "只看提示和自己"),
            said=Text(
                "That leaves out the new tokens in between: each pass appends its K and V, and the next one reads "
                "them.",
                "这漏掉了中间的新 token：每一步都追加自己的 K、V，下一步就会读到。",
            ),
        ),
        Slip(
            "across",
            Text("Queries and keys exchanged", "查询与键颠倒"),
            lambda q: _answer(q.scored("cached").T),
            Text(
                "Those are the new positions’ columns: older queries would look at newer keys. It is the new queries "
                "that look, along their lines.",
                "这是新位置的列：等于旧查询去看新键。其实是新查询在看，沿着自己的那一行。",
            ),
        ),
    ),
    working=Text("One line for each pass, from key 0 to its own.", "每步一行，从键 0 到它自己的键。"),
    way=lambda q: q.generation,
    reply=TABLE,
    rows=(
        Line(
            Text("the first of these passes runs query", "这几步中第一步的查询"),
            "{prompt} + {first} − 1",
            "{first_query}",
        ),
        Line(Text("the last runs query", "最后一步的查询"), "{prompt} + {last} − 1", "{last_query}"),
        Line(Text("each meets the keys", "每个查询遇到的键"), Text("from 0 to its own", "从 0 到自己"), _keys_met),
    ),
)


def _by_key(q: Often) -> Bools:
    """The keys whose own rows were run often enough, and every query that meets one."""
    own = np.diag(q.how_often()) >= q.times
    return np.asarray(np.tril(np.broadcast_to(own, (q.n, q.n))))


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
    form=Form((PROMPT, LAST, TIMES), unfit=_not_so_often),
    inputs=Often(),
    invent=lambda rng: rng.choice(OFTEN),
    formula=lambda q: _answer(q.how_often() >= q.times),
    slips=(
        Slip(
            "exactly",
            Text("Exactly so often", "恰好这么多遍"),
            lambda q: _answer(q.how_often() == q.times),
            Text(
                "Those were scored exactly so often. Older ones were scored more often still.",
                "这些恰好算过这么多遍。更早的算得更多。",
            ),
        ),
        Slip(
            "once_more",
            Text("Once too often", "多算了一遍"),
            lambda q: _answer(q.how_often() > q.times),
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
        MISTAKES.slip(
            Mistake.FULL_SQUARE,
            lambda q: _answer(q.how_often(Mistake.FULL_SQUARE) >= q.times),
            lambda q: q.generation,
            name="square",
            title=Text("Masked pairs, too", "把被屏蔽的也算上"),
            said=Text(
                "Above the diagonal nothing is scored: a query never meets later keys.",
                "对角线以上什么也没算：查询从不遇到后面的键。",
            ),
        ),
    ),
    working=Text(
        "A pair is scored in the pass that brings its query, and in every pass after it.",
        "配对在它的查询到来的那一步算第一遍，以后每一步又算一遍。",
    ),
    way=lambda q: q.generation,
    reply=TABLE,
    rows=(
        Line(Text("passes so far", "到目前为止的步数"), "1 + {last}", "{passes}"),
        Line(
            Text("a query of the prompt has been run", "提示里的查询算过几遍"),
            Text("in every pass", "每一步都算"),
            "{passes}",
        ),
        Line(
            Text("the newest query has been run", "最新的查询算过几遍"), Text("in its own pass", "只在自己那一步"), "1"
        ),
        Line(
            Text("the last query that has been run so often", "算够这么多遍的最后一个查询"),
            "{n} − {times}",
            "{last_query}",
        ),
    ),
)
