"""Compares what your program gives with what it should, and names the slip. | 比较程序的结果与正确结果，并指出失误。"""

import numpy as np
import pytest

SLIPPED, OTHER, TODO = "{found} {slip}", "{found} {right}", "{what}"  # @words


def judge(module, case):
    """Run a case with your functions; fail with a sentence where it is wrong. | 运行一例；结果不对就说明。"""
    names = {**vars(module), "np": np}
    error = missing = None
    try:
        exec(case["does"], names)
        found = names["found"]
    except NotImplementedError as stopped:
        missing = stopped
    except Exception as stopped:
        error, found = stopped, type(stopped).__name__
    if missing is not None:
        pytest.fail(TODO.format(what=missing), pytrace=False)
    if same(found, case["right"]):
        return
    for wrong, slip in case["slips"]:
        if same(found, wrong):
            pytest.fail(SLIPPED.format(found=written(found), slip=slip), pytrace=False)
    if error is not None:
        raise error
    pytest.fail(OTHER.format(found=written(found), right=written(case["right"])), pytrace=False)


def same(a, b):
    """Whether two results agree up to rounding error, NaN with NaN. | 两个结果是否只差舍入误差。"""
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    try:
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError):
        return False
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)


def written(x):
    """A result with four decimals. | 保留四位小数的结果。"""
    if isinstance(x, str):
        return x
    if isinstance(x, (list, tuple, np.ndarray)) and np.ndim(x):
        return f"({', '.join(map(written, x))})"
    return f"{float(x):.4f}" if float(x) % 1 else f"{float(x):.0f}"
