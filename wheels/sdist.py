"""Rewrites a source archive so that its bytes depend on its files alone: `python -m wheels.sdist FILE`. Used by build.sh.

setuptools writes owner, modes and the time of packing; here every entry gets owner 0, mode 644 or 755 and the date SOURCE_DATE_EPOCH, in
the order of names.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path


def normalise(path: Path, date: int) -> None:
    """Replaces the archive by its normal form."""
    with tarfile.open(path) as archive:
        found = [(entry, archive.extractfile(entry)) for entry in archive.getmembers()]
        held = sorted(((entry, file.read() if file else b"") for entry, file in found), key=lambda pair: pair[0].name)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry, data in held:
            archive.addfile(normal(entry, date), io.BytesIO(data))
    with path.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=date) as out:
        out.write(packed.getvalue())


def normal(entry: tarfile.TarInfo, date: int) -> tarfile.TarInfo:
    """The entry with everything that the packing machine chose replaced. Raises ValueError for anything but files and folders."""
    if not (entry.isfile() or entry.isdir()):
        raise ValueError(f"{entry.name} is neither a file nor a folder")
    fresh = tarfile.TarInfo(entry.name)
    fresh.type, fresh.size, fresh.mtime = entry.type, entry.size, date
    fresh.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return fresh


if __name__ == "__main__":
    normalise(Path(sys.argv[1]), int(os.environ["SOURCE_DATE_EPOCH"]))
