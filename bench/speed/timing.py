"""Percentiles of single calls, warm."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence


def percentiles(call: Callable[[str], object], queries: Sequence[str], warm: int = 50) -> tuple[float, float]:
    """p50 and p99 in microseconds over the queries, one call each, garbage collection off."""
    for query in queries[:warm]:
        call(query)
    times = []
    gc.disable()
    try:
        for query in queries:
            begun = time.perf_counter_ns()
            call(query)
            times.append(time.perf_counter_ns() - begun)
    finally:
        gc.enable()
    return pick(times, 50), pick(times, 99)


def pick(times: Sequence[int], percent: int) -> float:
    """A percentile of nanoseconds, in microseconds."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] / 1000
