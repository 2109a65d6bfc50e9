"""The units that Moodle is told of: it converts by their factors, and knows no others."""

from __future__ import annotations

from lessons.kit.units import (
    BYTE,
    FLOP,
    GB,
    GFLOP,
    GIB,
    KB,
    KFLOP,
    KIB,
    MB,
    MFLOP,
    MIB,
    MS,
    NS,
    PB,
    PFLOP,
    PIB,
    SECOND,
    TB,
    TFLOP,
    TIB,
    US,
    Unit,
)

FAMILIES = (
    (BYTE, KIB, MIB, GIB, TIB, PIB, KB, MB, GB, TB, PB),
    (SECOND, MS, US, NS),
    (FLOP, KFLOP, MFLOP, GFLOP, TFLOP, PFLOP),
)
_SMALLEST = 1e-12  # Moodle keeps 19 decimals


def spellings(unit: Unit) -> list[tuple[str, float]]:
    """Each spelling of the unit and of its relatives, with how many of them make one of it. Itself first.

    Moodle takes the spaces out of an answer and compares letter by letter, but its database may not tell capitals
    apart.

    >>> spellings(MS)
    [('ms', 1.0), ('s', 0.001), ('µs', 1000.0), ('ns', 1000000.0)]
    """
    own = (unit.name.en, unit.one.en, unit.name.zh, unit.one.zh)
    family = next((family for family in FAMILIES if unit in family), ())
    named = [(name, 1.0) for name in own] + [(other.name.en, float(unit.scale / other.scale)) for other in family]
    found: dict[str, tuple[str, float]] = {}
    for name, factor in named:
        if name and factor >= _SMALLEST:
            spelling = name.replace(" ", "")
            found.setdefault(spelling.casefold(), (spelling, factor))
    return list(found.values())
