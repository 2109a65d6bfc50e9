"""What the chosen wrong way does in a step, or why it cannot be seen on these inputs."""

from __future__ import annotations

from engine.paged import Mistake, last_block_fill
from engine.paged_lookup import FIRST, Appended, LookUp, Read
from engine.paged_output import Attended, Scenario, Step
from lessons.block_table.mistakes import MISTAKES, in_range
from lessons.block_table.steps import trace
from lessons.kit.format import fixed, vector
from lessons.kit.text import Text

ROUNDING = 1e-9


def wrong_way(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """One paragraph beside the right way's."""
    lead = Text(
        f"**✗ Wrong way** ({MISTAKES[scenario.mistake].en}): ", f"**✗ 错误做法**（{MISTAKES[scenario.mistake].zh}）："
    )
    match step, wrong:
        case LookUp(), LookUp() if step.slot != wrong.slot:
            return lead + Text(
                f"it never looks at the table and takes logical block {wrong.logical} for physical block "
                f"{wrong.logical}: slot {wrong.slot}.",
                f"它根本不看块表，把逻辑块 {wrong.logical} 当成物理块 {wrong.logical}：槽位 {wrong.slot}。",
            )
        case Read(), Read() if step.slot != wrong.slot:
            return lead + _misread(scenario, wrong)
        case Appended(), Appended() if step.slots != wrong.slots:
            return lead + _overwrote(scenario, wrong)
        case Attended(), Attended():
            return lead + _spoilt(scenario, step, wrong)
    return lead + Text("no difference here.", "这一步没有差别。")


def _misread(scenario: Scenario, wrong: Read) -> Text:
    block = (wrong.slot or 0) // scenario.block_size
    if wrong.found is not None:
        return Text(
            f"slot {wrong.slot} holds another token, position {wrong.found[1:]}. Its numbers look as good as any.",
            f"槽位 {wrong.slot} 里是另一个 token，位置 {wrong.found[1:]}。那些数看上去同样正常。",
        )
    if block in scenario.hand_out:
        return Text(
            f"slot {wrong.slot} is in block {block}, where A has written nothing: it gets what an earlier request "
            "left there.",
            f"槽位 {wrong.slot} 在块 {block} 里，A 没有往那里写过：读到的是以前的请求留下的数。",
        )
    return Text(
        f"slot {wrong.slot} is in block {block}, which belongs to somebody else: A reads a stranger’s K and V.",
        f"槽位 {wrong.slot} 在块 {block} 里，那是别人的块：A 读到了陌生请求的 K 和 V。",
    )


def _overwrote(scenario: Scenario, wrong: Appended) -> Text:
    size, n = scenario.block_size, wrong.position
    fill = last_block_fill(n, size, Mistake.FILL_MODULO)
    if wrong.overwritten:
        lost = in_range(int(wrong.overwritten[0][1:]), len(wrong.overwritten))
        return Text(
            f"${n} \\bmod {size} = {fill}$, so the full last block looks empty. No block is taken; the K and V of "
            f"position {lost.en} are "
            "overwritten and gone.",
            f"${n} \\bmod {size} = {fill}$，满的末块看上去像空的。它没有占新块；位置 {lost.zh} 的 K 和 V 被覆盖，再也"
            "找不回来。",
        )
    return Text(
        f"it has one block less than it needs and writes to slot {wrong.slots[0]}.",
        f"它比实际需要少一个块，写到了槽位 {wrong.slots[0]}。",
    )


def differs(wrong: Attended) -> bool:
    """Whether the output is off by more than rounding."""
    return wrong.error > ROUNDING


def _spoilt(scenario: Scenario, step: Attended, wrong: Attended) -> Text:
    table, size = wrong.memory.table(FIRST), scenario.block_size
    match scenario.mistake:
        case Mistake.LOGICAL_AS_PHYSICAL:
            done = Text(
                f"it reads slots {wrong.slots[0]} to {wrong.slots[-1]} in a row, whoever owns them. ",
                f"它把槽位 {wrong.slots[0]} 到 {wrong.slots[-1]} 挨个读下来，不管属于谁。",
            )
        case Mistake.FILL_MODULO:
            before = (len(table.blocks) - 1) * size
            rest = last_block_fill(table.length, size, Mistake.FILL_MODULO)
            done = Text(
                f"it counts ${before} + {table.length} \\bmod {size} = {before + rest}$ rows. ",
                f"它数出 ${before} + {table.length} \\bmod {size} = {before + rest}$ 行。",
            )
        case _:
            done = Text(
                "its loop starts at position −1, one too early. A checked lookup refuses that; table[−1] is the "
                f"last entry, {table.blocks[-1]}, so slot "
                f"{wrong.slots[0]} is read first. ",
                f"它的循环从位置 −1 开始，早了一个。有检查的查表会拒绝；而 table[−1] 是最后一项 {table.blocks[-1]}，"
                "于是先读了槽位 "
                f"{wrong.slots[0]}。",
            )
    if differs(wrong):
        return done + Text(
            f"Output ({vector(wrong.output)}), off by {fixed(wrong.error)}. Nothing warned.",
            f"输出（{vector(wrong.output)}），偏差 {fixed(wrong.error)}。没有任何报错。",
        )
    if seen_anywhere(scenario):
        return done + Text("The output is not spoilt at this step.", "这一步的输出没有受影响。")
    return (
        done
        + Text("**Invisible on these inputs**, because ", "**在这组输入上看不出来**，因为")
        + why_invisible(scenario)
    )


def seen_anywhere(scenario: Scenario) -> bool:
    """Whether the mistake spoils an output at some step."""
    return any(differs(step) for step in trace(scenario) if isinstance(step, Attended))


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference to any output here."""
    match scenario.mistake:
        case Mistake.LOGICAL_AS_PHYSICAL:
            return Text(
                "each logical block happens to lie in the physical block of the same number. Shuffle the table.",
                "每个逻辑块恰好放在同号的物理块里。把块表打乱试试。",
            )
        case Mistake.FILL_MODULO:
            return Text(
                "the last block is never exactly full when it is counted or written to. Try a length that "
                f"{scenario.block_size} divides.",
                f"数末块或写末块时，它从来没有恰好装满。换一个能被 {scenario.block_size} 整除的长度。",
            )
        case _:
            return Text(
                "what the extra slot holds weighs too little to be seen.",
                "多读的那个槽位权重太小，看不出来。",
            )
