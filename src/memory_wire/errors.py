"""Every error the product raises on purpose. One class, one code; surfaces translate by the attributes and have no table of their own.

`status` is the HTTP status, `code` the word in `{"error":{"code"}}`, `exit_code` what the command line returns, `str(error)` the plain
text body of `/banks` routes. Layers from the store upward may import this module; it imports nothing of ours.
"""

from __future__ import annotations


class MemoryWireError(Exception):
    """Base of all errors raised on purpose."""

    status = 500
    code = "internal"
    exit_code = 1
    field: str | None = None


class Invalid(MemoryWireError):
    """A value breaks a rule. `text` replaces the default `invalid <field>: <rule>` where the `/banks` contract names a string."""

    status = 400
    code = "invalid"
    exit_code = 2

    def __init__(self, field: str, rule: str, text: str | None = None) -> None:
        super().__init__(text or f"invalid {field}: {rule}")
        self.field = field
        self.rule = rule


class Malformed(MemoryWireError):
    """The body or query string can't be read at all."""

    status = 400
    code = "malformed"
    exit_code = 2


class WrongType(MemoryWireError):
    """The body is JSON, but a field is missing or of the wrong type."""

    status = 422
    code = "wrong_type"
    exit_code = 2


class UnknownBank(MemoryWireError):
    status = 404
    code = "unknown_bank"

    def __init__(self) -> None:
        super().__init__("unknown bank")


class BankExists(MemoryWireError):
    status = 409
    code = "bank_exists"

    def __init__(self) -> None:
        super().__init__("bank already exists; merge puts one into another")


class UnknownMemory(MemoryWireError):
    status = 404
    code = "unknown_memory"

    def __init__(self) -> None:
        super().__init__("unknown memory")


class UnknownRecord(MemoryWireError):
    status = 404
    code = "unknown_record"

    def __init__(self) -> None:
        super().__init__("unknown record")


class DocumentExists(MemoryWireError):
    status = 409
    code = "document_exists"

    def __init__(self) -> None:
        super().__init__("document already exists; use update_mode=replace")


class RecordRefused(Invalid):
    """A record or a question about records breaks a rule that has a code of its own."""

    code = "record_refused"
    rule = ""

    def __init__(self, field: str, text: str) -> None:
        MemoryWireError.__init__(self, text)
        self.field = field


class ContentEmpty(RecordRefused):
    code = "content_empty"


class ContentTooLong(RecordRefused):
    code = "content_too_long"


class FieldTooLong(RecordRefused):
    code = "field_too_long"


class HashWithoutSource(RecordRefused):
    code = "hash_without_source"


class ConfidenceRange(RecordRefused):
    code = "confidence_range"


class DerivedTooMany(RecordRefused):
    code = "derived_too_many"


class DerivedUnknown(RecordRefused):
    """Missing, deleted, another bank's or invisible: one code for all four."""

    code = "derived_unknown"


class SupersedesUnknown(RecordRefused):
    code = "supersedes_unknown"


class WorkspaceNameInvalid(RecordRefused):
    code = "workspace_name_invalid"


class ForgetTarget(RecordRefused):
    code = "forget_target"


class LimitRange(RecordRefused):
    code = "limit_range"


class QueryEmpty(RecordRefused):
    code = "query_empty"


class IdempotencyKeyInvalid(RecordRefused):
    code = "idempotency_key_invalid"


class IdempotencyConflict(MemoryWireError):
    """The key was used for another request; nothing of the first one is told."""

    status = 409
    code = "idempotency_conflict"

    def __init__(self) -> None:
        super().__init__("idempotency key was used for another request")


class Unauthorized(MemoryWireError):
    """No key where one is needed, or one that doesn't count: the text is the same for all that can be wrong with it."""

    status = 401
    code = "unauthorized"

    def __init__(self, text: str) -> None:
        super().__init__(text)


class Forbidden(MemoryWireError):
    """The key counts, but not for this."""

    status = 403
    code = "forbidden"

    def __init__(self, text: str) -> None:
        super().__init__(text)


class SubscriptionReadOnly(MemoryWireError):
    """The account is in its days of grace."""

    status = 403
    code = "subscription_read_only"

    def __init__(self) -> None:
        super().__init__("the account may read, but not write, until its subscription is renewed")


class SubscriptionInactive(MemoryWireError):
    status = 403
    code = "subscription_inactive"

    def __init__(self) -> None:
        super().__init__("the account's subscription has ended")


class RateLimited(MemoryWireError):
    """Too many calls of one key or from one address; `retry_after` are the seconds to wait."""

    status = 429
    code = "rate_limited"
    retry_after = 1

    def __init__(self, calls: int, retry_after: int, whose: str = "with this key") -> None:
        super().__init__(f"more than {calls:,} calls a minute {whose}; try again in {retry_after} s")
        self.retry_after = retry_after


class UnknownName(MemoryWireError):
    """An administrator names somebody or something that isn't there, or belongs to others."""

    status = 404
    code = "unknown_name"

    def __init__(self, field: str, name: str) -> None:
        super().__init__(f"unknown {field} {name!r}")
        self.field = field


class UnknownIntegration(MemoryWireError):
    """The project has no integration of that name; those that it has are named, for an agent to choose from."""

    status = 404
    code = "unknown_integration"

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(f"unknown integration {name!r}; " + (f"there are: {', '.join(known)}" if known else "this project has none"))


class UnknownSession(MemoryWireError):
    status = 404
    code = "unknown_session"

    def __init__(self) -> None:
        super().__init__("unknown session")


class OffsetMismatch(MemoryWireError):
    """Lines of a session came for another place than where the last ones ended."""

    status = 409
    code = "offset_mismatch"

    def __init__(self, offset: int) -> None:
        super().__init__(f"the session was taken up to offset {offset}")


class SessionQuota(MemoryWireError):
    status = 507
    code = "session_quota"

    def __init__(self, most: int) -> None:
        super().__init__(f"the uploaded sessions of a project may take {most:,} bytes; delete some")


class UnknownDocument(MemoryWireError):
    """Missing, deleted, another project's or not to be seen: one answer."""

    status = 404
    code = "unknown_document"

    def __init__(self) -> None:
        super().__init__("unknown document")


class UnknownBundle(MemoryWireError):
    """As UnknownDocument, of a bundle."""

    status = 404
    code = "unknown_bundle"

    def __init__(self) -> None:
        super().__init__("unknown bundle")


class UnknownSuggestion(MemoryWireError):
    """One that isn't made, or not any more."""

    status = 404
    code = "unknown_suggestion"

    def __init__(self) -> None:
        super().__init__("unknown suggestion")


class UnknownVersion(MemoryWireError):
    status = 404
    code = "unknown_version"

    def __init__(self) -> None:
        super().__init__("unknown version")


class UnknownSection(MemoryWireError):
    """The document has no such section; the outline names those that it has."""

    status = 404
    code = "unknown_section"

    def __init__(self, heading: str) -> None:
        super().__init__(f"unknown section {heading!r}; the outline names the document's sections")
        self.field = "section"


class SectionAmbiguous(Invalid):
    """Several sections are called that; nothing was guessed."""

    code = "section_ambiguous"

    def __init__(self, heading: str, lines: list[int]) -> None:
        places = ", ".join(map(str, lines))
        rule = f"{len(lines)} sections are called that, at lines {places}; `occurrence` says which"
        super().__init__("section", rule, f"invalid section: {heading!r}: {rule}")


class VersionMismatch(MemoryWireError):
    """The document was changed since the version that a change was made for."""

    status = 409
    code = "version_mismatch"

    def __init__(self, version: int) -> None:
        super().__init__(f"the document is at version {version}; read it again and repeat the change")
        self.field = "if_version"


class OtherFolder(MemoryWireError):
    """Documents of that name came from another place."""

    status = 409
    code = "other_folder"

    def __init__(self) -> None:
        super().__init__("documents of that name came from another place; give this one another name, or say that it was moved")
        self.field = "folder"


class TooManyGone(MemoryWireError):
    """Most of a folder's documents would be deleted, which is what an empty or a wrong folder looks like."""

    status = 409
    code = "too_many_gone"

    def __init__(self, gone: int, all: int) -> None:
        super().__init__(f"{gone:,} of the {all:,} documents of this folder would be deleted; `delete` says that they are to go")
        self.field = "delete"


class UnknownHub(MemoryWireError):
    status = 404
    code = "unknown_hub"

    def __init__(self) -> None:
        super().__init__("unknown hub")


class NotPublic(MemoryWireError):
    """The one answer of public surfaces for all that isn't there for everybody, whatever the reason."""

    status = 404
    code = "not_public"

    def __init__(self) -> None:
        super().__init__("not found")


class HubNotPublic(NotPublic):
    """A hub that is unknown or isn't public is asked: one answer."""

    code = "hub_not_public"

    def __init__(self) -> None:
        MemoryWireError.__init__(self, "there is no public hub of that name")


class Asking(MemoryWireError):
    """A question to a hub breaks a rule that has a code of its own."""

    status = 400
    exit_code = 2
    text = ""

    def __init__(self) -> None:
        super().__init__(self.text)


class InvalidSlug(Asking):
    code = "invalid_slug"
    field = "slug"
    text = "invalid slug: must be 3 to 32 of a-z, 0-9, _ and -"


class InvalidJson(Asking):
    code = "invalid_json"

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class QuestionRequired(Asking):
    code = "question_required"
    field = "question"
    text = "question must say something"


class QuestionTooLong(Asking):
    code = "question_too_long"
    field = "question"
    text = "question must be at most 2,000 characters"


class LevelInvalid(Asking):
    code = "level_invalid"
    field = "level"
    text = "level must be doc, chunk or bundle"


class NameTaken(MemoryWireError):
    status = 409
    code = "name_taken"

    def __init__(self, field: str, name: str) -> None:
        super().__init__(f"{field} {name!r} exists already")
        self.field = field


class RecordLimit(MemoryWireError):
    """No more records may be written; reads go on."""

    status = 403
    code = "record_limit"


class GuardRejected(MemoryWireError):
    """A text that gives orders to models; nothing of it was stored."""

    status = 422
    code = "guard_rejected"
    exit_code = 2

    def __init__(self, category: str) -> None:
        super().__init__(f"Memory rejected by Security Guard: {category}")


class StorageError(MemoryWireError):
    """The store failed. The message on the wire says only that; `detail` is for the log and the command line."""

    status = 500
    code = "storage"

    def __init__(self, detail: str) -> None:
        super().__init__("storage error")
        self.detail = detail


class StoreMissing(MemoryWireError):
    """A store that was there before is gone: never replaced by a silent empty one."""

    status = 500
    code = "store_missing"

    def __init__(self, path: str) -> None:
        super().__init__(f"store missing: {path}")


class StoreRefused(MemoryWireError):
    """The store can't be opened here: newer format, network file system, SQLite too old, no permission."""

    code = "store_refused"


class NotReady(MemoryWireError):
    status = 503
    code = "not_ready"


class Corrupt(MemoryWireError):
    """Bytes of an index file contradict its checksum or format. Caught by the index, which rebuilds from the store."""

    code = "corrupt"


class Pruned(MemoryWireError):
    """The removals a reader asks for are no longer kept: it must reload the manifest."""

    code = "pruned"


class OutsideFailed(MemoryWireError):
    """What lies outside this process, an endpoint or a model, gave no answer. The text never has a secret in it."""

    status = 502
    code = "outside_failed"

    def __init__(self, text: str) -> None:
        super().__init__(text)


class OutsideTimeout(OutsideFailed):
    status = 504
    code = "outside_timeout"


class CannotListen(MemoryWireError):
    """The server can't have its address or socket path."""

    code = "cannot_listen"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"can't listen on {name}: {reason}")


class UnitRefused(MemoryWireError):
    """The service manager's files can't be written or removed here; the message says why."""

    code = "unit_refused"


class DaemonFailed(MemoryWireError):
    """The daemon can't be started or stopped; the message says why and what to do."""

    code = "daemon_failed"


class Unreachable(MemoryWireError):
    """No server answers at the endpoint."""

    code = "unreachable"
