"""agentmemory's export: memories, observations by session, summaries, lessons and facts, each with its own date.

Its graph, profiles, plans and logs are derived or no memories; they are counted by collection.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_wire.sources.documents import Value, chosen, values
from memory_wire.sources.files import Member, Source
from memory_wire.sources.items import Found, Ignored, Skipped, digest, key, made, mapping, text_of, texts

CONTEXT = "import:agentmemory"


def read(source: Source) -> Iterator[Found]:
    for member in chosen(source, "agentmemory"):
        if not isinstance(member, Member):
            yield member
            continue
        for value in values(member):
            yield from [value] if isinstance(value, Skipped) else of_value(value)


def of_value(value: Value) -> Iterator[Found]:
    if not isinstance(value.path[-1] if value.path else None, int):
        return  # version and date of the export, paging
    collection, data = str(value.path[0]), mapping(value.data)
    build = BUILD.get(collection)
    if build is None:
        yield Ignored(f"{collection} (no memories)")
    elif data.get("isLatest") is False:
        yield Ignored("superseded versions")
    else:
        title, lines, session, at, tags = build(data)
        text = "\n".join(line for line in (title, *lines) if line.strip())
        name = text_of(data.get("id")) or text_of(data.get("sessionId")) or digest(text)
        session = session or (str(value.path[1]) if collection == "observations" else "")
        yield from made(
            value.place,
            key("agentmemory", collection, name),
            text,
            at,
            context=f"{CONTEXT} {text_of(data.get('project'))}".rstrip(),
            tags=["agentmemory", *tags, *texts(data.get("concepts")), *texts(data.get("tags"))],
            session=key("agentmemory", session) if session else None,
        )


Built = tuple[str, list[str], str, object, list[str]]  # title, lines, session, date, tags


def memory(data: dict[str, object]) -> Built:
    sessions = texts(data.get("sessionIds"))
    content = text_of(data.get("content"))
    title = text_of(data.get("title"))
    head = "" if content.startswith(title) else title
    return head, [content], sessions[0] if sessions else "", data.get("createdAt"), [text_of(data.get("type"))]


def observation(data: dict[str, object]) -> Built:
    said = [
        f"[{name}] {text}"
        for name, text in (("user", text_of(data.get("userPrompt"))), ("assistant", text_of(data.get("assistantResponse"))))
        if text
    ]
    lines = [text_of(data.get("subtitle")), text_of(data.get("narrative")), *(f"- {fact}" for fact in texts(data.get("facts"))), *said]
    return (
        text_of(data.get("title")),
        lines,
        text_of(data.get("sessionId")),
        data.get("timestamp"),
        ["observation", text_of(data.get("type"))],
    )


def summary(data: dict[str, object]) -> Built:
    lines = [text_of(data.get("narrative")), *(f"- {decision}" for decision in texts(data.get("keyDecisions")))]
    return text_of(data.get("title")), lines, text_of(data.get("sessionId")), data.get("createdAt"), ["summary"]


def semantic(data: dict[str, object]) -> Built:
    sessions = texts(data.get("sourceSessionIds"))
    return "", [text_of(data.get("fact"))], sessions[0] if sessions else "", data.get("createdAt"), ["fact"]


def procedural(data: dict[str, object]) -> Built:
    lines = [
        text_of(data.get("triggerCondition")),
        *(f"- {step}" for step in texts(data.get("steps"))),
        text_of(data.get("expectedOutcome")),
    ]
    return text_of(data.get("name")), lines, "", data.get("createdAt"), ["procedure"]


def lesson(data: dict[str, object]) -> Built:
    return text_of(data.get("title")), [text_of(data.get("content")), text_of(data.get("context"))], "", data.get("createdAt"), ["lesson"]


BUILD = {
    "memories": memory,
    "observations": observation,
    "summaries": summary,
    "semanticMemories": semantic,
    "proceduralMemories": procedural,
    "lessons": lesson,
    "insights": lesson,
}
