"""Which tests of this folder the short tier leaves to the long one."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("MEMORY_WIRE_LONG") == "1" else ["test_installer_long.py"]
