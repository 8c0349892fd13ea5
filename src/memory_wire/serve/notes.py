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
    },
}
