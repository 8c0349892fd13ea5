"""Writes the seed corpora of the codec, segment and live targets. Run from the project's root with the package importable."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from memory_wire.kernels.postings import Live
from tests.oracle.packed import pack, pack_text

CORPUS = Path("csrc/fuzz/corpus")


def write(target: str, name: str, data: bytes) -> None:
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def segment(live: Live, name: str) -> None:
    path = str(CORPUS / "segment" / name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    live.write(path, b"seed-corpus-0000")


def segments() -> None:
    one = Live(4)
    one.append(1, 1, 0, -1, -1, [], pack_text("a"))
    segment(one, "one")
    mixed = Live(400)
    for unit in range(1, 300):
        fields = [b"\x02red"] if unit % 3 else [b"\x02red", b"\x01y2023"]
        mixed.append(unit * 7, unit, unit % 4, unit % 5 - 1, unit, fields, pack_text(f"alpha beta {unit} " + "gamma " * (unit % 4)))
    segment(mixed, "mixed")
    long = Live(8)
    for unit in range(1, 5):
        long.append(unit << 20, unit, 0, 0, 5 - unit, [], pack([((b"x", b"y") * 40, (b"z",)), ((b"y",), ()), ((), ())]))
    segment(long, "long")
    empty = Live(2)
    empty.append(9, 0, 0, -1, -1, [], pack_text(""))
    segment(empty, "empty")


def main() -> None:
    segments()
    write("codec", "ones", struct.pack("<BI", 127, 1000) + bytes([1] * 128))
    write("codec", "gaps", struct.pack("<BI", 9, 0xFFFFFFFF) + b"\x80\x01\x02\x81\x01\xff\xff\x03\x00\xff\x01\x01\x01\x01\x01\x01\x01\x01")
    write("codec", "cut", struct.pack("<BI", 3, 50) + b"\x01\x80")
    write("live", "text", b"\x07\x01" + pack_text("the quick brown fox jumps over the lazy dog the end"))
    write("live", "passages", b"\x03\x09" + pack([((b"a", b"b", b"a"), (b"c",)), ((), ()), ((b"b",) * 255, (b"b",) * 200)]))
    write("live", "torn", b"\x03\x09" + pack_text("cut off here")[:-3])


if __name__ == "__main__":
    main()
