"""Memory for many requests over time: what policies waste, who waits, who is preempted."""

from __future__ import annotations

from engine.serving.lengths import chat_lengths, lognormal_lengths
from engine.serving.picture import Picture, picture
from engine.serving.places import Held, Snapshot, Stay, Strip, snapshots, stays
from engine.serving.policies import BestFit, FirstFit, Load, Paged, Policy, PowerOfTwo, Reserve
from engine.serving.simulate import Progress, Report, progress, simulate
from engine.serving.waste import Waste, power_of_two_waste, static_waste

__all__ = [
    "BestFit",
    "FirstFit",
    "Held",
    "Load",
    "Paged",
    "Picture",
    "Policy",
    "PowerOfTwo",
    "Progress",
    "Report",
    "Reserve",
    "Snapshot",
    "Stay",
    "Strip",
    "Waste",
    "chat_lengths",
    "lognormal_lengths",
    "picture",
    "power_of_two_waste",
    "progress",
    "simulate",
    "snapshots",
    "static_waste",
    "stays",
]
