"""Memory with provenance."""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.ops.op import NEW, Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import freshness as f
else:
    f = Later("freshness")

OPS: tuple[Op, ...] = (
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
        name="list_sources",
        request=f.ListSources,
        response=f.SourceList,
        http=("GET", f"{NEW}/sources"),
        contract=False,
        summary="The sources that records name, with the hashes known of each.",
        errors=("invalid",),
    ),
)
