"""Small exports of other programs, shaped as they write them, with texts of our own."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def zipped(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def write(folder: Path, data: bytes | object, name: str = "export.bin") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode())
    return path


def node(
    id: str, parent: str | None, role: str, text: str | list[object], at: float | None, **more: object
) -> tuple[str, dict[str, object]]:
    """A node of a ChatGPT conversation's tree."""
    content = {"content_type": "text", "parts": [text]} if isinstance(text, str) else {"content_type": "multimodal_text", "parts": text}
    message = {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": content,
        "recipient": "all",
        "metadata": {},
    }
    message |= more
    return id, {"id": id, "message": message, "parent": parent, "children": []}


CHATGPT = [
    {
        "title": "Ferry to Naxos",
        "create_time": 1_716_000_000.25,
        "update_time": 1_716_000_900.0,
        "mapping": dict(
            [
                ("root", {"id": "root", "message": None, "parent": None, "children": ["s"]}),
                node("s", "root", "system", "", None, metadata={"is_visually_hidden_from_conversation": True}),
                node("u1", "s", "user", "which ferry goes to Naxos?", 1_716_000_000.25),
                node("t1", "u1", "assistant", "search(ferry)", 1_716_000_001.0, recipient="browser"),
                node("r1", "t1", "tool", "results", 1_716_000_002.0),
                node("a1", "r1", "assistant", "The one at seven from Piraeus.", 1_716_000_003.0),
                node("u2", "a1", "user", "book the old boat", 1_716_000_100.0),
                node("a2", "u2", "assistant", "It is full.", 1_716_000_101.0),
                node(
                    "u2b",
                    "a1",
                    "user",
                    [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "is this the harbour?"],
                    1_716_000_200.0,
                ),
                node("a2b", "u2b", "assistant", "Yes, that is Piraeus.", 1_716_000_201.0),
            ]
        ),
        "current_node": "a2b",
        "conversation_id": "c-1",
    }
]

CLAUDE = [
    {
        "uuid": "conv-1",
        "name": "Sourdough",
        "created_at": "2025-03-01T09:00:00.123456+00:00",
        "updated_at": "2025-03-01T09:05:00+00:00",
        "account": {"uuid": "acc"},
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "how long does the dough rest?",
                "content": [{"type": "text", "text": "how long does the dough rest?"}],
                "created_at": "2025-03-01T09:00:01.5+00:00",
                "attachments": [{"file_name": "recipe.txt", "extracted_content": "flour"}],
                "files": [{"file_name": "photo.png"}],
                "parent_message_uuid": "00000000-0000-4000-8000-000000000000",
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "tool_use", "name": "web"}, {"type": "text", "text": "Twelve hours in the cold."}],
                "created_at": "2025-03-01T09:00:09+00:00",
                "attachments": [],
                "files": [],
                "parent_message_uuid": "m1",
            },
            {
                "uuid": "m3",
                "sender": "human",
                "text": "a question that was rewritten",
                "content": [],
                "created_at": "2025-03-01T09:01:00+00:00",
                "parent_message_uuid": "m2",
            },
            {
                "uuid": "m4",
                "sender": "human",
                "text": "and at room temperature?",
                "content": [],
                "created_at": "2025-03-01T09:02:00+00:00",
                "parent_message_uuid": "m2",
            },
            {
                "uuid": "m5",
                "sender": "assistant",
                "text": "Four hours.",
                "content": [{"type": "text", "text": "Four hours."}],
                "created_at": "2025-03-01T09:02:09+00:00",
                "parent_message_uuid": "m4",
            },
        ],
    },
    {"uuid": "conv-2", "name": "", "created_at": "2025-03-02T09:00:00Z", "chat_messages": []},
]

MEM0 = {
    "results": [
        {
            "id": "6a1f",
            "memory": "Prefers the window seat",
            "hash": "aa",
            "metadata": {"type": "preference", "run_id": "trip-4"},
            "created_at": "2024-07-20T01:30:36.275141-07:00",
            "updated_at": None,
            "user_id": "mia",
            "categories": ["travel", "comfort"],
        },
        {"id": "6a20", "memory": "", "created_at": "2024-07-20T01:30:36-07:00"},
        {"id": "6a21", "memory": "Allergic to nuts", "metadata": None, "created_at": "not a date", "user_id": "mia"},
    ],
    "relations": [{"source": "mia", "relationship": "likes", "target": "window"}],
}

OPENMEMORY = zipped(
    {
        "memories.json": json.dumps(
            {
                "user": {"id": "1", "user_id": "mia"},
                "apps": [{"id": "a", "name": "cursor"}],
                "categories": [{"id": "c", "name": "tools"}],
                "memories": [
                    {
                        "id": "m1",
                        "content": "Uses ruff for linting",
                        "metadata": {},
                        "state": "active",
                        "created_at": "2025-01-01T00:00:00+00:00",
                    }
                ],
                "export_meta": {"version": "1"},
            }
        ).encode(),
        "memories.jsonl.gz": gzip.compress(
            lines(
                {
                    "id": "m1",
                    "content": "Uses ruff for linting",
                    "metadata": {},
                    "state": "active",
                    "created_at": "2025-01-01T00:00:00+00:00",
                    "app": "cursor",
                    "categories": ["tools"],
                },
                {
                    "id": "m2",
                    "content": "Old editor was vim",
                    "metadata": {},
                    "state": "archived",
                    "created_at": "2024-01-01T00:00:00+00:00",
                    "app": None,
                    "categories": [],
                },
                {"id": "m3", "content": "gone", "metadata": {}, "state": "deleted", "created_at": None, "app": None, "categories": []},
            )
        ),
    }
)

MCP_MEMORY = lines(
    {"type": "entity", "name": "Billing", "entityType": "service", "observations": ["runs on port 7000", "owned by Ada"]},
    {"type": "entity", "name": "Ada", "entityType": "person", "observations": []},
    {"type": "relation", "from": "Ada", "to": "Billing", "relationType": "maintains"},
    {"type": "entity", "entityType": "person", "observations": ["nameless"]},
    {"type": "relation", "from": "Ada", "relationType": "knows"},
)

MCP_GRAPH = {
    "entities": [{"name": "Billing", "entityType": "service", "observations": ["runs on port 7000", "owned by Ada"]}],
    "relations": [{"from": "Ada", "to": "Billing", "relationType": "maintains"}],
}

AGENTMEMORY = {
    "version": "0.9.29",
    "exportedAt": "2026-05-01T00:00:00.000Z",
    "sessions": [
        {
            "id": "s1",
            "project": "shop",
            "cwd": "/w/shop",
            "startedAt": "2026-04-01T10:00:00.000Z",
            "status": "completed",
            "observationCount": 1,
        }
    ],
    "observations": {
        "s1": [
            {
                "id": "o1",
                "sessionId": "s1",
                "timestamp": "2026-04-01T10:01:00.000Z",
                "type": "decision",
                "title": "Chose Stripe",
                "facts": ["fees are 1.4 %"],
                "narrative": "Compared two providers.",
                "concepts": ["payments"],
                "files": ["pay.py"],
                "importance": 8,
            }
        ],
        "s2": [],
    },
    "memories": [
        {
            "id": "mem1",
            "createdAt": "2026-04-02T10:00:00.000Z",
            "updatedAt": "2026-04-03T10:00:00.000Z",
            "type": "architecture",
            "title": "Payments",
            "content": "Payments go through a queue",
            "concepts": ["queue", "payments"],
            "files": [],
            "sessionIds": ["s1"],
            "strength": 7,
            "version": 2,
            "isLatest": True,
        },
        {"id": "mem0", "createdAt": "2026-04-01T10:00:00.000Z", "title": "Payments", "content": "direct", "isLatest": False},
        {"id": "mem2", "createdAt": "2026-04-01T10:00:00.000Z", "title": "", "content": " ", "isLatest": True},
    ],
    "summaries": [
        {
            "sessionId": "s1",
            "project": "shop",
            "createdAt": "2026-04-01T11:00:00.000Z",
            "title": "Checkout work",
            "narrative": "Built the checkout.",
            "keyDecisions": ["Stripe"],
            "concepts": [],
        }
    ],
    "semanticMemories": [{"id": "sem1", "fact": "The shop sells bread", "sourceSessionIds": ["s1"], "createdAt": "2026-04-04T00:00:00Z"}],
    "lessons": [{"id": "l1", "content": "Run migrations first", "createdAt": "2026-04-05T00:00:00Z", "tags": ["deploy"]}],
    "graphNodes": [{"id": "g1", "type": "concept", "name": "x"}, {"id": "g2", "type": "concept", "name": "y"}],
}

HINDSIGHT_DOCUMENT = {
    "id": "notes/march.txt",
    "original_text": "Ada moved to Lisbon. She keeps bees.",
    "retain_params": None,
    "tags": ["family"],
    "created_at": "2026-03-10T08:00:00+01:00",
    "chunks": [{"chunk_index": 0, "chunk_text": "Ada moved to Lisbon. She keeps bees."}],
    "facts": [
        {
            "text": "Ada moved to Lisbon",
            "source_id": "f-1",
            "fact_type": "world",
            "context": "a letter",
            "occurred_start": "2026-02-01T00:00:00Z",
            "mentioned_at": "2026-03-10T07:00:00Z",
            "tags": ["move"],
            "entities": ["Ada"],
        },
        {"text": "Ada keeps bees", "fact_type": "world", "mentioned_at": "2026-03-10T07:00:00Z"},
        {"text": "", "fact_type": "world"},
    ],
}

HINDSIGHT = zipped(
    {
        "documents/000000.json": json.dumps(HINDSIGHT_DOCUMENT, indent=2).encode(),
        "documents/000001.json": json.dumps({"id": "empty", "original_text": None, "facts": [], "chunks": []}).encode(),
        "observations.json": json.dumps(
            [
                {
                    "source_id": "ob-1",
                    "text": "Ada likes the south",
                    "tags": [],
                    "mentioned_at": "2026-03-11T00:00:00Z",
                    "proof_count": 2,
                    "fact_type": "observation",
                }
            ]
        ).encode(),
        "mental_models.json": json.dumps([{"id": "mm", "name": "Ada"}]).encode(),
        "manifest.json": json.dumps(
            {"schema_version": 1, "source_bank_id": "home", "archive_type": "documents", "document_count": 2}
        ).encode(),
    }
)

VAULT = {
    "Coffee.md": "---\ntitle: Coffee Brewing\ntype: guide\ntags: [coffee, 'slow food']\npermalink: coffee\n"
    "date: 2025-04-05T06:07:08+02:00\n---\n\n## Observations\n- [method] Pour over is clear #brewing\n\n- relates_to [[Beans|the beans]]\n",
    "daily/2024-01-15.md": "Met the potter. See [[Coffee]] and [[Beans#roast]].\n\n```\n#not-a-tag [[Nor this]]\n```\n",
    "Beans.md": "---\ntags:\n  - coffee\n  - origin/ethiopia\ncreated: 2023-11-02\naliases: [bean]\n---\n# Beans\n\nWashed ones.\n",
    "empty.md": "---\ntitle: nothing\n---\n\n",
    "bad.md": b"\xff\xfe broken",
    "photo.png": b"\x89PNG",
    ".obsidian/app.json": "{}",
    ".trash/old.md": "gone",
}


def vault(folder: Path) -> Path:
    root = folder / "Vault"
    for name, text in VAULT.items():
        write(root, text if isinstance(text, bytes) else text.encode(), name)
    return root
