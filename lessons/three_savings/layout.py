"""Where things stand, and what each ledger's bar is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.three_ledgers import EVERY
from engine.three_savings import Mistake, Outcome, Scenario, outcome
from lessons.kit.roles import Role
from lessons.kit.text import Text
from lessons.three_savings.ways import LEDGERS, amount

WIDTH = 1130.0
SWITCH_W, LEDGER_X, BAR_X, BAR_W, PILL_X, PILL_W = 168.0, 244.0, 356.0, 440.0, 962.0, 144.0
Part = tuple[str, Role, Callable[[Outcome], int]]

PARTS: dict[str, tuple[Part, ...]] = {
    "work": (("pairs", Role.PAIRS, lambda o: o.ledgers.pairs),),
    "moved": (
        ("vectors", Role.VECTORS, lambda o: o.ledgers.moved_vectors),
        ("tables", Role.TABLES, lambda o: o.ledgers.moved_tables),
    ),
    "resident": (
        ("kv", Role.KEPT, lambda o: o.ledgers.resident.kv),
        ("unused", Role.RESERVED, lambda o: o.ledgers.resident.unused),
        ("scores", Role.TABLES, lambda o: o.ledgers.resident.scores),
    ),
}
WHAT: dict[str, Text] = {
    "work": Text("Work: query·key pairs", "计算：查询·键配对"),
    "moved": Text("Bytes moved by attention, to and from slow memory", "搬运字节：注意力进出慢速显存"),
    "resident": Text("Bytes resident at the fullest moment", "驻留字节：最满的时刻"),
}
QUESTIONS: dict[str, Text] = {
    "work": Text("What need not be computed again?", "什么不必重算？"),
    "moved": Text("What need not be carried to and fro?", "什么不必搬来搬去？"),
    "resident": Text("What room need not be set aside?", "哪些空间不必预留？"),
}


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone."""

    compare: bool
    most: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, scenario: Scenario) -> Layout:
        """Bars are as long as the largest of the eight ways allows."""
        ways = [outcome(scenario, switches) for switches in EVERY]
        most = tuple((ledger, max(amount(way, ledger) for way in ways)) for ledger in LEDGERS)
        return cls(scenario.mistake is not Mistake.NONE, most)

    @property
    def pitch(self) -> float:
        return 130.0 if self.compare else 102.0

    @property
    def strip_y(self) -> float:
        return 12 + 3 * self.pitch

    @property
    def height(self) -> float:
        return self.strip_y + (108.0 if self.compare else 62.0)

    def scale(self, ledger: str) -> float:
        return BAR_W / dict(self.most)[ledger]
