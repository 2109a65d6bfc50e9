"""Bytes against context for several models, against a device, in several formats; the time just to read them;
rounding."""

from __future__ import annotations

from engine.kv_size import Scenario
from lessons.kit.charts import Chart
from lessons.kv_bytes.charts.context import CONTEXT, DEVICE, FORMATS, READ
from lessons.kv_bytes.charts.rounding import ROUNDED

CHARTS: tuple[Chart[Scenario], ...] = (CONTEXT, DEVICE, READ, FORMATS, ROUNDED)
