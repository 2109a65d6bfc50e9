"""How this lesson writes its things: switches, ledgers, ways, and how a ledger went."""

from __future__ import annotations

from engine.three_ledgers import ALL_OFF, ALL_ON, Ledger, Ledgers, Switch, Switches
from engine.three_savings import Outcome
from lessons.kit.format import fixed
from lessons.kit.text import Text, same
from lessons.kit.told import Told

NAMES: dict[Switch, Text] = {
    "cache": Text("KV cache", "KV 缓存"),
    "tiles": Text("Tiles", "分块"),
    "paging": Text("Paging", "分页"),
}
SHORT: dict[Switch, Text] = {
    "cache": Text("cache", "缓存"),
    "tiles": Text("tiles", "分块"),
    "paging": Text("paging", "分页"),
}
ON, OFF = Text("on", "开"), Text("off", "关")
LEDGERS: dict[Ledger, Text] = {
    "work": Text("Work", "计算"),
    "moved": Text("Bytes moved", "搬运字节"),
    "resident": Text("Bytes resident", "驻留字节"),
}
OWN: dict[Switch, Ledger] = {"cache": "work", "tiles": "moved", "paging": "resident"}


def named(switches: Switches) -> Text:
    """A way by what is on in it."""
    if switches == ALL_OFF:
        return Text("all off", "全关")
    if switches == ALL_ON:
        return Text("all on", "全开")
    on = [words for name, words in SHORT.items() if switches.has(name)]
    return Text(" + ".join(t.en for t in on), " + ".join(t.zh for t in on))


def ratio(ledger: Ledger, before: Outcome, now: Outcome) -> Text:
    """`÷ 3.76`, `× 1.99`, or the same."""
    a, b = before.ledgers.amount(ledger), now.ledgers.amount(ledger)
    if a == b:
        return Text("same", "不变")
    return same(f"÷ {fixed(a / b, 2)}" if b < a else f"× {fixed(b / a, 2)}")


def turned(ledger: Ledger, before: Outcome, now: Outcome) -> Text:
    """How it went, in a sentence."""
    a, b = before.ledgers.amount(ledger), now.ledgers.amount(ledger)
    if a == b:
        said = Told("stays {b}", "仍是 {b}")
    elif b < a:
        said = Told("falls from {a} to {b}", "从 {a} 降到 {b}")
    else:
        said = Told("rises from {a} to {b}", "从 {a} 升到 {b}")
    return said.on(a=a, b=b)


def effect(name: Switch, ledger: Ledger, before: Ledgers, now: Ledgers) -> Text:
    """Why it went so when that switch was turned on: its saving, a consequence, a price, or nothing."""
    a, b = before.amount(ledger), now.amount(ledger)
    match name, ledger:
        case _ if a == b:
            return Text("not touched", "不受影响")
        case ("cache", "work") | ("tiles", "moved") | ("paging", "resident"):
            return (
                Text("its own saving", "它自己的节约")
                if b < a
                else Text("no saving on these sizes", "这组大小下没有节约")
            )
        case "cache", "moved":
            return Text("follows: less is attended", "连带：注意力少算了")
        case "tiles", "resident":
            return Text("follows: no tables", "连带：没有分数表")
    return Text("its price", "它的代价") if b > a else Text("follows: smaller tables", "连带：表变小了")


def written(error: float) -> str:
    """A largest |Δ logit|; a bare 0 where nothing differs at all."""
    return fixed(error) if error else "0"
