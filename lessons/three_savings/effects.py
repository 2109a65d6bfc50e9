"""What a switch does in a ledger, in a few words: its saving, a consequence, a price, or nothing."""

from __future__ import annotations

from engine.three_savings import Outcome
from lessons.kit.roles import Role
from lessons.kit.text import Text
from lessons.three_savings.ways import OWN, amount

CELLS = {"work": Role.PAIRS, "moved": Role.VECTORS, "resident": Role.KEPT}


def effect(name: str, ledger: str, before: Outcome, now: Outcome) -> Text:
    """Why the ledger went as it did when the switch `name` was turned on."""
    a, b = amount(before, ledger), amount(now, ledger)
    if a == b:
        return Text("not touched", "不受影响")
    if OWN[name] == ledger:
        if b < a:
            return Text("its own saving", "它自己的节约")
        return Text("no saving on these sizes", "这组大小下没有节约")
    if (name, ledger) == ("cache", "moved"):
        return Text("follows: less is attended", "连带：注意力少算了")
    if (name, ledger) == ("tiles", "resident"):
        return Text("follows: no tables", "连带：没有分数表")
    if b > a:
        return Text("its price", "它的代价")
    return Text("follows: smaller tables", "连带：表变小了")
