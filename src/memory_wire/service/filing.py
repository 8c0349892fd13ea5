"""Many documents in one commit, each known by its source: made, changed, restored or left as it is. Called by the service.

Nothing is overwritten unseen: another text is a new version, and a document of the same source that came from another place stays as it is.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire import filing as f
from memory_wire import types as t
from memory_wire.errors import Invalid, MemoryWireError, OtherFolder, Unauthorized
from memory_wire.service import audit, chunking, documents, memories, passwords, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.chunking import Text
from memory_wire.store.documents import Document
from memory_wire.store.filing import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.keys import Keys
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]


def write_docs(request: f.WriteDocs, scope: t.Scope, service: Service) -> Work:
    """The work that makes or changes documents; what can't be taken is told and the others are. Raises Invalid, WrongType."""
    scope, now = documents.place(request.bank, scope), service.now()
    if scope.keyless:
        raise Unauthorized("this needs a key")
    if len(request.docs) > config.FILED_DOCS:
        raise Invalid("docs", f"must be at most {config.FILED_DOCS}")
    filed = Filed(service, scope, origin_of(request.origin, service.keys), request.moved is True, now)
    filed.draft = documents.flag("is_draft", request.is_draft)
    warnings: list[f.Warned] = []
    texts = [given for one in request.docs if (given := text_of(one, service.keys, warnings)) is not None]

    def work(tx: Tx) -> Outcome:
        bank = memories.created(tx, scope)
        answer = f.DocsFiled(docs=[], warnings=list(warnings))
        done = Outcome(answer, bank, service.settings_of(bank, tx).language, [], jobs=True)
        for source, text in texts:
            try:
                answer.docs.append(filed.put(tx, bank, source, text, done))
            except OtherFolder as error:
                answer.warnings.append(f.Warned(name=source, reason=str(error)))
        return done

    return work


def text_of(one: f.NewDoc, keys: Keys, warnings: list[f.Warned]) -> tuple[str, Text] | None:
    """A document's source and text; None for one that can't be taken, which is noted."""
    try:
        source = source_of("source", one.source)
        title = documents.line("title", one.title, config.DOCUMENT_TITLE_CHARS)
        return source, Text(documents.markdown("markdown", one.markdown), keys, None, title or name_of(source))
    except MemoryWireError as error:
        warnings.append(f.Warned(name=str(one.source), reason=str(error)))
        return None


def source_of(field: str, value: object) -> str:
    """Where something comes from, exactly as it is written. Raises Invalid, WrongType."""
    source = validate.text(field, value, config.DOCUMENT_SOURCE_CHARS)
    if not source.strip() or not source.isprintable():
        raise Invalid(field, "must be a name without control characters")
    return source


def origin_of(value: object, keys: Keys) -> bytes | None:
    """What is kept of a place. Raises Invalid, WrongType."""
    return None if value is None else keys.hashed(validate.text("origin", value, config.DOCUMENT_SOURCE_CHARS))


def name_of(source: str) -> str:
    """What a file is called: its name without its suffix."""
    name = source.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


class Filed:
    """Puts documents where they belong. `origin` is the place that they come from, `moved` says that this is a new one."""

    def __init__(self, service: Service, scope: t.Scope, origin: bytes | None, moved: bool, now: int) -> None:
        self.service, self.scope, self.origin, self.moved, self.now = service, scope, origin, moved, now
        self.draft = False

    def check(self, known: Known) -> None:
        """Raises OtherFolder for what came from elsewhere."""
        if not self.moved and self.origin is not None and known.origin not in (None, self.origin):
            raise OtherFolder

    def put(self, tx: Tx, bank: Bank, source: str, text: Text, done: Outcome) -> f.DocFiled:
        """Makes the document of a source this text. Raises OtherFolder."""
        known = tx.filing.known(bank.id, source)
        if known is None:
            return self.make(tx, bank, source, text, done)
        self.check(known)
        document = tx.documents.get(known.id)
        if known.deleted:
            state = self.restored(tx, bank, document, text, done)
        elif (tx.documents.markdown(document.id, document.version) or b"") == text.markdown:
            state = "unchanged"
        else:
            self.save(tx, bank, document, text, "replace", done)
            state = "changed"
        tx.filing.put(document.id, source, self.origin)
        return told(document, source, state)

    def make(self, tx: Tx, bank: Bank, source: str, text: Text, done: Outcome) -> f.DocFiled:
        document = documents.fresh(text, self.now)
        document.draft, document.source = int(self.draft), source
        tx.documents.add(bank, passwords.new_id(), document)
        self.save(tx, bank, document, text, "import", done)
        tx.filing.put(document.id, source, self.origin)
        return told(document, source, "created")

    def save(self, tx: Tx, bank: Bank, document: Document, text: Text, made: str, done: Outcome) -> None:
        """A new version, whose title is the text's own or the file's name."""
        document.titled = int(text.parsed.named is None)
        done.changes += documents.saved(tx, self.scope, self.service, bank, document, text, made, self.now).changes

    def restored(self, tx: Tx, bank: Bank, document: Document, text: Text, done: Outcome) -> str:
        """Brings a deleted document back, with another text as a new version."""
        document.deleted = None
        before = tx.documents.markdown(document.id, document.version) or b""
        if before != text.markdown:
            self.save(tx, bank, document, text, "replace", done)
            return "restored"
        tx.documents.set(document)
        done.changes += chunking.index(tx, bank, document, text, self.service.keys, self.now)[1]
        tx.hubs.reconcile(bank.id, document.id)
        audit.note(tx, self.scope, bank, "doc.restore", document.public_id, self.now)
        return "restored"


def told(document: Document, source: str, state: str) -> f.DocFiled:
    return f.DocFiled(
        id=document.public_id, source=source, title=document.title, version=document.version, state=state, url=f"/{document.public_id}"
    )
