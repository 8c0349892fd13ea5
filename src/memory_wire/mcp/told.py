"""What models are told of the tools of records, documents and the gateway. Data for catalog.py; never imported by a serving process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
WORKSPACE = "leave out for this project's own"


def objects(required: str, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": required.split()}


def each(shape: Json) -> Json:
    return {"type": "array", "items": shape}


IDS = each(TEXT)
RECORDS: dict[str, Json] = {
    "remember": {
        "title": "Remember a fact",
        "text": "Store one fact with where it comes from. Nothing is overwritten: a fact that disagrees under the same fact_key shows as a "
        "conflict, one whose source changes as stale.",
        "fields": {
            "content": "the fact, in whole sentences that make sense alone",
            "workspace": WORKSPACE,
            "fact_key": "what the fact is about, the same for every version of it, e.g. staging-deploy-day",
            "source": "where it comes from, for people",
            "source_id": "its file, URL or the like",
            "source_hash": "hash of the source now; needs source_id",
            "source_revision": "commit or version of the source",
            "confidence": "0 to 1, default 0.5",
            "derived_from": "ids of the records that this one sums up",
            "supersedes": "id of the record that this one replaces",
            "aliases": "other words to find it by",
            "scope": "a part of the workspace, for filters",
            "kind": "such as decision or fact",
            "pinned": "show it when a session starts",
        },
        "output": objects(
            "id status statuses conflict_with replayed",
            id=TEXT,
            status=TEXT,
            statuses=IDS,
            created_at=TEXT,
            redacted=each({"type": "object"}),
            conflict_with=IDS,
            replayed={"type": "boolean"},
            forgotten={"type": "boolean"},
            flagged=TEXT,
        ),
    },
    "search": {
        "title": "Search facts",
        "text": "Facts that answer a question, each with source and status: unverified, stale (its source changed) or conflict (another "
        "fact says otherwise). Show conflicts and stale facts to the user instead of choosing.",
        "fields": {
            "query": "a question in plain words",
            "workspace": WORKSPACE,
            "scope": "only of this part",
            "kind": "only of this kind",
            "limit": "1 to 50, default 10",
            "source_id": "the source that current_source_hash is of",
            "current_source_hash": "hash of that source now",
            "current_source_hashes": "source ids with their hashes now",
            "exclude_stale": "leave out what is stale",
            "exclude_superseded": "leave out what another fact replaces",
            "named": "only facts that the question calls by one of their aliases",
        },
        "output": objects("results meta", results=each({"type": "object"}), meta={"type": "object"}, truncated={"type": "boolean"}),
    },
    "validate_memory": {
        "title": "Check a source",
        "text": "Which facts of a source still agree with it, which are stale, in conflict or without a hash. Changes no fact.",
        "fields": {"source_id": "", "current_source_hash": "hash of the source now", "workspace": WORKSPACE},
        "output": objects(
            "source_id checked fresh stale conflicts unhashed summaries_affected",
            source_id=TEXT,
            checked=NUMBER,
            fresh=IDS,
            stale=each({"type": "object"}),
            conflicts=each({"type": "object"}),
            unhashed=IDS,
            summaries_affected=IDS,
            truncated={"type": "boolean"},
        ),
    },
    "forget_record": {
        "title": "Forget a fact",
        "text": "Take one fact, or all of a source, out of search. Give exactly one of the two.",
        "fields": {"memory_id": "id of the fact", "source_id": "its source", "workspace": WORKSPACE},
        "output": objects("forgotten count ids", forgotten={"type": "boolean"}, count=NUMBER, ids=IDS, replayed={"type": "boolean"}),
    },
}
GATEWAY: dict[str, Json] = {
    "gateway_call": {
        "title": "Call an integration",
        "text": "Call a server that this project's administrator has allowed. The server's secrets stay where they are. An unknown name is "
        "answered with those that there are; an MCP server named without a tool, with its tools.",
        "fields": {"server": "name of the integration", "tool": "of an MCP server", "arguments": "by name"},
        "output": objects(
            "server ok",
            server=TEXT,
            tool={"anyOf": [TEXT, {"type": "null"}]},
            ok={"type": "boolean"},
            status={"anyOf": [NUMBER, {"type": "null"}]},
            result={},
            truncated={"type": "boolean"},
        ),
    },
}
HUB: dict[str, Json] = {
    "read_doc": {
        "title": "Read a document",
        "text": "A document by its id: whole, one section, lines, or only its outline. Ask for the outline of a long one first.",
        "fields": {
            "id": "from doc_search or doc_write, the end of its URL",
            "section": "a heading, `A > B` or `#anchor`",
            "occurrence": "which of several sections of that heading, from 1",
            "subtree": "the section with all below it",
            "lines": "first-last",
            "outline": "the headings instead of the text",
            "offset": "characters to leave out",
            "version": "an older version's number",
        },
        "output": objects("id title version", id=TEXT, title=TEXT, version=NUMBER, markdown=TEXT, outline=each({"type": "object"})),
    },
    "write_doc": {
        "title": "Write a document",
        "text": "Without id, a new document; it never takes another one's place. With id, change that one as a new version: append, "
        "prepend, replace one section or all. Older versions stay.",
        "fields": {
            "markdown": "the text, Markdown",
            "id": "the document to change",
            "mode": ["replace", "append", "prepend", "section"],
            "section": "mode section: its heading, `A > B` or `#anchor`; a text that begins with a heading replaces the heading too",
            "occurrence": "which of several sections of that heading, from 1",
            "title": "default: front matter, first heading, first line",
            "source": "where it comes from",
            "if_version": "only if that is the newest version: the one that was read",
            "is_draft": "a new document: not for everybody, even in a public hub",
        },
        "output": objects(
            "id title version url chunks",
            id=TEXT,
            bank=TEXT,
            title=TEXT,
            version=NUMBER,
            url=TEXT,
            raw_url=TEXT,
            chunks={"type": "object"},
            skipped=TEXT,
            edit_token=TEXT,
        ),
    },
    "search_docs": {
        "title": "Search documents",
        "text": "The parts of documents that answer a question, best first, each with its document's id, headings and lines.",
        "fields": {"query": "", "id": "only in this document", "limit": "default 10, at most 50", "tags": "any of these matches"},
        "output": objects("results", results=each({"type": "object"}), degraded={}, truncated={"type": "boolean"}),
    },
    "hub_recall": {
        "title": "Ask a hub",
        "text": "What of a public hub answers a question, best first: chunks with headings and document, or whole documents, or bundles.",
        "fields": {
            "slug": "the hub, the end of its URL",
            "question": "at most 2,000 characters",
            "k": "results, default 5, at most 20",
            "level": ["chunk", "doc", "bundle"],
            "hybrid": "chunks by words and vectors together",
            "rerank": "has a reranker judge the first results, where there is one",
            "expand": ["subtree"],
            "budget_tokens": "bound of the texts in the answer",
        },
        "required": "slug question",
        "output": objects(
            "hub question level results meta",
            hub={"type": "object"},
            question=TEXT,
            level=TEXT,
            results=each({"type": "object"}),
            meta={"type": "object"},
            degraded={"type": "boolean"},
            truncated={"type": "boolean"},
        ),
    },
}
