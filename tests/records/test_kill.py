"""Processes that are killed while they remember and forget: what was acknowledged is there, what was forgotten stays so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_wire.client import Memory
from memory_wire.errors import UnknownRecord
from memory_wire.store.check import check

WRITER = """
import sys
from memory_wire import Memory
with Memory(sys.argv[1]) as memory:
    kept = []
    for number in range(100_000):
        key = f"{sys.argv[2]}-{number}"
        id = memory.remember(f"Fact {key}.", fact_key=f"k{number % 7}", derived_from=kept[-2:], idempotency_key=key).id
        print("remembered", id, number, flush=True)
        kept.append(id)
        if number % 3 == 2:
            gone = kept.pop(0)
            assert memory.forget_record(gone).forgotten
            print("forgotten", gone, number, flush=True)
"""


@pytest.mark.parametrize("round", range(3))
def test_nothing_acknowledged_is_lost_and_nothing_forgotten_comes_back(tmp_path: Path, round: int) -> None:
    db = tmp_path / "memory.db"
    command = [sys.executable, "-c", WRITER, str(db)]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True, start_new_session=True) for name in "ab"]
    time.sleep(0.8 + 0.2 * round)
    for writer in writers:
        os.killpg(writer.pid, signal.SIGKILL)
    lines = [line.split() for writer in writers for line in writer.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
    forgotten = {id for word, id, _ in lines if word == "forgotten"}
    remembered = {id for word, id, _ in lines if word == "remembered"}
    assert len(remembered) > 20
    with Memory(db) as memory:
        unsure = set()  # the forgetting that ran when the process was killed may have happened
        for id in remembered:
            try:
                assert memory.get_record(id).id == id and id not in forgotten
            except UnknownRecord:
                unsure |= {id} - forgotten
        assert len(unsure) <= len(writers)
        live = len(remembered) - len(forgotten)
        assert live - len(writers) <= memory.stats().memories <= live + len(writers)
        assert [found for found in check(memory.service.store) if found.level == "error"] == []
