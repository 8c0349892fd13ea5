"""The operation table: one row an operation. HTTP, the command line and the Python API are loops over it.

`name` is also the function of the service that does the work; `writes` says that it runs inside a group commit.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import types as t


class Op(Struct, frozen=True, kw_only=True):
    """One operation. `http` is (verb, path); `body` says the request Struct is read from a JSON body, else from path and query."""

    name: str
    request: type[Struct]
    response: object
    http: tuple[str, str]
    body: bool = False
    writes: bool = False
    contract: bool = True  # a /banks route: plain-text errors, unknown fields ignored
    cli: str | None = None
    tool: str | None = None  # its name as a tool of an agent
    summary: str
    errors: tuple[str, ...] = ()
    needs: str = ""  # the right that a key must have: read, write or admin; "" says what `writes` says

    @property
    def right(self) -> str:
        """What a key must be allowed."""
        return self.needs or ("write" if self.writes else "read")


BANK = "/banks/{bank}"
NEW = "/v1/banks/{bank}"  # what is not the contract's

OPS: tuple[Op, ...] = (
    Op(
        name="retain",
        request=t.Retain,
        response=t.Retained,
        http=("POST", f"{BANK}/retain"),
        body=True,
        writes=True,
        cli="retain",
        tool="memory_retain",
        summary="Store one memory; secrets are redacted before anything is written.",
        errors=("invalid", "document_exists", "storage"),
    ),
    Op(
        name="retain_batch",
        request=t.RetainBatch,
        response=t.BatchRetained,
        http=("POST", f"{BANK}/retain/batch"),
        body=True,
        writes=True,
        summary="Store up to 1,000 memories in one transaction.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="recall",
        request=t.Recall,
        response=t.Recalled,
        http=("POST", f"{BANK}/recall"),
        body=True,
        cli="recall",
        tool="memory_recall",
        summary="The memories that answer a question, best first, within a token budget.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="reflect",
        request=t.Recall,
        response=str,
        http=("POST", f"{BANK}/reflect"),
        body=True,
        cli="reflect",
        tool="memory_reflect",
        summary="The best memory for a question, cited by id.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="get_config",
        request=t.Empty,
        response=bytes,
        http=("GET", f"{BANK}/config"),
        tool="memory_bank_config_get",
        summary="The bank's configuration, byte for byte as it was put.",
        errors=("unknown_bank",),
    ),
    Op(
        name="put_config",
        request=t.PutConfig,
        response=bytes,
        http=("PUT", f"{BANK}/config"),
        body=True,
        writes=True,
        summary="Replace the bank's configuration, a JSON object.",
        errors=("invalid", "unknown_bank"),
    ),
    Op(
        name="memories",
        request=t.Memories,
        response=t.Page,
        http=("GET", f"{BANK}/memories"),
        cli="memories",
        tool="memory_list",
        summary="A page of the bank, oldest first.",
        errors=("invalid",),
    ),
    Op(
        name="get",
        request=t.Get,
        response=t.Page,
        http=("GET", f"{BANK}/memories/{{id}}"),
        cli="get",
        summary="One memory, whole.",
        errors=("unknown_memory",),
    ),
    Op(
        name="forget",
        request=t.Forget,
        response=t.Deleted,
        http=("DELETE", f"{BANK}/memories/{{id}}"),
        writes=True,
        cli="forget",
        tool="memory_forget",
        summary="Delete one memory; deleting what is not there is no error.",
    ),
    Op(
        name="stats",
        request=t.Empty,
        response=t.Stats,
        http=("GET", f"{BANK}/stats"),
        cli="stats",
        summary="How many memories and tags the bank holds, and from when.",
    ),
    Op(
        name="banks",
        request=t.Empty,
        response=t.Banks,
        http=("GET", "/banks"),
        contract=False,
        tool="memory_banks",
        summary="The banks with their counts.",
    ),
    Op(
        name="inject",
        request=t.Inject,
        response=t.Injected,
        http=("POST", f"{NEW}/inject"),
        body=True,
        contract=False,
        writes=True,
        needs="read",
        summary="What a host's hook puts into a model's context; remembers it for the session.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="capture",
        request=t.Capture,
        response=t.Captured,
        http=("POST", f"{NEW}/capture"),
        body=True,
        contract=False,
        writes=True,
        summary="Store the turns of a session, each once however often hosts send it.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="injections",
        request=t.Injections,
        response=t.InjectionLog,
        http=("GET", f"{NEW}/injections"),
        contract=False,
        summary="What was injected into which session, newest first.",
        errors=("invalid",),
    ),
    Op(
        name="history",
        request=t.History,
        response=t.MemoryHistory,
        http=("GET", f"{NEW}/memories/{{id}}/history"),
        contract=False,
        summary="What is known of one memory: dates, tags, keys, where it was injected.",
        errors=("unknown_memory",),
    ),
    Op(
        name="remember",
        request=t.Remember,
        response=t.Remembered,
        http=("POST", "/v1/records"),
        body=True,
        contract=False,
        writes=True,
        cli="remember",
        tool="remember",
        summary="Store a record with its provenance; nothing is ever overwritten.",
        errors=("content_empty", "derived_unknown", "guard_rejected", "idempotency_conflict", "storage"),
    ),
    Op(
        name="search",
        request=t.Search,
        response=t.SearchResults,
        http=("POST", "/v1/records/search"),
        body=True,
        contract=False,
        cli="search",
        tool="search",
        summary="The records that answer a question, each with how far it can be trusted.",
        errors=("query_empty", "limit_range", "storage"),
    ),
    Op(
        name="validate_memory",
        request=t.ValidateMemory,
        response=t.Validated,
        http=("POST", "/v1/records/validate"),
        body=True,
        contract=False,
        writes=True,
        cli="validate-memory",
        tool="validate_memory",
        needs="read",
        summary="Which records of a source still agree with it.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="forget_record",
        request=t.ForgetRecord,
        response=t.Forgotten,
        http=("POST", "/v1/records/forget"),
        body=True,
        contract=False,
        writes=True,
        cli="forget-record",
        tool="forget",
        summary="Take one record, or all of a source, out of search and statuses.",
        errors=("forget_target", "storage"),
    ),
    Op(
        name="get_record",
        request=t.GetRecord,
        response=t.RecordDetail,
        http=("GET", "/v1/records/{id}"),
        contract=False,
        cli="get-record",
        summary="One record with its statuses and the versions of its fact.",
        errors=("unknown_record",),
    ),
    Op(
        name="delete_bank",
        request=t.DeleteBank,
        response=t.BankDeleted,
        http=("DELETE", BANK),
        contract=False,
        writes=True,
        needs="admin",
        summary="Delete a bank and everything in it; `confirm` repeats its name.",
        errors=("invalid", "unknown_bank"),
    ),
    Op(
        name="rename_bank",
        request=t.RenameBank,
        response=t.BankMoved,
        http=("POST", "/v1/banks/{bank}/rename"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Give a bank another name; everything in it stays as it is.",
        errors=("invalid", "unknown_bank", "bank_exists"),
    ),
    Op(
        name="copy_bank",
        request=t.CopyBank,
        response=t.BankMoved,
        http=("POST", "/v1/banks/{bank}/copy"),
        body=True,
        contract=False,
        writes=True,
        summary="Copy a bank, its memories under new ids, to a bank that isn't there yet.",
        errors=("invalid", "unknown_bank", "bank_exists"),
    ),
    Op(
        name="merge_bank",
        request=t.MergeBank,
        response=t.BankMoved,
        http=("POST", "/v1/banks/{bank}/merge"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Move a bank's memories into another bank, without duplicates, and delete it.",
        errors=("invalid", "unknown_bank"),
    ),
    Op(
        name="sweep",
        request=t.Sweep,
        response=t.Swept,
        http=("POST", "/v1/sweep"),
        body=True,
        contract=False,
        writes=True,
        needs="admin",
        summary="Delete the memories that are older than their bank's ttl_days.",
    ),
)

BY_NAME = {op.name: op for op in OPS}
