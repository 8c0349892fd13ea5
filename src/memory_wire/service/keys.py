"""How strings that identify something are matched, stored and shown: document ids, sessions, speakers, tags.

Document ids and sessions are matched by a keyed hash of what the caller gave; stored and shown is a form with credentials redacted, the
placeholder carrying a digest, so that different stays different. Tags are stored in that form and matched by it.
"""

from __future__ import annotations

from memory_wire.config import TAGS
from memory_wire.guard.redact import PLACEHOLDER, redact_key
from memory_wire.kernels.text import content_hash
from memory_wire.types import Redacted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TAG_FIELD = b"\x02"
TAG_HASHED = b"\x02\x00"  # no tag contains NUL
KEY_BYTES = 255  # longest key of the postings store


class Keys:
    """Hashes and shown forms under a store's secret, which is asked for when it is needed."""

    __slots__ = ("secret",)

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self.secret = secret

    def hashed(self, raw: str) -> bytes:
        """16 bytes that stand for a document id or session."""
        return content_hash(raw.encode(), self.secret())

    def digest(self, raw: bytes) -> bytes:
        return content_hash(raw, self.secret())

    def shown(self, field: str, raw: str, receipts: list[Redacted]) -> str:
        """The form that is stored and served; what was redacted is added to the receipts."""
        shown, hits = redact_key(raw, self.digest)
        receipts += [Redacted(field=field, kind=kind, count=count) for kind, count in hits]
        return shown

    def tags(self, given: Sequence[str], receipts: list[Redacted]) -> list[str]:
        """Tags as stored and matched: trimmed, lower case, without empty ones and repeats, at most 20, the head kept."""
        found: dict[str, None] = {}
        for raw in given:
            trimmed = raw.strip()
            if not trimmed:
                continue
            shown = self.shown("tags", trimmed, receipts)
            # A redacted one stays as it is, so that an exported tag is the same tag when it comes back.
            found[shown if PLACEHOLDER in shown else shown.lower()] = None
            if len(found) == TAGS:
                break
        return list(found)


def tag_key(tag: str) -> bytes:
    """The tag's key in the postings store."""
    raw = tag.encode()
    return TAG_FIELD + raw if len(raw) < KEY_BYTES else TAG_HASHED + content_hash(raw)
