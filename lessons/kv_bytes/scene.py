"""The picture of one step: the ladder of factors on the left, the wrong way's beside it, what the number means on the
right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.kv_ladder import Mistake
from engine.kv_size import HeadCounts, Ladder, Multiply, OnDevice, OneMore, RungName, Scenario, Step, Units
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Cell, Label, Line, Shape
from lessons.kit.text import Text
from lessons.kv_bytes.panels import panel
from lessons.kv_bytes.quantities import bytes_, gb, gib
from lessons.kv_bytes.rungs import factor, in_bytes, name_of, product, short_size, unit
from lessons.kv_bytes.words import headline

TOP, PITCH, CELL_H, GAP = 46.0, 46.0, 41.0, 6.0


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone, so nothing jumps between steps."""

    rungs: int
    compare: bool

    width = 1130.0

    @cached_property
    def height(self) -> float:
        return TOP + (self.rungs + 2) * PITCH + 16

    @cached_property
    def factor_w(self) -> float:
        return 126.0 if self.compare else 150.0

    @cached_property
    def product_w(self) -> float:
        return 170.0 if self.compare else 190.0

    @cached_property
    def ways(self) -> tuple[float, ...]:
        """Left edges of the factors, right way first."""
        return (142.0, 498.0) if self.compare else (146.0,)

    @cached_property
    def panel_at(self) -> tuple[float, float]:
        """Left edge and width of the panel on the right."""
        return (868.0, 246.0) if self.compare else (600.0, 506.0)

    def y(self, i: int) -> float:
        """Top of rung i; the total and one more token stand a little apart."""
        return TOP + i * PITCH + (10 if i >= self.rungs else 0)


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout(len(step.ladder), scenario.mistake is not Mistake.NONE)
    shapes: list[Shape] = [*_names(lay, scenario, step)]
    right = _way(lay, scenario, step, lay.ways[0], "")
    shapes += right
    if wrong is not None:
        shapes += marked(_way(lay, scenario, wrong, lay.ways[1], "wrong."), right, prefix="wrong.")
    shapes += panel(scenario, step, wrong, *lay.panel_at, lay.height)
    return Scene(lay.width, lay.height, _label(scenario, step), tuple(shapes))


def _names(lay: Layout, scenario: Scenario, step: Step) -> list[Shape]:
    at = step.at if isinstance(step, Multiply) else len(step.ladder)
    x, w = lay.ways[0], lay.factor_w
    shapes: list[Shape] = []
    for i, rung in enumerate(step.ladder):
        tone = " strong" if i == at else " muted" if i > at else ""
        shapes.append(Label(f"name.{i}", 20, lay.y(i) + 26, name_of(scenario, rung.name), f"body start{tone}"))
    if at == len(step.ladder):
        n = len(step.ladder)
        shapes += [
            Line("rule", 20, lay.y(n) - 8, lay.ways[-1] + w + 30 + lay.product_w - 20),
            Label(
                "name.units",
                20,
                lay.y(n) + 26,
                Text("in all", "合计"),
                f"body start{' strong' if isinstance(step, Units) else ''}",
            ),
        ]
        if not isinstance(step, Units):
            tone = " strong" if isinstance(step, OneMore) else ""
            shapes.append(
                Label("name.more", 20, lay.y(n + 1) + 26, Text("+ 1 token", "+ 1 个 token"), f"body start{tone}")
            )
    heads = [(Text("right way", "正确做法"), ""), (Text("wrong way", "错误做法"), " bad")] if lay.compare else []
    for i, (word, tone) in enumerate(heads):
        shapes.append(Label(f"way.{i}", lay.ways[i], 28, _capital(word), f"body strong start{tone}"))
    if not lay.compare:
        shapes += [
            Label("head.factor", x, 28, Text("Factor", "因子"), "body strong start"),
            Label("head.product", x + w + 30, 28, Text("Product so far", "到目前为止的乘积"), "body strong start"),
        ]
    return shapes


def _way(lay: Layout, scenario: Scenario, step: Step, x: float, key: str) -> list[Shape]:
    """Factors and products of one way; then the total in both units, and what one more token adds."""
    ladder = step.ladder
    at = step.at if isinstance(step, Multiply) else len(ladder)
    x_product = x + lay.factor_w + 30
    shapes: list[Shape] = []
    for i, rung in enumerate(ladder):
        y, new = lay.y(i), (Role.NEW,) if i == at else ()
        ahead = i > at
        sign = "+" if rung.name is RungName.SCALES else "×" if i else ""
        if sign:
            shapes.append(Label(f"{key}sign.{i}", x - 11, y + 26, sign, f"body middle{' muted' if ahead else ''}"))
        shapes += _factor_cells(lay, scenario, ladder, i, x, y, f"{key}factor.{i}", new, ahead=ahead)
        if ahead:
            shapes.append(Cell(f"{key}product.{i}", x_product, y, "", lay.product_w, CELL_H, roles=(Role.AHEAD,)))
            continue
        shapes.append(Label(f"{key}is.{i}", x_product - 15, y + 26, "=", "body middle"))
        tint = _tint(scenario, rung.name)
        shapes.append(
            Cell(
                f"{key}product.{i}",
                x_product,
                y,
                product(rung),
                lay.product_w,
                CELL_H,
                small=unit(scenario, rung),
                value=float(rung.product),
                roles=(*tint, *new),
            )
        )
    if at < len(ladder):
        return shapes
    n, total = len(ladder), step.total if not isinstance(step, Multiply) else 0
    new = (Role.NEW,) if isinstance(step, Units) else ()
    y = lay.y(n)
    # GiB and GB of the total as it is taken: the value compared is the bytes.
    shapes += [
        Cell(f"{key}gib", x, y, gib(total), lay.factor_w, CELL_H, small="÷ 2³⁰", value=float(total), roles=new),
        Cell(f"{key}gb", x_product, y, gb(total), lay.product_w, CELL_H, small="÷ 10⁹", value=float(total), roles=new),
    ]
    more = step if isinstance(step, OneMore) else step.more if isinstance(step, HeadCounts | OnDevice) else None
    if more is not None:
        y, new = lay.y(n + 1), (Role.NEW,) if more is step else ()
        growing = Text(f"in {more.growing} layer{'s' * (more.growing != 1)}", f"在 {more.growing} 层中")
        shapes += [
            Cell(
                f"{key}more",
                x,
                y,
                f"+ {short_size(more.added)}",
                lay.factor_w,
                CELL_H,
                small=growing,
                value=float(more.added),
                roles=new,
            ),
            Cell(
                f"{key}more.bytes",
                x_product,
                y,
                f"+ {bytes_(more.added)}",
                lay.product_w,
                CELL_H,
                value=float(more.added),
                roles=new,
            ),
        ]
    return shapes


def _factor_cells(
    lay: Layout,
    scenario: Scenario,
    ladder: Ladder,
    i: int,
    x: float,
    y: float,
    key: str,
    roles: tuple[Role, ...],
    *,
    ahead: bool,
) -> list[Cell]:
    """One cell a part of the factor; parts that differ (kinds of layers, latent and rotated) say which they are."""
    rung = ladder[i]
    parts = rung.parts
    w = (lay.factor_w - GAP * (len(parts) - 1)) / len(parts)
    texts = factor(rung).replace(" × ", " + ").split(" + ")
    smalls = _smalls(scenario, ladder, i)
    return [
        Cell(
            f"{key}.{j}",
            x + j * (w + GAP),
            y,
            texts[j],
            w,
            CELL_H,
            small=smalls[j],
            value=None if ahead else float(part),
            roles=(Role.AHEAD,) if ahead else roles,
        )
        for j, part in enumerate(parts)
    ]


def _smalls(scenario: Scenario, ladder: Ladder, i: int) -> list[Text | str]:
    rung, mla = ladder[i], scenario.model.is_mla
    two = len(rung.parts) == 2
    match rung.name:
        case RungName.LAYERS | RungName.TOKENS if two:
            return [Text("local", "局部"), Text("full", "全部")]
        case RungName.WIDTH if two:
            return [Text("latent", "潜在"), Text("rotated", "旋转")]
        case RungName.ITEMSIZE if two:
            return [Text("latent", "潜在"), Text("rotated", "旋转")]
        case RungName.SCALES:
            return [Text("a vector", "每向量"), Text("bytes", "字节")]
        case RungName.HEADS if mla and rung.parts == (1,):
            return [Text("for all heads", "供所有头")]
        case RungName.K_AND_V if mla and rung.parts == (1,):
            return [Text("serves both", "两者共用")]
        case RungName.TOKENS if scenario.model.n_local and rung.parts[0] == scenario.model.window:
            return [Text("the window", "窗口")]
        case _:
            return [""] * len(rung.parts)


def _tint(scenario: Scenario, name: RungName) -> tuple[Role, ...]:
    """K alone is blue until V comes in."""
    if name in (RungName.HEADS, RungName.WIDTH) or (in_bytes(name) and name is not RungName.K_AND_V):
        return (Role.LATENT if scenario.model.is_mla else Role.K,)
    return ()


def _capital(text: Text) -> Text:
    return Text(text.en[:1].upper() + text.en[1:], text.zh)


def _label(scenario: Scenario, step: Step) -> Text:
    """What the picture shows, for those who cannot see it."""
    done = step.ladder[: step.at + 1] if isinstance(step, Multiply) else step.ladder
    said = [(name_of(scenario, rung.name), factor(rung)) for rung in done]
    last = done[-1]
    return Text(
        f"Ladder of factors: {', '.join(f'{name.en} {n}' for name, n in said)}; product {product(last)}. "
        f"{headline(scenario, step, markdown=False).en}",
        f"因子阶梯：{'，'.join(f'{name.zh} {n}' for name, n in said)}；乘积 {product(last)}。"
        f"{headline(scenario, step, markdown=False).zh}",
    )
