"""The ladder: a line a rung with its factor and the product so far; then the total, and what one more token adds."""

from __future__ import annotations

from engine.kv_size import HeadCounts, Multiply, OnDevice, OneMore, Rung, RungName, Scenario, Step, Units
from lessons.kit.format import gb, gib, in_bytes
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell, Label, Line, Shape
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.naming import name_of, number, product, short_size, unit
from lessons.kv_bytes.scene.layout import CELL_H, GAP, TITLE_Y, Layout, reached


def names(lay: Layout, s: Scenario, step: Step) -> list[Shape]:
    """What stands at the left of the rungs, and above the columns."""
    at, n = reached(step), lay.rungs
    shapes: list[Shape] = []
    for i, rung in enumerate(step.ladder):
        tone = " strong" if i == at else " muted" if i > at else ""
        shapes.append(Label(f"name.{i}", 20, lay.y(i) + 26, name_of(s, rung.name), f"body start{tone}"))
    if at == n:
        tone = " strong" if isinstance(step, Units) else ""
        shapes += [
            Line("rule", 20, lay.y(n) - 8, lay.product_x(lay.ways[-1]) + lay.product_w - 20),
            Label("name.units", 20, lay.y(n) + 26, Text("in all", "合计"), f"body start{tone}"),
        ]
        if not isinstance(step, Units):
            tone = " strong" if isinstance(step, OneMore) else ""
            word = Text("+ 1 token", "+ 1 个 token")
            shapes.append(Label("name.more", 20, lay.y(n + 1) + 26, word, f"body start{tone}"))
    if lay.compare:
        right, wrong = lay.ways
        return [
            *shapes,
            Label("way.0", right, TITLE_Y, Text("Right way", "正确做法"), "body strong start"),
            Label("way.1", wrong, TITLE_Y, Text("Wrong way", "错误做法"), "body strong start bad"),
        ]
    [x] = lay.ways
    so_far = Text("Product so far", "到目前为止的乘积")
    return [
        *shapes,
        Label("head.factor", x, TITLE_Y, Text("Factor", "因子"), "body strong start"),
        Label("head.product", lay.product_x(x), TITLE_Y, so_far, "body strong start"),
    ]


def way(lay: Layout, s: Scenario, step: Step, x: float, key: str) -> list[Shape]:
    """Factors and products of one way, its left edge at x; then the total in both units, and one more token."""
    at = reached(step)
    shapes: list[Shape] = []
    for i, rung in enumerate(step.ladder):
        shapes += _rung(lay, s, rung, i, x, key, ahead=i > at, new=i == at)
    match step:
        case Multiply():
            return shapes
        case Units():
            return shapes + _total(lay, step.total, x, key, (Role.NEW,))
        case OneMore():
            return shapes + _total(lay, step.total, x, key, ()) + _more(lay, step, x, key, (Role.NEW,))
        case HeadCounts() | OnDevice():
            return shapes + _total(lay, step.total, x, key, ()) + _more(lay, step.more, x, key, ())


def _rung(lay: Layout, s: Scenario, rung: Rung, i: int, x: float, key: str, *, ahead: bool, new: bool) -> list[Shape]:
    y, px = lay.y(i), lay.product_x(x)
    roles = (Role.AHEAD,) if ahead else (Role.NEW,) if new else ()
    shapes: list[Shape] = []
    if i:
        sign = "+" if rung.name is RungName.SCALES else "×"
        shapes.append(Label(f"{key}sign.{i}", x - 11, y + 26, sign, f"body middle{' muted' if ahead else ''}"))
    # One cell a part of the factor; parts that differ say which they are.
    w = (lay.factor_w - GAP * (len(rung.parts) - 1)) / len(rung.parts)
    for j, (part, small) in enumerate(zip(rung.parts, _parts(s, rung), strict=True)):
        value = None if ahead else float(part)
        shapes.append(
            Cell(
                f"{key}factor.{i}.{j}",
                x + j * (w + GAP),
                y,
                number(part),
                w,
                CELL_H,
                small=small,
                value=value,
                roles=roles,
            )
        )
    if ahead:
        return [*shapes, Cell(f"{key}product.{i}", px, y, "", lay.product_w, CELL_H, roles=roles)]
    return [
        *shapes,
        Label(f"{key}is.{i}", px - 15, y + 26, "=", "body middle"),
        Cell(
            f"{key}product.{i}",
            px,
            y,
            product(rung),
            lay.product_w,
            CELL_H,
            small=unit(s, rung),
            value=float(rung.product),
            roles=(*_tint(s, rung), *roles),
        ),
    ]


def _parts(s: Scenario, rung: Rung) -> tuple[Text | str, ...]:
    """What each part of a factor is, where that is not plain."""
    match rung.name, rung.parts:
        case RungName.LAYERS | RungName.TOKENS, (_, _):
            return Text("local", "局部"), Text("full", "全部")
        case RungName.WIDTH | RungName.ITEMSIZE, (_, _):
            return Text("latent", "潜在"), Text("rotated", "旋转")
        case RungName.SCALES, _:
            return Text("a vector", "每向量"), Text("bytes", "字节")
        case RungName.HEADS, (1,) if s.model.is_mla:
            return (Text("for all heads", "供所有头"),)
        case RungName.K_AND_V, (1,) if s.model.is_mla:
            return (Text("serves both", "两者共用"),)
        case RungName.TOKENS, (tokens,) if s.model.n_local and tokens == s.model.window:
            return (Text("the window", "窗口"),)
        case _, parts:
            return ("",) * len(parts)


def _tint(s: Scenario, rung: Rung) -> tuple[Role, ...]:
    """K alone is blue until V comes in."""
    match rung.name:
        case RungName.HEADS | RungName.WIDTH | RungName.ITEMSIZE | RungName.SCALES:
            return (Role.LATENT if s.model.is_mla else Role.K,)
        case _:
            return ()


def _total(lay: Layout, total: int, x: float, key: str, roles: tuple[Role, ...]) -> list[Shape]:
    """GiB and GB of the total as it is taken: the value compared is the bytes."""
    y, px, value = lay.y(lay.rungs), lay.product_x(x), float(total)
    return [
        Cell(f"{key}gib", x, y, gib(total), lay.factor_w, CELL_H, small="÷ 2³⁰", value=value, roles=roles),
        Cell(f"{key}gb", px, y, gb(total), lay.product_w, CELL_H, small="÷ 10⁹", value=value, roles=roles),
    ]


def _more(lay: Layout, more: OneMore, x: float, key: str, roles: tuple[Role, ...]) -> list[Shape]:
    """What one more token adds, in how many layers."""
    y, px, value = lay.y(lay.rungs + 1), lay.product_x(x), float(more.added)
    short, full = f"+ {short_size(more.added)}", f"+ {in_bytes(more.added)}"
    growing = Told("in {growing:layer}", "在 {growing} 层中").on(more)
    return [
        Cell(f"{key}more", x, y, short, lay.factor_w, CELL_H, small=growing, value=value, roles=roles),
        Cell(f"{key}more.bytes", px, y, full, lay.product_w, CELL_H, value=value, roles=roles),
    ]
