"""What makes a command start fast: called before anything else of the command line is imported, so that hooks can afford to run it."""

from __future__ import annotations


def lighten() -> None:
    """Has msgspec loaded without its Python half, which takes longer than asking a running server does."""
    from memory_wire.serve import slim

    slim.structs()
