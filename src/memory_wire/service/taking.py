"""Files of other formats that become documents, and shared chats by their address: read in the child program. Called by the service."""

from __future__ import annotations

from msgspec import Struct, convert

from memory_wire import config
from memory_wire import filing as f
from memory_wire import types as t
from memory_wire.errors import Forbidden, Invalid, OutsideFailed, Unauthorized
from memory_wire.ops import BY_NAME
from memory_wire.service import documents, filing, shares, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service

PLAIN = ("markdown", "text")
PLAIN_SUFFIXES = (".md", ".markdown")
KINDS = ("markdown", "text", "html", "pdf", "docx", "captions", "talk", "transcript", "chat")


class Converted(Struct):
    """What the child made of a file: documents, and (name, why) of what it could not read."""

    pages: list[f.NewDoc]
    skipped: list[tuple[str, str]]


def import_docs(service: Service, request: f.ImportDocs, scope: t.Scope) -> f.DocsFiled:
    """Makes documents of files or of a shared chat. Raises Invalid, WrongType, Forbidden, OutsideFailed."""
    scope = documents.place(request.bank, scope)
    if scope.keyless:
        raise Unauthorized("this needs a key")
    warnings: list[f.Warned] = []
    if request.url is not None:
        if request.files:
            raise Invalid("url", "and files don't go together")
        docs = [shared(service, scope, request.url)]
    else:
        if not 0 < len(request.files) <= config.FILED_DOCS:
            raise Invalid("files", f"must be 1 to {config.FILED_DOCS}")
        docs = [doc for file in request.files for doc in docs_of(service, file, warnings)]
    answer = f.DocsFiled(docs=[])
    for at in range(0, len(docs), config.FILED_DOCS):  # a chat's export may hold thousands
        wanted = f.WriteDocs(docs=docs[at : at + config.FILED_DOCS], is_draft=request.is_draft, bank=scope.bank)
        written = service.call(BY_NAME["write_docs"], scope, wanted)
        assert isinstance(written, f.DocsFiled)
        answer.docs += written.docs
        warnings += written.warnings
    answer.warnings = warnings
    return answer


def docs_of(service: Service, file: f.NewFile, warnings: list[f.Warned]) -> list[f.NewDoc]:
    """The documents in a file; what can't be read is noted. Raises Invalid, WrongType, OutsideFailed."""
    name = filing.source_of("name", file.name)
    if file.kind is not None and file.kind not in KINDS:
        raise Invalid("kind", f"must be one of {', '.join(KINDS)}")
    if (file.text is None) == (file.data is None):
        raise Invalid("text", "or data must be given, not both")
    if file.text is not None and (file.kind in PLAIN or (file.kind is None and name.lower().endswith(PLAIN_SUFFIXES))):
        return [f.NewDoc(source=name, markdown=file.text)]
    raw = bytes_of(file)
    answer = service.outside.ask("convert", {"name": name, "data": raw, "kind": file.kind}, config.CONVERT_SECONDS)
    found = convert(answer, Converted)
    warnings += [f.Warned(name=place, reason=reason) for place, reason in found.skipped]
    if not found.pages and not found.skipped:
        warnings.append(f.Warned(name=name, reason="no format that is known"))
    return found.pages


def bytes_of(file: f.NewFile) -> bytes:
    """A file's content. Raises Invalid, WrongType."""
    if file.text is not None:
        return validate.text("text", file.text, config.BODY_BYTES).encode()
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(validate.text("data", file.data, config.OUTSIDE_BYTES), strict_mode=True)
    except (Error, ValueError):
        raise Invalid("data", "must be base64") from None


def shared(service: Service, scope: t.Scope, url: str) -> f.NewDoc:
    """A shared chat, where the bank's configuration allows that it is fetched. Raises Invalid, Forbidden, OutsideFailed."""
    with service.read() as reader:
        bank = reader.bank(scope.project, scope.bank)
        allowed = bank is not None and service.settings_of(bank, reader).shares
    if not allowed:
        raise Forbidden('fetching shared chats is off; the bank\'s configuration turns it on: {"shares": true}')
    shown, kind, body = shares.fetched(service, validate.text("url", url, config.URL_BYTES))
    answer = service.outside.ask("convert", {"name": shown, "data": body, "kind": kind}, config.CONVERT_SECONDS)
    found = convert(answer, Converted).pages
    if not found:
        raise OutsideFailed("the chat can't be read; save its text in a file and capture that")
    return f.NewDoc(source=shown, markdown=found[0].markdown, title=found[0].title)
