"""Changes of documents: as a whole, at an end, one section, or the title. Called by the service; loaded with the first change."""

from __future__ import annotations

from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import Invalid, SectionAmbiguous, UnknownSection, VersionMismatch
from memory_wire.hub import edit
from memory_wire.service import audit, chunking, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.chunking import Text
from memory_wire.service.documents import bank_of, create_doc, flag, line, markdown, named, ordinal, receipt, saved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.documents import Document
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]

EDITS = ("replace", "append", "prepend", "replace_section")
MODES = ("replace", "append", "prepend", "section")


def update_doc(request: d.UpdateDoc, scope: t.Scope, service: Service) -> Work:
    """The work that changes a document's text, title or source. Raises Invalid, WrongType, UnknownDocument, VersionMismatch."""
    keys, now = service.keys, service.now()
    change = change_of(request)
    title = line("title", request.title, config.DOCUMENT_TITLE_CHARS)
    source = line("source", request.source, config.DOCUMENT_SOURCE_CHARS)
    wanted = validate.unsigned("if_version", request.if_version)

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope, request.edit_token)
        if wanted is not None and wanted != document.version:
            raise VersionMismatch(document.version)
        bank = bank_of(tx, document, scope)
        old = tx.documents.markdown(document.id, document.version) or b""
        new = bounded(change(old)) if change is not None else old
        if request.title is not None:
            document.titled = int(title is not None)
        if request.source is not None:
            document.source = source
        kept_title = title or (document.title if document.titled else None)
        text = Text(new, keys, kept_title)
        if new == old:
            return retitled(tx, scope, service, bank, document, text, now)
        return saved(tx, scope, service, bank, document, text, made_by(request), now)

    return work


def change_of(request: d.UpdateDoc) -> Callable[[bytes], bytes] | None:
    """What becomes of the old text; None when it stays. Raises Invalid, WrongType."""
    given = [name for name in EDITS if getattr(request, name) is not None]
    if len(given) > 1:
        raise Invalid(given[1], f"only one of {', '.join(EDITS)} can be asked for")
    if not given:
        if request.title is None and request.source is None:
            raise Invalid("replace", f"one of {', '.join(EDITS)}, title and source must be given")
        return None
    if request.replace_section is not None:
        return section_change(request.replace_section)
    raw = markdown(given[0], getattr(request, given[0]))
    if request.replace is not None:
        return lambda old: raw
    edits = edit.appended if request.append is not None else edit.prepended
    return lambda old: swallowing(given[0], lambda: edits(old, raw))


def section_change(part: d.ReplaceSection) -> Callable[[bytes], bytes]:
    heading = validate.text("heading", part.heading, config.DOCUMENT_TITLE_CHARS * 4)
    raw = markdown("markdown", part.markdown)
    occurrence, subtree = ordinal(part.occurrence), flag("subtree", part.subtree)

    def change(old: bytes) -> bytes:
        try:
            return swallowing("markdown", lambda: edit.replaced(old, heading, raw, occurrence, subtree))
        except edit.Absent:
            raise UnknownSection(heading) from None
        except edit.Ambiguous as error:
            raise SectionAmbiguous(heading, [section.first for section in error.sections]) from None

    return change


def swallowing(field: str, change: Callable[[], bytes]) -> bytes:
    """A change that must leave the sections behind it sections. Raises Invalid."""
    try:
        return change()
    except edit.Swallows:
        raise Invalid(field, "leaves code, a comment or the like open, which would hide the sections behind it") from None


def bounded(text: bytes) -> bytes:
    if len(text) > config.DOCUMENT_BYTES:
        raise Invalid("markdown", f"the document would have {len(text):,} bytes, at most {config.DOCUMENT_BYTES:,} are kept")
    return text


def made_by(request: d.UpdateDoc) -> str:
    return "section" if request.replace_section is not None else next(name for name in EDITS if getattr(request, name) is not None)


def retitled(tx: Tx, scope: t.Scope, service: Service, bank: Bank, document: Document, text: Text, now: int) -> Outcome:
    """The text stays as it is, so there is no new version; another title changes the titles above every chunk."""
    if document.title == text.title:
        tx.documents.set(document)
        count = len(text.chunks)
        return Outcome(receipt(document, d.Chunks(total=count, reused=count), "unchanged"))
    document.title, document.updated = text.title, now
    tx.documents.set(document)
    chunks, changes = chunking.index(tx, bank, document, text, service.keys, now)
    tx.hubs.reconcile(bank.id, document.id)
    audit.note(tx, scope, bank, "doc.title", document.public_id, now)
    return Outcome(receipt(document, chunks), bank, service.settings_of(bank, tx).language, changes, jobs=True)


def write_doc(request: d.WriteDoc, scope: t.Scope, service: Service) -> Work:
    """The work of create_doc or update_doc, whichever the request means. Raises Invalid."""
    if request.id is None:
        if request.mode is not None or request.section is not None:
            raise Invalid("id", "says which document is changed; without it a new one is made")
        made = d.CreateDoc(
            markdown=request.markdown, title=request.title, source=request.source, is_draft=request.is_draft, bank=request.bank
        )
        return create_doc(made, scope, service)
    mode = request.mode or ("section" if request.section is not None else None)
    if mode not in MODES:
        raise Invalid("mode", f"an existing document is changed by one of {', '.join(MODES)}")
    change = d.UpdateDoc(id=request.id, title=request.title, source=request.source, if_version=request.if_version, bank=request.bank)
    if mode == "section":
        if request.section is None:
            raise Invalid("section", "names the section that is replaced")
        part = d.ReplaceSection(heading=request.section, markdown=request.markdown, occurrence=request.occurrence)
        change.replace_section = part
    else:
        setattr(change, mode, request.markdown)
    return update_doc(change, scope, service)
