"""What of this folder can run on this machine."""

from __future__ import annotations

from tests.crash.disks import LOOP, TMPFS

collect_ignore = [] if TMPFS and LOOP else ["test_mounted_disks.py"]


def pytest_report_header() -> str | None:
    """Says what stands in for what."""
    return None if TMPFS and LOOP else "no file system can be mounted here: only limits on the size of files stand for a full disk"
