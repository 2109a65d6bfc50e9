"""The picture of one step: two triangles of query·key pairs side by side, each with its two counters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.counts import Work
from engine.decode_cost import Mistake, Passes, Same, Scenario, Side, Start, Step
from engine.generation import MOST_RUN
from lessons.decode_cost.steps import trace
from lessons.decode_cost.summary import SUMMARY_H, summary
from lessons.decode_cost.words import headline
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Cell, Label, Shape
from lessons.kit.text import Text, same

WIDTH = 1130.0
RIGHT, WRONG = Text("Right way", "正确做法"), Text("Wrong way", "错误做法")
PLAIN, CACHED = Text("Without a cache", "没有缓存"), Text("With a cache", "有缓存")
MOST_TOKENS = 16
LEFT = 20.0, 588.0  # of the two decoders
BOTH = (Mistake.ROWS_AS_PAIRS, Mistake.FULL_SQUARE)  # the other mistakes concern one of the decoders


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone, so nothing jumps between steps."""

    n_cells: int
    grain: int
    compare: bool
    runs_wrong: bool  # the mistake is one of caching, not of counting
    two_strips: bool

    @classmethod
    def of(cls, scenario: Scenario) -> Layout:
        compare = scenario.mistake is not Mistake.NONE
        n_cells = -(-scenario.n_positions // scenario.grain)
        runs_wrong = scenario.mistake is Mistake.NO_APPEND
        two = runs_wrong and scenario.n_prompt + scenario.n_new <= MOST_TOKENS
        return cls(n_cells, scenario.grain, compare, runs_wrong, two)

    @cached_property
    def pitch_x(self) -> float:
        return min(44.0 if self.grain == 1 else 56.0, 288.0 / self.n_cells)

    @cached_property
    def row_w(self) -> float:
        return 42.0 if self.grain == 1 else 52.0

    @cached_property
    def pitch_y(self) -> float:
        return min(28.0 if self.compare else 40.0, 250.0 / self.n_cells)

    @cached_property
    def strip_h(self) -> float:
        return 112.0 if self.two_strips else 66.0

    @cached_property
    def panel_h(self) -> float:
        return max(100 + self.n_cells * self.pitch_y, SUMMARY_H)

    @cached_property
    def height(self) -> float:
        return self.strip_h + self.panel_h * (2 if self.compare else 1) + 8


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout.of(scenario)
    shapes = _strip(lay, scenario, step, wrong)
    right = _panel(lay, scenario, step, lay.strip_h, "")
    shapes += right
    if wrong is not None:
        shapes += marked(
            _panel(lay, scenario, wrong, lay.strip_h + lay.panel_h, "wrong."), [*shapes, *right], prefix="wrong."
        )
    return Scene(WIDTH, lay.height, headline(scenario, step, markdown=False), tuple(shapes))


# --- the tokens


def _strip(lay: Layout, scenario: Scenario, step: Step, wrong: Step | None) -> list[Shape]:
    """Prompt and new tokens from left to right; those of a decoder that forgets to append below them."""
    if scenario.n_prompt + scenario.n_new > MOST_TOKENS:
        return [Label("tokens.title", 20, 40, _in_words(scenario, step), "body start")]
    shapes: list[Shape] = [Label("tokens.title", 20, 44, Text("Tokens", "token"), "body strong start")]
    shapes += _tokens(scenario, step, "token", 22, positions=True)
    if lay.two_strips and wrong is not None:
        shapes.append(Label("wrong.tokens.title", 20, 94, WRONG, "body strong bad start"))
        shapes += marked(_tokens(scenario, wrong, "wrong.token", 72, positions=False), shapes, prefix="wrong.")
    return shapes


def _tokens(scenario: Scenario, step: Step, key: str, y: float, *, positions: bool) -> list[Shape]:
    p, n = scenario.n_prompt, scenario.n_prompt + scenario.n_new
    chosen = chosen_so_far(scenario, step)
    fresh = len(chosen) - (step.last - step.first + 1) if isinstance(step, Passes) else len(chosen)
    pitch = min(64.0, 984.0 / n)
    shapes: list[Shape] = []
    for i in range(n):
        x = 136 + i * pitch
        token = scenario.prompt[i] if i < p else chosen[i - p] if i - p < len(chosen) else None
        roles = (Role.PENDING,) if token is None else (Role.NEW,) if i >= p and i - p >= fresh else ()
        shapes.append(
            Cell(f"{key}.{i}", x, y, "" if token is None else str(token), pitch - 8, 34, value=token, roles=roles)
        )
        if positions:
            shapes.append(Label(f"{key}.{i}.at", x + (pitch - 8) / 2, y - 8, str(i), "small muted middle"))
    return shapes


def chosen_so_far(scenario: Scenario, step: Step) -> tuple[int, ...]:
    """The new tokens that the cached decoder of this way has chosen when the step is done."""
    match step:
        case Start():
            return ()
        case Passes(tokens=tokens) | Same(tokens=tokens):
            return tokens or ()
        case _:
            return next((s.tokens for s in trace(scenario) if isinstance(s, Same)), ())


def _in_words(scenario: Scenario, step: Step) -> Text:
    p, m = count(scenario.n_prompt), count(scenario.n_new)
    said = Text(
        f"{p} prompt token{'s' * (scenario.n_prompt > 1)}, {m} new. Pairs lie in cells of {scenario.grain} × "
        f"{scenario.grain} positions.",
        f"{p} 个提示 token，{m} 个新 token。图中每格是 {scenario.grain} × {scenario.grain} 个位置的配对。",
    )
    if not scenario.is_run:
        return said + Text(
            f" Above {MOST_RUN} positions every pass is counted without running the model.",
            f"超过 {MOST_RUN} 个位置时逐步计数，不运行模型。",
        )
    return said


# --- one way: both decoders


def _panel(lay: Layout, scenario: Scenario, step: Step, y: float, key: str) -> list[Shape]:
    way = (WRONG if key else RIGHT) if lay.compare else None
    match step:
        case Start():
            empty = tuple((0,) * lay.n_cells for _ in range(lay.n_cells))
            none = Side(Work(), Work(), empty[0], empty[0], empty, empty, 0)
            sides = none, none
        case Passes(plain=plain, cached=cached):
            sides = plain, cached
        case _:
            return summary(scenario, step, way, y, key, (lay.panel_h - SUMMARY_H) / 3)
    shapes: list[Shape] = []
    if not key or scenario.mistake in BOTH or scenario.mistake is Mistake.NEWEST_QUERY:
        shapes += _side(lay, sides[0], sides[1].rows, LEFT[0], y, f"{key}p.", way, PLAIN)
    if not key or scenario.mistake is not Mistake.NEWEST_QUERY:
        shapes += _side(lay, sides[1], None, LEFT[1], y, f"{key}c.", way, CACHED)
    return shapes


def _side(
    lay: Layout, side: Side, once: tuple[int, ...] | None, x: float, y: float, key: str, way: Text | None, name: Text
) -> list[Shape]:
    """One decoder: its K and V above the columns, its query rows left of the lines, its pairs, its counters.

    `once`: how many positions of each cell have been run so far, for the decoder that may run them again.
    """
    again = [
        once is not None and (a > 0 or b > c)
        for a, b, c in zip(side.rows_before, side.rows, once or side.rows, strict=True)
    ]
    title = name if way is None else way + same(" · ") + name
    left, top = x + 94, y + 92
    w, h = lay.pitch_x - 3, lay.pitch_y - 3
    shapes: list[Shape] = [
        Label(f"{key}title", x, y + 24, title, "body strong start" + (" bad" if way is WRONG else "")),
    ]
    for j in range(lay.n_cells):
        at = str(j * lay.grain)
        shapes += [
            Label(f"{key}at.{j}", left + j * lay.pitch_x + w / 2, y + 46, at, "small muted middle"),
            Label(f"{key}query.{j}", x + 28, top + j * lay.pitch_y + h / 2 + 5, at, "small muted end"),
        ]
    if way is not WRONG or lay.runs_wrong:  # who only counts wrongly runs the same rows
        shapes += _rows(lay, side, again, x, y, key, cached=once is None)
    for i in range(lay.n_cells):
        for j in range(lay.n_cells):
            before, after = side.table_before[i][j], side.table[i][j]
            above = j > i
            if above and after == 0:
                continue
            roles = (*_roles(before, after, again[i]), *((Role.WRONG,) if above else ()))
            text = "0" if after == 0 and way is WRONG and side.rows[i] else brief(after)
            shapes.append(
                Cell(
                    f"{key}{i}.{j}", left + j * lay.pitch_x, top + i * lay.pitch_y, text, w, h, value=after, roles=roles
                )
            )
    shapes += _counter(
        f"{key}count.rows", x + 384, y + 56, Text("query rows", "查询行"), side.before.rows, side.after.rows
    )
    shapes += _counter(
        f"{key}count.pairs",
        x + 384,
        y + 152,
        Text("query·key pairs", "查询·键配对"),
        side.before.pairs,
        side.after.pairs,
    )
    return shapes


def _rows(lay: Layout, side: Side, again: list[bool], x: float, y: float, key: str, *, cached: bool) -> list[Shape]:
    """Query rows at the left; above the columns K and V, which the same rows compute unless they are read back."""
    w, h = lay.pitch_x - 3, lay.pitch_y - 3
    shapes: list[Shape] = [
        Label(f"{key}kv", x, y + 75, "K, V", "small muted start"),
        Label(f"{key}rows", x + 86 - lay.row_w / 2, y + 86, Text("rows", "行"), "small muted middle"),
    ]
    for j, (before, after) in enumerate(zip(side.rows_before, side.rows, strict=True)):
        roles = _roles(before, after, again[j])
        read_back = cached and after == before and side.n_old > j * lay.grain
        kv = (Role.REUSED,) if read_back else roles
        shapes += [
            Cell(f"{key}kv.{j}", x + 94 + j * lay.pitch_x, y + 58, "", w, 24, roles=kv),
            Cell(
                f"{key}row.{j}",
                x + 86 - lay.row_w,
                y + 92 + j * lay.pitch_y,
                brief(after),
                lay.row_w,
                h,
                value=after,
                roles=roles,
            ),
        ]
    return shapes


def _roles(before: int, after: int, again: bool) -> tuple[Role, ...]:
    if after == 0:
        return (Role.PENDING,)
    if after == before:
        return (Role.DONE,)
    return (Role.AGAIN,) if again else (Role.NOW,)


def _counter(key: str, x: float, y: float, name: Text, before: int, after: int) -> list[Shape]:
    """A number with its unit above it, and what it was and by how much it grew under it."""
    grew = f"= {count(before)} + {count(after - before)}" if after else ""
    return [
        Label(f"{key}.name", x, y + 2, name, "body strong start"),
        Cell(key, x, y + 10, count(after), 140, 40, value=after, roles=(Role.NEW,) if after != before else ()),
        Label(f"{key}.grew", x, y + 68, grew, "small muted start"),
    ]


def brief(n: int) -> str:
    """A count for a small cell: exact up to a million, and beyond it where three figures say it; otherwise marked as
    rounded.

    >>> brief(0), brief(40_000), brief(6_250_000), brief(6_281_250)
    ('', '40\\u202f000', '6.25M', '≈6.28M')
    """
    if n < 10**6:
        return count(n) if n else ""
    written = f"{n / 10**6:.3g}"
    return f"{'≈' * (float(written) * 10**6 != n)}{written}M"
