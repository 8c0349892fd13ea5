"""A text as its page would show it, before it is saved. The child program renders it; nothing of it is kept."""

from __future__ import annotations

from memory_wire import config
from memory_wire import documents as d
from memory_wire.hub.sections import parse
from memory_wire.public import rendered
from memory_wire.service import documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.types import Scope


def preview_doc(service: Service, request: d.PreviewDoc, scope: Scope) -> d.DocPreview:
    """The text as HTML, under the title that it would have. Raises Invalid, WrongType."""
    text = documents.markdown("markdown", request.markdown).decode()
    title = documents.line("title", request.title, config.DOCUMENT_TITLE_CHARS) or parse(text).title()
    body = rendered.made(service, text, title)
    return d.DocPreview(title=title, html=body.html, plain=body.plain)
