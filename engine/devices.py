"""Accelerators and a laptop: memory, bandwidth and dense FLOP/s, each figure with its source and its standing.

Memory is in GB as printed, taken as 10⁹ bytes: drivers show a little more (a 40 GB A100 42,405,855,232 bytes, an 80 GB
H100 near 80 GiB), so what fits here fits there. FLOP/s are of matrix units on dense matrices; makers like to print the
figure with sparsity, twice as large. Figures are peaks: none is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

from engine.standing import Standing


class Format(Enum):
    """What the matrix units multiply."""

    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"
    FP4 = "fp4"


@dataclass(frozen=True)
class Cited:
    """A figure with the place where it was found."""

    value: Fraction
    source: str
    standing: Standing


@dataclass(frozen=True)
class Device:
    """One device. `memory` in bytes, `bandwidth` in bytes a second, `peaks`: FLOP/s by format; not all are known.

    `shared_kb` is the on-chip memory of one multiprocessor that a program can use, in KB of 1,024 bytes.
    """

    name: str
    memory: Cited
    bandwidth: Cited
    peaks: tuple[tuple[Format, Cited], ...]
    shared_kb: Cited | None = None

    @property
    def flops(self) -> Mapping[Format, Cited]:
        """FLOP a second by format."""
        return MappingProxyType(dict(self.peaks))

    def ridge(self, number: Format = Format.BF16) -> Fraction | None:
        """FLOP a byte from which on the device is bound by arithmetic, not by memory; None where FLOP/s are unknown.

        >>> round(DEVICES["H100 SXM5"].ridge(), 1)
        Fraction(1476, 5)
        """
        return self.flops[number].value / self.bandwidth.value if number in self.flops else None

    @property
    def standing(self) -> Standing:
        """READ if all of its figures were, else SECONDARY."""
        cited = (self.memory, self.bandwidth, *self.flops.values())
        return Standing.READ if all(c.standing is Standing.READ for c in cited) else Standing.SECONDARY


_TRT = "NVIDIA/TensorRT-LLM, tensorrt_llm/auto_parallel/cluster_info.py (from the datasheets)"
_AIC = "ai-dynamo/aiconfigurator (NVIDIA), systems"
_SHARED = Cited(Fraction(228), "listings of the H100; 256 KB are shared memory and L1 together", Standing.SECONDARY)
_TPU = "Google Cloud, docs of TPU v5e"


def _device(
    name: str,
    memory_gb: str,
    bandwidth_tb: str,
    tflops: Mapping[Format, str],
    source: str,
    standing: Standing = Standing.READ,
    *,
    bandwidth: tuple[str, Standing] | None = None,
    shared_kb: Cited | None = None,
) -> Device:
    """GB and TB/s of powers of ten, TFLOP/s, from one source, or the bandwidth from another."""
    peaks = ((number, Cited(Fraction(value) * 10**12, source, standing)) for number, value in tflops.items())
    return Device(
        name,
        Cited(Fraction(memory_gb) * 10**9, source, standing),
        Cited(Fraction(bandwidth_tb) * 10**12, *(bandwidth or (source, standing))),
        tuple(peaks),
        shared_kb,
    )


_ALL = (
    _device("A100 SXM 40 GB", "40", "1.555", {Format.BF16: "312", Format.INT8: "624"}, _TRT),
    _device("A100 SXM 80 GB", "80", "2.039", {Format.BF16: "312", Format.INT8: "624"}, _TRT),
    _device(
        "H100 SXM5",
        "80",
        "3.35",
        {Format.BF16: "989", Format.FP8: "1979", Format.INT8: "1979"},
        _TRT,
        shared_kb=_SHARED,
    ),
    _device(
        "H100 PCIe",
        "80",
        "2",
        {Format.BF16: "756.5", Format.FP8: "1513", Format.INT8: "1513"},
        f"{_AIC}/h100_pcie.yaml (dense; 1513 and 3026 with sparsity)",
        shared_kb=_SHARED,
    ),
    _device(
        "H200 SXM",
        "141",
        "4.8",
        {Format.BF16: "989", Format.FP8: "1978", Format.INT8: "1978"},
        f"{_AIC}/h200_sxm.yaml",
    ),
    _device(
        "B200 (HGX, DGX)",
        "180",
        "8",
        {Format.BF16: "2250", Format.FP8: "4500", Format.INT8: "4500", Format.FP4: "9000"},
        f"{_AIC}/b200_sxm.yaml (192 GB, often printed, are the chip’s; HGX and DGX ship 180)",
        bandwidth=("vendors’ pages (“up to 8 TB/s”); NVIDIA’s planner reckons with 7.7", Standing.SECONDARY),
    ),
    _device(
        "L40S",
        "48",
        "0.864",
        {Format.BF16: "362.05", Format.FP8: "733", Format.INT8: "733"},
        f"{_AIC}/l40s.yaml; {_TRT}",
    ),
    _device(
        "L4",
        "24",
        "0.3",
        {Format.BF16: "121", Format.FP8: "242", Format.INT8: "242"},
        f"{_AIC}/l4.yaml (dense; 242 and 485 with sparsity)",
    ),
    _device(
        "GeForce RTX 4090",
        "24",
        "1.008",
        {Format.BF16: "165.15", Format.FP8: "330.3", Format.INT8: "660.6"},
        "waredb.com (dense)",
        Standing.SECONDARY,
    ),
    _device(
        "Instinct MI300X",
        "192",
        "5.3",
        {Format.BF16: "1307.4", Format.FP8: "2614.9"},
        "alpharomercoma/MI300X-vs-H200, REPORT.md (dense), and several listings; AMD’s data sheet was not at hand",
        Standing.SECONDARY,
    ),
    _device("TPU v5e", "16", "0.819", {Format.BF16: "197", Format.INT8: "393"}, _TPU),
    _device(
        "MacBook Pro, M4 Max",
        "128",
        "0.546",
        {},
        "MacRumors, 30 October 2024, on Apple’s announcement (up to 128 GB, up to 546 GB/s; FLOP/s are not given)",
        Standing.SECONDARY,
    ),
)

DEVICES: Mapping[str, Device] = MappingProxyType({device.name: device for device in _ALL})
