"""Made-up memories and questions, the same in every run: a few hundred common words and many rare ones, 15 to 40 words a memory."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from bench.footprint.server import Server

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
COMMON = 400
RARE = 20_000


def word(number: int) -> str:
    """A pronounceable word for each number."""
    parts = []
    number += 400
    while number:
        number, rest = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[rest])
    return "".join(parts)


def memories(count: int, seed: int = 1) -> Iterator[str]:
    """Texts of a long-tailed vocabulary."""
    chance = random.Random(seed)
    for _ in range(count):
        numbers = [
            int(COMMON * chance.random() ** 2) if chance.random() < 0.7 else chance.randrange(RARE) for _ in range(chance.randint(15, 40))
        ]
        yield " ".join(map(word, numbers)).capitalize() + "."


def questions(count: int, seed: int = 2) -> Iterator[str]:
    """Queries of two to six words."""
    chance = random.Random(seed)
    for _ in range(count):
        yield " ".join(word(int(COMMON * chance.random())) for _ in range(chance.randint(2, 6)))


def fill(server: Server, bank: str, count: int, seed: int = 1) -> None:
    """Batches of 1,000."""
    texts = list(memories(count, seed))
    connection = server.dial()
    for at in range(0, count, 1000):
        server.retain(bank, {"items": [{"content": text} for text in texts[at : at + 1000]]}, connection)
    connection.close()


def use(server: Server, bank: str, retains: int, recalls: int, seed: int = 3) -> None:
    """Single requests over one connection, recalls spread among the retains."""
    connection = server.dial()
    asked = questions(recalls, seed)
    every = max(1, retains // recalls) if recalls else retains + 1
    for number, text in enumerate(memories(retains, seed), 1):
        server.retain(bank, {"content": text}, connection)
        if number % every == 0 and (question := next(asked, None)) is not None:
            server.recall(bank, question, connection)
    for question in asked:
        server.recall(bank, question, connection)
    connection.close()


def publish(server: Server) -> tuple[list[str], list[str]]:
    """A small public hub: the addresses of a page of each kind, and of what programs read."""
    ids = []
    for number in range(20):
        text = f"---\ntags: [harbour]\n---\n# Pilot {number}\n\nPilot {number} sleeps in *Rotterdam*, as does [[Pilot 0]].\n\n## Ship\n\n"
        ids.append(made(server, "POST", "/v1/docs", {"markdown": text + "A harbour has ships. " * 200, "bank": "hub"}))
    members = [{"doc": id} for id in ids[:5]]
    bundle = made(server, "POST", "/v1/bundles", {"title": "Pilots", "members": members, "is_draft": False, "bank": "hub"})
    made(server, "PUT", "/v1/hubs/pilots", {"bank": "hub", "public": True})
    pages = ["/hub.css", f"/{ids[0]}", f"/b/{bundle}", "/hub/pilots", "/hub/pilots?q=harbour", "/hub/pilots/graph"]
    return pages, [f"/raw/{ids[0]}", f"/raw/bundle/{bundle}", "/raw/hub/pilots", "/hub/pilots/llms.txt"]


def made(server: Server, verb: str, path: str, body: object) -> str:
    """The id of what a request made."""
    status, answer = server.ask(verb, path, body)
    assert status in (200, 201), answer
    return str(json.loads(answer).get("id", ""))
