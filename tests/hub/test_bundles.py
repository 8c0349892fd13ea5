"""Bundles as their owner has them: members and order, gates, what everybody would see, and what becomes of them when banks move."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from memory_wire import bundles as b
from memory_wire import config
from memory_wire.client import Memory
from memory_wire.errors import Invalid, UnknownDocument
from memory_wire.service import importing, transfer
from memory_wire.service.bundled import embedded
from memory_wire.store.bundles import Bundle
from tests.hub.library import Library
from tests.hub.test_moving import quiet


def row(memory: Memory, id: str) -> Bundle:
    with memory.service.store.read() as reader:
        found = reader.bundles.by_id("default", id)
    assert found is not None
    return found


def order(found: b.Bundle) -> list[tuple[str, str | None]]:
    return [(one.doc, one.annotation) for one in found.members]


def test_members_keep_their_order_and_notes(library: Library) -> None:
    memory = library.memory
    ids = [library.make(f"# Part {number}\n") for number in range(6)]
    id = memory.create_bundle("All", ids[:4]).id
    memory.update_bundle(id, add=[(ids[1], "noted")], remove=[ids[0]])
    assert order(memory.update_bundle(id, add=[ids[5], ids[4]])) == [
        (ids[1], "noted"), (ids[2], None), (ids[3], None), (ids[5], None), (ids[4], None),
    ]  # fmt: skip
    memory.delete_doc(ids[2])
    assert [one.gates for one in memory.get_bundle(id).members][1] == ["deleted"]  # comes back where it was
    with pytest.raises(UnknownDocument):
        memory.update_bundle(id, add=[ids[2]])
    memory.restore_doc(ids[2])
    memory.delete_doc(ids[3], purge=True)
    assert [one.doc for one in memory.get_bundle(id).members] == [ids[1], ids[2], ids[5], ids[4]]


def test_a_document_of_another_bank_is_unknown(library: Library) -> None:
    foreign = library.memory.create_doc("# Elsewhere\n", bank="other").id
    with pytest.raises(UnknownDocument):
        library.memory.create_bundle("Mine", [foreign])
    with pytest.raises(UnknownDocument):
        library.memory.bundles(doc=foreign)


def test_members_are_bounded(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.BUNDLE_MEMBERS == 500
    monkeypatch.setattr(config, "BUNDLE_MEMBERS", 2)
    one, two, three = (library.make(f"# {number}\n") for number in range(3))
    id = library.memory.create_bundle("Two", [one, two, one]).id
    with pytest.raises(Invalid, match="invalid members: must be at most 2"):
        library.memory.update_bundle(id, add=[three])
    assert len(library.memory.get_bundle(id).members) == 2


@pytest.mark.parametrize(
    ("field", "limit"),
    [("title", config.BUNDLE_TITLE_CHARS), ("description", config.BUNDLE_DESCRIPTION_CHARS), ("intent", config.BUNDLE_DESCRIPTION_CHARS)],
)
def test_words_are_bounded(library: Library, field: str, limit: int) -> None:
    id = library.memory.create_bundle("x").id
    library.memory.call("update_bundle", b.UpdateBundle(id=id, **{field: "x" * limit}))
    with pytest.raises(Invalid, match=f"invalid {field}: must be at most {limit:,} characters"):
        library.memory.call("update_bundle", b.UpdateBundle(id=id, **{field: "x" * (limit + 1)}))


def test_publishing_changes_no_document(library: Library) -> None:
    memory = library.memory
    memory.put_hub("notes", public=True)
    draft, shut, seen = library.make("# Draft\n"), library.make("# Shut\n"), library.make("# Seen\n")
    memory.set_access(draft, is_draft=True)
    memory.set_access(shut, allowed_emails=["ann@example.org"])
    before = memory.docs()
    id = memory.create_bundle("All", [draft, shut, seen], is_draft=True).id
    told = memory.set_bundle_access(id, is_draft=False, discoverable=True)
    assert (told.public, told.members_not_visible) == (True, 2)
    memory.set_bundle_access(id, allowed_emails=["bob@example.org"])
    assert memory.docs() == before
    assert [one.gates for one in memory.get_bundle(id).members] == [["draft"], ["allow_list"], []]
    (listed,) = memory.bundles().bundles
    assert (listed.document_count, listed.visible_count, listed.gates) == (3, 1, ["allow_list"])


LOCKS = {
    "draft": {"is_draft": True},
    "password": {"password": "x"},
    "allow_list": {"allowed_emails": ["a@b.c"]},
    "expired": {"expires_at": "2020-01-01"},
}


@pytest.mark.parametrize("lock", LOCKS)
def test_what_is_locked_down_is_not_discoverable(library: Library, lock: str) -> None:
    memory = library.memory
    id = memory.create_bundle("x").id
    assert memory.set_bundle_access(id, discoverable=True).discoverable
    held = memory.set_bundle_access(id, **LOCKS[lock])  # type: ignore[arg-type]
    assert (held.discoverable, held.gates) == (False, [lock])
    with pytest.raises(Invalid, match="invalid discoverable"):
        memory.set_bundle_access(id, discoverable=True)
    opened = memory.set_bundle_access(id, is_draft=False, password=None, allowed_emails=[], expires_at=None)
    assert (opened.discoverable, opened.gates) == (False, ["hub"])  # doesn't come back by itself
    memory.set_bundle_access(id, discoverable=True)
    memory.delete_bundle(id)
    assert not memory.restore_bundle(id).discoverable


def test_only_what_everybody_sees_moves_what_everybody_is_told(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """`shown` is what a public page may tell of: a hidden member leaves it as it is."""
    memory = library.memory
    ticks = itertools.count(memory.service.now())
    monkeypatch.setattr(memory.service, "now", lambda: next(ticks))
    memory.put_hub("notes", public=True)
    seen, other, hidden = library.make("# Seen\n"), library.make("# Other\n"), library.make("# Hidden\n")
    memory.set_access(hidden, is_draft=True)
    id = memory.create_bundle("x", [seen]).id
    first = row(memory, id)
    memory.update_bundle(id, add=[(hidden, "secret")])
    memory.update_bundle(id, members=[hidden, seen])
    second = row(memory, id)
    assert (second.shown, second.updated > first.updated) == (first.shown, True)
    memory.update_bundle(id, add=[other])
    third = row(memory, id)
    assert third.shown == third.updated > second.updated
    memory.update_bundle(id, title="y")
    assert row(memory, id).shown > third.shown
    with memory.service.store.read() as reader:
        assert embedded(reader, row(memory, id)) == "y\nHidden\nSeen\nOther"
        assert embedded(reader, row(memory, id), "public") == "y\nSeen\nOther"


def test_bundles_survive_export_and_import(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.db", bank="notes", sync="normal") as memory:
        one, two = memory.create_doc("# One\n").id, memory.create_doc("# Two\n").id
        id = memory.create_bundle("Both", [(two, "first"), one], description="About.", intent="Why?").id
        memory.set_bundle_access(id, discoverable=True)
        empty = memory.create_bundle("Empty", is_draft=True).id
        memory.create_bundle("Lone", bank="lone")
        before = [memory.get_bundle(id), memory.get_bundle(empty)]
        shown = row(memory, id).shown
    file = tmp_path / "out.jsonl"
    transfer.export(str(tmp_path / "a.db"), str(file), None, quiet)
    importing.import_(str(tmp_path / "b.db"), str(file), quiet)
    with Memory(tmp_path / "b.db", bank="notes") as copy:
        assert [copy.get_bundle(id), copy.get_bundle(empty)] == before
        assert row(copy, id).shown == shown
        assert [one.title for one in copy.bundles(bank="lone").bundles] == ["Lone"]  # of a bank that has nothing else
    file.write_text(file.read_text().replace('"discoverable":true', '"discoverable":true,"draft":true'))
    importing.import_(str(tmp_path / "c.db"), str(file), quiet)
    with Memory(tmp_path / "c.db", bank="notes") as copy:
        assert (copy.get_bundle(id).gates, copy.get_bundle(id).discoverable) == (["draft"], False)


def test_a_merge_makes_nothing_discoverable(library: Library) -> None:
    memory = library.memory
    memory.put_hub("notes", public=True)
    doc = memory.create_doc("# A\n", bank="inbox").id
    id = memory.create_bundle("In", [doc], bank="inbox").id
    memory.set_bundle_access(id, discoverable=True)
    memory.copy_bank("inbox", "copy")
    (copied,) = memory.bundles(bank="copy").bundles
    assert (copied.discoverable, copied.document_count) == (True, 1)
    memory.merge_bank("inbox", "notes")
    found = memory.get_bundle(id)
    assert (found.bank, found.gates, found.discoverable, found.document_count) == ("notes", ["draft"], False, 1)
