"""`memory-wire` and `python -m memory_wire`: hands the arguments to the command line."""

from __future__ import annotations

import sys


def main() -> int:
    if sys.argv[1:2] == ["serve"]:  # the serving process must not load what only the command line needs
        from memory_wire.cli.serve import serve

        return serve(sys.argv[2:])
    if sys.argv[1:2] == ["hook"]:  # hosts wait for it
        from memory_wire.cli.hook import hook

        return hook(sys.argv[2:])
    from memory_wire.cli.light import lighten

    lighten()
    if sys.argv[1:2] == ["mcp"]:
        from memory_wire.cli.mcp import mcp

        return mcp(sys.argv[2:])
    if sys.argv[1:2] == ["agent"]:
        from memory_wire.cli.agent import agent

        return agent(sys.argv[2:])
    from memory_wire.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
