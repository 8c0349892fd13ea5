"""What of this folder belongs to the long tier: what needs Node's packages or clients of former years, installed at first use."""

from __future__ import annotations

import os

LONG = os.environ.get("MEMORY_WIRE_LONG") == "1"
collect_ignore = [] if LONG else ["test_conformance.py", "test_former_client.py", "test_inspector.py"]
