"""`Memory`, the embedded store, and `Client`, the same methods against a running server. For programs and the command line.

Both may be used from several threads. Calls block; an asyncio program runs them with `asyncio.to_thread`. No thread is started.
"""

from memory_wire.client.memory import Memory
from memory_wire.client.remote import Client
from memory_wire.client.surface import Hits, Surface

__all__ = ["Client", "Hits", "Memory", "Surface"]
