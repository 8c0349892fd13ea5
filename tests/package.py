"""Where the package under test lies: the source tree when it is built in place, the environment's site-packages when it is installed."""

from __future__ import annotations

import os
from pathlib import Path

import memory_wire

FOLDER = Path(memory_wire.__file__).parents[1]
PATH = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))  # for processes that don't inherit this one's
