"""Inputs of which some cannot be used: the others are, and other values stand in for the bad ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from lessons.kit.controls import BadInput, Complaint
from lessons.kit.form import Form

S = TypeVar("S")


@dataclass(frozen=True)
class Usable(Generic[S]):
    """What could be made of the inputs. `complaints` name each field for which the default's value stands in; where
    `fits` is False, what remained could not be used together, and `scenario` is the default."""

    scenario: S
    complaints: tuple[Complaint, ...]
    fits: bool


def usable(form: Form[S], typed: Mapping[str, str], default: S) -> Usable[S]:
    """The Scenario of every field of `typed` that can be used, and a complaint for each other one.

    A field may prove bad only beside others (a reading order that names too many rows): the one with whose name the
    complaint begins is given up. Where the default's value does not fit there either, or the complaint names no
    field, the default is left."""
    own = form.taken_apart(default)
    complaints: list[Complaint] = []
    given = {}
    for control in form.controls:
        if control.name in typed:
            try:
                given[control.name] = control.read(typed[control.name])
            except BadInput as bad:
                complaints += bad.complaints
    blamed: set[str] = set()
    while True:
        try:
            return Usable(form.made(own | given, default), tuple(complaints), True)
        except BadInput as bad:
            told = [(complaint, _named(form, complaint)) for complaint in bad.complaints]
        complaints += [complaint for complaint, names in told if not names or names - blamed]
        named = {name for _, names in told for name in names}
        if not named & given.keys():
            return Usable(default, tuple(complaints), False)
        blamed |= named
        given = {name: value for name, value in given.items() if name not in named}


def _named(form: Form[S], complaint: Complaint) -> set[str]:
    """The control that a complaint is about."""
    if complaint.field:
        return {complaint.field}
    return {control.name for control in form.controls if complaint.en.startswith(f"**{control.label.en}**")}
