"""Real wheels without compiling: this program and what it requires, as they are installed here, packed as pip packs them.

The version can be another one and single files can be changed, which is how an update that goes wrong is made. Where MEMORY_WIRE_WHEEL
names a wheel that was built, its files are taken.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import os
import re
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import memory_wire

REQUIRES = ("httptools", "msgspec", "pyroaring", "uvloop")
Change = Callable[[str], str]


def pack(path: Path, entries: Mapping[str, bytes], info: str) -> Path:
    """A wheel of these files, with its RECORD."""
    rows = []
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in sorted(entries.items()):
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}")
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,"]) + "\n")
    return path


def wheel_of(folder: Path, distribution: str) -> Path:
    """The wheel that an installed distribution came from, as good as new."""
    found = importlib.metadata.distribution(distribution)
    info = f"{found.name.replace('-', '_')}-{found.version}.dist-info"
    entries = {}
    for file in found.files or []:
        name = str(file)
        if (
            not name.startswith("..")
            and "__pycache__" not in name
            and file.name not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
        ):
            entries[name] = Path(str(file.locate())).read_bytes()
    tags = [line.split(": ")[1] for line in (found.read_text("WHEEL") or "").splitlines() if line.startswith("Tag: ")]
    python, abi, _ = tags[0].split("-")
    return pack(
        folder / f"{found.name.replace('-', '_')}-{found.version}-{python}-{abi}-{'.'.join(tag.split('-')[2] for tag in tags)}.whl",
        entries,
        info,
    )


def wheel(folder: Path, version: str, changes: Mapping[str, Change] | None = None, digest: bool = True) -> Path:
    """This program as a wheel of a version, single files changed; its sha256 beside it."""
    root = Path(memory_wire.__path__[0])
    info = f"memory_wire-{version}.dist-info"
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tags = f"{tag}-{tag}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    entries = {
        f"memory_wire/{file.relative_to(root)}": file.read_bytes()
        for file in root.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix not in (".c", ".pyx", ".pxd")
    }
    if built := os.environ.get("MEMORY_WIRE_WHEEL"):
        with zipfile.ZipFile(built) as archive:
            entries = {
                name: archive.read(name) for name in archive.namelist() if name.startswith("memory_wire/") and not name.endswith("/")
            }
    every: dict[str, Change] = {"memory_wire/__init__.py": lambda text: re.sub(r'__version__ = ".*?"', f'__version__ = "{version}"', text)}
    for name, change in (every | dict(changes or {})).items():
        entries[name] = change(entries[name].decode()).encode()
    metadata = f"Metadata-Version: 2.1\nName: memory-wire\nVersion: {version}\n" + "".join(f"Requires-Dist: {name}\n" for name in REQUIRES)
    entries[f"{info}/METADATA"] = metadata.encode()
    entries[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: false\nTag: {tags}\n".encode()
    entries[f"{info}/entry_points.txt"] = b"[console_scripts]\nmemory-wire = memory_wire.__main__:main\n"
    path = pack(folder / f"memory_wire-{version}-{tags}.whl", entries, info)
    if digest:
        path.with_name(path.name + ".sha256").write_text(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    return path


def house(folder: Path) -> Path:
    """A folder with the wheels of everything this program requires."""
    folder.mkdir(parents=True)
    for name in REQUIRES:
        wheel_of(folder, name)
    return folder
