"""mem0: what `get_all` and search return, exports of the platform, and OpenMemory's backup (a zip of two files that say the same)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from memory_wire.sources.documents import Value, chosen, values
from memory_wire.sources.files import Member, Source
from memory_wire.sources.items import Found, Ignored, Skipped, digest, key, made, mapping, text_of, texts

TEXT = ("memory", "content", "text", "data")
LISTS = ("results", "memories", "data")


def read(source: Source) -> Iterator[Found]:
    members = []
    for member in chosen(source, "mem0"):
        if not isinstance(member, Member):
            yield member
        else:
            members.append(member)
    logical = [member for member in members if ".jsonl" in member.name]
    if source.folder and logical and len(logical) < len(members):  # OpenMemory: the lines name categories and applications
        yield Ignored("other files", len(members) - len(logical))
        members = logical
    for member in members:
        yield from of_member(member)


def of_member(member: Member) -> Iterator[Found]:
    for value in values(member):
        if isinstance(value, Skipped):
            yield value
        elif not value.path or isinstance(value.path[0], int) or value.path[0] in LISTS:
            yield from of_record(value)
        elif isinstance(value.path[-1], int):
            yield Ignored(f"{value.path[0]} (no memories)")


def of_record(value: Value) -> Iterator[Found]:
    data = mapping(value.data)
    text = next((found for found in (text_of(data.get(name)) for name in TEXT) if found), "")
    if not text:
        yield Skipped(value.place, "no text: expected one of " + ", ".join(TEXT))
        return
    state = text_of(data.get("state"))
    if state == "deleted":
        yield Ignored("memories deleted at the source")
        return
    metadata = mapping(data.get("metadata"))
    owners = [f"{name}:{data[f'{name}_id']}" for name in ("user", "agent", "app") if text_of(data.get(f"{name}_id"))]
    run = text_of(data.get("run_id")) or text_of(metadata.get("run_id"))
    rest = {name: entry for name, entry in metadata.items() if name != "run_id"}
    yield from made(
        value.place,
        key("mem0", text_of(data.get("id")) or digest(text)),
        text,
        data.get("created_at") or metadata.get("created_at") or data.get("updated_at"),
        context="import:mem0" + (f" {msgspec.json.encode(rest).decode()}" if rest else ""),
        tags=[
            "mem0",
            *texts(data.get("categories")),
            *owners,
            *([f"app:{data['app']}"] if text_of(data.get("app")) else []),
            *state_tag(state),
        ],
        session=key("mem0", run) if run else None,
    )


def state_tag(state: str) -> list[str]:
    """`archived` and `paused` memories are kept, and say what they are."""
    return [state] if state and state != "active" else []
