"""Two stores that differ in private things alone, and every request that everybody may make of them.

What is done in public is done in both, with the same ids at the same times; private ids come from a row of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memory_wire.client import Memory
from memory_wire.ops import OPS, Op
from memory_wire.service import chunking, passwords
from tests.serve.serving import Peer, Reply, Serving, request

SLUG, HIDDEN_SLUG, UNKNOWN_SLUG = "steppe", "cellar", "nowhere"
BEGUN = 1_780_000_000_000
STEP = 3_600_000
WORDS = ("Zebra", "Lion", "Acacia", "Savanna", "Ostrich", "Meerkat")
SECRETS = ("Kraken", "Zebra", "Manticore", "Lion")  # what private texts speak of: some of it is public as well
RANDOM_ID = "q7Rk2pX9vLm4Tz8Wd"
TIMED = re.compile(rb'"timing_ms":\{[^}]*\}')


class Ids:
    """Public ids in their order, private ones in another; `shown` are those of documents and bundles."""

    def __init__(self) -> None:
        self.secret = False
        self.shown: dict[bool, list[str]] = {False: [], True: []}
        self.units = {False: 0, True: 0}

    def document(self) -> str:
        mine = self.shown[self.secret]
        mine.append(f"{'prv' if self.secret else 'pub'}{len(mine) + 1:014d}")
        return mine[-1]

    def unit(self) -> bytes:
        self.units[self.secret] += 1
        return bytes([2 if self.secret else 1]) + self.units[self.secret].to_bytes(15, "big")


class World:
    """A store under way. `secrets`: whether what is private happens here."""

    def __init__(self, memory: Memory, ids: Ids, secrets: bool) -> None:
        self.memory, self.ids, self.secrets = memory, ids, secrets
        self.documents: list[str] = []
        self.bundles: list[str] = []
        self.private = 0

    @contextmanager
    def hidden(self) -> Iterator[None]:
        self.ids.secret = True
        try:
            yield
        finally:
            self.ids.secret = False

    def text(self, number: int, step: int) -> str:
        """A public document: it names its kin, public or not, by title, by id and by address."""
        word, other = WORDS[number % len(WORDS)], WORDS[(number + 1) % len(WORDS)]
        kin = f"{number % 3 + 1:014d}"
        return (
            f"---\ntags: [animals, {word.lower()}]\n---\n# {word} {number}\n\n{word} lives beside the {other} of the Serengeti.\n\n"
            f"## Habits\n\nThe {word} of step {step} eats grass. See [[{other} {number + 1}]], [[Kraken 1]], /pub{kin} and /prv{kin}"
            f" or [a bundle](/b/prv{kin}), /hub/{HIDDEN_SLUG}.\n\n### Sleep\n\nAt noon.\n\n## Kraken\n\nNobody has seen a {word} Kraken.\n"
        )

    def act(self, step: int, action: str, number: int) -> None:
        """What happens in public."""
        memory = self.memory
        if action == "make":
            self.documents.append(memory.create_doc(self.text(number, step), source="https://example.org/a").id)
        elif action == "bundle":
            members = [(id, f"note {step}") for id in self.documents[: number + 1]]
            self.bundles.append(memory.create_bundle(f"Animals {number}", members, description=f"Of {WORDS[number]}.", intent="read").id)
        elif self.documents:
            id = self.documents[number % len(self.documents)]
            if action == "edit":
                memory.update_doc(id, append=f"## More of {step}\n\nAlso {WORDS[step % len(WORDS)]}.\n")
            elif action in ("draft", "show"):
                memory.set_access(id, is_draft=action == "draft")
            elif action == "delete":
                memory.delete_doc(self.documents.pop(number % len(self.documents)))
            elif self.bundles and action == "member":
                memory.update_bundle(self.bundles[number % len(self.bundles)], add=[(id, "added")])

    def hide(self, step: int) -> None:
        """What happens in private, a little of everything."""
        if not self.secrets:
            return
        self.private += 1
        memory, word, turn = self.memory, SECRETS[step % len(SECRETS)], step % len(GATES)
        links = " ".join(f"/{id} [[{WORDS[0]} 0]]" for id in self.documents)
        text = f"# {word} {self.private}\n\n{word} hides from the {WORDS[step % len(WORDS)]} of Serengeti.\n\n## Habits\n\n{links}\n"
        with self.hidden():
            memory.retain(f"{word} in the dark, beside the Zebra")
            hidden = memory.create_doc(text, is_draft=True).id
            GATES[turn](memory, hidden, text)
            once = memory.create_doc(text).id  # everybody could see it for a while
            memory.set_access(once, is_draft=True)
            other = memory.create_doc(text, bank="cellar").id
            memory.create_bundle(f"{word} of the cellar", [other], bank="cellar")
            if turn != 5:
                memory.create_link(hidden, uses=3)
                memory.create_bundle(f"Draft of {word}", [hidden, *self.documents[:2]], is_draft=True)
                locked = memory.create_bundle(f"Locked {word}", [*self.documents[:1], hidden]).id
                memory.set_bundle_access(locked, password="open sesame")
                for bundle in self.bundles[:2]:
                    held = memory.get_bundle(bundle).members
                    members = [(one.doc, one.annotation) for one in held if "deleted" not in one.gates]
                    memory.update_bundle(bundle, members=[*members[:1], (hidden, f"{word} note"), *members[1:]])
                memory.update_doc(hidden, append=f"\n## Later\n\n{word} again.\n") if turn != 4 else None


def private_matter(memory: Memory, id: str, text: str) -> None:
    memory.update_doc(id, replace=f"---\nprivate: true\n---\n{text}")
    memory.set_access(id, is_draft=False)


GATES: list[Callable[[Memory, str, str], object]] = [
    lambda memory, id, text: None,  # a draft
    lambda memory, id, text: memory.set_access(id, is_draft=False, password="open sesame"),
    lambda memory, id, text: memory.set_access(id, is_draft=False, allowed_emails=["ann@example.org"]),
    lambda memory, id, text: memory.set_access(id, is_draft=False, expires_at="2020-01-01"),
    private_matter,
    lambda memory, id, text: memory.delete_doc(id),
]

Actions = list[tuple[str, int]]


def build(path: Path, actions: Actions, secrets: bool) -> World:
    """A store in which that has happened, closed."""
    ids = Ids()
    with (
        patch.object(passwords, "new_id", ids.document),
        patch.object(chunking, "new_uid", ids.unit),
        Memory(path, bank="steppe", sync="normal") as memory,
    ):
        clock = [BEGUN]
        memory.service.now = lambda: clock[0]  # type: ignore[method-assign]
        world = World(memory, ids, secrets)
        for bank in ("steppe", "cellar"):
            memory.retain("so that there is a bank", bank=bank)
        memory.put_hub(SLUG, public=True, display_name="The steppe", description="Animals.")
        memory.put_hub(HIDDEN_SLUG, bank="cellar", display_name="The cellar")
        for step, (action, number) in enumerate(actions):
            clock[0] += STEP
            world.hide(2 * step)
            world.act(step, action, number)
            world.hide(2 * step + 1)
        return world


# what everybody may ask ------------------------------------------------------------------------------------------------------------

BROWSER = {"Accept": "text/html,application/xhtml+xml", "User-Agent": "Mozilla/5.0"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", **BROWSER}
PROGRAM = {"Accept": "text/markdown"}
FLAGS = {
    "compact": ["1"], "full": ["1"], "digest": ["0"], "graph": ["0"], "page": ["2"], "q": ["kraken", "zebra"],
    "at": ["2026-05-29T10:00:00Z", "2099-01-01"], "since": ["2026-05-29T00:00:00Z"], "limit": ["3"], "link": ["x"],
}  # fmt: skip
QUESTIONS: list[dict[str, object]] = [
    {"question": "zebra kraken", "k": 20},
    {"question": "kraken", "hybrid": True, "explain": True},
    {"question": "lion habits", "level": "doc", "k": 20},
    {"question": "animals of the cellar", "level": "bundle"},
    {"question": "serengeti", "expand": "subtree", "budget_tokens": 60},
    {"question": " "},
]
Request = tuple[str, str, object, dict[str, str]]


def requests(ids: list[str], concepts: list[str]) -> list[Request]:
    """Every public operation of the table with everything that its path and query may name."""
    found: list[Request] = []
    for op in OPS:
        if op.public:
            for path in paths(op, ids, concepts):
                found += asked(op, path)
    return found


def paths(op: Op, ids: list[str], concepts: list[str]) -> list[str]:
    """The operation's path with all that may stand in its places."""
    pools = {"{id}": ids, "{slug}": [SLUG, HIDDEN_SLUG, UNKNOWN_SLUG], "{concept}": concepts}
    found = [op.http[1]]
    for place in re.findall(r"\{\w+\}", op.http[1]):
        found = [path.replace(place, one) for path in found for one in pools.get(place, ids)]
    return found


def asked(op: Op, path: str) -> list[Request]:
    """A path with each of its flags; as a browser, as a program, as a bot, with a suffix for pages."""
    verb = op.http[0]
    if op.form:
        return [(verb, path, f"password={given}".encode(), FORM) for given in ("open+sesame", "guessed", "")]
    if op.body:
        return [(verb, path, body, {}) for body in QUESTIONS] if op.name == "hub_recall" else [(verb, path, {}, {})]
    fields = op.request.__struct_fields__
    found: list[Request] = [(verb, path, None, PROGRAM)]
    found += [(verb, f"{path}?{name}={value}", None, PROGRAM) for name in fields for value in FLAGS.get(name, [])]
    if "accept" in fields:
        found += [(verb, path, None, BROWSER), (verb, f"{path}.md", None, BROWSER), (verb, path, None, {"User-Agent": "GPTBot/1.0"})]
        found += [(verb, f"{path}?{name}={value}", None, BROWSER) for name in ("q", "at") if name in fields for value in FLAGS[name]]
    return found


class Open(Serving):
    """A server whose public address is asked, on one connection."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "--public-addr", "127.0.0.1:0", config={"PUBLIC_CALLS": 1_000_000})

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = str(self.found["public"]).rpartition(":")
        return host, int(port)

    def answers(self, asked: list[Request]) -> list[tuple[int, dict[str, str], bytes]]:
        with self.dial() as peer:
            return [answer(peer, *one) for one in asked]


def answer(peer: Peer, verb: str, path: str, body: object, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """Status, headers but the date, body; what a recall says of its own time left out."""
    peer.send(request(verb, path, body, {"Host": "steppe.example.org", **headers}))
    return told(peer.reply())


def told(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    body = TIMED.sub(b"", reply.body)
    headers = {name: value for name, value in reply.headers.items() if name != "date"}
    if body != reply.body:
        del headers["content-length"]
    return reply.status, headers, body


def concepts_of(server: Open) -> list[str]:
    """Addresses of the concepts that a hub shows, and of some that it must not."""
    body = server.answers([("GET", f"/hub/{SLUG}", None, BROWSER)])[0][2].decode()
    return sorted({*re.findall(rf"/hub/{SLUG}/c/([\w%-]+)", body), "kraken", "manticore", "no-such-thing"})


def shown(value: Any) -> str:
    return json.dumps(value, default=repr)[:2000]
