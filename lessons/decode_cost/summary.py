"""The pictures of what it comes to: same tokens, totals unit by unit, which passes count, growth, and the price."""

from __future__ import annotations

from collections.abc import Sequence

from engine.decode_cost import Convention, Growth, Passes, Price, Same, Scenario, Start, Step, Totals
from lessons.kit.format import count, fixed, size
from lessons.kit.roles import Role
from lessons.kit.shapes import Bar, Bracket, Cell, Label, Line, Shape, Table, width_of
from lessons.kit.text import Text, same

ROWS, PAIRS = Text("query rows", "查询行"), Text("query·key pairs", "查询·键配对")
PLAIN, CACHED = Text("without a cache", "没有缓存"), Text("with a cache", "有缓存")


SUMMARY_H = 252.0


def summary(scenario: Scenario, step: Step, way: Text | None, y0: float, key: str, lower: float) -> list[Shape]:
    """One way's summary under y0, in SUMMARY_H units of height; all but its title stands `lower` than it need. Keys
    start with `key`."""
    y = y0 + lower
    match step:
        case Same():
            title, shapes = Text("Which token each pass chooses", "每一步选出哪个 token"), _same(scenario, step, y, key)
        case Totals():
            title, shapes = Text("The whole generation, unit by unit", "整段生成，按单位分开"), _totals(step, y, key)
        case Convention():
            title = Text("With a cache: pairs, and in how many passes", "有缓存：多少配对，分几次前向")
            shapes = _convention(scenario, step, y, key)
        case Growth():
            title, shapes = Text("With a cache, as the context grows", "有缓存时，随上下文变长"), _growth(step, y, key)
        case Price():
            title = Text("K and V of all layers, in bytes", "所有层的 K 和 V，按字节计")
            shapes = _price(step, y, key)
        case Start() | Passes():
            raise ValueError(f"step: {type(step).__name__} is drawn as two triangles")
    title = title if way is None else way + same(" · ") + title
    return [Label(f"{key}summary.title", 20, y0 + 24, title, "body strong start" + (" bad" if key else "")), *shapes]


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
            Label(
                f"{key}same.error.{c}", x + 45, y + 202, fixed(step.errors[i]) if step.errors[i] else "0", "body middle"
            ),
        ]
    return shapes


def _totals(step: Totals, y: float, key: str) -> list[Shape]:
    shapes: list[Shape] = [
        Label(f"{key}total.plain", 345, y + 58, PLAIN, "body start"),
        Label(f"{key}total.cached", 595, y + 58, CACHED, "body start"),
        Label(f"{key}total.ratio", 850, y + 58, Text("ratio", "倍数"), "body start"),
    ]
    for i, (unit, name) in enumerate((("rows", ROWS), ("pairs", PAIRS))):
        a, b = getattr(step.plain, unit), getattr(step.cached, unit)
        top = y + 74 + i * 84
        shapes += [
            Label(f"{key}total.{unit}", 90, top + 32, name, "big start"),
            Cell(
                f"{key}total.{unit}.plain", 345, top, count(a), 210, 50, value=a, roles=(Role.AGAIN,) if a > b else ()
            ),
            Cell(f"{key}total.{unit}.cached", 595, top, count(b), 210, 50, value=b, roles=(Role.DONE,)),
            Cell(f"{key}total.{unit}.ratio", 850, top, f"× {fixed(a / b, 1)}", 120, 50, value=a / b),
        ]
    if not key and step.plain.rows == step.cached.pairs > step.cached.rows:
        twice = count(step.plain.rows)
        shapes.append(
            Label(
                f"{key}total.twice",
                345,
                y + 236,
                Text(
                    f"{twice} stands here twice, in two units: rows without a cache, pairs with one",
                    f"{twice} 在这里出现两次，单位不同：没有缓存的行，有缓存的配对",
                ),
                "body strong accent start",
            )
        )
    return shapes


def _convention(scenario: Scenario, step: Convention, y: float, key: str) -> list[Shape]:
    m = scenario.n_new
    blocks = (
        ("prefill", Text("the prompt: 1 pass", "提示：1 次前向"), step.prefill, Role.DONE),
        (
            "decode",
            Text(f"decode: {count(m - 1)} pass{'es' * (m != 2)}", f"解码：{count(m - 1)} 次前向"),
            step.decode,
            Role.NOW,
        ),
        ("more", Text("the last new token, too: + 1 pass", "最后一个新 token 也送入：+ 1 次"), step.more, Role.PENDING),
    )
    shapes: list[Shape] = []
    for i, (name, words, work, role) in enumerate(blocks):
        x = 60 + i * 350.0
        rows = Text(f"{count(work.rows)} row{'s' * (work.rows != 1)}", f"{count(work.rows)} 行")
        shapes += [
            Label(f"{key}{name}.name", x + 150, y + 62, words, "body middle"),
            Cell(f"{key}{name}", x, y + 74, count(work.pairs), 300, 50, value=work.pairs, roles=(role,)),
            Label(f"{key}{name}.rows", x + 150, y + 142, rows, "small muted middle"),
        ]
        if i:
            shapes.append(Label(f"{key}{name}.plus", x - 25, y + 105, "+", "big middle"))
    first, all_ = step.decode.pairs, step.decode.pairs + step.more.pairs
    shapes += [
        Bracket(f"{key}first", 410, y + 152, 300, _pairs_in(first, m - 1)),
        Bracket(f"{key}all", 410, y + 194, 650, _pairs_in(all_, m)),
    ]
    return shapes


def _pairs_in(pairs: int, passes: int) -> Text:
    return Text(
        f"{count(pairs)} pairs in {count(passes)} decode pass{'es' * (passes != 1)}",
        f"{count(passes)} 次解码前向，{count(pairs)} 对",
    )


def _growth(step: Growth, y: float, key: str) -> list[Shape]:
    n = step.lengths[-1]
    names = [count(x) for x in step.lengths]
    shapes: list[Shape] = [
        *_bars(
            f"{key}step",
            20,
            y,
            Text("pairs of one step, by length", "一步的配对数，按长度"),
            names,
            step.steps,
            [*map(count, step.steps)],
        ),
        *_bars(
            f"{key}whole",
            350,
            y,
            Text("pairs of the whole generation", "整段生成的配对数"),
            names,
            step.wholes,
            [*map(count, step.wholes)],
        ),
        Label(f"{key}grow.last.name", 20, y + 238, Text("last step", "最后一步"), "small muted start"),
        Cell(f"{key}grow.last", 100, y + 218, count(step.step.pairs), 120, 30, value=step.step.pairs),
        Label(f"{key}grow.all.name", 350, y + 238, Text("counted in all", "合计"), "small muted start"),
        Cell(f"{key}grow.all", 450, y + 218, count(step.whole.pairs), 140, 30, value=step.whole.pairs),
    ]
    if key:
        return shapes  # the formulas beside it are the right way's
    names_ = (
        Text("with: one step", "有缓存：一步"),
        Text("with: whole", "有缓存：整段"),
        Text("without: one step", "无缓存：一步"),
        Text("without: whole", "无缓存：整段"),
    )
    lines: list[tuple[Text | str, ...]] = [
        (Text("positions", "位置数"), count(n), count(2 * n), Text("ratio", "倍数")),
        *(
            (name, count(a), count(b), f"× {fixed(b / a, 1)}")
            for name, (a, b) in zip(names_, step.doubled, strict=True)
        ),
    ]
    wide = max(width_of(str(line[2])) for line in lines) * 9.5
    widths = (138.0, max(60.0, wide), max(70.0, wide + 12), 64.0)
    shapes.append(Table(f"{key}grow.double", WIDTH_TABLE_END - sum(widths), y + 40, tuple(lines), widths))
    return shapes


WIDTH_TABLE_END = 1122.0


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
        word = text if roomy or last else ""
        roles = (Role.NOW,) if last else ()
        shapes += [
            Bar(
                f"{key}.bar.{i}", x + i * pitch + 5, floor, word, pitch - 10, max(tall * value / top, 1.0), roles=roles
            ),
            Label(f"{key}.bar.{i}.at", x + (i + 0.5) * pitch, floor + 18, name, "small muted middle"),
        ]
    return shapes


def _price(step: Price, y: float, key: str) -> list[Shape]:
    names = [str(i) for i in step.at]
    shapes: list[Shape] = [
        *_bars(
            f"{key}resident",
            20,
            y,
            Text("resident after pass …", "第几步之后驻留"),
            names,
            step.resident,
            [*map(size, step.resident)],
        ),
        *_bars(
            f"{key}read",
            350,
            y,
            Text("old K and V read back in pass …", "第几步读回旧的 K、V"),
            names,
            step.read,
            [*map(size, step.read)],
        ),
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
