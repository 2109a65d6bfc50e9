"""The picture of one step: what one piece for each request reserves; the tokens in order, the table below them, the
pool of blocks, and what is worked out."""

from __future__ import annotations

from engine.paged_output import Reserved, Saved, Scenario, Step
from lessons.block_table.scene.foot import foot
from lessons.block_table.scene.layout import WIDTH, Layout
from lessons.block_table.scene.pieces import reserved, saved
from lessons.block_table.scene.pool import arrow, pool
from lessons.block_table.scene.request import held, request
from lessons.kit.scene import Scene
from lessons.kit.text import Text


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each slot of the wrong way that differs hatched."""
    lay = Layout(scenario)
    match step:
        case Reserved():
            shapes = reserved(lay, step)
        case Saved():
            shapes = saved(lay, step)
        case _:
            shapes = [*request(lay, step), *pool(lay, step, wrong), *arrow(lay, step)]
    return Scene(WIDTH, lay.height, _label(step), (*shapes, *foot(lay, step, wrong)))


def _label(step: Step) -> Text:
    """What the picture shows, for those who cannot see it."""
    match step:
        case Reserved():
            return Text(
                "The slots that one piece of memory for each request reserves, used and empty. ",
                "每个请求一整段内存所预留的槽位，已用的和空着的。",
            )
        case Saved():
            return Text(
                "The slots that both requests hold in one piece each, and in blocks. ",
                "两个请求各用一整段时占的槽位，和分块时占的槽位。",
            )
    table = held(step)
    tokens = table.length if table else 0
    blocks = ", ".join(map(str, table.blocks)) if table else "–"
    return Text(
        f"Request A (tokens: {tokens}), its block table ({blocks}) and the pool of blocks. ",
        f"请求 A（token 数：{tokens}）、它的块表（{blocks}）和内存块池。",
    )
