"""What the OpenAPI document says of request fields beyond their types, by Struct and field: meaning and limits. Read by openapi.py."""

from __future__ import annotations

from memory_wire import config

Json = dict[str, object]

WHEN = "RFC 3339, or YYYY-MM-DD for midnight UTC"
KEY: Json = {"maxLength": config.KEY_CHARS}


def said(text: str, **more: object) -> Json:
    return {"description": text, **more}


def tags(text: str) -> Json:
    return said(f"{text}; trimmed and lower case, at most {config.TAGS}, each of at most {config.TAG_CHARS} characters")


FIELDS: dict[str, dict[str, Json]] = {
    "Retain": {
        "content": said("what to remember; not blank, secrets are redacted", maxLength=config.CONTENT_CHARS),
        "context": said("kept beside it, not searched", maxLength=config.CONTEXT_CHARS),
        "tags": tags("for filters"),
        "document_id": said("names the document this is the text of; a bank has one memory of each", **KEY),
        "update_mode": said("what to do when there is a memory of that document", enum=["replace", "append", None], default="replace"),
        "created_at": said(f"when it happened, default now; {WHEN}"),
        "session": said("the conversation it belongs to; memories of a session are found together", **KEY),
        "speaker": said("who says it; default: a leading `Name: ` of the content", **KEY),
        "role": said("user or assistant; default: a leading `[user] ` of the content", **KEY),
        "source": said("where it comes from; with this or any of the following it is a record, which nothing replaces"),
        "source_id": said("what its hash is of", **KEY),
        "source_hash": said("needs source_id", maxLength=config.SOURCE_HASH_CHARS),
        "source_revision": said("its commit or version", **KEY),
        "fact_key": said("records of one key that say different things are in conflict", **KEY),
        "confidence": said("default 0.5", minimum=0, maximum=1),
        "derived_from": said("ids of memories and records whose statuses it inherits", maxItems=config.DERIVED),
    },
    "Remember": {
        "content": said("the fact; stored as it is but for secrets", maxLength=config.RECORD_CHARS),
        "workspace": said("the bank, default `default`; made by the first record"),
        "scope": said("a part of the workspace, for filters; restricts nobody", **KEY),
        "source": said("where it comes from, for people", maxLength=config.SOURCE_CHARS),
        "source_id": said("what its hash is of", **KEY),
        "source_hash": said("needs source_id; noted as what the source is now", maxLength=config.SOURCE_HASH_CHARS),
        "source_revision": said("its commit or version", **KEY),
        "fact_key": said(
            "records of one key that say different things are in conflict; case, blanks, `_` and `-` make no difference", **KEY
        ),
        "confidence": said("default 0.5", minimum=0, maximum=1),
        "derived_from": said("ids of memories and records of the workspace; their statuses are inherited", maxItems=config.DERIVED),
        "aliases": said("other names that it is found by", maxItems=config.ALIASES),
        "kind": said("for filters", **KEY),
        "pinned": said("shown first when a session starts"),
        "supersedes": said("id of an older record, which is marked"),
        "visibility": said("who may see it", enum=["author", "unit", "project", "organization", None]),
        "idempotency_key": said("as the header", maxLength=config.IDEMPOTENCY_CHARS),
    },
    "Search": {
        "query": said("a question in plain words; not blank"),
        "workspace": said("the bank, default `default`"),
        "scope": said("only of this part of it", **KEY),
        "kind": said("only of this kind", **KEY),
        "source_id": said("what current_source_hash is of", **KEY),
        "limit": said("most results", minimum=1, maximum=config.SEARCH_MAX, default=config.SEARCH_LIMIT),
        "current_source_hash": said("of source_id; alone, of the one source it was seen at, else of every record"),
        "current_source_hashes": said("hashes by source id"),
        "exclude_stale": said("leave out stale records; the page is filled with others"),
        "exclude_superseded": said("leave out records that others supersede; the page is filled with others"),
        "named": said("only records of which the query says an alias whole, one slip in the spelling of a word allowed"),
    },
    "RetainBatch": {"items": said("stored in one transaction; an invalid one undoes no other", maxItems=config.BATCH_ITEMS)},
    "Recall": {
        "query": said(f"a question in plain words; the first {config.QUERY_CHARS:,} characters are read, {config.QUERY_TERMS} terms count"),
        "budget": said(
            f"tokens of {config.CHARS_PER_TOKEN} characters; default: the bank's recallMaxTokens, else {config.RECALL_BUDGET}", minimum=0
        ),
        "tags": tags("only memories with any of these"),
        "exclude_tags": tags("no memory with any of these"),
        "format": said("`full` gives objects, anything else bare contents"),
        "k": said("most results", minimum=1, maximum=config.RESULTS),
        "since": said(f"not before; {WHEN}"),
        "until": said(f"before; {WHEN}"),
        "session": said("only of this conversation", **KEY),
        "min_score": said("least relevance", minimum=0, maximum=1),
        "explain": said("say how each result was ranked; implies `format: full`"),
        "exclude_stale": said("leave out records whose source has changed"),
    },
}
