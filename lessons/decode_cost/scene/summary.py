"""The pictures of what it comes to: same tokens, totals unit by unit, which passes count, growth, and the price."""

from __future__ import annotations

from collections.abc import Sequence

from engine.decode_cost import Convention, Growth, Passes, Price, Same, Scenario, Start, Step, Totals
from lessons.decode_cost.naming import CACHED, PAIRS, PLAIN, ROWS
from lessons.decode_cost.scene.layout import Layout
from lessons.kit.format import count, delta, fixed, size
from lessons.kit.roles import Role
from lessons.kit.shapes import Bar, Bracket, Cell, Label, Line, Shape, Table, width_of
from lessons.kit.text import Text
from lessons.kit.told import Told

TABLE_END = 1122.0


def summary(lay: Layout, step: Step, y0: float, key: str) -> list[Shape]:
    """One way's summary under y0, in SUMMARY_H units of height, its title at the top. Keys start with `key`, which is
    empty for the right way."""
    y = y0 + lay.summary_y
    match step:
        case Same():
            title = Text("Which token each pass chooses", "每一步选出哪个 token")
            shapes = _same(lay.scenario, step, y, key)
        case Totals():
            title, shapes = Text("The whole generation, unit by unit", "整段生成，按单位分开"), _totals(step, y, key)
        case Convention():
            title = Text("With a cache: pairs, and in how many passes", "有缓存：多少配对，分几次前向")
            shapes = _convention(lay.scenario, step, y, key)
        case Growth():
            title, shapes = Text("With a cache, as the context grows", "有缓存时，随上下文变长"), _growth(step, y, key)
        case Price():
            title, shapes = Text("K and V of all layers, in bytes", "所有层的 K 和 V，按字节计"), _price(step, y, key)
        case Start() | Passes():
            raise ValueError(f"step: {type(step).__name__} is drawn as two triangles")
    wrong = key != ""
    style = "body strong start" + " bad" * wrong
    return [Label(f"{key}summary.title", 20, y0 + 24, lay.title(title, wrong=wrong), style), *shapes]


def _same(scenario: Scenario, step: Same, y: float, key: str) -> list[Shape]:
    picks = range(scenario.n_new) if scenario.n_new <= 8 else (0, *scenario.shown)
    shapes: list[Shape] = [
        Label(f"{key}same.at", 20, y + 62, Text("new token number", "第几个新 token"), "small muted start"),
        Label(f"{key}same.plain", 20, y + 98, PLAIN, "body start"),
        Label(f"{key}same.cached", 20, y + 150, CACHED, "body start"),
        Label(f"{key}same.error", 20, y + 202, Text("largest |difference| of logits", "logits 的最大差"), "body start"),
    ]
    pitch = min(108.0, 860.0 / len(picks))
    for c, i in enumerate(picks):
        x = 250 + c * pitch
        a, b = step.tokens_plain[i], step.tokens[i]
        shapes += [
            Label(f"{key}same.at.{c}", x + 45, y + 62, str(i + 1), "small muted middle"),
            Cell(f"{key}same.plain.{c}", x, y + 74, str(a), 90, 38, value=a),
            Cell(f"{key}same.cached.{c}", x, y + 126, str(b), 90, 38, value=b),
            Label(f"{key}same.error.{c}", x + 45, y + 202, delta(step.errors[i]), "body middle"),
        ]
    return shapes


def _totals(step: Totals, y: float, key: str) -> list[Shape]:
    shapes: list[Shape] = [
        Label(f"{key}total.plain", 345, y + 58, PLAIN, "body start"),
        Label(f"{key}total.cached", 595, y + 58, CACHED, "body start"),
        Label(f"{key}total.ratio", 850, y + 58, Text("ratio", "倍数"), "body start"),
    ]
    units = (
        ("rows", ROWS, step.plain.rows, step.cached.rows),
        ("pairs", PAIRS, step.plain.pairs, step.cached.pairs),
    )
    for i, (unit, name, a, b) in enumerate(units):
        top, again = y + 74 + i * 84, (Role.AGAIN,) if a > b else ()
        shapes += [
            Label(f"{key}total.{unit}", 90, top + 32, name, "big start"),
            Cell(f"{key}total.{unit}.plain", 345, top, count(a), 210, 50, value=a, roles=again),
            Cell(f"{key}total.{unit}.cached", 595, top, count(b), 210, 50, value=b, roles=(Role.DONE,)),
            Cell(f"{key}total.{unit}.ratio", 850, top, f"× {fixed(a / b, 1)}", 120, 50, value=a / b),
        ]
    if not key and step.plain.rows == step.cached.pairs > step.cached.rows:
        twice = Told(
            "{plain.rows} stands here twice, in two units: rows without a cache, pairs with one",
            "{plain.rows} 在这里出现两次，单位不同：没有缓存的行，有缓存的配对",
        ).on(step)
        shapes.append(Label(f"{key}total.twice", 345, y + 236, twice, "body strong accent start"))
    return shapes


def _convention(scenario: Scenario, step: Convention, y: float, key: str) -> list[Shape]:
    m = scenario.n_new
    decoding = Told("decode: {n:pass}", "解码：{n} 次前向").on(n=m - 1)
    blocks = (
        ("prefill", Text("the prompt: 1 pass", "提示：1 次前向"), step.prefill, Role.DONE),
        ("decode", decoding, step.decode, Role.NOW),
        ("more", Text("the last new token, too: + 1 pass", "最后一个新 token 也送入：+ 1 次"), step.more, Role.PENDING),
    )
    shapes: list[Shape] = []
    for i, (name, words, work, role) in enumerate(blocks):
        x = 60 + i * 350.0
        shapes += [
            Label(f"{key}{name}.name", x + 150, y + 62, words, "body middle"),
            Cell(f"{key}{name}", x, y + 74, count(work.pairs), 300, 50, value=work.pairs, roles=(role,)),
            Label(
                f"{key}{name}.rows", x + 150, y + 142, Told("{rows:row}", "{rows} 行").on(work), "small muted middle"
            ),
        ]
        if i:
            shapes.append(Label(f"{key}{name}.plus", x - 25, y + 105, "+", "big middle"))
    sum_of = Told("{pairs} pairs in {passes:decode pass}", "{passes} 次解码前向，{pairs} 对")
    shapes += [
        Bracket(f"{key}first", 410, y + 152, 300, sum_of.on(step.decode, passes=m - 1)),
        Bracket(f"{key}all", 410, y + 194, 650, sum_of.on(step.every, passes=m)),
    ]
    return shapes


def _growth(step: Growth, y: float, key: str) -> list[Shape]:
    n, doubled = step.lengths[-1], step.doubled
    names = [count(x) for x in step.lengths]
    one, whole = (
        Text("pairs of one step, by length", "一步的配对数，按长度"),
        Text("pairs of the whole generation", "整段生成的配对数"),
    )
    shapes: list[Shape] = [
        *_bars(f"{key}step", 20, y, one, names, step.steps, [*map(count, step.steps)]),
        *_bars(f"{key}whole", 350, y, whole, names, step.wholes, [*map(count, step.wholes)]),
        Label(f"{key}grow.last.name", 20, y + 238, Text("last step", "最后一步"), "small muted start"),
        Cell(f"{key}grow.last", 100, y + 218, count(step.step.pairs), 120, 30, value=step.step.pairs),
        Label(f"{key}grow.all.name", 350, y + 238, Text("counted in all", "合计"), "small muted start"),
        Cell(f"{key}grow.all", 450, y + 218, count(step.whole.pairs), 140, 30, value=step.whole.pairs),
    ]
    if key:
        return shapes  # the formulas beside it are the right way's
    by_formula = (
        (Text("with: one step", "有缓存：一步"), doubled.step),
        (Text("with: whole", "有缓存：整段"), doubled.whole),
        (Text("without: one step", "无缓存：一步"), doubled.step_plain),
        (Text("without: whole", "无缓存：整段"), doubled.whole_plain),
    )
    lines: list[tuple[Text | str, ...]] = [
        (Text("positions", "位置数"), count(n), count(2 * n), Text("ratio", "倍数")),
        *((name, count(x.at_n), count(x.at_2n), f"× {fixed(x.factor, 1)}") for name, x in by_formula),
    ]
    wide = max(width_of(str(line[2])) for line in lines) * 9.5
    widths = (138.0, max(60.0, wide), max(70.0, wide + 12), 64.0)
    return [*shapes, Table(f"{key}grow.double", TABLE_END - sum(widths), y + 40, tuple(lines), widths)]


def _bars(
    key: str, x: float, y: float, title: Text, names: Sequence[str], values: Sequence[int], texts: Sequence[str]
) -> list[Shape]:
    """Bars side by side on one floor; a number stands on every bar where there is room, else on the last."""
    floor, tall, pitch = y + 184.0, 96.0, 296.0 / max(len(values), 4)
    top = max(*values, 1)
    roomy = all(width_of(text) * 8.5 < pitch for text in texts)
    shapes: list[Shape] = [
        Label(f"{key}.title", x, y + 58, title, "small strong start"),
        Line(f"{key}.floor", x, floor, len(values) * pitch),
    ]
    for i, (name, value, text) in enumerate(zip(names, values, texts, strict=True)):
        last = i == len(values) - 1
        word, height = text if roomy or last else "", max(tall * value / top, 1.0)
        roles = (Role.NOW,) if last else ()
        shapes += [
            Bar(f"{key}.bar.{i}", x + i * pitch + 5, floor, word, pitch - 10, height, roles=roles),
            Label(f"{key}.bar.{i}.at", x + (i + 0.5) * pitch, floor + 18, name, "small muted middle"),
        ]
    return shapes


def _price(step: Price, y: float, key: str) -> list[Shape]:
    names = [str(i) for i in step.at]
    resident, read = (
        Text("resident after pass …", "第几步之后驻留"),
        Text("old K and V read back in pass …", "第几步读回旧的 K、V"),
    )
    shapes: list[Shape] = [
        *_bars(f"{key}resident", 20, y, resident, names, step.resident, [*map(size, step.resident)]),
        *_bars(f"{key}read", 350, y, read, names, step.read, [*map(size, step.read)]),
    ]
    cells = (
        ("position", Text("one position", "一个位置"), step.per_position),
        ("held", Text("resident at the end", "结束时驻留"), step.resident_last),
        ("back", Text("read back in all passes", "各步读回合计"), step.read_total),
    )
    for i, (name, words, value) in enumerate(cells):
        top = y + 48 + i * 62
        shapes += [
            Label(f"{key}price.{name}.name", 730, top + 25, words, "body start"),
            Cell(f"{key}price.{name}", 940, top, size(value), 170, 40, value=value),
        ]
    return shapes
