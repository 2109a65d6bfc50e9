"""The fields of a config.json, read with care: bounded work, whole numbers that are whole numbers, names in errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

MOST_TEXT = 4 * 2**20  # characters; the largest published file met has 3.1 million
MOST_LAYERS = 10_000
MOST = 10**9
_NAME = re.compile(r"[\w.\-]{1,96}")
_REPO = re.compile(r"[\w.\-]{1,96}/[\w.\-]{1,96}", re.ASCII)


def shown(value: object) -> str:
    """A value as an error may show it: on one line, not too long."""
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "…"


def parse(text: str) -> Fields:
    """The outermost object. ValueError for what is no JSON object, too long, too deep, or names a field twice."""
    if not isinstance(text, str):
        raise ValueError(f"text: a config.json as text, got {type(text).__name__}")
    if len(text) > MOST_TEXT:
        raise ValueError(f"text: at most {MOST_TEXT} characters, got {len(text)}; a config.json is smaller")
    try:
        whole = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("text: nested too deeply for a config.json") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"text: no JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except _Twice as error:
        raise ValueError(f"{shown(error.field)}: stands in one object twice") from None
    except ValueError:  # an int of thousands of digits
        raise ValueError("text: has a number of more digits than Python reads") from None
    if not isinstance(whole, dict):
        raise ValueError(f"text: one JSON object {{…}}, got {shown(whole)}")
    return Fields(whole)


class _Twice(Exception):
    def __init__(self, field: str) -> None:
        self.field = field


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _Twice(name)
            seen.add(name)
    return made


class Fields:
    """An object of the file. Missing names collect in `missing`, those that a library fills in in `assumed`."""

    def __init__(self, values: Mapping[str, Any], outer: Fields | None = None) -> None:
        self._values = values
        self._outer = outer
        self._assumed: dict[str, None] = {}
        self.missing: list[str] = []

    @property
    def assumed(self) -> tuple[str, ...]:
        """Names of fields that the file has not and the library fills in, in the order in which they were asked for."""
        return tuple(self._assumed)

    def has(self, name: str) -> bool:
        """Whether the field is there, even as null."""
        return name in self._values

    def is_null(self, name: str) -> bool:
        """Whether it is there as null."""
        return name in self._values and self._values[name] is None

    def raw(self, name: str) -> Any:
        """Whatever stands there, or None; one level up, too, where this object is a text_config."""
        value = self._values.get(name)
        return self._outer.raw(name) if value is None and self._outer is not None else value

    def assume(self, name: str) -> None:
        """Note that the library fills it in."""
        self._assumed[name] = None

    def filled(self, name: str, value: int) -> int:
        """`value`, noted as the library's."""
        self.assume(name)
        return value

    def whole(self, name: str, otherwise: int | None = None, *, also: str | None = None, least: int = 1) -> int:
        """A whole number from `least` to MOST; `also` is an older name; `otherwise` is the library's default."""
        given = self.maybe(name, *([also] if also else []), least=least)
        if given is not None:
            return given
        if otherwise is not None:
            return self.filled(name, otherwise)
        self.missing.append(name)
        return 1

    def layers(self, name: str, *, also: str | None = None) -> int:
        """A number of layers: small enough to walk over."""
        n = self.whole(name, also=also)
        if n > MOST_LAYERS:
            raise ValueError(f"{name}: at most {MOST_LAYERS} layers, got {n}")
        return n

    def maybe(self, *names: str, least: int = 1) -> int | None:
        """The first of the fields that is there and not null, or None."""
        for name in names:
            value = self._values.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
                raise ValueError(f"{name}: a whole number from {least} to {MOST}, got {shown(value)}")
            return value
        return None

    def flag(self, name: str, otherwise: bool) -> bool:
        """true or false; null and absence are the library's default."""
        value = self._values.get(name)
        if value is None:
            return otherwise
        if not isinstance(value, bool):
            raise ValueError(f"{name}: true or false, got {shown(value)}")
        return value

    def maybe_text(self, name: str) -> str | None:
        """A text, or None."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name}: a text, got {shown(value)}")
        return value

    def text(self, name: str) -> str:
        """A text that must be there."""
        value = self.maybe_text(name)
        if value is None:
            raise ValueError(f"{name}: missing")
        return value

    def texts(self, name: str, n: int | None) -> tuple[str, ...] | None:
        """A list of `n` texts, or None where there is none. None for n: any number of layers."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{name}: a list of texts, got {shown(value)}")
        if len(value) > MOST_LAYERS or (n is not None and not self.missing and len(value) != n):
            raise ValueError(f"{name}: {len(value)} entries for {n} layers")
        return tuple(value)

    def inner(self, name: str, kinds: Mapping[str, str] | None = None) -> Fields:
        """The object in that field, empty where it is missing. `kinds`: the model_type it has unless it says so."""
        value = self._values.get(name)
        if value is None and kinds is not None:
            raise ValueError(f"{name}: missing from a config.json of model_type {self.text('model_type')}")
        if value is not None and not isinstance(value, dict):
            raise ValueError(f"{name}: an object {{…}}, got {shown(value)}")
        values = dict(value or {})
        if kinds is not None:
            values.setdefault("model_type", kinds[self.text("model_type")])
        return Fields(values, self if kinds is not None else None)

    def names(self, family: str) -> tuple[str, str | None]:
        """What to call the model, and its name on the hub where the file has one."""
        path = self._values.get("_name_or_path")
        if isinstance(path, str) and _REPO.fullmatch(path):
            return path.split("/")[1], path
        given = self._values.get("architectures")
        first = given[0] if isinstance(given, list) and given else None
        return (first if isinstance(first, str) and _NAME.fullmatch(first) else family), None

    def field_names(self) -> tuple[str, ...]:
        """All names, as they stand."""
        return tuple(self._values)

    def refuse_missing(self, family: str) -> None:
        """Raise ValueError that names every field that was asked for in vain."""
        if self.missing:
            names = ", ".join(dict.fromkeys(self.missing))
            raise ValueError(f"{names}: missing from a config.json of model_type {family}")
