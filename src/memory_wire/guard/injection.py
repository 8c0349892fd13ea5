"""Screening: does a text give orders to the models that will read it? The one entry is `screen`; the service asks it before a write.

Clean text is cleared by two passes in C: one tells which words it has, the other in which ways it may hide more. Only what has the words of
an order, or hides something, is looked at in detail (judgement.py).
"""

from __future__ import annotations

from memory_wire.guard.parts import may_order
from memory_wire.kernels.text import order_bits, scan_disguises


def screen(text: str) -> str | None:
    """The category of attack, or None. Never raises."""
    try:
        may = may_order(order_bits(text))
        bits = scan_disguises(text)
    except ValueError:  # lone surrogates
        return screen(text.encode("utf-8", "replace").decode())
    if not bits and not may:
        return None
    from memory_wire.guard.judgement import judged

    return judged(text, bits, may)
