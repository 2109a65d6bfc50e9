"""One small question of each kind, hostile in its texts: what the files of an instructor are tested with."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.question import ANY, Question, Row, Slip
from lessons.kit.reply import Answer, Claim, Find, Mark, Number, Order, Pick, Printed, Reply, Tick, Vector
from lessons.kit.text import Text, same
from lessons.kit.units import GIB
from lessons.sheets.variants import Chosen


@dataclass(frozen=True)
class Two:
    a: int = 2
    b: int = 3


def _build(values: Mapping[str, Any]) -> Two:
    return Two(values["a"], values["b"])


FORM = Form((Whole("a", same("a"), 1, 99), Whole("b", same("b"), 1, 99)), _build, asdict)
HARD = Text("{1:NM:=7} a<b & $x_1 < 2$ ~ # } “c” `d`", "{1:NM:=7} 甲<乙 & $x_1 < 2$ ~ # } “丙” `丁`")


def _slip(name: str, answer: Answer, said: str = "") -> Slip[Two]:
    return Slip(
        name,
        Text(f"Slip {name}", f"失误 {name}"),
        lambda s: answer,
        lambda s: Text(f"{said}{name}: {HARD.en}", f"{said}{name}：{HARD.zh}"),
    )


def _question(slug: str, reply: Reply[Two], answer: Answer, *slips: Slip[Two]) -> Question[Two]:
    return Question(
        slug=slug,
        title=Text(f"The {slug}", f"题 {slug}"),
        prompt=lambda s: Text(f"{s.a} and {s.b}: {HARD.en}", f"{s.a} 和 {s.b}：{HARD.zh}"),
        form=FORM,
        inputs=Two(),
        invent=lambda rng: Two(rng.randint(1, 99), rng.randint(1, 99)),
        formula=lambda s: answer,
        slips=slips,
        working=lambda s: HARD,
        reply=reply,
        rows=lambda s: (Row(Text("the sum", "和"), f"{s.a} + {s.b}", str(s.a + s.b)), Row(HARD, HARD, "=1+1")),
    )


_OPTIONS = (HARD, Text("two", "二"), Text("three", "三"))
_CLAIMS = tuple(
    Claim(Text(f"claim {i}", f"说法 {i}"), (Text(f"put {i}a", f"改 {i}a"), Text(f"put {i}b", f"改 {i}b")))
    for i in (1, 2, 3)
)

_PROGRAM = (
    Printed(same("def f(a, b):")),
    Printed(Text("    c = a & b  # <b>{1:NM:=7}</b>", "    c = a & b  # <b>{1:NM:=7}</b> 甲"), open=True),
    Printed(same("    d = '}~#' < c"), open=True),
    Printed(same("    return d"), open=True),
)

SAMPLES: tuple[Question[Two], ...] = (
    Question(
        slug="number",
        title=Text("=The sum", "=和"),
        prompt=lambda s: Text(f"{s.a} + {s.b} GiB?", f"{s.a} + {s.b} GiB？"),
        form=FORM,
        inputs=Two(),
        invent=lambda rng: Two(rng.randint(10, 99), rng.randint(10, 99)),
        formula=lambda s: (float(s.a + s.b),),
        slips=(
            Slip(
                "minus",
                Text("Subtracted", "做了减法"),
                lambda s: (float(s.a - s.b),),
                lambda s: Text("@Add.", "@应相加。"),
            ),
            Slip(
                "times",
                Text("Multiplied", "做了乘法"),
                lambda s: (float(s.a * s.b),),
                lambda s: Text("+Add.", "+应相加。"),
            ),
        ),
        working=lambda s: Text(f"{s.a} + {s.b}.", f"{s.a} + {s.b}。"),
        reply=Number(GIB),
    ),
    _question(
        "vector", Vector(), (1.0, 2.0), _slip("one", (5.0, 2.0)), _slip("both", (5.0, 7.0)), _slip("second", (ANY, 9.0))
    ),
    _question(
        "choice", Pick(lambda s: _OPTIONS), (2.0,), _slip("first", (1.0,)), _slip("last", (3.0,)), _slip("none", (0.0,))
    ),
    _question(
        "order",
        Order(lambda s: _OPTIONS),
        (2.0, 3.0, 1.0),
        _slip("as-is", (1.0, 2.0, 3.0)),
        _slip("twice", (1.0, 1.0, 3.0)),
    ),
    _question(
        "cells",
        Tick(lambda s: _OPTIONS[:2], lambda s: _OPTIONS),
        (0.0, 1.0, 1.0, 0.0, 0.0, 1.0),
        _slip("less", (0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
    ),
    _question(
        "error",
        Find(lambda s: _CLAIMS),
        (2.0, 1.0),
        _slip("claim-1", (1.0, ANY)),
        _slip("other", (2.0, 2.0)),
        _slip("claim-3", (3.0, ANY)),
    ),
    _question("line", Mark(lambda s: _PROGRAM), (3.0,), _slip("line-2", (2.0,)), _slip("line-9", (9.0,))),
)

CHOSEN = tuple(Chosen("sample", Text("Sample a/b", "样例 a/b"), question) for question in SAMPLES)


def drawn(question: Question[Two], seed: int = 1) -> Two:
    return question.invent(random.Random(seed))
