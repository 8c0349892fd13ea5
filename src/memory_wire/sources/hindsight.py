"""Hindsight's bank export: a zip with a manifest and a file per document, or such documents as JSON.

A fact is a memory, dated when it happened (else when it was mentioned); the document's own text is kept beside its facts, chunk by chunk.
Observations are kept too; configuration, models and pages made from them are counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_wire.sources.documents import Value, chosen, roots
from memory_wire.sources.files import Member, Source
from memory_wire.sources.items import Found, Skipped, digest, key, made, mapping, records, text_of, texts

DATES = ("occurred_start", "mentioned_at", "event_date", "created_at")


def read(source: Source) -> Iterator[Found]:
    for member in chosen(source, "hindsight"):
        if not isinstance(member, Member):
            yield member
            continue
        for value in roots(member):
            yield from [value] if isinstance(value, Skipped) else of_value(value)


def of_value(value: Value) -> Iterator[Found]:
    data = mapping(value.data)
    inner = records(data.get("documents"))
    if inner:
        for place, entry in enumerate(inner):
            yield from document(Value(f"{value.place} documents[{place}]", value.path, entry), entry)
    elif "facts" in data or "original_text" in data or "chunks" in data:
        yield from document(value, data)
    elif "text" in data:
        yield from observation(value, data)
    elif "source_bank_id" not in data:  # not the manifest
        yield Skipped(value.place, "neither a document nor a fact")


def document(value: Value, data: dict[str, object]) -> Iterator[Found]:
    id = text_of(data.get("id")) or digest(text_of(data.get("original_text")))
    session, tags, begun = key("hindsight", id), texts(data.get("tags")), data.get("created_at")
    chunks = [text_of(chunk.get("chunk_text")) for chunk in records(data.get("chunks"))] or [text_of(data.get("original_text"))]
    for place, text in enumerate(chunks):
        if text.strip():
            name = key("hindsight", id, "text", str(place))
            yield from made(
                value.place, name, text, begun, context="import:hindsight", tags=["hindsight", "document", *tags], session=session
            )
    facts = records(data.get("facts"))
    for place, fact in enumerate(facts):
        yield from made(
            f"{value.place} facts[{place}]",
            key("hindsight", id, "fact", text_of(fact.get("source_id")) or str(place)),
            text_of(fact.get("text")),
            date_of(fact) or begun,
            context=f"import:hindsight {text_of(fact.get('context'))}".rstrip(),
            tags=["hindsight", text_of(fact.get("fact_type")) or "fact", *texts(fact.get("tags")), *tags],
            session=session,
        )
    if not facts and not any(text.strip() for text in chunks):
        yield Skipped(value.place, "a document without text and facts")


def observation(value: Value, data: dict[str, object]) -> Iterator[Found]:
    """A fact outside a document: an observation, or a row of a listing."""
    text = text_of(data.get("text"))
    name = text_of(data.get("source_id")) or text_of(data.get("id")) or digest(text)
    tags = ["hindsight", text_of(data.get("fact_type")) or "observation", *texts(data.get("tags"))]
    parent = text_of(data.get("document_id"))
    session = key("hindsight", parent) if parent else None
    yield from made(
        value.place, key("hindsight", "observation", name), text, date_of(data), context="import:hindsight", tags=tags, session=session
    )


def date_of(data: dict[str, object]) -> object:
    return next((data[name] for name in DATES if data.get(name)), None)
