"""What a model made of a document or bundle, as everybody sees it: named as a model's, with what it was made of.

It is shown only while everybody sees all that it was made of, and saw it in the version that it was made of.
"""

from __future__ import annotations

from msgspec import json

from memory_wire.descriptions import Description
from memory_wire.public.payload import escaped
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_wire.store.public import PublicDocument
    from memory_wire.store.reader import Reader

STALE = "; the text has changed since"
LISTS = (
    ("takeaways", "Key takeaways"),
    ("insights", "Insights"),
    ("questions", "Open questions"),
    ("gaps", "Gaps"),
    ("connections", "Connections"),
)


class Seen:
    """A description that everybody may see; `stale`: of a text that is another one by now."""

    __slots__ = ("made", "stale")

    def __init__(self, made: Description, stale: bool) -> None:
        self.made, self.stale = made, stale

    def parts(self, level: str) -> list[str]:
        """Its section, in paragraphs."""
        made = self.made
        found = [f"{level} By a model", f"> Made by {escaped(made.model)} on {stamp(made.at)[:10]}{STALE if self.stale else ''}."]
        if made.summary:
            found.append(f"**Summary:** {escaped(made.summary)}")
        if made.themes:
            found.append(f"**Themes:** {', '.join(map(escaped, made.themes))}")
        for name, title in LISTS:
            lines = getattr(made, name)
            if lines:
                found.append(f"{level}# {title}\n\n" + "\n".join([f"- {escaped(line)}" for line in lines]))
        return found


def of(reader: Reader, text: str | None, documents: Iterable[PublicDocument]) -> Seen | None:
    """A description as it is kept, of the documents that are seen; None when there is none for everybody."""
    if text is None:
        return None
    made = json.decode(text, type=Description)
    visible = {document.public_id: document for document in documents}
    stale = False
    for source in made.sources:
        document = visible.get(source.doc)
        if document is None:
            return None
        if document.hash.hex() != source.hash:
            if not reader.public.was_seen(document.id, source.version):
                return None
            stale = True
    return Seen(made, stale)
