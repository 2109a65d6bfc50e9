"""Find the error: in claims about tables and about one fold, and in a program by its output."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.online_softmax import Mistake, Scenario, Shrink, output
from lessons.kit.controls import BadInput, Choice, Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.format import count, fixed, short, vector
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Pick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.form import KEYS, TILE, form
from lessons.online_softmax.questions.drawn import CHAPTER, first_shrink, invented, keys_in_words, with_

WHICH = Text(
    "One of these claims is wrong. Which one, and what should it say?", "下面有一条说法是错的。是哪一条，应当怎么说？"
)

# --- audit 1.5: the weights are a table as large as the scores


@dataclass(frozen=True)
class Tables:
    """One head: so many queries and keys, and so many numbers in a value."""

    tokens: int = 2_048
    d: int = 128


def _table(what: Text, rows: int, columns: int) -> Text:
    n = f"{count(rows)} × {count(columns)} = {count(rows * columns)}"
    return Text(f"{what.en}: {n} numbers.", f"{what.zh}：{n} 个数。")


_SCORES, _WEIGHTS, _OUTPUT = (
    Text("The scores", "分数"),
    Text("The weights after the softmax", "softmax 之后的权重"),
    Text("The output", "输出"),
)


def _holds(n: int) -> Text:
    return Text(
        f"Read tile by tile, one query’s running result is {count(n)} numbers, carried from tile to tile.",
        f"逐块读取时，一个查询从一块带到下一块的累计只有 {count(n)} 个数。",
    )


_TABLES: Finding[Tables] = Finding(
    (
        Sound(
            "doubted-scores",
            Text("Doubted the table of scores", "怀疑了分数表"),
            lambda t: _table(_SCORES, t.tokens, t.tokens),
            (
                lambda t: _table(_SCORES, t.tokens, t.d),
                lambda t: _table(_SCORES, t.d, t.d),
                lambda t: _table(_SCORES, t.tokens, 1),
            ),
            Text("This one is right: every query meets every key.", "这条是对的：每个查询都要遇到每个键。"),
        ),
        Wrong(
            lambda t: _table(_WEIGHTS, t.tokens, t.d),
            lambda t: _table(_WEIGHTS, t.tokens, t.tokens),
            (
                Correction(
                    "one-a-query",
                    Text("One weight a query", "每个查询只有一个权重"),
                    lambda t: _table(_WEIGHTS, t.tokens, 1),
                    Told(
                        "ℓ is one number a query; weights there are one for each of the {tokens} keys.",
                        "每个查询只有一个的是 ℓ；权重是 {tokens} 个键各一个。",
                    ),
                ),
                Correction(
                    "d-by-d",
                    Text("Looked at the numbers of a value", "看成了值的维数"),
                    lambda t: _table(_WEIGHTS, t.d, t.d),
                    Told(
                        "A weight belongs to a query and a key. The {d} numbers of a value come in when they are "
                        "averaged.",
                        "一个权重属于一个查询和一个键。值的 {d} 个数要到加权平均时才出现。",
                    ),
                ),
            ),
        ),
        Sound(
            "doubted-output",
            Text("Doubted the size of the output", "怀疑了输出的大小"),
            lambda t: _table(_OUTPUT, t.tokens, t.d),
            (
                lambda t: _table(_OUTPUT, t.tokens, t.tokens),
                lambda t: _table(_OUTPUT, t.tokens, 1),
                lambda t: _table(_OUTPUT, t.d, t.d),
            ),
            Told(
                "This one is right: a query gets one average of values, {d} numbers.",
                "这条是对的：每个查询得到值的一个加权平均，{d} 个数。",
            ),
        ),
        Sound(
            "doubted-state",
            Text("Doubted what is held", "怀疑了手中保存的数"),
            lambda t: _holds(t.d + 2),
            (lambda t: _holds(2), lambda t: _holds(t.tokens), lambda t: _holds(t.d)),
            Told("This one is right: m, ℓ and the {d} numbers of u.", "这条是对的：m、ℓ 和 u 的 {d} 个数。"),
        ),
    ),
    lambda t: (t.tokens, t.d),
)


def _tables(values: Mapping[str, Any]) -> Tables:
    tables = Tables(values["tokens"], values["d"])
    if not _TABLES.told_apart(tables):
        raise BadInput(
            Text(
                "With these numbers two of the sentences say the same thing; change one.",
                "用这些数，有两句话说的是一回事；请改动一个。",
            )
        )
    return tables


TABLES: Question[Tables] = Question(
    slug="find-table",
    title=Text("Find the error: which table is how large?", "找错：哪张表有多大？"),
    prompt=lambda t: (
        Text(
            f"One head without a mask, {count(t.tokens)} queries and as many keys, values of {t.d} numbers. ",
            f"一个头，没有掩码，{count(t.tokens)} 个查询和同样多的键，每个值 {t.d} 个数。",
        )
        + WHICH
    ),
    form=Form(
        (
            Whole("tokens", Text("Queries and keys", "查询与键的个数"), 2, 1_048_576),
            Whole("d", Text("Numbers in a value", "每个值的个数"), 3, 1_024),
        ),
        _tables,
        lambda t: {"tokens": t.tokens, "d": t.d},
    ),
    inputs=Tables(),
    invent=lambda rng: Tables(
        rng.choice((512, 1_024, 2_048, 4_096, 8_192, 32_768)), rng.choice((32, 48, 64, 80, 96, 128, 256))
    ),
    formula=_TABLES.answer,
    slips=_TABLES.slips,
    working=Text(
        "The softmax turns each score into a weight, so the weights fill a table as large as the scores; only the "
        "average over them has the width of a value.",
        "softmax 把每个分数变成一个权重，所以权重表与分数表一样大；加权平均之后才是值的宽度。",
    ),
    way=None,
    reply=_TABLES.reply,
    rows=lambda t: (
        Row(
            _SCORES,
            Text("one for each query and key", "每个查询、每个键一个"),
            f"{count(t.tokens)} × {count(t.tokens)}",
        ),
        Row(_WEIGHTS, Text("one for each score", "每个分数一个"), f"{count(t.tokens)} × {count(t.tokens)}"),
        Row(_OUTPUT, Text("one value for each query", "每个查询一个值"), f"{count(t.tokens)} × {t.d}"),
    ),
)


# --- audit 1.31: maximum and sum are kept, the accumulator is not rescaled


def _step(s: Scenario) -> Shrink:
    step = first_shrink(s)
    if step is None:
        raise ValueError("scores: the maximum never rises after the first tile")
    return step


def _alpha(x: float) -> Text:
    return Text(f"The factor α is {fixed(x)}.", f"因子 α 是 {fixed(x)}。")


def _l(x: float) -> Text:
    return Text(f"ℓ becomes {fixed(x)}.", f"ℓ 变成 {fixed(x)}。")


def _u(s: Scenario, times: float) -> Text:
    return Text(
        f"u becomes ({vector((times * _step(s).before.u).tolist())}).",
        f"u 变成（{vector((times * _step(s).before.u).tolist())}）。",
    )


def _o(xs: list[float]) -> Text:
    return Text(f"u ÷ ℓ is ({vector(xs)}) before and after.", f"u ÷ ℓ 前后都是（{vector(xs)}）。")


def _held(s: Scenario) -> float:
    return float(_step(s).before.l)


_FOLD: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-alpha",
            Text("Doubted the factor", "怀疑了因子"),
            lambda s: _alpha(_step(s).alpha),
            (
                lambda s: _alpha(1 / _step(s).alpha),
                lambda s: _alpha(2.0 ** (_step(s).m_old - _step(s).m_new)),
                lambda s: _alpha(_step(s).m_new - _step(s).m_old),
            ),
            lambda s: Text(
                f"This one is right: α = e^({short(_step(s).m_old)} − ({short(_step(s).m_new)})).",
                f"这条是对的：α = e^({short(_step(s).m_old)} − ({short(_step(s).m_new)}))。",
            ),
        ),
        Sound(
            "doubted-l",
            Text("Doubted the denominator", "怀疑了分母"),
            lambda s: _l(_step(s).alpha * _held(s)),
            (lambda s: _l(_held(s)), lambda s: _l(_held(s) / _step(s).alpha), lambda s: _l(_held(s) + _step(s).alpha)),
            lambda s: Text(
                f"This one is right: {fixed(_step(s).alpha)} × {fixed(_held(s))}.",
                f"这条是对的：{fixed(_step(s).alpha)} × {fixed(_held(s))}。",
            ),
        ),
        Wrong(
            lambda s: _u(s, 1.0),
            lambda s: _u(s, _step(s).alpha),
            (
                Correction(
                    "inverted",
                    Text("Divided by the factor", "除以了因子"),
                    lambda s: _u(s, 1 / _step(s).alpha),
                    Text(
                        "What was held can only shrink: multiply by α, do not divide.",
                        "已有的累计只会缩小：要乘 α，不是除。",
                    ),
                ),
                Correction(
                    "twice",
                    Text("Multiplied twice", "乘了两次"),
                    lambda s: _u(s, _step(s).alpha ** 2),
                    Text(
                        "u was measured against the old maximum once, so it is multiplied by α once.",
                        "u 只有一次以旧最大值为基准，所以只乘一次 α。",
                    ),
                ),
            ),
        ),
        Sound(
            "doubted-quotient",
            Text("Doubted the quotient", "怀疑了商"),
            lambda s: _o(_step(s).before.output.tolist()),
            (
                lambda s: _o((_step(s).before.output * _step(s).alpha).tolist()),
                lambda s: _o((_step(s).before.output / _step(s).alpha).tolist()),
                lambda s: _o((_step(s).before.output - _step(s).m_new + _step(s).m_old).tolist()),
            ),
            Text(
                "This one is right: ℓ and u shrink alike, so their quotient stays.",
                "这条是对的：ℓ 和 u 同比缩小，商不变。",
            ),
        ),
    ),
    lambda s: tuple(x for x in s.scores if x > -1e300),
)


def _is_foldable(s: Scenario) -> bool:
    step = first_shrink(s)
    return step is not None and 0 < step.alpha < 1 and step.m_new - step.m_old < 300 and _FOLD.told_apart(s)


def _foldable(rng: random.Random) -> Scenario:
    while True:
        s = invented(rng, d=1)
        if _is_foldable(s):
            return s


def _fold_form() -> Form[Scenario]:
    inner = form(KEYS, TILE)

    def build(values: Mapping[str, Any]) -> Scenario:
        s = inner.made(values, None)  # type: ignore[arg-type]
        if not _is_foldable(s):
            raise BadInput(
                Text(
                    "The maximum must rise after the first tile, and u must not be 0 there.",
                    "第一个分块之后最大值必须上升，且那时 u 不能为 0。",
                )
            )
        return s

    return Form(inner.controls, build, inner.values)


FOLD: Question[Scenario] = Question(
    slug="find-fold",
    title=Text("Find the error: the maximum rises", "找错：最大值上升"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Tiles of {s.tile_size}. The maximum first rises from {short(_step(s).m_old)} to "
            f"{short(_step(s).m_new)}, and what is held changes scale before the tile is added. ",
            f"每个分块 {s.tile_size} 个键。最大值第一次从 {short(_step(s).m_old)} 升到 {short(_step(s).m_new)}，加入"
            "这一分块之前，手中的累计要换基准。",
        )
        + WHICH
    ),
    form=_fold_form(),
    inputs=replace(CHAPTER, values=((5.0,), (10.0,), (0.0,))),
    invent=_foldable,
    formula=_FOLD.answer,
    slips=_FOLD.slips,
    working=lambda s: Text(
        f"Everything held is multiplied by α = {fixed(_step(s).alpha)}, u as well: "
        f"({vector(_step(s).after.u.tolist())}).",
        f"手中的一切都乘以 α = {fixed(_step(s).alpha)}，u 也一样：（{vector(_step(s).after.u.tolist())}）。",
    ),
    way=lambda s: with_(s, Mistake.RESCALE_L_ONLY),
    reply=_FOLD.reply,
    rows=lambda s: (
        Row(Text("α", "因子 α"), f"e^({short(_step(s).m_old)} − ({short(_step(s).m_new)}))", fixed(_step(s).alpha)),
        Row(
            Text("ℓ on the new scale", "新基准上的 ℓ"),
            f"{fixed(_step(s).alpha)} × {fixed(_held(s))}",
            fixed(float(_step(s).after.l)),
        ),
        Row(
            Text("u on the new scale", "新基准上的 u"),
            f"{fixed(_step(s).alpha)} × ({vector(_step(s).before.u.tolist())})",
            vector(_step(s).after.u.tolist()),
        ),
        Row(Text("Their quotient, as before", "两者之商，与之前相同"), "u ÷ ℓ", vector(_step(s).after.output.tolist())),
    ),
)


# --- which slip made this output?


@dataclass(frozen=True)
class Program:
    """A program that folds these keys with a mistake."""

    scenario: Scenario
    made: Mistake = Mistake.RESCALE_L_ONLY

    def gives(self, mistake: Mistake) -> list[float]:
        return [float(x) for x in output(with_(self.scenario, mistake))]

    @property
    def suspects(self) -> tuple[Mistake, ...]:
        """What it did; the same with ℓ and u changed over; both; another slip altogether."""
        other = Mistake.RESCALE_U_ONLY if self.made is Mistake.RESCALE_L_ONLY else Mistake.RESCALE_L_ONLY
        return self.made, other, Mistake.NO_RESCALE, Mistake.TILE_MAX

    @property
    def order(self) -> tuple[int, ...]:
        finite = (x for x in self.scenario.scores if x > -1e300)
        return shuffled(4, *finite, float(self.made is Mistake.RESCALE_L_ONLY))


_FORGOT: dict[Mistake, Text] = {
    Mistake.RESCALE_L_ONLY: Text("to multiply u by α", "u 没有乘 α"),
    Mistake.RESCALE_U_ONLY: Text("to multiply ℓ by α", "ℓ 没有乘 α"),
    Mistake.NO_RESCALE: Text("to multiply u and ℓ by α", "u 和 ℓ 都没有乘 α"),
    Mistake.TILE_MAX: Text("to measure a lower tile against the running maximum", "较低的分块没有以当前最大值为基准"),
}
_MADE = Choice(
    "made",
    Text("What it forgets", "它漏掉的"),
    tuple((m.value, _FORGOT[m]) for m in (Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY)),
)
_INNER = form(KEYS, TILE)


def _program(values: Mapping[str, Any]) -> Program:
    return Program(_INNER.made(values, None), Mistake(values["made"]))  # type: ignore[arg-type]


def _program_values(p: Program) -> dict[str, Any]:
    return {**_INNER.taken_apart(p.scenario), "made": p.made.value}


def _broken(rng: random.Random) -> Program:
    """Keys on which no two of the slips give the same output."""
    made = rng.choice((Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY))
    while True:
        p = Program(invented(rng, d=1), made)
        outputs = [p.gives(m)[0] for m in (*p.suspects, Mistake.NONE)]
        if min(abs(a - b) for i, a in enumerate(outputs) for b in outputs[:i]) > 0.05:
            return p


def _would(k: int, title: Text, name: str) -> Slip[Program]:
    return Slip(
        name,
        title,
        lambda p: (place(p.order, k),),
        lambda p: Text(
            f"Then it would return ({vector(p.gives(p.suspects[k]))}).",
            f"那样它会返回（{vector(p.gives(p.suspects[k]))}）。",
        ),
        lambda p: with_(p.scenario, p.suspects[k]),
    )


DIAGNOSIS: Question[Program] = Question(
    slug="diagnosis",
    title=Text("What did this program forget?", "这个程序漏了什么？"),
    prompt=lambda p: (
        keys_in_words(p.scenario)
        + Text(
            f"Tiles of {p.scenario.tile_size}. The right output is ({vector(p.gives(Mistake.NONE))}); a program "
            f"returns ({vector(p.gives(p.made))}). What did it forget?",
            f"每个分块 {p.scenario.tile_size} 个键。正确的输出是（{vector(p.gives(Mistake.NONE))}），某个程序返回"
            f"（{vector(p.gives(p.made))}）。它漏了什么？",
        )
    ),
    form=Form((KEYS, TILE, _MADE), _program, _program_values),
    inputs=Program(replace(CHAPTER, values=((5.0,), (10.0,), (0.0,)))),
    invent=_broken,
    formula=lambda p: (place(p.order, 0),),
    slips=(
        _would(1, Text("Took ℓ and u for each other", "把 ℓ 和 u 弄反了"), "swapped"),
        _would(2, Text("Suspected both", "以为两个都漏了"), "both"),
        _would(3, Text("Suspected the weights", "以为错在权重"), "weights"),
    ),
    working=lambda p: Text(
        f"Without this factor: ({vector(p.gives(p.made))}). If u stays too large, the output is too large; if ℓ "
        "does, too small.",
        f"漏掉这个因子就得（{vector(p.gives(p.made))}）。u 没缩，输出偏大；ℓ 没缩，输出偏小。",
    ),
    way=lambda p: with_(p.scenario, p.made),
    reply=Pick(lambda p: tuple(_FORGOT[p.suspects[i]] for i in p.order)),
    rows=lambda p: (
        *(
            Row(Text(f"If it forgot {_FORGOT[m].en}", f"若{_FORGOT[m].zh}"), "u ÷ ℓ", vector(p.gives(m)))
            for m in p.suspects[1:]
        ),
        Row(
            Text(f"It forgot {_FORGOT[p.made].en}", f"它漏的是：{_FORGOT[p.made].zh}"), "u ÷ ℓ", vector(p.gives(p.made))
        ),
    ),
)
