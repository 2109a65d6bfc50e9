"""Quantities with their units, in any sensible spelling: `4 GiB`, `4gib`, `4294967296 B`, `４ ＧｉＢ`, `1.2万词元`,
`50%`.

Capitals do not matter, so a lower-case b behind a prefix is a byte as well (`Kb` = `KB` = 1000 bytes); a bit is
spelled out (`Kbit`). KB, MB, GB and 千字节, 兆字节, 吉字节 are powers of 1000; only an i makes powers of 1024. `FLOPS`
is the plural of FLOP, and a rate where a rate is asked."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from lessons.kit.arithmetic import bounded, complaint
from lessons.kit.controls import BadInput
from lessons.kit.expression import CONSTANTS, FACTOR, TOO_LARGE, Unreadable, plain, readings
from lessons.kit.text import Text, same, shown


@dataclass(frozen=True)
class Unit:
    """A unit: `scale` of the base unit of its `dimension`. Units of one dimension convert into each other. No name: a
    plain number."""

    name: Text
    dimension: str
    scale: Fraction = Fraction(1)

    @property
    def one(self) -> Text:
        """The name of a single one, without a measure word: token, pass, 块."""
        return Text(re.sub(r"(?<=ss)es$|(?<=\w{2})s$", "", self.name.en), re.sub("^个 ?", "", self.name.zh))

    def __truediv__(self, other: Unit) -> Unit:
        """A rate: `GB / SECOND`."""
        name = Text(f"{self.name.en}/{other.one.en}", f"{self.one.zh}/{other.one.zh}")
        return Unit(name, f"{self.dimension}/{other.dimension}", self.scale / other.scale)

    def after(self, number: str) -> Text:
        """A written number with the unit behind it: `4 GiB`, `1 token`, `50%`, `7`."""
        space = "" if self in (PLAIN, TIMES, PERCENT) else " "
        name = self.one.en if number == "1" else self.name.en
        return Text(f"{number}{space}{name}", f"{number}{space}{self.name.zh}")


PLAIN = Unit(same(""), "plain")
TIMES = Unit(same("×"), "plain")
PERCENT = Unit(same("%"), "plain", Fraction(1, 100))
BYTE, BIT = Unit(same("B"), "bytes"), Unit(same("bit"), "bytes", Fraction(1, 8))
KB, MB, GB, TB, PB = (Unit(same(f"{p}B"), "bytes", Fraction(1000**i)) for i, p in enumerate("kMGTP", 1))
KIB, MIB, GIB, TIB, PIB = (Unit(same(f"{p}iB"), "bytes", Fraction(1024**i)) for i, p in enumerate("KMGTP", 1))
SECOND, MS, US, NS = (Unit(same(f"{p}s"), "seconds", Fraction(1, 1000**i)) for i, p in enumerate(("", "m", "µ", "n")))
FLOP, KFLOP, MFLOP, GFLOP, TFLOP, PFLOP = (
    Unit(same(f"{p}FLOP"), "operations", Fraction(1000**i)) for i, p in enumerate(("", *"kMGTP"))
)
TOKEN = Unit(Text("tokens", "个 token"), "tokens")
PAIR = Unit(Text("pairs", "对"), "pairs")
ROW = Unit(Text("rows", "行"), "rows")
BLOCK = Unit(Text("blocks", "块"), "blocks")

_LONGEST = 40  # characters of a unit as it may be spelled


def _spelled() -> dict[str, Unit]:
    """Every spelling, in small letters and without spaces."""
    words = {
        BYTE: "b byte bytes 字节",
        BIT: "bit bits 位 比特",
        SECOND: "s sec secs second seconds 秒 秒钟",
        MS: "ms msec millisecond milliseconds 毫秒",
        US: "us μs usec microsecond microseconds 微秒",
        NS: "ns nanosecond nanoseconds 纳秒",
        Unit(Text("minutes", "分钟"), "seconds", Fraction(60)): "min minute minutes 分钟",
        Unit(Text("hours", "小时"), "seconds", Fraction(3600)): "h hour hours 小时",
        FLOP: "flop flops op ops operation operations 次 次运算 次浮点运算",
        TOKEN: "token tokens 词元",
        PAIR: "pair pairs 对 配对",
        ROW: "row rows 行",
        BLOCK: "block blocks 块 内存块",
        TIMES: "x times 倍",
        PERCENT: "% percent",
    }
    spelled = {word: unit for unit, all_words in words.items() for word in all_words.split()}
    names = {
        "k": ("kilo", "kibi", "千"),
        "m": ("mega", "mebi", "兆"),
        "g": ("giga", "gibi", "吉"),
        "t": ("tera", "tebi", "太"),
        "p": ("peta", "pebi", "拍"),
    }
    decimal, binary, work = (KB, MB, GB, TB, PB), (KIB, MIB, GIB, TIB, PIB), (KFLOP, MFLOP, GFLOP, TFLOP, PFLOP)
    for (letter, (si, iec, han)), ten, two, flop in zip(names.items(), decimal, binary, work, strict=True):
        for first, unit in ((letter, ten), (si, ten), (letter + "i", two), (iec, two)):
            bits = Unit(same(f"{unit.name.en[:-1]}bit"), "bytes", unit.scale / 8)
            spelled |= {f"{first}byte": unit, f"{first}bytes": unit, f"{first}bit": bits, f"{first}bits": bits}
        spelled |= {f"{letter}b": ten, f"{han}字节": ten, f"{letter}ib": two}
        spelled |= {f"{letter}flop": flop, f"{letter}flops": flop}
    return spelled


_UNITS = _spelled()


def read_quantity(typed: str, asked: Unit = PLAIN) -> tuple[float, ...]:
    """What a quantity may mean, in the unit `asked`, likeliest first; arithmetic may stand before the unit.

    A bare number is in the unit asked, or, where that is a multiple of bytes, in bytes. Raises BadInput for an
    unknown unit, a unit of another dimension, and arithmetic without a finite real value.

    >>> read_quantity("4096 MiB", GIB), read_quantity("2^32", GIB), read_quantity("50%"), read_quantity("50%", PERCENT)
    ((4.0,), (4294967296.0, 4.0), (0.5,), (50.0,))
    """
    bounded(typed)
    text = plain(re.sub(r"[×✕]\s*$", "倍", typed))
    text = re.sub(r"^百分之(.+)$", r"(\1)%", text)
    start, unit = _unit(text, asked)
    if unit is None and (word := _word(text[:start])):
        raise _other(typed, asked, Text(f"“{word}” is no unit known here", f"这里不认识单位“{word}”"))
    if unit and unit.dimension != asked.dimension:
        raise _other(typed, asked, Text(f"its unit is {unit.name.en}", f"其单位是{_spaced(unit.one.zh)}"))
    scale = (unit or asked).scale
    try:
        numbers = [Fraction(x) for x in readings(text[:start])]
        meant = [x * scale for x in numbers]
        if unit is None and asked.dimension == BYTE.dimension and asked.scale > 1:
            meant += [x for x in numbers if asked.scale <= 1024 * x]  # fewer bytes are not meant
        return tuple(dict.fromkeys(float(base / asked.scale) for base in meant))
    except Unreadable as wrong:
        raise complaint(wrong.why, typed) from None
    except OverflowError:
        raise complaint(TOO_LARGE, typed) from None


def _unit(text: str, asked: Unit) -> tuple[int, Unit | None]:
    """Where the unit at the end of a text begins, and the unit: the longest that can be read. 个 alone is no unit."""
    names = {_key(name): asked for name in (asked.name.en, asked.one.en, asked.one.zh) if name}
    for i in range(max(0, len(text) - _LONGEST), len(text)):
        within = text[i - 1 : i].isalpha() and text[i].isalpha() and not re.search(f"(?i){FACTOR}$", text[:i])
        if not within and not text[i].isspace():
            word = _key(text[i:]).removeprefix("个")
            if not word:
                return i, None
            if word.endswith("flops") and asked.dimension == (FLOP / SECOND).dimension:
                word = f"{word[:-1]}/s"
            if unit := names.get(word) or _UNITS.get(word) or _rate(word):
                return i, unit
    return len(text), None


def _key(spelling: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", spelling)).casefold()


def _rate(word: str) -> Unit | None:
    for per in re.finditer("/|per|每", word):
        over, under = _UNITS.get(word[: per.start()]), _UNITS.get(word[per.end() :].removeprefix("个"))
        if over and under:
            return over / under
    return None


def _word(text: str) -> str:
    """The word at the end of a quantity, as it is shown; none where it multiplies the number, or where there is no
    number."""
    word = re.search(r"[^\W\d_]+$", re.sub(f"(?i){FACTOR}+$", "", text[-_LONGEST:]))
    if word is None or word[0].lower() in CONSTANTS or not re.search(r"\d", text):
        return ""
    return shown(word[0])


def _spaced(name: str, behind: str = "") -> str:
    """A name inside a Chinese sentence, set off where it is not Chinese."""
    return f" {name}{behind}" if name[-1:].isascii() else name


def _other(typed: str, asked: Unit, why: Text) -> BadInput:
    """An answer in a unit that cannot be meant."""
    quoted = shown(typed)
    if not asked.name.en:
        right = Text("must be a number without a unit", "应是不带单位的数")
    else:
        base = next((u.one for u in _UNITS.values() if u.dimension == asked.dimension and u.scale == 1), asked.one)
        names = tuple(dict.fromkeys((asked.one, base)))
        right = Text(
            f"must be in {asked.name.en}: a number alone, or with a unit such as "
            f"{' or '.join(f'`{n.en}`' for n in names)}",
            f"应以{_spaced(asked.one.zh, ' ')}为单位：只写数，或带上单位，例如 "
            f"{' 或 '.join(f'`{n.zh}`' for n in names)}",
        )
    return BadInput(
        Text(
            f"**Your answer** {right.en}; it reads “{quoted}”, and {why.en}.",
            f"**你的答案**{right.zh}；现在是“{quoted}”，{why.zh}。",
        )
    )
