"""The asking half of hooks: what a host writes to us, what it wants back, and what happens while no server answers.

Everything here starts in a few milliseconds: no json, re, asyncio or msgspec. The other half, what to inject and what to keep, is the
server's (`service/inject.py`, `service/capture.py`); hosts with a plugin of their own ask it directly.
"""
