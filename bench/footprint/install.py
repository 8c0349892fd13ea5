"""What the base install weighs: bytes that travel, and bytes on disk once unpacked."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

BASE = ("memory-wire", "httptools", "msgspec", "pyroaring", "uvloop")


class Weight(NamedTuple):
    """Bytes of one distribution; `download` is 0 where none could be had."""

    name: str
    version: str
    download: int
    unpacked: int


def unpacked(name: str) -> int:
    """Bytes of an installed distribution's files, .pyc files included."""
    files = metadata.files(name) or []
    return sum(path.stat().st_size for path in {Path(str(file.locate())) for file in files} if path.is_file())


def download(name: str, version: str) -> int:
    """Bytes of the wheel that pip takes for this interpreter; 0 without a network."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder, f"{name}=={version}"]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return sum(path.stat().st_size for path in Path(folder).iterdir())


def weights(own: Path | None = None) -> list[Weight]:
    """A row for each package of the base install that is installed here; `own` is the product's wheel."""
    found = []
    for name in BASE:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        fetched = download(name, version) if name != "memory-wire" else own.stat().st_size if own else 0
        found.append(Weight(name, version, fetched, unpacked(name)))
    return found
