"""Giving memory back from within a living interpreter: everything reads the same afterwards, and what was free or a file's is gone."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.kernels import sysmem

CODE = """
import sys
sys.path[:] = {path!r}
from memory_wire.kernels import sysmem
sysmem.tune()
import json, decimal, email.message
pieces = sysmem.window(16384, 512 * 1024)
blocks = [bytes(70_000) for _ in range(200)]
words = [str(n) * 40 for n in range(20_000)]
before = sysmem.resident()
del blocks
dropped = sysmem.release()
after = sysmem.resident()
assert words == [str(n) * 40 for n in range(20_000)]
assert json.loads('{{"a": [1, 2]}}') == {{"a": [1, 2]}} and decimal.Decimal(1) / 3 * 3 < 1
assert sysmem.release() >= 0
print(pieces, dropped, before - after, sysmem.peak() - before)
"""


def test_a_process_that_gave_its_memory_back_goes_on() -> None:
    if sys.platform != "linux":
        assert sysmem.release() == 0 and sysmem.window(16384, 65536) == 0
        return
    code = CODE.format(path=[entry for entry in sys.path if entry])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pieces, dropped, freed, above = done.stdout.split()
    assert int(pieces) > 50
    assert int(dropped) > 2048
    assert int(freed) > 4096
    assert int(above) > -1024  # the kernel counts in batches


def test_pages_of_a_mapped_file_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(1 << 20))
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        assert mapped[:] == path.read_bytes()
        sysmem.release()
        assert mapped[:] == path.read_bytes()


@pytest.mark.parametrize(("size", "least"), [(0, 4096), (100, 4096), (8192, 4096)])
def test_a_window_is_whole_pages(size: int, least: int) -> None:
    with pytest.raises(ValueError, match="whole pages"):
        sysmem.window(size, least)
