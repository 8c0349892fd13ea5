"""Limits and defaults that users, operators or several modules meet, by name; those of one mechanism stand in its module.

Nothing else in the tree repeats these numbers. Imports nothing of ours.
"""

from __future__ import annotations

import os

# serving ---------------------------------------------------------------------------------------------------------------------------
DEFAULT_ADDR = "127.0.0.1:8888"
HEAD_BYTES = 16 * 1024  # request line and headers -> 431
HEADERS = 64  # -> 431
URL_BYTES = 8 * 1024  # -> 414
BODY_BYTES = 4 * 1024 * 1024  # -> 413
BODIES_BYTES = 64 * 1024 * 1024  # of all requests not yet answered -> 503
READ_BYTES = 16 * 1024  # one read; the buffer is shared by all connections
LINGER_BYTES = 8 * 1024 * 1024  # read and dropped after an early refusal
LINGER_SECONDS = 2.0
CONNECTIONS = 256
BACKLOG = 128
PIPELINE = 8  # queued requests of one connection before reading pauses
WRITE_HIGH = 64 * 1024
WRITE_LOW = 16 * 1024
HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
BODY_RATE = 64 * 1024  # every so many bytes of a body earn one second more
IDLE_SECONDS = 60.0
STALL_SECONDS = 30.0  # in which a reader must take WRITE_LOW bytes
SWEEP_SECONDS = 1.0  # how often deadlines are looked at while connections exist
DRAIN_SECONDS = 10.0
QUIET_SECONDS = 10.0  # without a request, before caches and memory are given back
FAULT_BYTES = 16 * 1024  # of a library mapped by one page fault, instead of the kernel's 64 KiB
FAULT_LEAST = 512 * 1024  # smaller ones aren't worth it

# memories --------------------------------------------------------------------------------------------------------------------------
BANK_CHARS = 512
CONTENT_CHARS = 1_000_000
CONTEXT_CHARS = 1_000_000
KEY_CHARS = 1_024  # document_id, session, speaker
TAGS = 20  # the head is kept
TAG_CHARS = 256
POSITIONS = 1 << 31  # in a session, that an import may bring along; the index has 32 bits
BATCH_ITEMS = 1_000
CONFIG_BYTES = 256 * 1024
PAGE_LIMIT = 50
PAGE_MAX = 500

# recall ----------------------------------------------------------------------------------------------------------------------------
RECALL_BUDGET = 8_000  # tokens
REFLECT_BUDGET = 2_000
CHARS_PER_TOKEN = 4
RESULTS = 100
CANDIDATES = 100
QUERY_TERMS = 64
QUERY_CHARS = 100_000  # of a query that are read
TRUNCATED = "…[truncated]"

# index -----------------------------------------------------------------------------------------------------------------------------
LIVE_UNITS = 1_000
LIVE_BYTES = 256 * 1024
LIVE_WAIT = 4  # times the bound, then a writer waits for the lock
IDLE_KEEP = 128  # a smaller live part is dropped when idle, not sealed
LONE_BYTES = 64 * 1024  # postings of one unit that is sealed alone
MERGE_INLINE = 4_096
REBUILD_INLINE = 20_000
MERGE_MAX = 1 << 20  # units of a merged segment
DEAD_SHARE = 5  # a segment with more than one in so many dead is rewritten
REINDEX_UNITS = 65_536  # of one arena while a bank is indexed anew
REINDEX_BYTES = 32 * 1024 * 1024
STEP_UNITS = 2_000  # indexed by one step of a long catch-up
INDEX_PAGE = 500  # rows read at once
LOCK_SECONDS = 5.0  # a writer at LIVE_WAIT times the bound waits so long for the bank's lock
ANALYSER = 1  # version of the text analysis: an index made with another one is rebuilt
OPEN_BANKS = 64

# store -----------------------------------------------------------------------------------------------------------------------------
BUSY_MS = 5_000
CACHE_KIB = 256
JOURNAL_BYTES = 4 * 1024 * 1024
GROUP_MAX = 256  # writes of one commit


def default_db() -> str:
    """Path of the default store: `$XDG_DATA_HOME/memory-wire/memory.db`, else under `~/.local/share` (a relative XDG value is ignored)."""
    base = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(base, "memory-wire", "memory.db")
