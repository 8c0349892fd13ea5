"""Exports of other memories and chats: what becomes a memory, with its date, tags and session, and what is said of the rest."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.errors import Invalid
from memory_wire.sources.files import Source
from memory_wire.sources.formats import READERS, detect, reader
from memory_wire.sources.items import Found, Ignored, Item, Skipped
from tests.sources import exports
from tests.sources.exports import write


def read(path: Path, format: str | None = None) -> list[Found]:
    """What a source yields, its format told by its content."""
    source = Source(str(path))
    found = detect(source)
    assert format is None or found == format
    return list(reader(found)(Source(str(path))))


def items(found: list[Found]) -> dict[str, Item]:
    made = [each for each in found if isinstance(each, Item)]
    assert len({each.document_id for each in made}) == len(made)
    return {each.document_id: each for each in made}


def ignored(found: list[Found]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for each in found:
        if isinstance(each, Ignored):
            counts[each.kind] += each.count
    return counts


def skipped(found: list[Found]) -> dict[str, str]:
    return {each.place: each.reason for each in found if isinstance(each, Skipped)}


def test_chatgpt(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.CHATGPT), "chatgpt")
    made = items(found)
    assert list(made) == ["chatgpt:c-1:u1", "chatgpt:c-1:u2b"]
    first, second = made.values()
    assert first.content == "[user] which ferry goes to Naxos?\n[assistant] The one at seven from Piraeus."
    assert first.created_at == "2024-05-18T02:40:00.250Z"
    assert (
        first.session == second.session == "chatgpt:c-1" and first.tags == ["chatgpt"] and first.context == "import:chatgpt Ferry to Naxos"
    )
    assert second.content == "[user] is this the harbour?\n[assistant] Yes, that is Piraeus."
    assert ignored(found) == {"messages of other branches": 2, "tool calls, reasoning and system messages": 2, "attachments": 1}


def test_chatgpt_without_a_current_node_ends_at_the_newest_leaf_and_a_circle_ends(tmp_path: Path) -> None:
    conversation = json.loads(json.dumps(exports.CHATGPT[0]))
    del conversation["current_node"]
    assert "chatgpt:c-1:u2b" in items(read(write(tmp_path, [conversation]), "chatgpt"))
    conversation["mapping"]["u1"]["parent"] = "a2b"
    assert items(read(write(tmp_path, [conversation]), "chatgpt"))


def test_claude(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.CLAUDE), "claude")
    made = items(found)
    assert list(made) == ["claude:conv-1:m1", "claude:conv-1:m4"]
    first, second = made.values()
    assert first.content == "[user] how long does the dough rest?\n[assistant] Twelve hours in the cold."
    assert (first.created_at, second.created_at) == ("2025-03-01T09:00:01.500Z", "2025-03-01T09:02:00.000Z")
    assert second.content == "[user] and at room temperature?\n[assistant] Four hours." and second.context == "import:claude Sourdough"
    assert ignored(found) == {"messages of other branches": 1, "attachments": 2, "tool calls, reasoning and system messages": 1}


def test_an_archive_of_a_chat_export_with_other_files(tmp_path: Path) -> None:
    data = {
        "users.json": b'[{"uuid":"u","full_name":"M"}]',
        "x/conversations-000.json": json.dumps(exports.CLAUDE).encode(),
        "files/a.png": b"\x89PNG",
    }
    found = read(write(tmp_path, exports.zipped(data)), "claude")
    assert len(items(found)) == 2 and ignored(found)["other files"] == 2


def test_mem0(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.MEM0), "mem0")
    made = items(found)
    first = made["mem0:6a1f"]
    assert (first.content, first.created_at) == ("Prefers the window seat", "2024-07-20T08:30:36.275Z")
    assert first.tags == ["mem0", "travel", "comfort", "user:mia"] and first.session == "mem0:trip-4"
    assert first.context == 'import:mem0 {"type":"preference"}'
    assert made["mem0:6a21"].created_at is None
    assert ignored(found) == {"relations (no memories)": 1, "unreadable dates, stored with the date of the import": 1}
    assert skipped(found) == {"export.bin results[1]": "no text: expected one of memory, content, text, data"}
    plain = items(read(write(tmp_path, exports.MEM0["results"]), "mem0"))
    assert [(name, each.content, each.created_at) for name, each in plain.items()] == [
        (name, each.content, each.created_at) for name, each in made.items()
    ]


def test_openmemory(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.OPENMEMORY), "mem0")
    made = items(found)
    assert [each.tags for each in made.values()] == [["mem0", "tools", "app:cursor"], ["mem0", "archived"]]
    assert made["mem0:m2"].created_at == "2024-01-01T00:00:00.000Z"
    assert ignored(found) == {"other files": 1, "memories deleted at the source": 1}


def test_mcp_reference_memory(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.MCP_MEMORY), "mcp-memory")
    made = items(found)
    assert made["mcp-memory:entity:Billing"].content == "Billing (service)\n- runs on port 7000\n- owned by Ada"
    assert made["mcp-memory:entity:Ada"].tags == ["entity", "person"]
    assert made["mcp-memory:relation:Ada:maintains:Billing"].content == "Ada maintains Billing"
    assert skipped(found) == {"export.bin line 4": "an entity without a name", "export.bin line 5": "a relation without from, to or type"}
    graph = items(read(write(tmp_path, exports.MCP_GRAPH), "mcp-memory"))
    assert graph["mcp-memory:entity:Billing"].content == made["mcp-memory:entity:Billing"].content and len(graph) == 2
    alone = exports.lines({"type": "entity", "name": "One", "entityType": "x", "observations": []})
    assert list(items(read(write(tmp_path, alone), "mcp-memory"))) == ["mcp-memory:entity:One"]


def test_agentmemory(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.AGENTMEMORY), "agentmemory")
    made = items(found)
    memory = made["agentmemory:memories:mem1"]
    assert (memory.content, memory.created_at, memory.session) == (
        "Payments go through a queue",
        "2026-04-02T10:00:00.000Z",
        "agentmemory:s1",
    )
    assert memory.tags == ["agentmemory", "architecture", "queue", "payments"]
    seen = made["agentmemory:observations:o1"]
    assert seen.content == "Chose Stripe\nCompared two providers.\n- fees are 1.4 %" and seen.session == "agentmemory:s1"
    assert made["agentmemory:summaries:s1"].content == "Checkout work\nBuilt the checkout.\n- Stripe"
    assert made["agentmemory:semanticMemories:sem1"].content == "The shop sells bread"
    assert made["agentmemory:lessons:l1"].tags == ["agentmemory", "lesson", "deploy"]
    assert ignored(found) == {"superseded versions": 1, "sessions (no memories)": 1, "graphNodes (no memories)": 2}
    assert skipped(found) == {"export.bin memories[2]": "no text"}


def test_hindsight(tmp_path: Path) -> None:
    found = read(write(tmp_path, exports.HINDSIGHT), "hindsight")
    made = items(found)
    fact = made["hindsight:notes/march.txt:fact:f-1"]
    assert (fact.content, fact.created_at, fact.session) == ("Ada moved to Lisbon", "2026-02-01T00:00:00.000Z", "hindsight:notes/march.txt")
    assert fact.tags == ["hindsight", "world", "move", "family"] and fact.context == "import:hindsight a letter"
    assert made["hindsight:notes/march.txt:fact:1"].created_at == "2026-03-10T07:00:00.000Z"
    text = made["hindsight:notes/march.txt:text:0"]
    assert (text.created_at, text.tags) == ("2026-03-10T07:00:00.000Z", ["hindsight", "document", "family"])
    assert made["hindsight:observation:ob-1"].content == "Ada likes the south"
    assert skipped(found) == {"documents/000000.json facts[2]": "no text", "documents/000001.json": "a document without text and facts"}
    assert ignored(found) == {"other files": 1}
    one = items(read(write(tmp_path, exports.HINDSIGHT_DOCUMENT), "hindsight"))
    assert set(one) == {name for name in made if "march" in name}
    assert set(items(read(write(tmp_path, {"schema_version": 1, "documents": [exports.HINDSIGHT_DOCUMENT]}), "hindsight"))) == set(one)


@pytest.mark.parametrize("name", ["CHATGPT", "CLAUDE", "MEM0", "MCP_MEMORY", "AGENTMEMORY", "HINDSIGHT_DOCUMENT"])
def test_compressed_indented_and_with_a_byte_order_mark_it_is_the_same(name: str, tmp_path: Path) -> None:
    data = getattr(exports, name)
    plain = data if isinstance(data, bytes) else json.dumps(data).encode()
    expected = read(write(tmp_path, plain))
    assert read(write(tmp_path, gzip.compress(plain))) == expected
    assert read(write(tmp_path, b"\xef\xbb\xbf" + plain)) == expected
    if not isinstance(data, bytes):
        assert read(write(tmp_path, json.dumps(data, indent=2).encode())) == expected


@pytest.mark.parametrize("name", ["CHATGPT", "CLAUDE", "MEM0", "MCP_MEMORY", "AGENTMEMORY"])
def test_a_damaged_export_gives_what_is_whole_and_says_where_it_ends(name: str, tmp_path: Path) -> None:
    data = getattr(exports, name)
    plain = data if isinstance(data, bytes) else json.dumps(data).encode()
    whole = read(write(tmp_path, plain))
    format = detect(Source(str(tmp_path / "export.bin")))
    for cut in range(1, len(plain), 37):
        found = list(reader(format)(Source(str(write(tmp_path, plain[:cut])))))
        made = [each for each in found if isinstance(each, Item)]
        assert all(each in whole for each in made)
        assert len(made) == len(items(whole)) or skipped(found) or name == "MCP_MEMORY"


def test_odd_types_in_the_right_places_are_skipped_not_raised(tmp_path: Path) -> None:
    for record in (
        {"mapping": []},
        {"mapping": {"a": 3, "b": {"message": {"author": 3, "content": [], "metadata": 4}}}},
        {"mapping": None, "title": 4},
        5,
    ):
        read_as(tmp_path, [exports.CHATGPT[0], record], "chatgpt")
    for record in ({"chat_messages": 4}, {"chat_messages": [3, {"content": "x", "sender": 4, "text": 5}]}, None):
        read_as(tmp_path, [exports.CLAUDE[0], record], "claude")
    for record in ({"memory": "x", "metadata": [], "categories": 4, "id": 5, "created_at": {}}, [], "x", {"content": {"a": 1}}):
        read_as(tmp_path, {"results": [record, *exports.MEM0["results"]]}, "mem0")  # type: ignore[misc]
    for record in ({"type": "entity", "name": 4}, {"type": "entity", "name": "x", "observations": {"a": 1}}, {"type": 4}, [1]):
        read_as(tmp_path, exports.MCP_MEMORY + exports.lines(record), "mcp-memory")
    for record in ({"id": 4, "facts": {}}, {"facts": [3], "chunks": "x", "id": "y"}, 7):
        read_as(tmp_path, [exports.HINDSIGHT_DOCUMENT, record], "hindsight")
    for record in ({"id": 3, "title": [], "content": {}, "sessionIds": "x"}, None):
        read_as(tmp_path, exports.AGENTMEMORY | {"memories": [record], "observations": {"s": [record], "t": 4}}, "agentmemory")


def read_as(folder: Path, data: object, format: str) -> None:
    found = list(reader(format)(Source(str(write(folder, data)))))
    assert any(isinstance(each, Item | Skipped) for each in found)


def changed(document: object, data: st.DataObject) -> object:
    """The document with some value in it, at any depth, replaced by one of another kind."""
    if isinstance(document, dict | list) and document and data.draw(st.integers(0, 4)):
        name = data.draw(st.sampled_from(sorted(document))) if isinstance(document, dict) else data.draw(st.integers(0, len(document) - 1))
        copy = document.copy()
        copy[name] = changed(document[name], data)  # type: ignore[index, call-overload]
        return copy
    return data.draw(st.sampled_from([None, True, 3, -1e300, "", " ", "x", "\0", [], [None], [[]], {}, {"a": {}}, {"text": 1}]))


@pytest.mark.parametrize("name", ["CHATGPT", "CLAUDE", "MEM0", "MCP_GRAPH", "AGENTMEMORY", "HINDSIGHT_DOCUMENT"])
@given(data=st.data())
def test_values_of_other_kinds_anywhere_never_raise(name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    format = {"CHATGPT": "chatgpt", "CLAUDE": "claude", "MEM0": "mem0", "MCP_GRAPH": "mcp-memory", "AGENTMEMORY": "agentmemory"}.get(
        name, "hindsight"
    )
    for each in reader(format)(Source(str(write(folder, changed(getattr(exports, name), data), "changed")))):
        assert isinstance(each, Ignored | Skipped) or (each.content.strip() and each.document_id and "\0" not in each.content)


def test_what_is_known_of_no_format(tmp_path: Path) -> None:
    for data in (b"", b"hello", b"[]", b"{}", b"[1,2]", b'{"a":{"b":1}}', b'["x"]', b"\x00\x01", b'{"type":"thing"}\n{"type":"other"}\n'):
        with pytest.raises(Invalid, match="in no format that is known"):
            detect(Source(str(write(tmp_path, data))))
    with pytest.raises(Invalid, match="must be one of agentmemory, chatgpt"):
        reader("zep")


def test_an_export_of_ours_is_told_too(tmp_path: Path) -> None:
    assert detect(Source(str(write(tmp_path, b'{"format":"memory-wire","version":1}\n{"bank":"b"}\n')))) == "memory-wire"
    assert detect(Source(str(write(tmp_path, b'{"format":"memory-wire","version":1}\n')))) == "memory-wire"


def test_every_format_has_a_reader() -> None:
    for name in READERS:
        assert callable(reader(name))
