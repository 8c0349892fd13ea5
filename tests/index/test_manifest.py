"""The manifest file: what is read back, what is refused, which files stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.index import manifest as m
from memory_wire.index.manifest import Entry, FolderLock, Manifest

STORE = "00112233445566778899aabbccddeeff"


def some(**changes: object) -> Manifest:
    segments = [Entry("seg-a", 1, 9, 9, 2, [3, 2]), Entry("seg-b", 12, 40, 20)]
    values = {"generation": 3, "store": STORE, "analyser": 1, "language": 1, "covered": 41, "covered_id": "ab", "segments": segments}
    return Manifest(**{**values, **changes})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written = some(removed=7, removed_id="cd", lost=[(9, 11)])
    for name in ("seg-a", "seg-b"):
        (tmp_path / name).touch()
    m.publish(str(tmp_path), written)
    assert written.generation == 1
    assert m.read_newest(str(tmp_path)) == written
    assert (tmp_path / "manifest-0000000001").stat().st_mode & 0o777 == 0o600


@given(st.data())
def test_any_damaged_byte_is_noticed(data: st.DataObject) -> None:
    whole = m.encode(some())
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
    assert m.decode(bytes(damaged)) is None
    assert m.decode(whole[:at]) is None
    assert m.decode(whole + whole[: at + 1]) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2},
        {"covered": 39},  # less than a segment's last unit
        {"segments": [Entry("seg-b", 12, 40, 20), Entry("seg-a", 1, 9, 9)]},
        {"segments": [Entry("seg-a", 1, 12, 9), Entry("seg-b", 12, 40, 20)]},
        {"segments": [Entry("seg-a", 9, 1, 9)]},
        {"segments": [Entry("../seg-a", 1, 9, 9)]},
        {"segments": [Entry("seg-a", 1, 9, 0)]},
        {"segments": [Entry("seg-a", 1, 9, 9, 10, [0, 10])]},
        {"segments": [Entry("seg-a", 1, 9, 9, 1, [-1, 1])]},
        {"lost": [(5, 5)]},
        {"lost": [(5, 99)]},
    ],
)
def test_a_manifest_that_says_impossible_things_is_not_used(changes: dict[str, object]) -> None:
    assert m.decode(m.encode(some())) is not None
    assert m.decode(m.encode(some(**changes))) is None


def test_two_generations_and_their_files_stay(tmp_path: Path) -> None:
    folder = str(tmp_path)
    names = [f"seg-{number}" for number in range(4)]
    for name in ("seg-9.tmp", "seg-9.tmp.2", "LOCK"):
        (tmp_path / name).touch()
    for name in names:
        (tmp_path / name).touch()
        m.publish(folder, some(segments=[Entry(name, 1, 9, 9)]))
    assert sorted(os.listdir(folder)) == ["LOCK", "manifest-0000000003", "manifest-0000000004", "seg-2", "seg-3"]
    assert [kept.segments[0].file for kept in m.kept_generations(folder)] == ["seg-3", "seg-2"]


def test_a_damaged_newest_generation_falls_back_to_the_one_before(tmp_path: Path) -> None:
    folder = str(tmp_path)
    for covered in (50, 60):
        m.publish(folder, some(covered=covered))
    (tmp_path / "manifest-0000000002").write_bytes(b"torn")
    found = m.read_newest(folder)
    assert found is not None and (found.generation, found.covered) == (1, 50)
    later = some(covered=70)
    m.publish(folder, later)
    assert later.generation == 3  # never the number of a file that was there
    (tmp_path / "manifest-0000000003").rename(tmp_path / "manifest-0000000009")
    assert m.read(folder, 9) is None  # not what its name says


def test_no_folder_has_no_manifest(tmp_path: Path) -> None:
    assert m.read_newest(str(tmp_path / "none")) is None
    assert m.generations(str(tmp_path / "none")) == []


def test_one_process_holds_the_lock(tmp_path: Path) -> None:
    folder = str(tmp_path / "index" / "7")
    code = "import sys; from memory_wire.index.manifest import FolderLock\nwith FolderLock(sys.argv[1]) as lock: print(lock.held)"
    with FolderLock(folder) as lock:
        assert lock.held
        for path in (tmp_path / "index", tmp_path / "index" / "7"):
            assert path.stat().st_mode & 0o777 == 0o700
        with FolderLock(folder, 0.02) as other:
            assert not other.held
        assert subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True).stdout == "False\n"
    assert subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True).stdout == "True\n"
    with FolderLock(folder) as lock:
        assert lock.held


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    read, write = os.pipe()
    with FolderLock(str(tmp_path)) as lock:
        assert lock.held
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)  # lives on until the parent is done
            os._exit(0)
    with FolderLock(str(tmp_path)) as again:
        held = again.held
    os.close(write)
    os.close(read)
    os.waitpid(child, 0)
    assert held
