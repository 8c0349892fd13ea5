"""One Hypothesis profile for all tests: no deadlines, since two cores are shared; failures print how to run them again.

Where `CI` is set the examples are the same in every run, so that a change is judged by what it changes; the long tier searches anew.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None, print_blob=True)
settings.register_profile("same", deadline=None, print_blob=True, derandomize=True, database=None)
settings.load_profile("same" if os.environ.get("CI") and not os.environ.get("MEMORY_WIRE_LONG") else "suite")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job; the processes that tests start must heed it
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

HERE = Path(__file__).parent
ALONE = ("crash", "footprint", "hooks/test_server.py", "hosts/test_engine.py", "serve/test_toil.py")  # two of them wait for any child
QUIET = tuple(HERE / name for name in ALONE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the machine for itself is marked, so that the rest can run several at once."""
    for item in items:
        if any(place in (item.path, *item.path.parents) for place in QUIET):
            item.add_marker(pytest.mark.alone)
