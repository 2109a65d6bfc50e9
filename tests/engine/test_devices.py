"""Devices: each figure has a source, dense figures are dense, and what is known from elsewhere agrees."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.devices import DEVICES, Format
from engine.standing import Standing


def test_every_figure_has_a_source_and_a_standing() -> None:
    assert len(DEVICES) >= 11
    for name, device in DEVICES.items():
        assert device.name == name
        for cited in (device.memory, device.bandwidth, *device.flops.values()):
            assert cited.value > 0
            assert len(cited.source) > 8
            assert cited.standing in (Standing.READ, Standing.SECONDARY)


def test_sxm_and_pcie_are_told_apart() -> None:
    sxm, pcie = DEVICES["H100 SXM5"], DEVICES["H100 PCIe"]
    assert (sxm.bandwidth.value, pcie.bandwidth.value) == (335 * 10**10, 2 * 10**12)
    assert sxm.memory.value == pcie.memory.value == 80 * 10**9
    assert sxm.shared_kb is not None
    assert sxm.shared_kb.value == 228
    assert sxm.shared_kb.standing is Standing.SECONDARY


def test_b200_is_what_is_shipped_not_the_chip() -> None:
    device = DEVICES["B200 (HGX, DGX)"]
    assert (device.memory.value, device.bandwidth.value) == (180 * 10**9, 8 * 10**12)
    assert device.bandwidth.standing is device.standing is Standing.SECONDARY


def test_flops_are_dense_so_h200_has_those_of_h100() -> None:
    h100, h200 = (DEVICES[name].flops for name in ("H100 SXM5", "H200 SXM"))
    assert h100[Format.BF16].value == h200[Format.BF16].value == 989 * 10**12
    for device in DEVICES.values():
        for number in (Format.FP8, Format.INT8):
            if number in device.flops:
                ratio = device.flops[number].value / device.flops[Format.BF16].value
                assert Fraction(199, 100) < ratio < Fraction(401, 100)


@pytest.mark.parametrize(("name", "ridge"), [("H100 SXM5", 295), ("A100 SXM 40 GB", 201), ("A100 SXM 80 GB", 153)])
def test_ridges_as_published(name: str, ridge: int) -> None:
    found = DEVICES[name].ridge()
    assert found is not None
    assert round(found) == ridge


def test_a_ridge_that_is_not_known_is_none() -> None:
    assert DEVICES["MacBook Pro, M4 Max"].ridge() is None
    assert DEVICES["A100 SXM 40 GB"].ridge(Format.FP8) is None


def test_nobody_can_change_a_device() -> None:
    with pytest.raises(TypeError):
        DEVICES["x"] = DEVICES["L4"]  # type: ignore[index]
    with pytest.raises(TypeError):
        DEVICES["L4"].flops[Format.FP4] = DEVICES["L4"].memory  # type: ignore[index]
