"""Which file system a path is on: SQLite's write-ahead log needs memory shared between processes and honest locks, so network file
systems are refused. Read once when a store is opened.
"""

from __future__ import annotations

import os
import sys

NETWORK = frozenset(
    "9p afs beegfs ceph cifs davfs fuse.ceph fuse.davfs2 fuse.gcsfuse fuse.glusterfs fuse.grpcfuse fuse.mfs fuse.rclone fuse.s3fs"
    " fuse.smbnetfs fuse.sshfs fuse.vmhgfs-fuse glusterfs gpfs lustre ncpfs nfs nfs4"
    " ocfs2 orangefs prl_fs smb2 smb3 smbfs vboxsf webdav".split()
)


def network_type(path: str) -> str | None:
    """The type of the network file system that holds `path` (which need not exist yet), or None when it is local or unknown."""
    path = os.path.realpath(path)
    if sys.platform == "darwin":
        options = longest(path, mac_mounts(_mount_output()))
        return None if options is None or "local" in options else options[0]
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            kind = longest(path, linux_mounts(file.read()))
    except OSError:
        return None
    return kind[0] if kind is not None and kind[0] in NETWORK else None


def linux_mounts(mountinfo: str) -> list[tuple[str, list[str]]]:
    """[(mount point, [type])] of a mountinfo text (proc_pid_mountinfo(5)), in mount order."""
    mounts = []
    for line in mountinfo.splitlines():
        head, separator, tail = line.partition(" - ")
        fields = head.split(" ")
        if separator and len(fields) > 4:
            mounts.append((_unescape(fields[4]), tail.split(" ")[:1]))
    return mounts


def mac_mounts(output: str) -> list[tuple[str, list[str]]]:
    """[(mount point, [type, option, …])] of what mount(8) prints on macOS."""
    mounts = []
    for line in output.splitlines():
        left, separator, right = line.rpartition(" (")
        _, on, point = left.partition(" on ")
        if separator and on:
            mounts.append((point, right.rstrip(")").split(", ")))
    return mounts


def longest(path: str, mounts: list[tuple[str, list[str]]]) -> list[str] | None:
    """What is known of the mount nearest above `path`; of two on one mount point the later hides the earlier."""
    best, found = -1, None
    for point, known in mounts:
        if (path == point or path.startswith(point.rstrip("/") + "/")) and len(point) >= best:
            best, found = len(point), known
    return found


def _unescape(field: str) -> str:
    """Blank, tab, newline and backslash come as \\ and three octal digits."""
    if "\\" not in field:
        return field
    first, *rest = field.split("\\")
    return first + "".join(chr(int(part[:3], 8)) + part[3:] for part in rest)


def _mount_output() -> str:
    """What /sbin/mount prints; '' when it can't run. Not by subprocess, which the serving process doesn't load."""
    read, write = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read)]
        pid = os.posix_spawn("/sbin/mount", ["/sbin/mount"], os.environ, file_actions=actions)
    except OSError:
        os.close(read)
        return ""
    finally:
        os.close(write)
    with open(read, encoding="utf-8", errors="surrogateescape") as pipe:
        output = pipe.read()
    os.waitpid(pid, 0)
    return output
