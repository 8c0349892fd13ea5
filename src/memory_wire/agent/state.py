"""What the agent keeps on this machine beside the spool: the user's consent, and how far each session's file was taken.

All under `agent` in the data folder, readable by nobody else. The server's word on offsets counts; this file saves asking for it.
"""

from __future__ import annotations

import os
import time

from msgspec import DecodeError, Struct, ValidationError, field
from msgspec.json import decode, encode

from memory_wire.agent.remote import Remote
from memory_wire.hooks import files
from memory_wire.hooks.endpoint import told

CONSENT, STATE = "consent.json", "uploads.json"
STATE_BYTES = 64 * 1024 * 1024


class Taken(Struct):
    """How far one file was taken, under the hash of its path: the bytes accepted, the hash of its head, how often it was cut short."""

    offset: int
    head: str
    cuts: int = 0
    modified: float = 0.0


class Uploads(Struct):
    """`sent` are the bytes of files that servers accepted, all in all."""

    files: dict[str, Taken] = field(default_factory=dict)
    sent: int = 0
    last_cycle: str | None = None
    last_error: str | None = None


def consented(remote: Remote) -> bool:
    """Whether this user has agreed to upload sessions to this server."""
    found = told(os.path.join(remote.folder, CONSENT))
    return found.get("uploads") is True and found.get("server") == remote.target


def consent(remote: Remote) -> None:
    """Notes the user's consent. Raises OSError."""
    said = {"uploads": True, "server": remote.target, "at": stamp()}
    files.put(os.path.join(remote.folder, CONSENT), encode(said))


def revoke(remote: Remote) -> bool:
    """Takes the consent back; whether there was one. Raises OSError when it can't be taken back."""
    try:
        os.unlink(os.path.join(remote.folder, CONSENT))
    except FileNotFoundError:
        return False
    return True


def load(remote: Remote) -> Uploads:
    """What is known of uploads; nothing when the file can't be read."""
    try:
        return decode(files.get(place(remote), STATE_BYTES), type=Uploads)
    except (DecodeError, ValidationError):
        return Uploads()


def save(remote: Remote, uploads: Uploads) -> None:
    """Raises OSError."""
    files.put(place(remote), encode(uploads))


def place(remote: Remote) -> str:
    from hashlib import sha256

    return os.path.join(remote.folder, f"{sha256(remote.target.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}-{STATE}")


def stamp() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
