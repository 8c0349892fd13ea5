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


class DocumentExists(MemoryWireError):
    status = 409
    code = "document_exists"

    def __init__(self) -> None:
        super().__init__("document already exists; use update_mode=replace")


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
