"""The corners of a lesson's form: each field singly at its least and most, at 0 and 1, each choice, and what only the
lesson knows to be a corner (ties, all masked, nothing shared)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lessons.kit.controls import BadInput, Choice, Control, OptionalReal, OptionalWhole, Real, Whole
from lessons.kit.lesson import Lesson

# What the fields' kinds do not tell, by lesson: typed texts by control.
OWN: dict[str, tuple[dict[str, str], ...]] = {
    "block_table": (
        {"table": "0, 1, 2, 3", "free": "5, 4"},  # every logical block in the physical block of its number
        {"table": "7, 2, 1", "position": "7"},  # the wrong way's slot is A's own, and empty
        {"table": "7, 2, 19", "position": "9", "free": "5, 1, 0"},
        # no block of B between A's
        {"tokens": "8", "appended": "0", "second": "3", "free": "19, 5, 3", "table": "7, 2"},
        {"tokens": "1", "block_size": "1", "appended": "0", "second": "0", "position": "0"},
        {"tokens": "1", "position": "0", "appended": "0", "second": "0"},
        {"block_size": "10", "appended": "0"},  # a block as long as the text
        {"block_size": "13"},
        {"block_size": "1", "tokens": "3", "appended": "3", "second": "2", "position": "2"},
        {"tokens": "4", "block_size": "2", "appended": "4", "position": "0"},
        {"tokens": "8", "appended": "8", "second": "16", "most": "16"},  # all that is reserved is used
        {"most": "13"},  # reserving takes as little as blocks
        {"second": "13", "most": "13"},  # and less
        {"free": "5, 3, 15, 0, 1, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18"},  # nobody else holds a block
    ),
    "kv_bytes": (
        {"layers": "1", "heads": "1", "kv_heads": "1"},
        {"layers": "2", "without": "1"},
        {"model": "Gemma-3-27B", "tokens": "1024"},  # windows just full
        {"model": "Gemma-3-27B", "tokens": "1"},
        {"model": "Llama-3-8B", "tokens": "131072"},  # longer than it is made for
        {"model": "Mistral-7B-v0.1", "tokens": "4095"},
        {"model": "Qwen3-Next-80B-A3B", "batch": "64"},
        {"model": "Whisper-large-v3", "batch": "2", "frames": "1"},
        {"kv_heads": "1", "devices": "32"},
        {"model": "DeepSeek-V3", "rope": "0", "devices": "128"},
        {"v_bits": "8"},
        {"v_bits": "32", "v_group": "1"},
        {"bits": "8", "v_bits": "16", "head_dim": "64", "value_dim": "32"},  # apart, and yet as large
        {"device": "MacBook Pro, M4 Max"},  # its FLOP/s are not known
        {"tokens": "1", "batch": "4096"},  # bound by arithmetic
        {"params": "0", "tokens": "1"},
        {"memory": "16.1", "tokens": "15"},
    ),
    "kv_reuse": (
        {"tokens": "A", "edit_at": "0"},  # one old token
        {"tokens": "A", "edit_at": "1"},
        {"tokens": "A", "appended": "A", "edit_at": "0", "sight": "bidirectional"},  # equal values
        {"tokens": "A A A", "appended": "A", "edit_at": "0", "edit_to": "A", "sight": "bidirectional", "layers": "3"},
        {"layers": "1", "sight": "bidirectional"},
        {"layers": "1", "sight": "bidirectional", "edit_at": "2", "edit_to": "F"},
        {"layers": "1", "edit_at": "0"},
        {"edit_to": "B"},  # replaced by itself
        {"edit_to": "B", "sight": "bidirectional", "layers": "3"},
        {"edit_to": "C", "edit_at": "2", "layers": "3"},
        {"edit_at": "2"},  # nothing stands behind the edit
        {"edit_at": "2", "sight": "bidirectional", "layers": "3"},
        {"edit_at": "0", "sight": "bidirectional"},
        {"sight": "window", "window": "1", "layers": "3"},  # everyone sees itself alone
        {"sight": "window", "window": "2", "tokens": "A B C D E F G", "layers": "3", "edit_at": "0"},
        {"sight": "window", "window": "2", "tokens": "A B C D E F G", "layers": "3", "edit_at": "6"},
        {"sight": "prefix", "prefix": "0"},
        {"sight": "prefix", "prefix": "1"},
        {"sight": "prefix", "prefix": "2", "edit_at": "0"},
        {"sight": "prefix", "prefix": "2", "edit_at": "2"},
        {"sight": "prefix", "prefix": "3"},  # the new token falls into the prefix
        {"sight": "prefix", "prefix": "128", "layers": "1"},
        {"tokens": "A B C D E F G", "layers": "3", "edit_at": "3"},
        {"tokens": "A B C D E F G", "layers": "3", "edit_at": "7", "sight": "bidirectional"},
        {"tokens": "A B C D E F G", "layers": "1", "edit_at": "0"},
        {"tokens": "K K K K", "appended": "K", "asked": "K"},  # all alike
    ),
    "online_softmax": (
        {"keys": "A,0,1"},  # one key
        {"keys": "A,-inf,1\nB,-inf,2"},  # all masked
        {"keys": "A,1,1\nB,-inf,2\nC,2,3"},  # masked in the middle
        {"keys": "A,1,1\nB,2,3\nC,-inf,3"},  # and at the end
        {"keys": "A,-inf,1\nB,-inf,2\nC,3,0\nD,5,-4"},  # two masked tiles first
        {"keys": "A,1,3\nB,1,1\nC,1,2"},  # ties
        {"keys": "A,0,5,1\nB,2,5,1\nC,1,5,1"},  # equal values
        {"keys": "A,0,0\nB,2,0\nC,1,0"},  # nothing to average
        {"keys": "A,0,0\nB,2,7\nC,3,1"},  # the first u is 0
        {"keys": "A,1,-5\nB,3,-10\nC,2,0"},  # negative values
        {"keys": "A,5,1\nB,4,2\nC,3,3\nD,2,4"},  # descending
        {"keys": "A,1,1\nB,2,2\nC,3,3\nD,4,4"},  # ascending
        {"keys": "A,-800,1\nB,-800,3"},  # every e^s underflows
        {"keys": "A,-800,0\nB,-801,0"},
        {"keys": "A,709.7,1\nB,709.7,2\nC,709.7,3"},  # the sum overflows, no power does
        {"keys": "A,709,1000000\nB,0,1"},  # u overflows, ℓ does not
        {"keys": "A,1,1\nB,1.0000000001,2"},  # a rise that is not seen in eight figures
        {"keys": "A,0,1\nB,10000,2\nC,0,3"},  # α is 0
        {"keys": "A,0,1\nB,40,2\nC,0,3"},  # added, and lost in rounding
        {"keys": "A,1000000,1000000\nB,-1000000,-1000000"},
        {"keys": "\n".join(f"K{i},{i % 5},{i},{-i},1,2" for i in range(16)), "tile": "3"},
        {"keys": "\n".join(f"K{i},7,{i}" for i in range(16))},
    ),
}


def typed(control: Control) -> Iterator[str]:
    """What stands in one field at its corners."""
    match control:
        case Whole(low=low, high=high) | OptionalWhole(low=low, high=high):
            yield from (str(n) for n in sorted({low, high, 0, 1, 2}) if low <= n <= high)
            if isinstance(control, OptionalWhole):
                yield ""
        case Real(low=low, high=high) | OptionalReal(low=low, high=high):
            yield from (control.write(x) for x in sorted({low, high, 0.0, 1.0}) if low <= x <= high)
            if isinstance(control, OptionalReal):
                yield ""
        case Choice(options=options):
            yield from (typed for typed, _ in options)


def corners(lesson: Lesson[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Scenarios at the corners, each with a name; where a field's corner does not go with the others there is none."""
    seen = {lesson.scenario}
    own = OWN.get(lesson.slug, ())
    for fields in (*({control.name: text} for control in lesson.form.controls for text in typed(control)), *own):
        try:
            scenario = lesson.form.read(fields, lesson.scenario)
        except BadInput:
            continue
        if scenario not in seen:
            seen.add(scenario)
            yield " ".join(f"{name}={text}" for name, text in fields.items()), scenario
