"""Find the error: what the second text says of naive and cached decoding (audit 1.2, 1.3, 1.44, 1.49, 1.50)."""

from __future__ import annotations

from engine.decode_cost import Scenario
from lessons.decode_cost.form import FORM, NEW
from lessons.decode_cost.questions.given import (
    FROM_ONE,
    HUNDRED,
    as_pairs,
    as_rows,
    itself,
    steps,
    triangle,
    triangles,
)
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told

_PROMPT = FROM_ONE + Text(
    "Which of these statements is wrong, and what should it say?", "下面哪一条说法是错的？应当怎么说？"
)

# What a claim says, true or not, by its number.
PLAIN_ROWS = Told("Without a cache {n} query rows are run.", "没有缓存时，一共运行 {n} 个查询行。")
CACHED_ROWS = Told("With a cache {n} query rows are run.", "有缓存时，一共运行 {n} 个查询行。")
CALLED_LINEAR = Told(
    "With a cache attention is linear: {n} query·key pairs in all.", "有缓存时注意力是线性的：查询·键配对一共 {n} 对。"
)
CALLED_QUADRATIC = Told(
    "With a cache attention is still quadratic: {n} query·key pairs in all.",
    "有缓存时注意力仍是平方级：查询·键配对一共 {n} 对。",
)
KEYS_MET = Told("The newest query meets {n} keys in the last step.", "最后一步里，最新的查询遇到 {n} 个键。")
LAST_PASS = Told(
    "The last pass without a cache scores {n} query·key pairs.", "没有缓存时，最后一步算 {n} 个查询·键配对。"
)
WHOLE = Told(
    "A response of {n_new} tokens without a cache takes {n} query·key pairs.",
    "没有缓存时，生成 {n_new} 个 token 要算 {n} 个查询·键配对。",
)
TWICE = Told(
    "Twice as many steps without a cache take about {n:fixed1} times the pairs.",
    "没有缓存时，步数加倍，配对数约为 {n:fixed1} 倍。",
)


def _rows_without(name: str, why: Told) -> Sound[Scenario]:
    return Sound(
        name=name,
        title=Text("Rows without a cache", "没有缓存的行数"),
        claim=lambda s: PLAIN_ROWS.on(n=s.plain.rows),
        corrections=(
            lambda s: PLAIN_ROWS.on(n=s.n_new),
            lambda s: PLAIN_ROWS.on(n=s.n_new**2),
            lambda s: PLAIN_ROWS.on(n=s.plain.pairs),
        ),
        why=why,
    )


OPERATIONS = Finding[Scenario](
    claims=(
        _rows_without(
            "plain_rows",
            Told(
                "That one is true: passes of 1, 2, …, {n_new} rows make {plain.rows} rows. It says rows, not pairs.",
                "这一条是对的：各步 1、2、…、{n_new} 行，合计 {plain.rows} 行。它说的是行，不是配对。",
            ),
        ),
        Sound(
            "cached_rows",
            Text("Rows with a cache", "有缓存的行数"),
            lambda s: CACHED_ROWS.on(n=s.cached.rows),
            (
                lambda s: CACHED_ROWS.on(n=s.cached.pairs),
                Text("With a cache a single query row is run.", "有缓存时，只运行一个查询行。"),
                lambda s: CACHED_ROWS.on(n=2 * s.n_new),
            ),
            Told(
                "That one is true: one row a step, {n_new} steps. Rows are linear; the pairs are not.",
                "这一条是对的：每步一行，{n_new} 步。行是线性的，配对不是。",
            ),
        ),
        Wrong(
            lambda s: CALLED_LINEAR.on(n=s.n_new),
            lambda s: CALLED_QUADRATIC.on(n=s.cached.pairs),
            (
                Correction(
                    "naive_pairs",
                    Text("The number without a cache", "没有缓存的数"),
                    lambda s: CALLED_QUADRATIC.on(n=s.plain.pairs),
                    Told(
                        "{plain.pairs} pairs are scored without a cache, and they are cubic. With one it is 1 + 2 "
                        "+ … + {n_new}.",
                        "{plain.pairs} 对是没有缓存时的，而且是立方级。有缓存时是 1 + 2 + … + {n_new}。",
                    ),
                ),
                Correction(
                    "still_linear",
                    Text("Still called linear", "仍说成线性"),
                    lambda s: CALLED_LINEAR.on(n=s.cached.pairs),
                    Told(
                        "The number is right, the word is not: twice as many steps make {doubled.cached.pairs} "
                        "pairs, about four times as many.",
                        "数对了，词不对：步数加倍就有 {doubled.cached.pairs} 对，约为四倍。",
                    ),
                ),
            ),
        ),
        Sound(
            "last_step",
            Text("Keys of the last step", "最后一步的键"),
            lambda s: KEYS_MET.on(n=s.n_new),
            (
                Text("The newest query meets 1 key in the last step.", "最后一步里，最新的查询遇到 1 个键。"),
                lambda s: KEYS_MET.on(n=s.n_new - 1),
                lambda s: KEYS_MET.on(n=s.cached.pairs),
            ),
            lambda s: Told(
                "That one is true, with a cache and without: the query at position {last} meets keys 0 … {last}.",
                "这一条是对的，有没有缓存都一样：位置 {last} 的查询遇到键 0 … {last}。",
            ).on(last=s.n_new - 1),
        ),
    ),
    numbers=lambda s: (s.n_new,),
)

LINEAR_CLAIM: Question[Scenario] = Question(
    slug="find_linear",
    title=Text("Find the error: “linear”", "找出错误：“线性”"),
    prompt=_PROMPT,
    form=FORM.only(NEW),
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
    rows=(
        Line(Text("rows without a cache", "没有缓存的行数"), "1 + 2 + … + {n_new}", as_rows("plain.rows")),
        Line(Text("rows with a cache", "有缓存的行数"), Text("one a step", "每步一行"), as_rows("cached.rows")),
        Line(Text("keys met in the last step", "最后一步遇到的键"), Text("all so far", "至今全部"), "{n_new}"),
        Line(Text("pairs with a cache", "有缓存的配对"), "1 + 2 + … + {n_new}", as_pairs("cached.pairs")),
    ),
)


def _growth(s: Scenario) -> float:
    return s.doubled.plain.pairs / s.plain.pairs


SQUARED = Finding[Scenario](
    claims=(
        Wrong(
            lambda s: WHOLE.on(s, n=s.n_new**2),
            lambda s: WHOLE.on(s, n=s.plain.pairs),
            (
                Correction(
                    "halved",
                    Text("Half of the square", "方阵的一半"),
                    lambda s: WHOLE.on(s, n=s.cached.pairs),
                    Told(
                        "{cached.pairs} pairs are one triangle: the last pass alone, or all that a cached decoder "
                        "scores. Without a cache every pass scores a triangle.",
                        "{cached.pairs} 对是一个三角形：仅最后一步，或者有缓存时的全部。没有缓存时每步都算一个三角形。",
                    ),
                ),
                Correction(
                    "squares",
                    Text("A square in every pass", "每步一个方阵"),
                    lambda s: WHOLE.on(s, n=s.squares),
                    Told(
                        "{squares} counts the whole square of every pass; nearly half of each is masked.",
                        "{squares} 把每步的整个方阵都算上了；每个方阵有将近一半被屏蔽。",
                    ),
                ),
            ),
        ),
        _rows_without(
            "rows",
            Told(
                "That one is true: 1 + 2 + … + {n_new} = {plain.rows} rows.",
                "这一条是对的：1 + 2 + … + {n_new} = {plain.rows} 行。",
            ),
        ),
        Sound(
            "last_pass",
            Text("The last pass", "最后一步"),
            lambda s: LAST_PASS.on(n=s.last_plain.pairs),
            (
                lambda s: LAST_PASS.on(n=s.n_new),
                lambda s: LAST_PASS.on(n=s.n_new**2),
                lambda s: LAST_PASS.on(n=s.plain.pairs),
            ),
            lambda s: Told(
                "That one is true: {n_new} rows in a triangle. As a dense table it would have {cells} cells.",
                "这一条是对的：{n_new} 行排成三角形。若画成整张表，会有 {cells} 格。",
            ).on(s, cells=s.n_new**2),
        ),
        Sound(
            "doubling",
            Text("Twice the steps", "步数加倍"),
            lambda s: TWICE.on(n=_growth(s)),
            (lambda s: TWICE.on(n=2.0), lambda s: TWICE.on(n=4.0), lambda s: TWICE.on(n=16.0)),
            Told(
                "That one is true: {plain.pairs} pairs become {doubled.plain.pairs}. Growth is cubic, so twice the "
                "steps make about eight times the pairs.",
                "这一条是对的：{plain.pairs} 对变成 {doubled.plain.pairs} 对。增长是立方级，所以步数加倍，配对数约"
                "变八倍。",
            ),
        ),
    ),
    numbers=lambda s: (s.n_new,),
)

SQUARE_CLAIM: Question[Scenario] = Question(
    slug="find_square",
    title=Text("Find the error: N² for a response", "找出错误：一段回答要 N²"),
    prompt=_PROMPT,
    form=FORM.only(NEW),
    inputs=HUNDRED,
    invent=steps(6, 200),
    formula=SQUARED.answer,
    slips=SQUARED.slips,
    working=lambda s: Told(
        "N² = {cells} is one full table of scores, masked ones included; the generation is a triangle for each length.",
        "N² = {cells} 只是一张完整的分数表，连被屏蔽的也在内；整段生成是每个长度一个三角形。",
    ).on(cells=s.n_new**2),
    way=itself,
    reply=SQUARED.reply,
    rows=(
        Line(Text("rows without a cache", "没有缓存的行数"), "1 + 2 + … + {n_new}", as_rows("plain.rows")),
        Line(
            Text("pairs of the last pass", "最后一步的配对"), lambda s: triangle(s.n_new), as_pairs("last_plain.pairs")
        ),
        Line(Text("pairs of all passes", "各步的配对合计"), lambda s: triangles(s.n_new), as_pairs("plain.pairs")),
        Line(
            Text("of twice as many steps", "步数加倍后"),
            lambda s: triangles(2 * s.n_new),
            as_pairs("doubled.plain.pairs"),
        ),
    ),
)
