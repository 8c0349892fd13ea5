"""Conversation exports of ChatGPT and Claude: a turn (what the user said and what was answered) is a memory, the conversation its session.

Only the branch that was last read on is taken; messages of other branches, attachments, tool calls and hidden messages are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memory_wire.sources.documents import Value, chosen, roots
from memory_wire.sources.files import Member, Source
from memory_wire.sources.items import Found, Ignored, Skipped, digest, key, made, mapping, records, text_of, turn_text

NOBODY = "00000000-0000-4000-8000-000000000000"  # the parent of Claude's first messages


class Message:
    """A message that counts: `role` is user or assistant."""

    __slots__ = ("at", "id", "role", "text")

    def __init__(self, id: str, role: str, text: str, at: object) -> None:
        self.id, self.role, self.text, self.at = id, role, text, at


class Chat:
    """A conversation as far as it counts; `left` is what was left out, by kind."""

    __slots__ = ("begun", "format", "id", "left", "messages", "place", "title")

    def __init__(self, format: str, value: Value, id: str, title: str, begun: object, messages: list[Message], left: Counter[str]) -> None:
        self.format, self.place, self.id, self.title, self.begun = format, value.place, id, title, begun
        self.messages, self.left = messages, left


def chatgpt(source: Source) -> Iterator[Found]:
    yield from memories(source, "chatgpt")


def claude(source: Source) -> Iterator[Found]:
    yield from memories(source, "claude")


def memories(source: Source, format: str) -> Iterator[Found]:
    """Conversations of a format, a memory for each turn."""
    for found in conversations(source, format):
        if isinstance(found, Chat):
            yield from turns(found)
            yield from (Ignored(kind, count) for kind, count in found.left.items())
        else:
            yield found


def conversations(source: Source, format: str) -> Iterator[Chat | Skipped | Ignored]:
    """What a source has of a format."""
    for member in chosen(source, format):
        if not isinstance(member, Member):
            yield member
            continue
        for value in roots(member):
            if isinstance(value, Skipped):
                yield value
            elif not isinstance(value.data, dict):
                yield Skipped(value.place, "no conversation")
            else:
                yield (of_chatgpt if format == "chatgpt" else of_claude)(value)


def of_chatgpt(value: Value) -> Chat | Skipped:
    """The branch that ends in `current_node` of one ChatGPT conversation."""
    data = mapping(value.data)
    nodes = mapping(data.get("mapping"))
    if not nodes:
        return Skipped(value.place, "a conversation without messages")
    left: Counter[str] = Counter()
    messages = []
    branch = path_to(nodes, text_of(data.get("current_node")) or newest_leaf(nodes))
    for name in branch:
        message = mapping(mapping(nodes[name]).get("message"))
        if message:
            found = chatgpt_message(message, left)
            if found is not None:
                messages.append(found)
    others = sum(1 for name, node in nodes.items() if mapping(node).get("message") and name not in set(branch))
    if others:
        left["messages of other branches"] += others
    id = text_of(data.get("conversation_id")) or text_of(data.get("id")) or digest(f"{data.get('title')}{data.get('create_time')}")
    return Chat("chatgpt", value, id, text_of(data.get("title")), data.get("create_time"), messages, left)


def path_to(nodes: dict[str, object], leaf: str) -> list[str]:
    """The names from the root to a leaf; a circle ends it."""
    path: dict[str, None] = {}
    while leaf in nodes and leaf not in path:
        path[leaf] = None
        leaf = text_of(mapping(nodes[leaf]).get("parent"))
    return list(path)[::-1]


def newest_leaf(nodes: dict[str, object]) -> str:
    """The last message that nothing follows, where the export doesn't name the current one."""
    leaves = [name for name, node in nodes.items() if not mapping(node).get("children")]
    return max(leaves, key=lambda name: number(mapping(mapping(nodes[name]).get("message")).get("create_time")), default="")


def number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def chatgpt_message(message: dict[str, object], left: Counter[str]) -> Message | None:
    """A message of the user or the assistant to the user; everything else is counted."""
    role = text_of(mapping(message.get("author")).get("role"))
    content = mapping(message.get("content"))
    kind = text_of(content.get("content_type"))
    parts = content.get("parts")
    prose = (
        [text_of(part) or text_of(mapping(part).get("text")) for part in parts]
        if isinstance(parts, list)
        else [text_of(content.get("text"))]
    )
    attached = sum(1 for part in parts if isinstance(part, dict) and not part.get("text")) if isinstance(parts, list) else 0
    metadata = mapping(message.get("metadata"))
    attached = max(attached, len(records(metadata.get("attachments"))))
    if attached:
        left["attachments"] += attached
    text = "\n".join(part for part in prose if part.strip())
    if role not in ("user", "assistant") or kind not in ("text", "multimodal_text", "") or message.get("recipient") not in (None, "all"):
        if text or role == "tool" or kind not in ("text", "multimodal_text", ""):
            left["tool calls, reasoning and system messages"] += 1
        return None
    if metadata.get("is_visually_hidden_from_conversation") or metadata.get("is_user_system_message"):
        left["tool calls, reasoning and system messages"] += 1
        return None
    if not text:
        return None
    return Message(text_of(message.get("id")), role, text, message.get("create_time"))


def of_claude(value: Value) -> Chat:
    """One Claude conversation; where it names parents, the branch that ends in its last message."""
    data = mapping(value.data)
    every = records(data.get("chat_messages"))
    left: Counter[str] = Counter()
    by_id = {text_of(entry.get("uuid")): entry for entry in every}
    branch = claude_branch(every, by_id, text_of(data.get("current_leaf_message_uuid")))
    if len(every) - len(branch):
        left["messages of other branches"] += len(every) - len(branch)
    messages = []
    for entry in branch:
        attached = len(records(entry.get("attachments"))) + len(records(entry.get("files")))
        if attached:
            left["attachments"] += attached
        blocks = records(entry.get("content"))
        tools = sum(1 for block in blocks if block.get("type") not in (None, "text"))
        if tools:
            left["tool calls, reasoning and system messages"] += tools
        text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") in (None, "text") and block.get("text"))
        text = text or text_of(entry.get("text"))
        role = "user" if entry.get("sender") in ("human", "user") else "assistant"
        if text.strip():
            messages.append(Message(text_of(entry.get("uuid")), role, text, entry.get("created_at")))
    id = text_of(data.get("uuid")) or digest(f"{data.get('name')}{data.get('created_at')}")
    title = text_of(data.get("name")) or text_of(data.get("snapshot_name"))
    return Chat("claude", value, id, title, data.get("created_at"), messages, left)


def claude_branch(every: list[dict[str, object]], by_id: dict[str, dict[str, object]], leaf: str) -> list[dict[str, object]]:
    """The messages that lead to a leaf, or all in order where no parents are named."""
    if not any(text_of(entry.get("parent_message_uuid")) for entry in every):
        return every
    if leaf not in by_id:
        leaf = text_of(max(every, key=lambda entry: text_of(entry.get("created_at"))).get("uuid"))
    path: dict[str, dict[str, object]] = {}
    while leaf in by_id and leaf not in path and leaf != NOBODY:
        path[leaf] = by_id[leaf]
        leaf = text_of(by_id[leaf].get("parent_message_uuid"))
    return list(path.values())[::-1]


def turns(chat: Chat) -> Iterator[Found]:
    """A memory for each thing the user said and what was answered to it, dated when the user spoke."""
    format = chat.format
    session = key(format, chat.id)
    context = f"import:{format} {chat.title}".rstrip()
    first: Message | None = None
    user: list[str] = []
    answer: list[str] = []

    def close() -> Iterator[Found]:
        if first is not None:
            text = turn_text("\n\n".join(user), "\n\n".join(answer))
            name, at = key(format, chat.id, first.id or digest(text)), first.at or chat.begun
            yield from made(chat.place, name, text, at, context=context, tags=[format], session=session)

    for message in chat.messages:
        if message.role == "user" and (answer or first is None):
            yield from close()
            first, user, answer = message, [], []
        first = first or message
        (user if message.role == "user" else answer).append(message.text)
    yield from close()
