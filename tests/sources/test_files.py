"""Files, folders and archives: nothing outside is reached, nothing is unpacked beyond measure."""

from __future__ import annotations

import gc
import gzip
import json
import os
import stat
import zipfile
from pathlib import Path

import pytest

from memory_wire import config
from memory_wire.errors import Invalid
from memory_wire.sources.files import Source
from memory_wire.sources.formats import detect, reader
from memory_wire.sources.items import Skipped
from tests.sources import exports


@pytest.mark.parametrize("name", ["../evil.json", "/etc/evil.json", "a/../../evil.json", "C:/evil.json", "..\\evil.json", "a\\..\\..\\e"])
def test_an_archive_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    path = exports.write(tmp_path, exports.zipped({"fine.md": b"x", name: b"x"}))
    with pytest.raises(Invalid, match="leads out of the archive"):
        Source(str(path))


def test_an_archive_with_a_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    entry = zipfile.ZipInfo("link.md")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(Invalid, match="leads out"):
        Source(str(path))


def test_an_archive_out_of_proportion_is_refused(tmp_path: Path) -> None:
    size = config.IMPORT_RATIO_BYTES + 1
    path = exports.write(tmp_path, exports.zipped({"bomb.json": b"0" * size}))
    assert path.stat().st_size * config.IMPORT_RATIO < size
    with pytest.raises(Invalid, match="unpacks to more than"):
        Source(str(path))


def test_a_compressed_file_out_of_proportion_stops_being_read(tmp_path: Path) -> None:
    head = json.dumps(exports.MEM0["results"][0]).encode()
    path = exports.write(tmp_path, gzip.compress(b"[" + head + b',"' + b"0" * (config.IMPORT_RATIO_BYTES + 1) + b'"]'))
    with pytest.raises(Invalid, match="unpacks to more than"):
        list(reader("mem0")(Source(str(path))))


def test_an_encrypted_archive_is_named(tmp_path: Path) -> None:
    data = bytearray(exports.zipped({"a.md": b"x"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + offset
        data[at] |= 1
    with pytest.raises(Invalid, match="is encrypted"):
        Source(str(exports.write(tmp_path, bytes(data))))


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "IMPORT_FILES", 2)
    for count, allowed in ((2, True), (3, False)):
        folder = tmp_path / str(count)
        for number in range(count):
            exports.write(folder, b"x", f"{number}.md")
        archive = exports.write(tmp_path, exports.zipped({f"{number}.md": b"x" for number in range(count)}), f"{count}.zip")
        for path in (folder, archive):
            if allowed:
                assert len(Source(str(path)).all) == count
            else:
                with pytest.raises(Invalid, match="holds more than 2 files"):
                    Source(str(path))


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "absent"):
        with pytest.raises(Invalid):
            Source(str(tmp_path / name))
    broken = exports.write(tmp_path, exports.zipped({"a.md": b"word " * 500})[:-30] + b"\0" * 30)
    with pytest.raises(Invalid):
        detect(Source(str(broken)))


def test_damaged_members_are_skipped(tmp_path: Path) -> None:
    data = exports.zipped({"conversations.json": json.dumps(exports.CLAUDE).encode()})
    at = data.index(b"conversations.json") + 60
    path = exports.write(tmp_path, data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + 8]) + data[at + 8 :])
    [found] = reader("claude")(Source(str(path)))
    assert isinstance(found, Skipped) and found.place == "conversations.json" and "damaged" in found.reason


def test_how_far_a_source_has_been_read(tmp_path: Path) -> None:
    path = exports.write(tmp_path, b"[" + b",".join([json.dumps(exports.MEM0["results"][0]).encode()] * 30_000) + b"]")
    source = Source(str(path))
    seen = [source.position() for _ in reader("mem0")(source)]
    assert seen == sorted(seen) and 0 < seen[0] < source.size // 2 and seen[-1] == source.size


def test_an_archive_holds_at_most_so_much_however_large_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = exports.write(tmp_path, exports.zipped({"a.md": os.urandom(1000)}))
    monkeypatch.setattr(config, "IMPORT_UNPACKED_BYTES", 1000)
    assert len(Source(str(path)).all) == 1
    monkeypatch.setattr(config, "IMPORT_UNPACKED_BYTES", 999)
    with pytest.raises(Invalid, match="unpacks to more than"):
        Source(str(path))


def test_an_archive_is_closed_with_its_source(tmp_path: Path) -> None:
    path = exports.write(tmp_path, exports.zipped({"a.md": b"x"}))
    descriptors = Path("/dev/fd")

    def opened() -> bool:
        return any(os.path.realpath(entry) == str(path) for entry in descriptors.iterdir())

    gc.disable()  # not some time later
    try:
        source = Source(str(path))
        with source.all[0].open() as file:
            assert file.read() == b"x" and opened()
        del source, file
        assert not opened()
    finally:
        gc.enable()
