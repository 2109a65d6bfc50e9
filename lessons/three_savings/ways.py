"""Names and small comparisons that both the picture and the words of this lesson need."""

from __future__ import annotations

from engine.three_ledgers import ALL_OFF, ALL_ON, Switches
from engine.three_savings import CONFIG, Outcome
from lessons.kit.format import count, fixed
from lessons.kit.text import Text

HEADS = CONFIG.n_layers * CONFIG.n_heads
NAMES: dict[str, Text] = {
    "cache": Text("KV cache", "KV 缓存"),
    "tiles": Text("Tiles", "分块"),
    "paging": Text("Paging", "分页"),
}
SHORT: dict[str, Text] = {
    "cache": Text("cache", "缓存"),
    "tiles": Text("tiles", "分块"),
    "paging": Text("paging", "分页"),
}
ON, OFF = Text("on", "开"), Text("off", "关")
LEDGERS: dict[str, Text] = {
    "work": Text("Work", "计算"),
    "moved": Text("Bytes moved", "搬运字节"),
    "resident": Text("Bytes resident", "驻留字节"),
}
OWN = {"cache": "work", "tiles": "moved", "paging": "resident"}
SAME_OUTPUT = 1e-9  # far above float64's rounding, far below what a mistake makes


def is_on(switches: Switches, name: str) -> bool:
    """Whether the switch of that name is on."""
    return {"cache": switches.cache, "tiles": switches.tiles, "paging": switches.paging}[name]


def named(switches: Switches) -> Text:
    """A way by what is on in it."""
    if switches == ALL_OFF:
        return Text("all off", "全关")
    if switches == ALL_ON:
        return Text("all on", "全开")
    on = [SHORT[name] for name in NAMES if is_on(switches, name)]
    return Text(" + ".join(t.en for t in on), " + ".join(t.zh for t in on))


def amount(outcome: Outcome, ledger: str) -> int:
    """What a ledger comes to: pairs, bytes, bytes."""
    ledgers = outcome.ledgers
    return {"work": ledgers.pairs, "moved": ledgers.moved, "resident": ledgers.resident.total}[ledger]


def ratio(before: int, now: int) -> Text:
    """`÷ 3.76`, `× 1.99`, or the same."""
    if now == before:
        return Text("same", "不变")
    word = f"÷ {fixed(before / now, 2)}" if now < before else f"× {fixed(now / before, 2)}"
    return Text(word, word)


def turned(before: int, now: int) -> Text:
    """How a count went, in a sentence."""
    if now == before:
        return Text(f"stays {count(now)}", f"仍是 {count(now)}")
    fell = now < before
    return Text(
        f"{'falls' if fell else 'rises'} from {count(before)} to {count(now)}",
        f"从 {count(before)} {'降' if fell else '升'}到 {count(now)}",
    )


def same_output(outcome: Outcome) -> bool:
    """Whether the output is that of all off, but for rounding."""
    return outcome.error <= SAME_OUTPUT


def written_error(outcome: Outcome) -> str:
    """The largest |Δ logit|."""
    return fixed(outcome.error) if outcome.error else "0"
