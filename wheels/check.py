"""Says what is wrong with a wheel, one line each; exit status 1 when anything is. Needs the standard library alone.

`python wheels/check.py FILE…` looks at what is inside; --release also wants a platform of the release matrix, --same two files to be the
same bytes, --install also installs each into an empty environment and tries it there (install.py).
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from wheels import binaries

ROOT = Path(__file__).parents[1]
PACKAGE = "memory_wire"
WHEEL_BYTES = 1_500_000  # of the file; what all of the base install takes unpacked is install.py's to say
LIBRARIES = re.compile(
    r"^(lib(c|m|pthread)\.so\.\d+|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)|libc\.musl-\w+\.so\.1|/usr/lib/libSystem\.B\.dylib)$"
)
PLATFORM = re.compile(r"^(manylinux_2_\d+_(x86_64|aarch64)|musllinux_1_2_(x86_64|aarch64)|macosx_1[01]_\d+_(x86_64|arm64))$")
NEWEST_GLIBC = 28
PYTHONS = {"cp311", "cp312", "cp313", "cp314"}
DISPATCHED = {"crc32b", "crc32q"}  # csrc/codec.c asks the processor before it uses them
FOLDERS = re.compile(rb"(?<![\w.])/(home|root|Users|work|project|io|github|private/tmp|var/folders)/[\w.]")
SHIPPED = ("py.typed", "index/FORMAT.md")
FIELDS = "Name Version Summary Requires-Python License-Expression License-File Requires-Dist Description-Content-Type".split()
INFO = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE"}


class Wheel:
    """One wheel in memory: `files` by name, `info` the name of its metadata folder. Raises BadZipFile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with zipfile.ZipFile(path) as archive:
            self.entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            self.files = {entry.filename: archive.read(entry) for entry in self.entries}
        self.name, self.version, *rest = path.stem.split("-")
        self.tags = rest[-3:]
        self.info = f"{self.name}-{self.version}.dist-info/"

    def package(self) -> dict[str, bytes]:
        """What goes into the package's folder, by name within it."""
        return {name.removeprefix(f"{PACKAGE}/"): data for name, data in self.files.items() if name.startswith(f"{PACKAGE}/")}

    def libraries(self) -> dict[str, bytes]:
        return {name: data for name, data in self.files.items() if name.endswith(".so")}

    def head(self, name: str) -> Message:
        return Parser().parsestr(self.files.get(self.info + name, b"").decode())


def belongs(name: str) -> bool:
    """Whether a file of the package may be in a wheel: Python, stubs, the data that pyproject.toml names. Libraries are looked at apart."""
    if "__pycache__" in name:
        return False
    if name in SHIPPED or name.startswith("data/") or (name.startswith("store/") and name.endswith(".sql")):
        return True
    return name.endswith(".py") or (name.startswith("kernels/") and name.endswith(".pyi"))


def contents(wheel: Wheel, source: Path) -> Iterator[str]:
    """Everything of the package that belongs in, nothing else; a stub for every library and a library for every stub."""
    inside = wheel.package()
    there = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    wanted = {name for name in there if belongs(name)}
    made = {name for name in inside if name.startswith("kernels/") and name.endswith(".so")}
    yield from (f"missing: {name}" for name in sorted(wanted - inside.keys()))
    yield from (f"does not belong: {name}" for name in sorted(inside.keys() - wanted - made))
    stubs = {Path(name).stem for name in inside if name.endswith(".pyi")}
    stems = {Path(name).name.partition(".")[0] for name in made}
    stems_wanted = {Path(name).stem for name in there if name.endswith(".pyx")}
    yield from (f"no library: kernels/{stem}" for stem in sorted((stubs | stems_wanted) - stems))
    yield from (f"no stub: kernels/{stem}.pyi" for stem in sorted(stems - stubs))
    outside = {name for name in wheel.files if not name.startswith(f"{PACKAGE}/")}
    infos = {wheel.info + name for name in INFO}
    yield from (f"missing: {name}" for name in sorted(infos - outside))
    yield from (f"does not belong: {name}" for name in sorted(outside - infos))


def archive(wheel: Wheel, source: Path) -> Iterator[str]:
    """Names, modes, dates and digests of the archive itself."""
    names = [entry.filename for entry in wheel.entries]
    if len(set(names)) < len(names):
        yield "a name is there twice"
    if any(name.startswith("/") or ".." in name.split("/") or "\\" in name for name in names):
        yield "a name leads out of the folder"
    if len({entry.date_time for entry in wheel.entries}) > 1:
        yield "dates differ between files: SOURCE_DATE_EPOCH was not set"
    closed = [entry.filename for entry in wheel.entries if entry.external_attr >> 16 & 0o444 != 0o444]
    if closed:
        yield f"{len(closed)} files not readable by all, as {closed[0]}"
    record = wheel.info + "RECORD"
    rows = {row[0]: row[1] for row in csv.reader(wheel.files.get(record, b"").decode().splitlines()) if len(row) == 3}
    for name, data in wheel.files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if name != record and rows.get(name) != f"sha256={digest}":
            yield f"RECORD does not vouch for {name}"
    yield from (f"RECORD names what is not there: {name}" for name in sorted(rows.keys() - wheel.files.keys()))


def size(wheel: Wheel, source: Path) -> Iterator[str]:
    total = wheel.path.stat().st_size
    if total > WHEEL_BYTES:
        yield f"{total:,} bytes, {WHEEL_BYTES:,} allowed"


def libraries(wheel: Wheel, source: Path) -> Iterator[str]:
    """Links to the C library alone, looks nowhere else, holds no path of the building machine, runs on every processor of its kind."""
    for name, data in wheel.libraries().items():
        try:
            library = binaries.read(data)
        except ValueError as error:
            yield f"{name}: {error}"
            continue
        if library.machine not in wheel.tags[2]:
            yield f"{name}: made for {library.machine}"
        yield from (f"{name}: needs {needed}" for needed in library.needed if not LIBRARIES.match(needed))
        yield from (f"{name}: searches {rpath}" for rpath in library.rpaths)
        yield from (f"{name}: {word}" for word in library.unsafe)
        yield from (f"{name}: holds the path {path}" for path in binaries.paths(data) if path not in library.rpaths)
        beyond = (binaries.beyond_baseline(data, library.machine) or set()) - DISPATCHED
        if beyond:
            yield f"{name}: instructions beyond the baseline: {', '.join(sorted(beyond))}"


def texts(wheel: Wheel, source: Path) -> Iterator[str]:
    """No folder of the building machine in any text."""
    for name, data in wheel.files.items():
        found = None if name.endswith(".so") else FOLDERS.search(data)
        if found:
            yield f"{name}: holds the path {data[found.start() : found.start() + 40].split()[0].decode(errors='replace')}"


def metadata(wheel: Wheel, source: Path) -> Iterator[str]:
    """The fields an index and an installer need, and that file name, WHEEL and METADATA agree."""
    head, made = wheel.head("METADATA"), wheel.head("WHEEL")
    yield from (f"METADATA has no {field}" for field in FIELDS if not head.get(field))
    if not str(head.get_payload()).strip():
        yield "METADATA has no description: README.md was missing"
    if (str(head.get("Name")).replace("-", "_"), head.get("Version")) != (wheel.name, wheel.version):
        yield "METADATA names another release than the file"
    tags = {f"{wheel.tags[0]}-{wheel.tags[1]}-{platform}" for platform in wheel.tags[2].split(".")}
    if set(made.get_all("Tag") or ()) != tags or made.get("Root-Is-Purelib") != "false":
        yield "WHEEL names other tags than the file"
    if b"memory-wire = memory_wire.__main__:main" not in wheel.files.get(wheel.info + "entry_points.txt", b""):
        yield "the command memory-wire is not declared"
    try:
        from packaging.metadata import Metadata

        Metadata.from_email(wheel.files.get(wheel.info + "METADATA", b""), validate=True)
    except ImportError:
        return
    except ExceptionGroup as error:
        yield from (f"METADATA: {each}" for each in error.exceptions)


def platform(wheel: Wheel) -> Iterator[str]:
    """One of the interpreters and systems that a release is made for."""
    if wheel.tags[0] not in PYTHONS or wheel.tags[0] != wheel.tags[1]:
        yield f"not made for a released interpreter: {wheel.tags[0]}-{wheel.tags[1]}"
    for tag in wheel.tags[2].split("."):
        glibc = re.match(r"manylinux_2_(\d+)_", tag)
        if not (PLATFORM.match(tag) or re.match(r"^manylinux(1|2010|2014)_", tag)) or (glibc and int(glibc[1]) > NEWEST_GLIBC):
            yield f"not of the release matrix: {tag}"


RULES: tuple[Callable[[Wheel, Path], Iterator[str]], ...] = (contents, archive, size, libraries, texts, metadata)


def complaints(path: Path, source: Path, release: bool = False) -> list[str]:
    """All that is wrong with the wheel, given the package's source folder; empty when it is fit to ship."""
    try:
        wheel = Wheel(path)
    except (zipfile.BadZipFile, OSError) as error:
        return [f"can't be read: {error}"]
    if len(wheel.tags) != 3 or wheel.name != PACKAGE:
        return ["not the file name of a wheel of ours"]
    return [line for rule in RULES for line in rule(wheel, source)] + (list(platform(wheel)) if release else [])


def differences(one: Path, two: Path) -> list[str]:
    """What differs between two builds: empty when they are the same bytes."""
    if one.read_bytes() == two.read_bytes():
        return []
    a, b = Wheel(one).files, Wheel(two).files
    return [f"differs: {name}" for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)] or ["same files, other archive"]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--source", type=Path, default=ROOT / "src" / PACKAGE, help="the package's source folder")
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--install", action="store_true")
    given = parser.parse_args(words)
    wrong = differences(*given.wheels) if given.same else []
    for path in given.wheels:
        found = complaints(path, given.source, given.release)
        if given.install and not found:
            from wheels.install import complaints as installed

            found = installed(path)
        wrong += [f"{path.name}: {line}" for line in found]
        if path.exists():
            unpacked = sum(len(data) for data in Wheel(path).files.values()) if zipfile.is_zipfile(path) else 0
            print(f"{path.name}  {path.stat().st_size:,} bytes, {unpacked:,} unpacked  {'ok' if not found else 'wrong'}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
