"""The names of blocks: a block is found by the hash of all that made it.

Source: chapter 07, Q028; vLLM's automatic prefix caching. Keys and values depend on the model, the adapter and every
token before them, so all of these go into the name under which a block is kept. Only full blocks are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from engine.checked import checked_int

WIDTH = 256  # bits of a whole hash


class Mistake(Enum):
    """Hashes with something left out: each finds a block that is not the right one."""

    NONE = "none"
    NO_PARENT = "no_parent"  # the block's own tokens only, wherever they stand
    NO_MODEL = "no_model"
    NO_ADAPTER = "no_adapter"
    NO_SALT = "no_salt"
    UNTAGGED = "untagged"  # adapter and salt in one list: which of them it was is lost


@dataclass(frozen=True)
class Identity:
    """Whose blocks these are. `adapter` must tell weights apart, not just names; `salt` keeps tenants apart.

    Raises ValueError for an empty model, or anything that is not text (None: no adapter, no salt).
    """

    model: str
    adapter: str | None = None
    salt: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model:
            raise ValueError(f"model: a name, got {self.model!r}")
        for name, value in (("adapter", self.adapter), ("salt", self.salt)):
            if value is not None and not isinstance(value, str):
                raise ValueError(f"{name}: text or None, got {value!r}")


def block_hashes(
    tokens: Iterable[int], block_size: int, identity: Identity, mistake: Mistake = Mistake.NONE
) -> tuple[str, ...]:
    """One SHA-256 (hex) a full block, each made of the block before it, the identity and the block's tokens.

    A last block that is not full gets none. Raises ValueError for a token that is no whole number, a block size
    below 1, or an identity that is none.

    >>> one, two = block_hashes([1, 2, 3, 4, 1, 2, 3, 4, 9], 4, Identity("m"))
    >>> one == two  # the same four tokens, but not after the same tokens
    False
    """
    size = checked_int("block_size", block_size, 1)
    ids = [checked_int("tokens", token, at_least=None) for token in tokens]
    if not isinstance(identity, Identity):
        raise ValueError(f"identity: an Identity, got {identity!r}")
    hashes: list[str] = []
    for end in range(size, len(ids) + 1, size):
        parent = hashes[-1] if hashes else None
        hashes.append(block_hash(parent, ids[end - size : end], identity, mistake))
    return tuple(hashes)


def block_hash(parent: str | None, tokens: Sequence[int], identity: Identity, mistake: Mistake = Mistake.NONE) -> str:
    """SHA-256 (hex) of one block, by that of the block before it (None: it is the first). Arguments are taken as
    checked.

    vLLM's hash_block_tokens. Not Python's own hash, which takes different numbers for the same:

    >>> hash(-1) == hash(-2), hash((7, -1)) == hash((7, -2))
    (True, True)
    """
    kept = None if mistake is Mistake.NO_PARENT else parent
    text = json.dumps([_tagged(identity, mistake), ["parent", kept], ["tokens", list(tokens)]])
    return hashlib.sha256(text.encode()).hexdigest()


def shortened(name: str, bits: int) -> str:
    """The first `bits` bits (1 … 256) of a hash, in as many hexadecimal digits as they need.

    >>> shortened("a3" * 32, 4), shortened("a3" * 32, 6), shortened("a3" * 32, 256) == "a3" * 32
    ('a', '28', True)
    """
    if checked_int("bits", bits, 1) > WIDTH:
        raise ValueError(f"bits: 1 … {WIDTH}, got {bits}")
    return f"{int(name, 16) >> (WIDTH - bits):0{-(-bits // 4)}x}"


def _tagged(identity: Identity, mistake: Mistake) -> list[list[str | None]]:
    """The identity as [what it is, which one] pairs, so that an adapter "X" is not a salt "X"."""
    fields: list[list[str | None]] = [
        ["model", identity.model],
        ["adapter", identity.adapter],
        ["salt", identity.salt],
    ]
    if mistake is Mistake.UNTAGGED:
        return [[value] for _, value in fields if value is not None]
    left_out = {Mistake.NO_MODEL: "model", Mistake.NO_ADAPTER: "adapter", Mistake.NO_SALT: "salt"}.get(mistake)
    return [field for field in fields if field[0] != left_out]


def matched_blocks(hashes: Sequence[str], cached: Collection[str]) -> int:
    """How many blocks from the first on are in `cached`; the first one missing ends it.

    >>> matched_blocks(["a", "b", "c"], {"a", "c"})
    1
    """
    return next((i for i, block in enumerate(hashes) if block not in cached), len(hashes))


def reusable_tokens(n_prompt: int, n_cached: int, block_size: int) -> int:
    """How many tokens of a prompt need no computing when its first `n_cached` are cached.

    Full blocks only; and never the whole prompt, for the last token must be run to know what follows it.
    Raises ValueError for a negative count or a block size below 1.

    >>> reusable_tokens(48, 48, 16), reusable_tokens(49, 49, 16), reusable_tokens(200, 100, 16)
    (32, 48, 96)
    """
    size = checked_int("block_size", block_size, 1)
    most = min(checked_int("n_cached", n_cached), checked_int("n_prompt", n_prompt) - 1)
    return max(most, 0) // size * size
