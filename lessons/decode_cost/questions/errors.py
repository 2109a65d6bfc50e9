"""Find the error: what the second text says of naive and cached decoding (audit 1.2, 1.3, 1.44, 1.49, 1.50)."""

from __future__ import annotations

from engine.counts import cached, naive, naive_squares, prefill
from engine.decode_cost import Scenario
from lessons.decode_cost.form import NEW, form
from lessons.decode_cost.questions.given import HUNDRED, ONE_HEAD, itself, pairs_row, steps
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.format import count, fixed
from lessons.kit.question import Question, Row
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import ROW

_PRESENT = Text("Which of these statements is wrong, and what should it say?", "下面哪一条说法是错的？应当怎么说？")


def _from_one(s: Scenario) -> Text:
    return (
        Text(
            f"{count(s.n_new)} step{'s' * (s.n_new > 1)} from a single token. ",
            f"从单个 token 起走 {count(s.n_new)} 步。",
        )
        + ONE_HEAD
        + _PRESENT
    )


def _numbers(s: Scenario) -> tuple[float, ...]:
    return (float(s.n_new),)


def _plain_rows(n: int) -> Text:
    return Text(
        f"Without a cache {count(naive(n).rows)} query rows are run.",
        f"没有缓存时，一共运行 {count(naive(n).rows)} 个查询行。",
    )


def _cached_rows(n: int) -> Text:
    return Text(
        f"With a cache {count(cached(n).rows)} query rows are run.",
        f"有缓存时，一共运行 {count(cached(n).rows)} 个查询行。",
    )


def _linear(pairs: int) -> Text:
    return Text(
        f"With a cache attention is linear: {count(pairs)} query·key pairs in all.",
        f"有缓存时注意力是线性的：查询·键配对一共 {count(pairs)} 对。",
    )


def _quadratic(pairs: int) -> Text:
    return Text(
        f"With a cache attention is still quadratic: {count(pairs)} query·key pairs in all.",
        f"有缓存时注意力仍是平方级：查询·键配对一共 {count(pairs)} 对。",
    )


def _keys_of_last_step(n: int) -> Text:
    return Text(
        f"The newest query meets {count(n)} keys in the last step.", f"最后一步里，最新的查询遇到 {count(n)} 个键。"
    )


OPERATIONS = Finding[Scenario](
    claims=(
        Sound(
            "plain_rows",
            Text("Rows without a cache", "没有缓存的行数"),
            lambda s: _plain_rows(s.n_new),
            (
                Told("Without a cache {n_new} query rows are run.", "没有缓存时，一共运行 {n_new} 个查询行。"),
                lambda s: Text(
                    f"Without a cache {count(s.n_new**2)} query rows are run.",
                    f"没有缓存时，一共运行 {count(s.n_new**2)} 个查询行。",
                ),
                lambda s: Text(
                    f"Without a cache {count(naive(s.n_new).pairs)} query rows are run.",
                    f"没有缓存时，一共运行 {count(naive(s.n_new).pairs)} 个查询行。",
                ),
            ),
            lambda s: Text(
                f"That one is true: passes of 1, 2, …, {count(s.n_new)} rows make {count(naive(s.n_new).rows)} rows. "
                "It says rows, not pairs.",
                f"这一条是对的：各步 1、2、…、{count(s.n_new)} 行，合计 {count(naive(s.n_new).rows)} 行。它说的是行，"
                "不是配对。",
            ),
        ),
        Sound(
            "cached_rows",
            Text("Rows with a cache", "有缓存的行数"),
            lambda s: _cached_rows(s.n_new),
            (
                lambda s: Text(
                    f"With a cache {count(cached(s.n_new).pairs)} query rows are run.",
                    f"有缓存时，一共运行 {count(cached(s.n_new).pairs)} 个查询行。",
                ),
                Text("With a cache a single query row is run.", "有缓存时，只运行一个查询行。"),
                lambda s: Text(
                    f"With a cache {count(2 * s.n_new)} query rows are run.",
                    f"有缓存时，一共运行 {count(2 * s.n_new)} 个查询行。",
                ),
            ),
            Told(
                "That one is true: one row a step, {n_new} steps. Rows are linear; the pairs are not.",
                "这一条是对的：每步一行，{n_new} 步。行是线性的，配对不是。",
            ),
        ),
        Wrong(
            lambda s: _linear(s.n_new),
            lambda s: _quadratic(cached(s.n_new).pairs),
            (
                Correction(
                    "naive_pairs",
                    Text("The number without a cache", "没有缓存的数"),
                    lambda s: _quadratic(naive(s.n_new).pairs),
                    lambda s: Text(
                        f"{count(naive(s.n_new).pairs)} pairs are scored without a cache, and they are cubic. With "
                        f"one it is 1 + 2 + … + {count(s.n_new)}.",
                        f"{count(naive(s.n_new).pairs)} 对是没有缓存时的，而且是立方级。有缓存时是 1 + 2 + … + "
                        f"{count(s.n_new)}。",
                    ),
                ),
                Correction(
                    "still_linear",
                    Text("Still called linear", "仍说成线性"),
                    lambda s: _linear(cached(s.n_new).pairs),
                    lambda s: Text(
                        "The number is right, the word is not: twice as many steps make "
                        f"{count(cached(2 * s.n_new).pairs)} pairs, about four times as many.",
                        f"数对了，词不对：步数加倍就有 {count(cached(2 * s.n_new).pairs)} 对，约为四倍。",
                    ),
                ),
            ),
        ),
        Sound(
            "last_step",
            Text("Keys of the last step", "最后一步的键"),
            lambda s: _keys_of_last_step(s.n_new),
            (
                Text("The newest query meets 1 key in the last step.", "最后一步里，最新的查询遇到 1 个键。"),
                lambda s: _keys_of_last_step(s.n_new - 1),
                lambda s: _keys_of_last_step(cached(s.n_new).pairs),
            ),
            lambda s: Text(
                f"That one is true, with a cache and without: the query at position {count(s.n_new - 1)} meets keys "
                f"0 … {count(s.n_new - 1)}.",
                f"这一条是对的，有没有缓存都一样：位置 {count(s.n_new - 1)} 的查询遇到键 0 … {count(s.n_new - 1)}。",
            ),
        ),
    ),
    numbers=_numbers,
)

LINEAR_CLAIM: Question[Scenario] = Question(
    slug="find_linear",
    title=Text("Find the error: “linear”", "找出错误：“线性”"),
    prompt=_from_one,
    form=form(NEW),
    inputs=HUNDRED,
    invent=steps(6, 200),
    formula=OPERATIONS.answer,
    slips=OPERATIONS.slips,
    working=Told(
        "The cached side runs {n_new} rows, but its queries meet 1, 2, …, {n_new} keys.",
        "有缓存的一边运行 {n_new} 行，但它的查询分别遇到 1、2、…、{n_new} 个键。",
    ),
    way=itself,
    reply=OPERATIONS.reply,
    rows=lambda s: (
        Row(
            Text("rows without a cache", "没有缓存的行数"),
            f"1 + 2 + … + {count(s.n_new)}",
            ROW.after(count(naive(s.n_new).rows)),
        ),
        Row(Text("rows with a cache", "有缓存的行数"), Text("one a step", "每步一行"), ROW.after(count(s.n_new))),
        Row(Text("keys met in the last step", "最后一步遇到的键"), Text("all so far", "至今全部"), count(s.n_new)),
        pairs_row(Text("pairs with a cache", "有缓存的配对"), f"1 + 2 + … + {count(s.n_new)}", cached(s.n_new).pairs),
    ),
)


def _one_pass(n: int) -> Text:
    return Text(
        f"The last pass without a cache scores {count(prefill(n).pairs)} query·key pairs.",
        f"没有缓存时，最后一步算 {count(prefill(n).pairs)} 个查询·键配对。",
    )


def _generation(n: int, pairs: int) -> Text:
    return Text(
        f"A response of {count(n)} tokens without a cache takes {count(pairs)} query·key pairs.",
        f"没有缓存时，生成 {count(n)} 个 token 要算 {count(pairs)} 个查询·键配对。",
    )


def _twice(n: int, factor: float) -> Text:
    return Text(
        f"Twice as many steps without a cache take about {fixed(factor, 1)} times the pairs.",
        f"没有缓存时，步数加倍，配对数约为 {fixed(factor, 1)} 倍。",
    )


def _growth(n: int) -> float:
    return naive(2 * n).pairs / naive(n).pairs


SQUARED = Finding[Scenario](
    claims=(
        Wrong(
            lambda s: _generation(s.n_new, s.n_new**2),
            lambda s: _generation(s.n_new, naive(s.n_new).pairs),
            (
                Correction(
                    "halved",
                    Text("Half of the square", "方阵的一半"),
                    lambda s: _generation(s.n_new, cached(s.n_new).pairs),
                    lambda s: Text(
                        f"{count(cached(s.n_new).pairs)} pairs are one triangle: the last pass alone, or all that a "
                        "cached decoder scores. Without a cache every pass scores a triangle.",
                        f"{count(cached(s.n_new).pairs)} 对是一个三角形：仅最后一步，或者有缓存时的全部。没有缓存时每"
                        "步都算一个三角形。",
                    ),
                ),
                Correction(
                    "squares",
                    Text("A square in every pass", "每步一个方阵"),
                    lambda s: _generation(s.n_new, naive_squares(s.n_new)),
                    lambda s: Text(
                        f"{count(naive_squares(s.n_new))} counts the whole square of every pass; nearly half of each "
                        "is masked.",
                        f"{count(naive_squares(s.n_new))} 把每步的整个方阵都算上了；每个方阵有将近一半被屏蔽。",
                    ),
                ),
            ),
        ),
        Sound(
            "rows",
            Text("Rows without a cache", "没有缓存的行数"),
            lambda s: _plain_rows(s.n_new),
            (
                Told("Without a cache {n_new} query rows are run.", "没有缓存时，一共运行 {n_new} 个查询行。"),
                lambda s: Text(
                    f"Without a cache {count(s.n_new**2)} query rows are run.",
                    f"没有缓存时，一共运行 {count(s.n_new**2)} 个查询行。",
                ),
                lambda s: Text(
                    f"Without a cache {count(naive(s.n_new).pairs)} query rows are run.",
                    f"没有缓存时，一共运行 {count(naive(s.n_new).pairs)} 个查询行。",
                ),
            ),
            lambda s: Text(
                f"That one is true: 1 + 2 + … + {count(s.n_new)} = {count(naive(s.n_new).rows)} rows.",
                f"这一条是对的：1 + 2 + … + {count(s.n_new)} = {count(naive(s.n_new).rows)} 行。",
            ),
        ),
        Sound(
            "last_pass",
            Text("The last pass", "最后一步"),
            lambda s: _one_pass(s.n_new),
            (
                Told(
                    "The last pass without a cache scores {n_new} query·key pairs.",
                    "没有缓存时，最后一步算 {n_new} 个查询·键配对。",
                ),
                lambda s: Text(
                    f"The last pass without a cache scores {count(s.n_new**2)} query·key pairs.",
                    f"没有缓存时，最后一步算 {count(s.n_new**2)} 个查询·键配对。",
                ),
                lambda s: Text(
                    f"The last pass without a cache scores {count(naive(s.n_new).pairs)} query·key pairs.",
                    f"没有缓存时，最后一步算 {count(naive(s.n_new).pairs)} 个查询·键配对。",
                ),
            ),
            lambda s: Text(
                f"That one is true: {count(s.n_new)} rows in a triangle. As a dense table it would have "
                f"{count(s.n_new**2)} cells.",
                f"这一条是对的：{count(s.n_new)} 行排成三角形。若画成整张表，会有 {count(s.n_new**2)} 格。",
            ),
        ),
        Sound(
            "doubling",
            Text("Twice the steps", "步数加倍"),
            lambda s: _twice(s.n_new, _growth(s.n_new)),
            (lambda s: _twice(s.n_new, 2.0), lambda s: _twice(s.n_new, 4.0), lambda s: _twice(s.n_new, 16.0)),
            lambda s: Text(
                f"That one is true: {count(naive(s.n_new).pairs)} pairs become {count(naive(2 * s.n_new).pairs)}. "
                "Growth is cubic, so twice the steps make about eight times the pairs.",
                f"这一条是对的：{count(naive(s.n_new).pairs)} 对变成 {count(naive(2 * s.n_new).pairs)} 对。增长是立方"
                "级，所以步数加倍，配对数约变八倍。",
            ),
        ),
    ),
    numbers=_numbers,
)

SQUARE_CLAIM: Question[Scenario] = Question(
    slug="find_square",
    title=Text("Find the error: N² for a response", "找出错误：一段回答要 N²"),
    prompt=_from_one,
    form=form(NEW),
    inputs=HUNDRED,
    invent=steps(6, 200),
    formula=SQUARED.answer,
    slips=SQUARED.slips,
    working=lambda s: Text(
        f"N² = {count(s.n_new**2)} is one full table of scores, masked ones included; the generation is a triangle "
        "for each length.",
        f"N² = {count(s.n_new**2)} 只是一张完整的分数表，连被屏蔽的也在内；整段生成是每个长度一个三角形。",
    ),
    way=itself,
    reply=SQUARED.reply,
    rows=lambda s: (
        Row(
            Text("rows without a cache", "没有缓存的行数"),
            f"1 + 2 + … + {count(s.n_new)}",
            ROW.after(count(naive(s.n_new).rows)),
        ),
        pairs_row(
            Text("pairs of the last pass", "最后一步的配对"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} / 2",
            prefill(s.n_new).pairs,
        ),
        pairs_row(
            Text("pairs of all passes", "各步的配对合计"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} × {count(s.n_new + 2)} / 6",
            naive(s.n_new).pairs,
        ),
        pairs_row(
            Text("of twice as many steps", "步数加倍后"),
            f"{count(2 * s.n_new)} × {count(2 * s.n_new + 1)} × {count(2 * s.n_new + 2)} / 6",
            naive(2 * s.n_new).pairs,
        ),
    ),
)
