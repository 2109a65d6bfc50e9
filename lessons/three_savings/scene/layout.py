"""Where things stand, and what each ledger's bar is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.three_ledgers import EVERY, Ledger, Ledgers
from engine.three_savings import Mistake, Scenario, outcome
from lessons.kit.roles import Role
from lessons.kit.text import Text
from lessons.three_savings.naming import LEDGERS

WIDTH = 1130.0
SWITCH_W, LEDGER_X, BAR_X, BAR_W, PILL_X, PILL_W = 168.0, 244.0, 356.0, 440.0, 962.0, 144.0
Part = tuple[str, Role, Callable[[Ledgers], int]]

PARTS: dict[Ledger, tuple[Part, ...]] = {
    "work": (("pairs", Role.PAIRS, lambda x: x.pairs),),
    "moved": (
        ("vectors", Role.VECTORS, lambda x: x.moved_vectors),
        ("tables", Role.TABLES, lambda x: x.moved_tables),
    ),
    "resident": (
        ("kv", Role.KEPT, lambda x: x.resident.kv),
        ("unused", Role.RESERVED, lambda x: x.resident.unused),
        ("scores", Role.TABLES, lambda x: x.resident.scores),
    ),
}
QUESTIONS: dict[Ledger, Text] = {
    "work": Text("What need not be computed again?", "什么不必重算？"),
    "moved": Text("What need not be carried to and fro?", "什么不必搬来搬去？"),
    "resident": Text("What room need not be set aside?", "哪些空间不必预留？"),
}


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone."""

    compare: bool
    most: Mapping[Ledger, int]

    @classmethod
    def of(cls, scenario: Scenario) -> Layout:
        """Bars are as long as the largest of the eight ways allows."""
        ways = [outcome(scenario, switches).ledgers for switches in EVERY]
        most = {ledger: max(way.amount(ledger) for way in ways) for ledger in LEDGERS}
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
