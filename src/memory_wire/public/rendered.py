"""A document's text as HTML, with its contents. The child program renders; what it made is kept, within bounds, while somebody asks.

A text that can't be rendered is shown as it is.
"""

from __future__ import annotations

from _thread import allocate_lock

from msgspec import Struct
from msgspec.msgpack import encode

from memory_wire import config
from memory_wire.errors import OutsideFailed
from memory_wire.hub.sections import parse
from memory_wire.kernels.text import content_hash
from memory_wire.public.html import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hub.sections import Parsed
    from memory_wire.service.service import Service

NAME = "rendered"


class Body(Struct):
    """`contents` are (level, title, anchor) of the headings, without the one that only repeats the title; that one's anchor is `anchor`.

    `plain`: it could not be rendered.
    """

    html: str
    contents: list[tuple[int, str, str]]
    anchor: str = ""
    plain: bool = False

    @property
    def size(self) -> int:
        return 2 * len(self.html) + 200 * len(self.contents)


class Kept:
    """What was rendered last, the oldest dropped first."""

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.bodies: dict[bytes, Body] = {}
        self.size = 0

    def put(self, key: bytes, body: Body) -> None:
        if body.size > config.RENDERED_BYTES // 4:
            return
        with self.lock:
            former = self.bodies.pop(key, None)
            self.size += body.size - (former.size if former is not None else 0)
            self.bodies[key] = body
            while self.size > config.RENDERED_BYTES:
                oldest = next(iter(self.bodies))
                self.size -= self.bodies.pop(oldest).size


def body_of(service: Service, markdown: bytes, title: str, leads: dict[str, str] | None = None) -> Body:
    """The text of a document of that title; `leads` says where its references lead."""
    leads = leads or {}
    key = content_hash(encode((title, markdown, sorted(leads.items()))))
    kept = service.kept.setdefault(NAME, Kept())
    assert isinstance(kept, Kept)
    found = kept.bodies.get(key)
    if found is None:
        found = made(service, markdown.decode(), title, leads)
        if not found.plain:
            kept.put(key, found)
    return found


def made(service: Service, markdown: str, title: str, leads: dict[str, str] | None = None) -> Body:
    """The same, not kept."""
    parsed = parse(markdown)
    text = "\n".join(parsed.lines[parsed.start :])
    lead = repeats(parsed, title)
    heads = parsed.sections[1:] if lead < 0 else parsed.sections[2:]
    contents = [(section.level, section.title, section.anchor or "") for section in heads]
    anchors = {section.first - 1 - parsed.start: section.anchor for section in parsed.sections[1:] if section.anchor}
    body = Body("", contents, anchors.get(lead) or "" if lead >= 0 else "")
    try:
        if len(text) > config.RENDER_CHARS:
            raise OutsideFailed("too long")
        asked: dict[str, object] = {"text": text, "anchors": anchors, "lead": lead, "leads": leads or {}}
        answer = service.outside.ask("render", asked, config.RENDER_SECONDS)
        body.html = str(answer["html"])
    except OutsideFailed:
        body.html, body.contents, body.plain = f'<pre class="raw" tabindex="0">{escaped(text)}</pre>\n', [], True
    return body


def repeats(parsed: Parsed, title: str) -> int:
    """The line, counted from 0 behind the front matter, of a first heading that says nothing but the title; -1 where there is none."""
    if len(parsed.sections) < 2 or parsed.sections[1].level != 1 or parsed.sections[1].title != title:
        return -1
    first = parsed.sections[1].first - 1
    if any(line.strip() for line in parsed.lines[parsed.start : first]):
        return -1
    return first - parsed.start
