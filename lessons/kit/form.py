"""The fields of one Scenario: what is typed becomes the Scenario, or a complaint for each field that cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Generic, TypeVar

from lessons.kit.controls import BadInput, Complaint, Control
from lessons.kit.text import Text

S = TypeVar("S")


def _nothing(_: Any) -> Iterable[Text]:
    return ()


@dataclass(frozen=True)
class Form(Generic[S]):
    """The controls of one Scenario. Each names the attribute it edits; what no control edits stays as it is.

    `together` says what is wrong with values, by the names of the controls, that are right each by itself; `unfit` what
    is wrong with the Scenario they make. `build` makes the Scenario and `values` takes it apart, where fields and
    attributes are not one to one. `groups` are headings over some of the controls, by their names. `behind` are
    controls that are not shown, whose values take part all the same.
    """

    controls: tuple[Control, ...]
    build: Callable[[Mapping[str, Any]], S] | None = None
    values: Callable[[S], Mapping[str, Any]] | None = None
    groups: tuple[tuple[Text, tuple[str, ...]], ...] = ()
    together: Callable[[Mapping[str, Any]], Iterable[Text]] = _nothing
    unfit: Callable[[S], Iterable[Text]] = _nothing
    behind: tuple[Control, ...] = ()

    def only(self, *controls: Control) -> Form[S]:
        """A form of the same Scenario with these fields; what they leave out stays as it is."""
        names = {control.name for control in controls}
        behind = tuple(control for control in (*self.controls, *self.behind) if control.name not in names)
        return replace(self, controls=controls, behind=behind, groups=())

    def read(self, typed: Mapping[str, str], default: S) -> S:
        """The Scenario that `typed` describes; what it leaves out is taken from `default`.

        Raises BadInput with a complaint for each field that cannot be used.
        """
        complaints: list[Complaint] = []
        values = self.taken_apart(default)
        for control in self.controls:
            if control.name in typed:
                try:
                    values[control.name] = control.read(typed[control.name])
                except BadInput as bad:
                    complaints += bad.complaints
        if complaints:
            raise BadInput(*complaints)
        return self.made(values, default)

    def write(self, scenario: S) -> dict[str, str]:
        """What would have to be typed for this Scenario, by control."""
        values = self.taken_apart(scenario)
        return {control.name: control.write(values[control.name]) for control in self.controls}

    def taken_apart(self, scenario: S) -> dict[str, Any]:
        """The values of a Scenario, by control."""
        if self.values is not None:
            return dict(self.values(scenario))
        controls = (*self.controls, *self.behind)
        return {control.name: _attribute(scenario, control.of or control.name) for control in controls}

    def made(self, values: Mapping[str, Any], default: S) -> S:
        """The Scenario of these values, by control. Raises BadInput where they do not go together."""
        _refuse(self.together(values))
        if self.build is not None:
            made = self.build(values)
        else:
            changes = {control.of or control.name: values[control.name] for control in self.controls}
            made = _replaced(default, changes)
        _refuse(self.unfit(made))
        return made


def _refuse(complaints: Iterable[Text]) -> None:
    if said := tuple(complaints):
        raise BadInput(*said)


def _attribute(thing: Any, path: str) -> Any:
    return reduce(getattr, path.split("."), thing)


def _replaced(thing: Any, values: Mapping[str, Any]) -> Any:
    """`thing` with these attributes, all at once; a path with points reaches into a part."""
    own = {path: value for path, value in values.items() if "." not in path}
    parts = {path.partition(".")[0] for path in values.keys() - own.keys()}
    for part in parts:
        inner = {path.partition(".")[2]: value for path, value in values.items() if path.startswith(f"{part}.")}
        own[part] = _replaced(getattr(thing, part), inner)
    return replace(thing, **own)
