"""Disks that are full or can't be written, for real: small file systems where they can be mounted, limits on a process elsewhere."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def mounts(*command: str) -> bool:
    """Whether such a mount can be made here."""
    return subprocess.run(["unshare", "-m", *command], capture_output=True, check=False).returncode == 0 if os.geteuid() == 0 else False


TMPFS = mounts("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt")
LOOP = TMPFS and os.path.exists("/dev/loop-control") and os.path.exists("/sbin/mkfs.ext4")


class Disk:
    """A file system of its own, mounted at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ballast = path / "ballast"

    def fill(self, leave: int = 0) -> None:
        """Leaves so many bytes free."""
        with open(self.ballast, "ab", buffering=0) as file:
            size = max(self.free() - leave, 0)
            os.posix_fallocate(file.fileno(), file.tell(), size) if size else None

    def empty(self) -> None:
        self.ballast.unlink()

    def free(self) -> int:
        found = os.statvfs(self.path)
        return found.f_bavail * found.f_frsize


@contextmanager
def mounted(path: Path, *what: str) -> Iterator[Disk]:
    path.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *what, str(path)], check=True)
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


@contextmanager
def small(path: Path, kib: int) -> Iterator[Disk]:
    """A disk of so many KiB in memory."""
    with mounted(path, "-t", "tmpfs", "-o", f"size={kib}k,mode=0700", "tmpfs") as disk:
        yield disk


@contextmanager
def failing(path: Path) -> Iterator[Disk]:
    """A disk that `abort` makes read-only under whoever has files open on it, as ext4 does after an error of the medium."""
    image = path.with_name(path.name + ".img")
    with open(image, "wb") as file:
        file.truncate(24 << 20)
    subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", str(image)], check=True)
    with mounted(path, "-o", "loop", str(image)) as disk:
        yield disk


def abort(disk: Disk) -> None:
    subprocess.run(["mount", "-o", "remount,abort", str(disk.path)], check=True)


def remount(disk: Disk, how: str) -> None:
    """`ro` or `rw`."""
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk.path)], check=True)


def limit(pid: int, size: int | None) -> None:
    """No file of the process may be written beyond this size any more; None lifts the limit."""
    hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
