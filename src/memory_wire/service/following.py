"""Makes a folder's documents those of its files: what moved gets its new path, what is gone is deleted, what is missing is named.

A file is where it was when its path is; one whose path is new and whose text is that of a document whose file is gone has moved. Called by
the service.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire import filing as f
from memory_wire import types as t
from memory_wire.errors import Invalid, OtherFolder, TooManyGone, Unauthorized
from memory_wire.service import audit, chunking, documents, memories, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.chunking import Text
from memory_wire.service.filing import name_of, origin_of, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.filing import Known
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]
    Seen = dict[str, bytes | None]

HASH_CHARS = 32


class Plan:
    """What has to be done, by paths: (old, new) of what moved, what comes back, what goes; what isn't known or says something else."""

    def __init__(self, known: dict[str, Known], seen: Seen) -> None:
        live = {path: one for path, one in known.items() if not one.deleted}
        missing = [path for path in live if path not in seen]
        new = [path for path, hash in seen.items() if path not in live and hash is not None]
        self.moved = moves(live, missing, new, seen)
        gone, placed = {old for old, _ in self.moved}, {new for _, new in self.moved}
        self.deleted = [path for path in missing if path not in gone]
        self.restored = [path for path in new if path not in placed and path in known and known[path].hash == seen[path]]
        placed.update(self.restored)
        changed = [path for path, one in live.items() if seen.get(path) is not None and seen[path] != one.hash]
        self.wanted = [path for path in new if path not in placed] + changed
        self.unchanged = len(live) - len(missing) - len(changed)
        self.live = len(live)


def moves(live: dict[str, Known], missing: list[str], new: list[str], seen: Seen) -> list[tuple[str, str]]:
    """Files that were at a path and are at another: same text; of several first those of the same name, then in order."""
    held: dict[bytes, list[str]] = {}
    for path in missing:
        held.setdefault(live[path].hash, []).append(path)
    found: list[tuple[str, str]] = []
    for alike in (True, False):
        taken = {path for _, path in found}
        for path in new:
            hash = seen[path]
            choices = held.get(hash, []) if hash is not None and path not in taken else []
            old = next((one for one in choices if not alike or base(one) == base(path)), None)
            if old is not None:
                choices.remove(old)
                found.append((old, path))
    return found


def base(path: str) -> str:
    return path.rpartition("/")[2]


def sync_docs(request: f.SyncDocs, scope: t.Scope, service: Service) -> Work:
    """The work that makes a folder's documents its files as far as the texts are there. Raises Invalid, WrongType."""
    scope, now, keys = documents.place(request.bank, scope), service.now(), service.keys
    if scope.keyless:
        raise Unauthorized("this needs a key")
    folder = source_of("folder", request.folder)
    if folder.strip("/") != folder:
        raise Invalid("folder", "must be a name without slashes around it")
    seen, origin = seen_of(request.files, folder), origin_of(request.origin, keys)
    moved, every = request.moved is True, request.delete is True
    dry = documents.flag("dry_run", request.dry_run)

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(scope.project, scope.bank) if dry else memories.created(tx, scope)
        known = tx.filing.folder(bank.id, folder) if bank is not None else {}
        if not moved and any(not one.deleted and one.origin not in (None, origin) for one in known.values()):
            raise OtherFolder
        plan = Plan(known, seen)
        if len(plan.deleted) * 2 > plan.live > config.SYNC_FEW and not every and not dry:
            raise TooManyGone(len(plan.deleted), plan.live)
        done = Outcome(None, bank, 1, [], jobs=True)
        answer = f.DocsSynced(unchanged=plan.unchanged, wanted=plan.wanted, moved=[], deleted=[], restored=[])
        done.response = answer
        if bank is not None:
            done.language = service.settings_of(bank, tx).language
            Follower(tx, bank, scope, service, folder, origin, now, dry).follow(plan, known, answer, done)
        return done

    return work


def seen_of(files: list[f.FileSeen], folder: str) -> Seen:
    """The hashes of files by their paths; None for one that is to be left alone. Raises Invalid, WrongType."""
    if len(files) > config.SYNC_FILES:
        raise Invalid("files", f"must be at most {config.SYNC_FILES:,}")
    found: Seen = {}
    for one in files:
        path = source_of("path", one.path)
        if len(folder) + len(path) >= config.DOCUMENT_SOURCE_CHARS:
            raise Invalid("path", f"must be at most {config.DOCUMENT_SOURCE_CHARS:,} characters")
        hash = validate.text("hash", one.hash, HASH_CHARS)
        try:
            raw = bytes.fromhex(hash)
        except ValueError:
            raw = b"-"
        if len(raw) not in (0, HASH_CHARS // 2):
            raise Invalid("hash", f"must be {HASH_CHARS} hexadecimal digits")
        found[path] = raw or None
    return found


class Follower:
    """Does what a plan says, at most SYNC_STEP documents in one commit."""

    def __init__(
        self, tx: Tx, bank: Bank, scope: t.Scope, service: Service, folder: str, origin: bytes | None, now: int, dry: bool
    ) -> None:
        self.tx, self.bank, self.scope, self.service, self.now, self.dry = tx, bank, scope, service, now, dry
        self.folder, self.origin = folder, origin

    def follow(self, plan: Plan, known: dict[str, Known], answer: f.DocsSynced, done: Outcome) -> None:
        """Does a step of it, and tells."""
        step = len(known) + len(plan.wanted) if self.dry else config.SYNC_STEP
        for old, new in plan.moved[:step]:
            answer.moved.append(f.DocMoved(id=self.move(known[old].id, old, new, done), old=old, new=new))
        step -= len(answer.moved)
        for path in plan.deleted[:step]:
            self.delete(known[path].id, done)
            answer.deleted.append(path)
        step -= len(answer.deleted)
        for path in plan.restored[:step]:
            self.restore(known[path].id, done)
            answer.restored.append(path)
        left = len(plan.moved) + len(plan.deleted) + len(plan.restored)
        answer.more = left > len(answer.moved) + len(answer.deleted) + len(answer.restored)

    def move(self, id: int, old: str, new: str, done: Outcome) -> str:
        """Gives a document its new path, and its new name where it is called after its file; its public id."""
        document = self.tx.documents.get(id)
        if self.dry:
            return document.public_id
        self.tx.filing.put(id, f"{self.folder}/{new}", self.origin)
        document.source = f"{self.folder}/{new}"
        if document.titled and document.title == name_of(old) != name_of(new):
            raw = self.tx.documents.markdown(id, document.version) or b""
            text = Text(raw, self.service.keys, None, name_of(new))
            document.title, document.updated = text.title, self.now
            self.tx.documents.set(document)
            done.changes += chunking.index(self.tx, self.bank, document, text, self.service.keys, self.now)[1]
            self.tx.hubs.reconcile(self.bank.id, id)
        audit.note(self.tx, self.scope, self.bank, "doc.move", document.public_id, self.now)
        return document.public_id

    def delete(self, id: int, done: Outcome) -> None:
        """Softly: the versions stay, and the file's coming back brings the document back."""
        if self.dry:
            return
        document = self.tx.documents.get(id)
        done.changes += chunking.removed(self.tx, self.bank, self.tx.documents.chunks(id))
        document.deleted = self.now
        self.tx.documents.set(document)
        self.tx.hubs.reconcile(self.bank.id, id)
        audit.note(self.tx, self.scope, self.bank, "doc.delete", document.public_id, self.now)

    def restore(self, id: int, done: Outcome) -> None:
        """Brings back what was deleted, as it was."""
        if self.dry:
            return
        document = self.tx.documents.get(id)
        document.deleted = None
        self.tx.documents.set(document)
        text = documents.current(self.tx, document, self.service.keys)
        done.changes += chunking.index(self.tx, self.bank, document, text, self.service.keys, self.now)[1]
        self.tx.hubs.reconcile(self.bank.id, id)
        audit.note(self.tx, self.scope, self.bank, "doc.restore", document.public_id, self.now)
