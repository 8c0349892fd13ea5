"""The wheel checker on wheels made here: one put together from the installed package is found fit, every kind of damage is named.

MEMORY_WIRE_WHEEL names a really built wheel to be looked at as well.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import randbytes

import pytest

import memory_wire
from wheels import binaries, check, sdist

SOURCE = Path(memory_wire.__file__).parent
STEM = "memory_wire-0.1.0-cp311-cp311-manylinux_2_28_x86_64"
INFO = "memory_wire-0.1.0.dist-info/"
METADATA = """Metadata-Version: 2.4
Name: memory-wire
Version: 0.1.0
Summary: Agent memory
Requires-Python: >=3.11
License-Expression: MIT
License-File: LICENSE
Requires-Dist: msgspec>=0.19
Description-Content-Type: text/markdown

# memory-wire
"""
DATE = (2026, 1, 1, 0, 0, 0)
Files = dict[str, bytes]


def library(needed: bytes = b"libc.so.6", runpath: bytes = b"", text: bytes = b"", machine: int = 62, stack: int = 6) -> bytes:
    """A 64-bit ELF library of nothing but the tables that a loader reads, and `text` among its strings."""
    strings = b"\0" + needed + b"\0" + runpath + b"\0" + text + b"\0"
    entries = [(1, 1), *([(29, 2 + len(needed))] if runpath else []), (5, 0x1000 + 64 + 3 * 56), (0, 0)]
    start = 64 + 3 * 56
    dynamic = start + len(strings)
    total = dynamic + 16 * len(entries)

    def head(kind: int, flags: int, offset: int, address: int, size: int) -> bytes:
        return b"".join(part.to_bytes(4, "little") for part in (kind, flags)) + b"".join(
            part.to_bytes(8, "little") for part in (offset, address, address, size, size, 8)
        )

    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + (3).to_bytes(2, "little") + machine.to_bytes(2, "little")
    rest = (1).to_bytes(4, "little") + (0).to_bytes(8, "little") + (64).to_bytes(8, "little") + (0).to_bytes(12, "little")
    sizes = b"".join(part.to_bytes(2, "little") for part in (64, 56, 3, 64, 0, 0))
    heads = head(1, 5, 0, 0x1000, total) + head(2, 6, dynamic, 0x1000 + dynamic, 16 * len(entries)) + head(0x6474E551, stack, 0, 0, 0)
    return ident + rest + sizes + heads + strings + b"".join(a.to_bytes(8, "little") + b.to_bytes(8, "little") for a, b in entries)


def good() -> Files:
    """Every file of a wheel that is fit: the installed package's own, libraries of ours in place of the compiled ones."""
    files: Files = {}
    for path in sorted(SOURCE.rglob("*")):
        name = path.relative_to(SOURCE).as_posix()
        if path.is_file() and check.belongs(name):
            files[f"memory_wire/{name}"] = path.read_bytes()
            if name.endswith(".pyi"):
                files[f"memory_wire/{name[:-4]}.cpython-311-x86_64-linux-gnu.so"] = library()
    tags = "Tag: cp311-cp311-manylinux_2_28_x86_64\n"
    files[INFO + "METADATA"] = METADATA.encode()
    files[INFO + "WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n{tags}".encode()
    files[INFO + "entry_points.txt"] = b"[console_scripts]\nmemory-wire = memory_wire.__main__:main\n"
    files[INFO + "top_level.txt"] = b"memory_wire\n"
    files[INFO + "licenses/LICENSE"] = b"MIT\n"
    return files


def record(files: Files) -> bytes:
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*rows, f"{INFO}RECORD,,"]).encode()


def write(path: Path, files: Files, dates: Callable[[str], tuple[int, ...]] = lambda name: DATE, mode: int = 0o644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ({INFO + "RECORD": record(files)} | files).items():
            entry = zipfile.ZipInfo(name, dates(name))  # type: ignore[arg-type]
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return path


def found(tmp_path: Path, files: Files, name: str = STEM) -> list[str]:
    return check.complaints(write(tmp_path / f"{name}.whl", files), SOURCE, release=True)


def test_a_good_wheel_is_fit(tmp_path: Path) -> None:
    assert found(tmp_path, good()) == []


def test_a_built_wheel_is_fit(tmp_path: Path) -> None:
    """Without one named, the crafted wheel stands in, so that the test always looks at something."""
    named = os.environ.get("MEMORY_WIRE_WHEEL")
    path = Path(named) if named else write(tmp_path / f"{STEM}.whl", good())
    assert check.complaints(path, SOURCE) == []


TEXT = "memory_wire/kernels/text.cpython-311-x86_64-linux-gnu.so"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("memory_wire/kernels/text.pyx", b"", "does not belong: kernels/text.pyx"),
        ("memory_wire/__pycache__/errors.cpython-311.pyc", b"", "does not belong: __pycache__/errors.cpython-311.pyc"),
        ("memory_wire/notes.txt", b"", "does not belong: notes.txt"),
        ("memory_wire/left_behind.py", b"", "does not belong: left_behind.py"),
        ("tests/test_it.py", b"", "does not belong: tests/test_it.py"),
        ("memory_wire.libs/libz.so.1", b"", "does not belong: memory_wire.libs/libz.so.1"),
        ("memory_wire/../evil.py", b"", "a name leads out of the folder"),
        ("memory_wire/config.py", b"x = '/home/me/tree'", "memory_wire/config.py: holds the path /home/me/tree"),
        ("memory_wire/config.py", b"#" + randbytes(2_500_000), "1,500,000 allowed"),
        ("memory_wire/kernels/extra.cpython-311-x86_64-linux-gnu.so", library(), "no stub: kernels/extra.pyi"),
        (TEXT, library(needed=b"libstdc++.so.6"), "needs libstdc++.so.6"),
        (TEXT, library(runpath=b"/opt/python/lib"), "searches /opt/python/lib"),
        (TEXT, library(text=b"/srv/build/csrc/fold.c"), "holds the path /srv/build/csrc/fold.c"),
        (TEXT, library(machine=183), "made for aarch64"),
        (TEXT, library(stack=7), "executable stack"),
        (TEXT, library()[:100], "the file's tables lead out of it"),
        (TEXT, b"no library", "neither ELF nor Mach-O"),
        (INFO + "METADATA", METADATA.replace("MIT", "").encode(), "METADATA has no License-Expression"),
        (INFO + "METADATA", METADATA.partition("\n\n")[0].encode(), "METADATA has no description"),
        (INFO + "METADATA", METADATA.replace("0.1.0", "0.2.0").encode(), "METADATA names another release"),
        (INFO + "WHEEL", b"Root-Is-Purelib: true\nTag: py3-none-any\n", "WHEEL names other tags"),
        (INFO + "entry_points.txt", b"", "the command memory-wire is not declared"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    assert said in "\n".join(found(tmp_path, good() | {name: data}))


@pytest.mark.parametrize(
    "name",
    ["py.typed", "store/schema.sql", "store/schema2.sql", "index/FORMAT.md", "data/openapi.json", "kernels/text.pyi", "service/service.py"],
)
def test_what_is_missing_is_named(tmp_path: Path, name: str) -> None:
    files = good()
    del files[f"memory_wire/{name}"]
    assert f"missing: {name}" in found(tmp_path, files)


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    files = good()
    del files[TEXT]
    assert found(tmp_path, files) == ["no library: kernels/text"]


def test_the_archive_itself(tmp_path: Path) -> None:
    files = good()
    moved = write(tmp_path / f"{STEM}.whl", files, dates=lambda name: (2026, 1, 1, 0, len(name) % 60, 0))
    assert check.complaints(moved, SOURCE) == ["dates differ between files: SOURCE_DATE_EPOCH was not set"]
    closed = write(tmp_path / f"{STEM}.whl", files, mode=0o600)
    assert "not readable by all" in check.complaints(closed, SOURCE)[0]
    lying = write(tmp_path / f"{STEM}.whl", files | {INFO + "RECORD": record(files).replace(b"sha256=", b"sha256=A", 1)})
    assert any("RECORD does not vouch for" in line for line in check.complaints(lying, SOURCE))
    (tmp_path / f"{STEM}.whl").write_bytes(b"PK")
    assert check.complaints(tmp_path / f"{STEM}.whl", SOURCE)[0].startswith("can't be read")


@pytest.mark.parametrize("platform", ["linux_x86_64", "manylinux_2_34_x86_64", "macosx_12_0_universal2", "musllinux_1_3_x86_64"])
def test_a_release_is_for_the_matrix(tmp_path: Path, platform: str) -> None:
    files = good()
    files[INFO + "WHEEL"] = files[INFO + "WHEEL"].replace(b"manylinux_2_28_x86_64", platform.encode())
    assert f"not of the release matrix: {platform}" in found(tmp_path, files, f"memory_wire-0.1.0-cp311-cp311-{platform}")


def test_builds_are_compared_by_their_bytes(tmp_path: Path) -> None:
    files = good()
    one, two = write(tmp_path / "one.whl", files), write(tmp_path / "two.whl", files)
    names = [tmp_path / "a" / f"{STEM}.whl", tmp_path / "b" / f"{STEM}.whl"]
    for path, made in zip(names, (one, two), strict=True):
        path.parent.mkdir()
        made.rename(path)
    assert check.differences(*names) == []
    write(names[1], files | {"memory_wire/config.py": b""})
    assert check.differences(*names) == [f"differs: {INFO}RECORD", "differs: memory_wire/config.py"]
    write(names[1], files, mode=0o600)
    assert check.differences(*names) == ["same files, other archive"]


def test_the_compiled_libraries_run_on_every_processor() -> None:
    """The real ones, as this installation has them: the C library alone, and no instruction that isn't dispatched."""
    made = sorted((SOURCE / "kernels").glob("*.so"))
    assert {path.name.partition(".")[0] for path in made} >= {"fuse", "postings", "rank", "text"}
    for path in made:
        data = path.read_bytes()
        seen = binaries.read(data)
        assert all(check.LIBRARIES.match(name) for name in seen.needed), path.name
        assert (binaries.beyond_baseline(data, seen.machine) or set()) <= check.DISPATCHED, path.name


def test_instruction_names() -> None:
    for name in ("vpaddd", "pshufb", "popcnt", "crc32q", "pext", "sarx", "roundsd", "aesenc", "cmpxchg16b"):
        assert binaries.BEYOND.match(name), name
    for name in ("mov", "paddd", "pmuludq", "movdqu", "tzcnt", "bsf", "shl", "pextrw", "pinsrw", "pmaxsw", "pause", "sar", "cmpxchg"):
        assert not binaries.BEYOND.match(name), name


def test_mach_o_is_read() -> None:
    def command(kind: int, text: bytes) -> bytes:
        body = text + b"\0" * (8 - len(text) % 8)
        return b"".join(part.to_bytes(4, "little") for part in (kind, 24 + len(body), 24, 0, 0, 0)) + body

    commands = [command(0xC, b"/usr/lib/libSystem.B.dylib"), command(0x8000001C, b"@loader_path"), command(0xC, b"/opt/lib/libz.dylib")]
    head = b"".join(part.to_bytes(4, "little") for part in (0xFEEDFACF, 0x0100000C, 0, 8, len(commands), 0, 0, 0))
    seen = binaries.read(head + b"".join(commands))
    assert seen == binaries.Library("arm64", ("/usr/lib/libSystem.B.dylib", "/opt/lib/libz.dylib"), ("@loader_path",), ())


def test_a_source_archive_is_the_same_however_it_was_packed(tmp_path: Path) -> None:
    def packed(name: str, order: list[str], owner: int) -> bytes:
        path = tmp_path / name
        with tarfile.open(path, "w:gz") as archive:
            for each in order:
                entry = tarfile.TarInfo(each)
                entry.size, entry.uid, entry.uname, entry.mtime, entry.mode = len(each), owner, "me", owner, 0o600 | owner % 2 << 6
                archive.addfile(entry, io.BytesIO(each.encode()))
        sdist.normalise(path, 1_700_000_000)
        return path.read_bytes()

    assert packed("one.tar.gz", ["a", "b"], 1000) == packed("two.tar.gz", ["b", "a"], 4)
    assert packed("one.tar.gz", ["a", "b"], 1000) != packed("two.tar.gz", ["a", "c"], 4)
