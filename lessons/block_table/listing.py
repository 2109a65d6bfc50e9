"""A block table: where K and V lie, and attention through it. | 块表：K、V 放在哪里，以及经块表的注意力。"""

import numpy as np


def made(t):  # K and V of made-up tokens, one row each | 虚构 token 的 K 和 V，各占一行
    t, j = np.reshape(t, (-1, 1)), np.arange(2)  # @made
    k, v = np.sin(0.9 * t + 0.4 * j + 0.1), np.sin(0.7 * t + 1.1 * j + 1)  # @made
    return np.hstack((2 * k, 10 * v))  # @made


def attend(p, rows):
    q, (k, v) = 2 * np.cos(0.9 * p + 0.4 * np.arange(2)), np.hsplit(rows, 2)  # @weigh
    w = np.exp(k @ q / np.sqrt(2))  # @weigh
    return w @ v / w.sum() if len(rows) else 0 * q  # @weigh


def start(rows, memory, free, size):
    table = [free.pop(0) for _ in range(-(-len(rows) // size))]  # @take
    for p, row in enumerate(rows):  # @store
        memory[table[p // size] * size + p % size] = row  # @store
    return table  # @take


def in_last(n, table, size):
    return n - (len(table) - 1) * size  # tokens in the last block | 末块里的 token 数  # @fill


def append(row, n, table, memory, free, size):
    if in_last(n, table, size) == size:  # the last block is full | 末块已满  # @full
        table.append(free.pop(0))  # @grow
    memory[table[-1] * size + n % size] = row  # @write


def slot(p, table, size):
    logical, offset = divmod(p, size)  # @divide
    block = table[logical]  # @look_up
    return block * size + offset  # @slot


def read(n, table, memory, size):
    rows = (len(table) - 1) * size + in_last(n, table, size)  # @rows
    slots = [slot(p, table, size) for p in range(rows)]  # @loop
    return attend(n - 1, memory[slots])  # @attend


def serve(n, more, second, free, n_blocks, size):
    memory = made(90 + np.arange(n_blocks * size))  # left by others | 别人留下的  # @pool
    table = start(made(range(n)), memory, free, size)  # request A | 请求 A  # @first
    output = read(n, table, memory, size)  # @first
    for p in range(n, n + more):  # @more
        append(made(p)[0], p, table, memory, free, size)  # @more
    start(made(range(40, 40 + second)), memory, free, size)  # request B | 请求 B  # @second
    output = output, read(n + more, table, memory, size)  # @last
    free += reversed(table)  # A is done | A 结束  # @release
    return np.array(output)  # @last
