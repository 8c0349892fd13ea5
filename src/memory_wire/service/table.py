"""Which function does an operation. What few ask for is loaded when it is first called; the service and nobody else looks here."""

from __future__ import annotations

from memory_wire.service import banks, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.changes import Outcome
    from memory_wire.store.protocol import Tx

    Work = Callable[[Tx], Outcome]


def later(module: str, name: str, package: str = "service") -> Callable[..., Work]:
    """A function of a module that is loaded when it is first called: a server does without what nobody asks for."""

    def call(*given: object) -> Work:
        found: Work = getattr(__import__(f"memory_wire.{package}.{module}", fromlist=[name]), name)(*given)
        return found

    return call


def public(module: str, name: str) -> Callable[..., object]:
    """A function of the package of public surfaces: (service, request, scope) -> response."""
    return later(module, name, "public")


READS: dict[str, Callable[..., object]] = {
    "get_config": banks.get_config,
    "memories": memories.memories,
    "get": memories.get,
    "stats": banks.stats,
    "banks": banks.banks,
    "injections": later("injections", "injections"),
    "history": later("injections", "history"),
    "get_record": later("records", "get_record"),
    "list_sources": later("origins", "list_sources"),
    "audit": later("audit", "audit"),
    "projects": later("admin", "projects"),
    "keys": later("admin", "keys"),
    "accounts": later("admin", "accounts"),
    "integrations": later("integrations", "integrations"),
    "jobs": later("jobs", "jobs"),
    "members": later("people", "members"),
    "units": later("people", "units"),
    "session": later("sessions", "session"),
    "session_lines": later("sessions", "session_lines"),
    "sessions": later("sessions", "sessions"),
    "read_doc": later("reading", "read_doc"),
    "docs": later("gates", "docs"),
    "doc_versions": later("reading", "doc_versions"),
    "diff_doc": later("reading", "diff_doc"),
    "get_hub": later("hubs", "get_hub"),
    "hubs": later("hubs", "hubs"),
    "get_bundle": later("bundled", "get_bundle"),
    "bundles": later("bundled", "bundles"),
}
ASKS: dict[str, Callable[..., object]] = {
    "search": later("search", "search"),
    "search_docs": later("doc_search", "search_docs"),
    "exposed_tools": later("exposed", "exposed_tools"),
}
STALE = later("exposed", "stale")
APART: dict[str, Callable[..., object]] = {
    "gateway_call": later("gateway", "gateway_call"),
    "run_jobs": later("jobs", "run_jobs"),
    "erase": later("erasing", "erase"),
    "import_docs": later("taking", "import_docs"),
    "embed": later("vectors", "embed"),
    "embedding_status": later("vectors", "embedding_status"),
    "run_embedding": later("vectors", "run_embedding"),
    "verify_embedding": later("vectors", "verify_embedding"),
    "verify_audit": later("audit", "verify_audit"),
    "inspect_hub": later("inspect", "inspect_hub", "public"),
    "suggestions": later("suggest", "suggestions", "public"),
    "preview_doc": later("preview", "preview_doc", "public"),
    "embed_doc": later("doc_vectors", "embed_doc"),
    "embed_bundle": later("doc_vectors", "embed_bundle"),
}
PUBLIC: dict[str, Callable[..., object]] = {
    "hub_recall": public("recall", "recall"),
    "hub_recall_usage": public("recall", "usage"),
    "style": public("style", "style"),
    "raw_concept": public("digest", "raw_concept"),
    "hub_log": public("log", "hub_log"),
    "hub_lint": public("lint", "hub_lint"),
    "hub_queries": public("queries", "hub_queries"),
    "hub_graph": public("graph", "hub_graph"),
    "hub_picture": public("picture", "hub_picture"),
    "cross_refs": public("crossrefs", "cross_refs"),
    "page_doc": public("page", "page"),
    "unlock_doc": public("guest", "unlock"),
    "page_bundle": public("bundle_page", "page"),
    "page_hub": public("hub_page", "page"),
    "page_concept": public("atlas_page", "concept"),
    "page_graph": public("atlas_page", "picture_page"),
    "raw_doc": public("doc", "raw"),
    "raw_bundle": public("bundle", "raw"),
    "raw_discover": public("discover", "raw"),
    "raw_hub": public("index", "raw"),
    "raw_llms": public("llms", "index"),
    "raw_llms_full": public("llms", "full"),
    "hub_llms": public("llms", "index"),
    "hub_llms_full": public("llms", "full"),
}
SHOWN = later("shown", "shown")
ASKING = public("recall", "waits")
ALLOW = later("rights", "allow")
HANDED = later("handed", "noted")
WRITES: dict[str, Callable[..., Work]] = {
    "retain": memories.retain,
    "retain_batch": memories.retain_batch,
    "put_config": banks.put_config,
    "forget": memories.forget,
    "delete_bank": banks.delete_bank,
    "rename_bank": later("moves", "rename_bank"),
    "copy_bank": later("moves", "copy_bank"),
    "merge_bank": later("moves", "merge_bank"),
    "sweep": later("sweep", "sweep"),
    "inject": later("inject", "inject"),
    "capture": later("capture", "capture"),
    "create_doc": later("documents", "create_doc"),
    "update_doc": later("editing", "update_doc"),
    "write_doc": later("editing", "write_doc"),
    "set_access": later("gates", "set_access"),
    "delete_doc": later("documents", "delete_doc"),
    "restore_doc": later("documents", "restore_doc"),
    "revert_doc": later("reading", "revert_doc"),
    "put_hub": later("hubs", "put_hub"),
    "create_link": later("guests", "create_link"),
    "drop_links": later("guests", "drop_links"),
    "write_docs": later("filing", "write_docs"),
    "sync_docs": later("following", "sync_docs"),
    "accept_suggestion": later("suggest", "accept", "public"),
    "dismiss_suggestion": later("suggest", "dismiss", "public"),
    "create_bundle": later("bundles", "create_bundle"),
    "update_bundle": later("bundles", "update_bundle"),
    "set_bundle_access": later("bundles", "set_bundle_access"),
    "delete_bundle": later("bundles", "delete_bundle"),
    "restore_bundle": later("bundles", "restore_bundle"),
    "describe_doc": later("describing", "describe_doc"),
    "describe_bundle": later("describing", "describe_bundle"),
    "remember": later("records", "remember"),
    "forget_record": later("records", "forget_record"),
    "validate_memory": later("validation", "validate_memory"),
    "create_project": later("admin", "create_project"),
    "create_key": later("admin", "create_key"),
    "revoke_key": later("admin", "revoke_key"),
    "set_account": later("admin", "set_account"),
    "set_member": later("people", "set_member"),
    "depart": later("people", "depart"),
    "create_unit": later("people", "create_unit"),
    "set_integration": later("integrations", "set_integration"),
    "remove_integration": later("integrations", "remove_integration"),
    "put_session": later("sessions", "put_session"),
    "delete_session": later("sessions", "delete_session"),
}
