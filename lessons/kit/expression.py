"""The grammar of arithmetic: a text of at most a few hundred characters → its value. Read by hand, never run.

assets/numbers.js is the same in the browser, rule for rule; tests/numbers.json holds both to it.

Bounded, so that nothing takes long: MOST_NESTED brackets and powers inside each other, exact fractions of at most
MOST_BITS bits (beyond that, and for roots, the nearest float), nothing beyond the floats."""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from lessons.kit.format import short
from lessons.kit.text import Text, shown

MOST_TYPED = 200  # characters of one number's arithmetic, which whoever calls looks to
MOST_NESTED = 20
MOST_BITS = 1100  # every float is a fraction of at most 1075

# Of one argument, which stands in brackets. Each may raise what `math` raises.
FUNCTIONS: dict[str, Callable[[float], float]] = {"sqrt": math.sqrt, "exp": math.exp, "ln": math.log}
CONSTANTS = {"e": Fraction(math.e)}

_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_ALIKE = {"*": "×·⋅∙∗・", "/": "÷∕", "-": "−–‒", "万": "萬", "亿": "億"}
_SIGNS = str.maketrans({spelled: sign for sign, every in _ALIKE.items() for spelled in every})
_TIMES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_TIMES |= {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
FACTOR = f"(?:{'|'.join(_TIMES)})"
_MYRIADS = r"(?:\d+亿)?\d{1,4}万\d{4}(?!\d)|\d+亿\d{1,4}万"  # 3万5 is 35 000 to many, so it is not read
_WHOLE = r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+)(?!\d)|\d+|(?=\.\d)"
_PART = r"\.\d{3}(?: \d{3})* \d{1,3}(?!\d)|\.\d*"  # 78.539 816, as calculators show it
_NUMBER = rf"(?:{_WHOLE})(?:{_PART})?(?:e[+-]?\d+)?"
_NAME = "|".join((*FUNCTIONS, *CONSTANTS))
_TOKEN = re.compile(rf"\s*({_MYRIADS}|{_NUMBER}|{FACTOR}+|{_NAME}|[-+*/^()√%])", re.ASCII | re.IGNORECASE)
_POINTS_GROUP = re.compile(r"(?<![\d.])([1-9]\d{0,2}(?:\.\d{3})+),(?=\d)", re.ASCII)  # 1.000,5

NOTHING = Text("there is no number in it", "其中没有数")
_BY_ZERO = Text("it divides by zero", "除数为零")
_LARGEST = short(sys.float_info.max)
TOO_LARGE = Text(f"it grows beyond {_LARGEST}", f"计算中超出了 {_LARGEST}")


class Unreadable(Exception):
    """Why a text has no value, as the end of a sentence."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


def plain(typed: str) -> str:
    """What was typed in the characters that the grammar knows: full-width forms, superscripts, thin groups, × ÷ · −
    and ** undone, and no ≈ before it.

    >>> plain("１．５×10⁻⁹"), plain("2**32"), plain("2 x 32"), plain("4\\u202f096")
    ('1.5*10^(-9)', '2^32', '2 * 32', '4096')
    """
    text = re.sub(r"(?<=\d)[\u2007\u2009\u202f\u00a0](?=\d{3}(?!\d))", "", typed)
    text = re.sub("[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"^({power[0].translate(_RAISED)})", text)
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS).replace("**", "^").strip()
    text = re.sub(r"^[=≈~约]\s*", "", text)
    return re.sub(r"(?<=[0-9)])(?<!(?<![0-9.])0)(\s*)[xX](?=\s*[0-9(])", r"\1*", text)  # not 0x1


def readings(text: str) -> tuple[float, ...]:
    """What a `plain` text may mean, the likeliest first: a comma groups digits, or stands for the point. Raises
    Unreadable where it means nothing.

    >>> readings("0,1353"), readings("9,046"), readings("1.000,5")
    ((0.1353,), (9046.0, 9.046), (1000.5,))
    """
    found, wrong = [], []
    grouped = _POINTS_GROUP.sub(lambda match: match[1].replace(".", "") + ".", text)
    for way in dict.fromkeys((text, pointed(text), grouped)):
        try:
            found.append(value(way))
        except Unreadable as unreadable:
            wrong.append(unreadable)
    if not found:
        raise wrong[0]
    return tuple(dict.fromkeys(found))


def pointed(text: str) -> str:
    """With a point for every comma that a digit follows."""
    return re.sub(r",(?=[0-9])", ".", text)


def value(text: str) -> float:
    """The value of a `plain` text. Raises Unreadable where it has none that is finite and real.

    >>> value("2*32^2"), value("-2^2"), value("2^3^2"), value("42亿9496万7296"), value("√16+50%")
    (2048.0, -4.0, 512.0, 4294967296.0, 4.5)
    """
    reader = _Reader(_tokens(text))
    x = reader.total()
    if reader.next:
        raise reader.stuck()
    return float(x)


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while match := _TOKEN.match(text, at):
        tokens.append(match[1])
        at = match.end()
    if rest := text[at:].strip():
        sign = shown(rest[0]) or f"U+{ord(rest[0]):04X}"
        raise Unreadable(Text(f"“{sign}” cannot be read as part of arithmetic", f"“{sign}”不能作为算式的一部分"))
    return tokens


@dataclass
class _Reader:
    """Recursive descent: total → product → signed → power → part → atom. Every token is read once."""

    tokens: list[str]
    at: int = 0
    depth: int = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str) -> str:
        """The next token, if it is one of the characters `wanted`; otherwise an empty string, and nothing is taken."""
        token = self.next if self.next and self.next in wanted else ""
        self.at += bool(token)
        return token

    def total(self) -> Fraction:
        x = self.product()
        while sign := self.take("+-"):
            y = self.product()
            x = _kept(x + y if sign == "+" else x - y)
        return x

    def product(self) -> Fraction:
        x = self.signed()
        while sign := self.take("*/"):
            y = self.signed()
            if sign == "/" and not y:
                raise Unreadable(_BY_ZERO)
            x = _kept(x * y if sign == "*" else x / y)
        return x

    def signed(self) -> Fraction:
        negative = self.take("+-") == "-"
        x = self.power()
        return -x if negative else x

    def power(self) -> Fraction:
        base = self.part()
        if not self.take("^"):
            return base
        self.deeper()
        exponent = self.signed()
        self.depth -= 1
        return _power(base, exponent)

    def part(self) -> Fraction:
        """An atom, or so many hundredths of one."""
        x = self.atom()
        while self.take("%"):
            x /= 100
        return x

    def atom(self) -> Fraction:
        if self.take("√"):
            self.deeper()
            x = self.atom()
            self.depth -= 1
            return _applied("sqrt", x)
        if constant := CONSTANTS.get(self.next.lower()):
            self.at += 1
            return constant
        name = self.next if self.next.lower() in FUNCTIONS else ""
        self.at += bool(name)
        if not self.take("("):
            if name:
                raise Unreadable(Text(f"a bracket is missing behind “{name}”", f"“{name}”后面缺少括号"))
            return self.number()
        self.deeper()
        x = self.total()
        if not self.take(")"):
            raise self.stuck()
        self.depth -= 1
        return _kept((_applied(name, x) if name else x) * self.times())

    def number(self) -> Fraction:
        token = self.next
        if not token[:1].isdigit() and token[:1] != ".":
            if token:
                raise Unreadable(Text(f"“{shown(token)}” stands where a number should", f"“{shown(token)}”处应是数"))
            raise Unreadable(Text("a number is missing at its end", "末尾缺少数") if self.tokens else NOTHING)
        self.at += 1
        return _kept(_literal(token) * self.times())

    def times(self) -> int:
        """What 万, 亿, 百万, million behind a number multiply it by; 1 where nothing stands there."""
        if self.next[:1].isdigit() or not (words := re.findall(FACTOR, self.next.lower())):
            return 1
        self.at += 1
        return math.prod(_TIMES[word] for word in words)

    def stuck(self) -> Unreadable:
        """Why nothing can follow a whole term here."""
        if not self.next:
            return Unreadable(Text("a bracket is not closed", "有括号没有闭合"))
        if self.next == ")":
            return Unreadable(Text("a bracket is closed that was not opened", "右括号没有对应的左括号"))
        return Unreadable(
            Text(f"an operator is missing before “{shown(self.next)}”", f"“{shown(self.next)}”前面缺少运算符")
        )

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise Unreadable(Text(f"it is nested more than {MOST_NESTED} deep", f"嵌套超过 {MOST_NESTED} 层"))


def _literal(token: str) -> Fraction:
    if pieces := re.findall("([0-9]+)([万亿])", token):
        rest = int(token.rpartition("万")[2] or 0)
        return Fraction(sum(int(digits) * _TIMES[unit] for digits, unit in pieces) + rest)
    ungrouped = re.sub("[, ]", "", token)
    x = float(ungrouped)  # looked at first: the fraction of 1e999999999 would take for ever
    if math.isinf(x):
        raise Unreadable(TOO_LARGE)
    return Fraction(ungrouped) if x else Fraction(0)


def _applied(name: str, x: Fraction) -> Fraction:
    try:
        return Fraction(FUNCTIONS[name.lower()](float(x)))
    except OverflowError:
        raise Unreadable(TOO_LARGE) from None
    except ValueError:
        raise Unreadable(Text(f"“{name}” has no real value there", f"“{name}”在那里没有实数值")) from None


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if not base and exponent < 0:
        raise Unreadable(_BY_ZERO)
    if exponent.denominator == 1 and abs(exponent) * _bits(base) <= MOST_BITS:
        return _kept(base**exponent.numerator)
    try:
        y = float(base) ** float(exponent)
    except (OverflowError, ZeroDivisionError):  # the second where only its float is 0
        raise Unreadable(TOO_LARGE) from None
    if isinstance(y, complex):
        raise Unreadable(Text("a root of a negative number is not a real number", "负数的这种方根不是实数"))
    return Fraction(y)


def _kept(x: Fraction) -> Fraction:
    """`x` itself while it is short, else the nearest float. Raises Unreadable beyond the floats."""
    try:
        nearest = float(x)
    except OverflowError:
        raise Unreadable(TOO_LARGE) from None
    return x if _bits(x) <= MOST_BITS else Fraction(nearest)


def _bits(x: Fraction) -> int:
    return max(x.numerator.bit_length(), x.denominator.bit_length())
