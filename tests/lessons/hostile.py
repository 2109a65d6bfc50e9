"""What nobody should type into an answer field, and a measure of the work it makes that does not depend on the
clock."""

from __future__ import annotations

import sys
import tracemalloc

HOSTILE = [
    "", " ", "9" * 10_000, "9" * 200, "9" * 199 + "e", "1" + "0" * 199, "1e999", "1e999999999", "-1e999",
    "1e" + "9" * 190,


    "0." + "0" * 150 + "1e999",
    "9**9**9**9", "9^9^9", "(10^300)^300", "(10^300)^-300", "2^(10^300)", "(2^0.5)^(10^9)", "(-1)^(10^300)",
    "1.0000001^(10^9)", "((1/10)^330)^-5",
    "9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9^9", "1^" * 99 + "1", "(" * 100 + ")" * 100, "(" * 100,
    "(" * 99 + "1" + ")" * 99, "-" * 200, "+" * 100 + "1",
    "(1/3+1/7)^99^1", "1/3+" * 49 + "1", "1/7*" * 49 + "1", "*".join(["99999999"] * 22), "(1/997+1/991)*" * 14 + "1",
    "亿" * 200, "1" + "亿" * 199, "1万" * 100, "1,111" * 40,
    "1 111" * 40, "1 " * 100, "1," * 100, "⁹" * 200, "9⁹" * 100, "x" * 200, "1x" * 100, "￼" * 200, "ﷺ" * 200,
    "1e5" * 60,


    "1." * 100, "a" * 200, "1a" * 100, "1" * 100 + "a" * 99 + "!",
    '__import__("os")', '__import__("os").system("true")', "().__class__", "lambda: 0", "exec('1')", "sin(1)", "x",
    "nan",


    "inf", "-inf", "∞", "NaN", "Infinity", "1/0", "0/0", "0^-1", "1/(2-2)",
    "<img src=x onerror=alert(1)>", "\x00", "\ud800", "1\u202e", "½", "3½", "٣", "0x1", "0b1", "1_0", "1..2", "1.5.2",
    "--1", "*1", "1*", "1+", "()", "2(3)", "(2)(3)", "(1", "1)", "2 3",
    "3万5", "万", "百万", "1;2", "1,2", "1,2345", "0,123", "1,23", "12 34", "5!", "√2", "1⁄2", "50%", "2^", "^2",
    "(-8)^(1/3)", "(-1)^0.5", "e^2", "1e", "e5", "5–7", "1 e9", "[1]",
]  # fmt: skip


class Watched:
    """Counts what happens inside a `with`: calls and returns of functions, and the most bytes in use at a time.

    The bytes tell of a number with millions of digits, which is a single call.
    """

    calls = 0
    memory = 0

    def __enter__(self) -> Watched:
        tracemalloc.start()
        sys.setprofile(self._count)
        return self

    def _count(self, *_: object) -> None:
        self.calls += 1

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
