"""The rule of time of engine.serving, read out slowly: every step, every request, every place of the pool.

An oracle, written from the rule and not from the code: it shares nothing with it but the policies' names.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.serving import BestFit, Paged, Policy, PowerOfTwo, Report, Reserve


def piece(policy: Policy, length: int) -> int:
    match policy:
        case Reserve(tokens=tokens):
            return tokens
        case PowerOfTwo():
            size = 1
            while size < length:
                size *= 2
            return size
        case _:
            return length


def holes(owners: Sequence[int | None]) -> list[tuple[int, int]]:
    """Size and beginning of each run of free places."""
    found = []
    for start, owner in enumerate(owners):
        if owner is None and (start == 0 or owners[start - 1] is not None):
            end = next((i for i in range(start, len(owners)) if owners[i] is not None), len(owners))
            found.append((end - start, start))
    return found


def slowly(lengths: Sequence[int], policy: Policy, pool_tokens: int, max_running: int | None) -> Report:
    size = policy.block_size if isinstance(policy, Paged) else 0
    free = list(range(pool_tokens // size)) if size else []
    owners: list[int | None] = [None] * pool_tokens
    tables: dict[int, list[int]] = {}
    tokens, queue = [0] * len(lengths), list(range(len(lengths)))
    running: list[int] = []
    steps = ran = held = reserved = external = blocked_steps = preemptions = lost = 0
    while queue or running:
        steps += 1
        while queue and (max_running is None or len(running) < max_running):
            request = queue[0]
            if size:
                needed = -(-(tokens[request] + 1) // size)
                if needed > len(free):
                    break
                tables[request] = [free.pop() for _ in range(needed)]
            else:
                wanted = piece(policy, lengths[request])
                enough = [hole for hole in holes(owners) if hole[0] >= wanted]
                if not enough:
                    if owners.count(None) >= wanted:
                        blocked_steps += 1
                        external += owners.count(None)
                    break
                start = min(enough)[1] if isinstance(policy, BestFit) else min(begin for _, begin in enough)
                owners[start : start + wanted] = [request] * wanted
            running.append(queue.pop(0))
        for request in list(running):
            if request not in running:
                continue
            if size and tokens[request] == size * len(tables[request]):
                while not free and request in running:
                    newest = running.pop()
                    free += tables.pop(newest)
                    queue.insert(0, newest)
                    preemptions += 1
                    lost += tokens[newest]
                if request not in running:
                    continue
                tables[request].append(free.pop())
            tokens[request] += 1
        ran += len(running)
        held += sum(tokens[request] for request in running)
        reserved += size * sum(map(len, tables.values())) if size else pool_tokens - owners.count(None)
        for request in list(running):
            if tokens[request] == lengths[request]:
                running.remove(request)
                free += tables.pop(request, [])
                owners = [None if owner == request else owner for owner in owners]
        assert not size or len(free) + sum(map(len, tables.values())) == pool_tokens // size
    assert owners == [None] * pool_tokens
    swap = isinstance(policy, Paged) and policy.when_full == "swap"
    return Report(
        steps=steps,
        tokens=sum(lengths),
        mean_running=ran / steps if steps else 0.0,
        utilisation=held / reserved if reserved else 0.0,
        waste_internal=(reserved - held) / steps if steps else 0.0,
        waste_external=external / steps if steps else 0.0,
        blocked_steps=blocked_steps,
        preemptions=preemptions,
        recomputed_tokens=0 if swap else lost,
        swapped_tokens=2 * lost if swap else 0,
        held=held,
        reserved=reserved,
    )
