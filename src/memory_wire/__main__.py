"""`memory-wire` and `python -m memory_wire`: hands the arguments to the command line."""

from __future__ import annotations

import sys


def main() -> int:
    from memory_wire.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
