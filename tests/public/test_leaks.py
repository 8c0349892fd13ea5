"""What isn't public is nowhere: the leaks that such surfaces have had elsewhere, each as a test that finds the raw payloads unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_wire.client import Memory
from memory_wire.errors import NotPublic
from memory_wire.publishing import Payload
from tests.serve.serving import Serving

SECRET = "# Zebra plan\n\nThe **Zebra plan** and the **Quagga** are secret. See [one](/x).\n\n## Zebra budget\n\nQuagga costs money.\n"
GATES: dict[str, Callable[[Memory, str], object]] = {
    "draft": lambda memory, id: memory.set_access(id, is_draft=True),
    "password": lambda memory, id: memory.set_access(id, password="x"),
    "allow_list": lambda memory, id: memory.set_access(id, allowed_emails=["ann@example.org"]),
    "expired": lambda memory, id: memory.set_access(id, expires_at="2020-01-01"),
    "private": lambda memory, id: memory.update_doc(id, prepend="---\nprivate: true\n---"),
    "deleted": lambda memory, id: memory.delete_doc(id),
}
BUNDLE_GATES: dict[str, Callable[[Memory, str], object]] = {
    "draft": lambda memory, id: memory.set_bundle_access(id, is_draft=True),
    "password": lambda memory, id: memory.set_bundle_access(id, password="x"),
    "allow_list": lambda memory, id: memory.set_bundle_access(id, allowed_emails=["ann@example.org"]),
    "expired": lambda memory, id: memory.set_bundle_access(id, expires_at="2020-01-01"),
    "deleted": lambda memory, id: memory.delete_bundle(id),
}


class Shown:
    """Two public documents in a bundle, and everything that is shown of them as markdown."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.one = memory.create_doc("# One\n\nThe **Engine** starts. The **Pump** too.\n\n## Part\n\ntext\n").id
        self.two = memory.create_doc("# Two\n\nAn **Engine** has a **Pump**.\n").id
        self.bundle = memory.create_bundle("Both", [(self.one, "first"), (self.two, "then")], description="About.").id

    def all(self) -> list[Payload]:
        memory = self.memory
        found = [memory.raw_doc(id, compact=compact) for id in (self.one, self.two) for compact in (False, True)]
        found += [memory.raw_bundle(self.bundle, full=full, graph=graph) for full in (False, True) for graph in (False, True)]
        found += [memory.raw_hub("notes", full=True), memory.raw_hub("notes", full=True, since="2020-01-01")]
        return [*found, memory.hub_llms("notes"), memory.hub_llms_full("notes"), memory.hub_llms_full("notes", compact=True)]


@pytest.fixture
def shown(memory: Memory) -> Shown:
    return Shown(memory)


@pytest.mark.parametrize("gate", GATES)
def test_1_a_hub_names_no_document_that_is_not_public(memory: Memory, shown: Shown, gate: str) -> None:
    before = shown.all()
    id = memory.create_doc(SECRET).id
    assert shown.all() != before  # while it is public
    GATES[gate](memory, id)
    assert shown.all() == before
    with pytest.raises(NotPublic):
        memory.raw_doc(id)


@pytest.mark.parametrize("gate", GATES)
def test_2_a_bundle_tells_nothing_of_members_that_are_not_public(memory: Memory, shown: Shown, gate: str) -> None:
    """No text, no gap in the numbers, no count, no date."""
    before = shown.all()
    id = memory.create_doc(SECRET, is_draft=True).id
    memory.update_bundle(shown.bundle, members=[(id, "the secret"), (shown.one, "first"), (shown.two, "then")])
    GATES[gate](memory, id)
    if gate != "deleted":
        memory.set_access(id, is_draft=gate == "draft")
        assert shown.all() == before
        memory.update_doc(id, append="more about Zebra")
        memory.update_bundle(shown.bundle, members=[(shown.one, "first"), (id, "another note"), (shown.two, "then")])
    assert shown.all() == before
    told = memory.get_bundle(shown.bundle)
    assert (told.document_count, told.visible_count, told.members_not_visible) == (3, 2, 1)


@pytest.mark.parametrize("gate", BUNDLE_GATES)
def test_2_a_bundle_that_is_not_public_is_no_parent(memory: Memory, shown: Shown, gate: str) -> None:
    before = shown.all()
    id = memory.create_bundle("Zebra bundle", [shown.one, shown.two]).id
    assert b"Zebra bundle" in memory.raw_doc(shown.one).body
    BUNDLE_GATES[gate](memory, id)
    assert shown.all() == before
    with pytest.raises(NotPublic):
        memory.raw_bundle(id)


def test_4_a_bundle_has_no_text_of_members_that_are_not_public(memory: Memory) -> None:
    ids = {}
    for gate in GATES:
        ids[gate] = memory.create_doc(f"# Hidden {gate}\n\nzebra {gate}\n").id
    id = memory.create_bundle("x", list(ids.values())).id
    assert b"zebra draft" in memory.raw_bundle(id, full=True).body
    for gate, shut in GATES.items():
        shut(memory, ids[gate])
    for full in (False, True):
        found = memory.raw_bundle(id, full=full)
        assert b"zebra" not in found.body and b"Hidden" not in found.body and found.headers["x-document-count"] == "0"


def test_8_publishing_a_bundle_publishes_nothing_else(memory: Memory) -> None:
    draft, shut = memory.create_doc(SECRET, is_draft=True).id, memory.create_doc(SECRET).id
    memory.set_access(shut, allowed_emails=["ann@example.org"])
    id = memory.create_bundle("x", [draft, shut], is_draft=True).id
    told = memory.set_bundle_access(id, is_draft=False, allowed_emails=[], discoverable=True)
    assert (told.public, told.members_not_visible) == (True, 2)
    for hidden in (draft, shut):
        with pytest.raises(NotPublic):
            memory.raw_doc(hidden)
    assert memory.set_access(shut).allowed_emails == ["ann@example.org"]
    assert memory.raw_bundle(id).body.endswith(b"No public documents in this bundle yet.\n")


def test_what_belongs_to_a_hub_that_is_not_public_is_not_there(memory: Memory, shown: Shown) -> None:
    memory.put_hub("notes", public=False)
    asked = [
        lambda: memory.raw_doc(shown.one), lambda: memory.raw_bundle(shown.bundle), lambda: memory.raw_hub("notes", full=True),
        lambda: memory.hub_llms("notes"), lambda: memory.hub_llms_full("notes"), lambda: memory.raw_hub("notes", at="2020-01-01"),
    ]  # fmt: skip
    for ask in asked:
        with pytest.raises(NotPublic, match=r"^not found$"):
            ask()


def test_what_was_public_is_not_shown_of_the_past(memory: Memory, shown: Shown) -> None:
    """The gate of now wins."""
    memory.service.store.submit(lambda tx: tx.connection.execute("UPDATE document SET opened = 0"))
    at = memory.read_doc(shown.two).updated_at
    assert b"Two" in memory.raw_hub("notes", at=at).body
    memory.set_access(shown.two, is_draft=True)
    assert b"Two" not in memory.raw_hub("notes", at=at).body
    with pytest.raises(NotPublic):
        memory.raw_doc(shown.two, at=at)


# over HTTP -------------------------------------------------------------------------------------------------------------------------


class Hidden(Serving):
    """A server with documents and bundles behind every gate; `paths` lead to them and to what never was."""

    paths: dict[str, str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hidden]:
    folder: Path = tmp_path_factory.mktemp("leaks")
    paths = {
        "unknown": "/raw/abcdefghijklmnopq",
        "unknown bundle": "/raw/bundle/abcdefghijklmnopq",
        "unknown hub": "/raw/hub/nobody?full=1",
    }
    with Memory(folder / "memory.db", bank="notes", sync="normal") as memory:
        paths["open"] = f"/raw/{memory.create_doc('# Open').id}"
        memory.put_hub("notes", public=True)
        for gate, shut in GATES.items():
            id = memory.create_doc(SECRET).id
            shut(memory, id)
            paths |= {f"doc {gate}": f"/raw/{id}", f"then {gate}": f"/raw/{id}?at=2021-01-01"}
        for gate, shut in BUNDLE_GATES.items():
            id = memory.create_bundle("Zebra").id
            shut(memory, id)
            paths |= {f"bundle {gate}": f"/raw/bundle/{id}", f"full {gate}": f"/raw/bundle/{id}?full=1"}
        memory.create_doc(SECRET, bank="other")
        memory.put_hub("shut-hub", bank="other")
        paths |= {"hub": "/raw/hub/shut-hub?full=1", "llms": "/hub/shut-hub/llms.txt", "llms-full": "/raw/hub/shut-hub/llms-full.txt"}
    with Hidden(folder) as serving:
        serving.paths = paths
        yield serving
        assert serving.stop() == 0 and "Traceback" not in serving.stderr


def test_6_no_status_says_why_something_is_not_there(server: Hidden) -> None:
    """Missing, draft, deleted, password, expired, restricted, a private hub: the same bytes and headers."""
    seen = set()
    for name, path in server.paths.items():
        if name != "open":
            reply = server.ask("GET", path)
            seen.add((reply.status, reply.body, *sorted((key, value) for key, value in reply.headers.items() if key != "date")))
    ((status, body, *_),) = seen
    assert (status, body) == (404, b"not found\n")


def test_7_a_header_is_no_identity(server: Hidden) -> None:
    headers = {"X-User-Email": "ann@example.org", "X-Forwarded-User": "ann@example.org"}
    assert server.ask("GET", server.paths["doc allow_list"], headers=headers).status == 404


def test_a_tag_that_is_known_is_not_sent_again(server: Hidden) -> None:
    first = server.ask("GET", server.paths["open"])
    assert (first.status, first.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    again = server.ask("GET", server.paths["open"], headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    head = server.ask("HEAD", server.paths["open"])
    assert (head.status, head.body, head.headers["x-byte-length"]) == (200, b"", str(len(first.body)))
