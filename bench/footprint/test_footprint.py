"""`pytest bench/footprint`: prints the table of states; fails when one breaks what the README promises or has grown since the baseline.

The baseline (baseline.json, KiB by state, for the Python version it was made with) is renewed with MEMORY_WIRE_BASELINE=1. TOLERANCE covers
builds of one Python version that differ in how they are linked.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.footprint.states import COURSES, Course, State

TOLERANCE = 1.10
BASELINE = Path(__file__).with_name("baseline.json")
PYTHON = ".".join(platform.python_version_tuple()[:2])


@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.__name__)
def test_states(course: Callable[[Course], Iterator[State]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = json.loads(BASELINE.read_text())
    kept: dict[str, int] = known.setdefault(PYTHON, {})
    renew = os.environ.get("MEMORY_WIRE_BASELINE") == "1"
    wrong = []
    for found in course(Course(tmp_path)):
        before = kept.get(found.name)
        grown = f"{found.reading.rss - before:+} KiB" if before else "new"
        with capsys.disabled():
            print(f"\n{found.name:<50} {found.reading.rss / 1024:6.2f} MiB (limit {found.limit:g}, baseline {grown})  {found.note}", end="")
        if found.reading.rss > found.limit * 1024 or (before and not renew and found.reading.rss > before * TOLERANCE):
            wrong.append(f"{found.name}: limit {found.limit:g} MiB, baseline {grown}\n{found.detail}")
        if renew:
            kept[found.name] = found.reading.rss
    if renew:
        BASELINE.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")
    assert not wrong, "\n".join(wrong)
