"""How hosts store conversations: lines of JSON, one JSON document, a folder of small files, a database. Each reader gives conversations.

What can't be read is an empty conversation: these files belong to programs that may be writing them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from urllib.parse import quote, unquote, urlsplit

import msgspec
from msgspec import Struct

from memory_wire.config import IMPORT_ITEM_BYTES, TRANSCRIPT_LINE_BYTES
from memory_wire.hooks.transcript import Entry, entry, message
from memory_wire.sources.dates import moment
from memory_wire.sources.items import mapping, records, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HEAD_LINES = 40  # in which a conversation says where it took place
CWD = re.compile(r"Current (?:Workspace|Working) Directory \(([^)\n]+)\)")


class Conversation(Struct):
    """One conversation: `session` and `cwd` as the host names them, or None; `entries` in order, read as they are asked for."""

    session: str | None
    cwd: str | None
    entries: Iterable[Entry]


def lines(path: str) -> Iterator[Conversation]:
    """JSON lines: Claude Code, Codex, Copilot, Cursor, Windsurf, pi, omp."""
    stem = os.path.basename(path).rsplit(".", 1)[0]
    session = os.path.basename(os.path.dirname(path)) if stem == "events" else stem
    cwd = None
    for count, raw in enumerate(each_line(path)):
        if count >= HEAD_LINES:
            break
        record = decoded(raw)
        inner = mapping(record.get("payload")) or mapping(record.get("data"))
        if record.get("type") in ("session_meta", "session.start", "session"):
            session = text_of(inner.get("id")) or text_of(inner.get("sessionId")) or text_of(record.get("id")) or session
        session = text_of(record.get("sessionId")) or session
        cwd = cwd or text_of(record.get("cwd")) or text_of(inner.get("cwd")) or text_of(mapping(inner.get("context")).get("cwd")) or None
        if cwd and count:
            break
    yield Conversation(session, cwd, (found for raw in each_line(path) if (found := entry(raw)) is not None))


def each_line(path: str) -> Iterator[bytes]:
    """The lines of a file; longer ones than a message can be are passed over."""
    try:
        with open(path, "rb") as file:
            while raw := file.readline(TRANSCRIPT_LINE_BYTES + 1):
                whole = len(raw) <= TRANSCRIPT_LINE_BYTES
                while not raw.endswith(b"\n") and len(raw) > TRANSCRIPT_LINE_BYTES:
                    raw = file.readline(TRANSCRIPT_LINE_BYTES + 1)
                if whole:
                    yield raw
    except OSError:
        return


def decoded(raw: bytes) -> dict[str, object]:
    try:
        return mapping(msgspec.json.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def document(path: str) -> object:
    """A JSON document, None when it is none."""
    try:
        with open(path, "rb") as file:
            raw = file.read(IMPORT_ITEM_BYTES + 1)
        return msgspec.json.decode(raw) if len(raw) <= IMPORT_ITEM_BYTES else None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def messages(found: Iterable[dict[str, object]]) -> Iterator[Entry]:
    return (made for each in found if (made := message(each)) is not None)


def gemini(path: str) -> Iterator[Conversation]:
    """Gemini CLI: one document, or lines that add messages, replace them by id, and take some back."""
    head: dict[str, object] = {}
    by_id: dict[str, dict[str, object]] = {}
    if path.endswith(".jsonl"):
        for raw in each_line(path):
            record = decoded(raw)
            if "$rewindTo" in record:
                rewind(by_id, text_of(record["$rewindTo"]))
            elif "$set" in record:
                change = mapping(record["$set"])
                head |= {name: value for name, value in change.items() if name != "messages"}
                by_id.update((text_of(each.get("id")), each) for each in records(change.get("messages")))
            elif "type" in record:
                by_id[text_of(record.get("id")) or str(len(by_id))] = record
            else:
                head |= record
    else:
        head = mapping(document(path))
        by_id = {str(place): each for place, each in enumerate(records(head.get("messages")))}
    if head.get("kind") != "subagent":
        yield Conversation(
            text_of(head.get("sessionId")) or None, gemini_cwd(path, text_of(head.get("projectHash"))), messages(by_id.values())
        )


def rewind(by_id: dict[str, dict[str, object]], id: str) -> None:
    """Takes back a message and all after it."""
    names = list(by_id)
    if id in by_id:
        for name in names[names.index(id) :]:
            del by_id[name]


def gemini_cwd(path: str, hash: str) -> str | None:
    """The folder of a project, from the note beside its chats or the list of projects."""
    folder = os.path.dirname(os.path.dirname(path))
    try:
        with open(os.path.join(folder, ".project_root"), encoding="utf-8") as file:
            return file.read(4096).strip() or None
    except (OSError, UnicodeDecodeError):
        pass
    projects = mapping(mapping(document(os.path.join(folder, "..", "..", "projects.json"))).get("projects"))
    name = os.path.basename(folder)
    for root, slug in projects.items():
        if slug == name or sha256(root.encode(errors="surrogatepass")).hexdigest() in (hash, name):
            return root
    return None


def opencode_files(path: str) -> Iterator[Conversation]:
    """opencode before 1.2: a file for a session, for each message and for each part of it."""
    found = mapping(document(path))
    id = text_of(found.get("id"))
    storage = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    if not id or "/" in id or found.get("parentID"):  # one with a parent is a subagent's
        return

    def entries() -> Iterator[Entry]:
        for each in documents(os.path.join(storage, "message", id)):
            name = text_of(each.get("id"))
            parts = documents(os.path.join(storage, "part", name)) if name and "/" not in name else []
            yield from opencode_entry(each, parts)

    yield Conversation(id, text_of(found.get("directory")) or None, entries())


def documents(folder: str) -> list[dict[str, object]]:
    """The JSON objects of a folder in order of their names, which is that of their making."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    return [mapping(document(os.path.join(folder, name))) for name in names]


def opencode_entry(head: dict[str, object], parts: Iterable[dict[str, object]]) -> Iterator[Entry]:
    """A message and its parts; what opencode or plugins added to a prompt is marked synthetic."""
    blocks = [part for part in parts if part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")]
    made = message({"type": head.get("role"), "content": [{"type": "text", "text": part.get("text")} for part in blocks]})
    if made is not None:
        made.at = when(mapping(head.get("time")).get("created"))
        yield made


def opencode_database(path: str) -> Iterator[Conversation]:
    """opencode from 1.2 on: the same in a database."""
    messages = "SELECT id, data, time_created FROM message WHERE session_id = ? ORDER BY time_created, id"
    with rows_of(path) as rows:
        for id, directory in rows("SELECT id, directory FROM session WHERE parent_id IS NULL ORDER BY id"):
            found: list[Entry] = []
            for name, data, at in rows(messages, id):
                parts = [decoded(as_bytes(part)) for (part,) in rows("SELECT data FROM part WHERE message_id = ? ORDER BY id", name)]
                found += opencode_entry({"time": {"created": at}} | decoded(as_bytes(data)), parts)
            yield Conversation(id, directory, found)


def hermes(path: str) -> Iterator[Conversation]:
    """Hermes: a database; where a conversation took place only newer versions say."""
    with rows_of(path) as rows:
        cwd = "cwd" if any(name == "cwd" for _, name, *_ in rows("PRAGMA table_info(sessions)")) else "NULL"
        for id, folder in rows(f"SELECT id, {cwd} FROM sessions ORDER BY started_at, id"):
            found: list[Entry] = []
            for role, content, at in rows("SELECT role, content, timestamp FROM messages WHERE session_id = ? ORDER BY id", id):
                made = message({"type": role, "content": content})
                if made is not None:
                    made.at = when(at)
                    found.append(made)
            yield Conversation(id, folder, found)


@contextmanager
def rows_of(path: str) -> Iterator[Callable[..., list[tuple[Any, ...]]]]:
    """A function that answers queries on a host's database, opened for reading only; what fails ends the conversations."""
    import sqlite3

    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=2)) as database:
            database.text_factory = lambda raw: raw.decode(errors="replace")
            yield lambda query, *values: database.execute(query, values).fetchall()
    except (sqlite3.Error, UnicodeDecodeError):  # also the text of an error may be damaged
        return


def as_bytes(value: object) -> bytes:
    return value.encode(errors="replace") if isinstance(value, str) else value if isinstance(value, bytes) else b""


def continue_(path: str) -> Iterator[Conversation]:
    """Continue: a document for a session, without dates."""
    found = mapping(document(path))
    history = [mapping(each.get("message")) for each in records(found.get("history"))]
    if history:
        yield Conversation(text_of(found.get("sessionId")) or None, folder_of(found.get("workspaceDirectory")), messages(typed(history)))


def typed(found: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    return ({**each, "type": each.get("role")} for each in found)


def cline(path: str) -> Iterator[Conversation]:
    """Cline and Roo Code: the messages as they went to the model; the task's folder is its name."""
    found = records(document(path))
    head = "\n".join(text_of(block.get("text")) for each in found[:1] for block in records(each.get("content")))
    place = CWD.search(head)
    entries = []
    for each in found:
        made = message({**each, "type": each.get("role")})
        if made is not None:
            made.text = made.text.removeprefix("<task>").removesuffix("</task>").strip()
            made.at = when(each.get("ts"))
            entries.append(made)
    yield Conversation(os.path.basename(os.path.dirname(path)), place[1] if place else None, [each for each in entries if each.text])


def vscode(path: str) -> Iterator[Conversation]:
    """VS Code's chat: requests with their answers; the workspace is named beside the folder of chats."""
    found = mapping(document(path))
    workspace = mapping(document(os.path.join(os.path.dirname(os.path.dirname(path)), "workspace.json")))
    entries: list[Entry] = []
    for each in records(found.get("requests")):
        at = when(each.get("timestamp"))
        asked = text_of(mapping(each.get("message")).get("text"))
        answer = "".join(
            text_of(part.get("value")) for part in records(each.get("response")) if part.get("kind") in (None, "markdownContent")
        )
        entries += [Entry(role, text, at) for role, text in (("user", asked), ("assistant", answer)) if text.strip()]
    yield Conversation(text_of(found.get("sessionId")) or None, folder_of(workspace.get("folder")), entries)


def folder_of(value: object) -> str | None:
    """The path of a folder, given as such or as a file address."""
    text = text_of(value)
    return (unquote(urlsplit(text).path) if text.startswith("file:") else text) or None


def when(value: object) -> str | None:
    try:
        return moment(value)
    except ValueError:
        return None


def stamp(seconds: float) -> str:
    """RFC 3339 of a file's time."""
    return when(seconds) or "1970-01-01"
