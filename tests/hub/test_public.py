"""The public projection: what everybody may see, found with statistics of its own, in step with every gate."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire import config
from memory_wire import documents as d
from memory_wire.client import Memory
from memory_wire.errors import UnknownHub
from memory_wire.index.cache import PUBLIC
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service import maintenance
from memory_wire.service.projection import Public
from tests.hub.library import Library, Seen, guide, section, word

Ask_ = Callable[[str], list[Seen]]


def test_nothing_is_public_until_it_is_asked_for(library: Library, public: Ask_) -> None:
    library.make(guide(3))
    with pytest.raises(UnknownHub, match=r"^unknown hub$"):
        public(word(1))
    library.memory.put_hub("notes")
    with pytest.raises(UnknownHub, match=r"^unknown hub$"):
        public(word(1))
    library.memory.put_hub("notes", public=True)
    assert [seen.breadcrumb for seen in public(word(1))] == ["Guide > Part 1"]
    library.memory.put_hub("notes", public=False)
    with pytest.raises(UnknownHub, match=r"^unknown hub$"):
        public(word(1))


GATES: dict[str, Callable[[Memory, str], object]] = {
    "draft": lambda memory, id: memory.set_access(id, is_draft=True),
    "password": lambda memory, id: memory.set_access(id, password="x"),
    "allow_list": lambda memory, id: memory.set_access(id, allowed_emails=["a@b.c"]),
    "expired": lambda memory, id: memory.set_access(id, expires_at="2020-01-01"),
    "private": lambda memory, id: memory.update_doc(id, prepend="---\nprivate: true\n---"),
    "deleted": lambda memory, id: memory.delete_doc(id),
}


@pytest.mark.parametrize("gate", GATES)
def test_every_gate_hides_a_document_at_once_and_changes_no_other(library: Library, public: Ask_, gate: str) -> None:
    library.memory.put_hub("notes", public=True)
    kept, hidden = library.make("# Kept\n\nzebra lion\n"), library.make("# Hidden\n\nzebra tiger zebra\n")
    assert {seen.document for seen in public("zebra")} == {kept, hidden}
    before = library.memory.search_docs("tiger").results
    GATES[gate](library.memory, hidden)
    assert [seen.document for seen in public("zebra")] == [kept]
    assert public("tiger") == []
    rows = [*library.memory.docs().docs, *library.memory.docs(deleted=True).docs]
    assert {row.id: row.gates for row in rows} == {kept: [], hidden: [gate]}
    if gate != "deleted":
        assert [hit.id for hit in library.memory.search_docs("tiger").results] == [hit.id for hit in before]  # not indexed anew
        assert library.found("tiger") == ["Hidden"]  # the owner's recall goes on


def test_a_document_that_expires_is_taken_out_before_anybody_asks(library: Library, public: Ask_) -> None:
    library.memory.put_hub("notes", public=True)
    id = library.make("# A\n\nzebra\n")
    library.memory.set_access(id, expires_at="2999-01-01")
    assert len(public("zebra")) == 1
    with library.memory.service.store.read() as reader:
        bank = reader.bank("default", "notes")
    assert bank is not None
    library.memory.service.store.submit(
        lambda tx: tx.documents._execute("UPDATE document SET expires = ?", (int(time.time() * 1000) - 2000,))
    )
    assert public("zebra") == []
    with library.memory.service.store.read() as reader:
        assert not reader.hubs.lapsed(bank.id)
        assert reader.hubs.state(bank.id)[1] > 0


def test_edits_of_public_documents_are_public_at_once(library: Library, public: Ask_) -> None:
    library.memory.put_hub("notes", public=True)
    id = library.make(guide(5))
    library.memory.update_doc(id, replace_section=d.ReplaceSection(heading="Part 2", markdown="zebra"))
    assert [seen.breadcrumb for seen in public("zebra")] == ["Guide > Part 2"]
    assert public(word(2)) == []
    library.memory.revert_doc(id, 1)
    assert public("zebra") == []
    assert [seen.breadcrumb for seen in public(word(2))] == ["Guide > Part 2"]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("make"), st.integers(0, 5)),
        st.tuples(st.just("draft"), st.integers(0, 5)),
        st.tuples(st.just("show"), st.integers(0, 5)),
        st.tuples(st.just("edit"), st.integers(0, 5)),
        st.tuples(st.just("delete"), st.integers(0, 5)),
        st.tuples(st.just("hub"), st.integers(0, 1)),
        st.tuples(st.just("idle"), st.just(0)),
    ),
    min_size=4,
    max_size=16,
)


@settings(max_examples=8)
@given(ACTIONS)
def test_two_worlds_that_differ_in_private_documents_rank_alike(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int]]
) -> None:
    """Public documents are made in both worlds, private ones, drafts and memories in one: texts, order and scores are equal."""
    folder = tmp_path_factory.mktemp("worlds")
    worlds = []
    for number in range(2):
        with Memory(folder / str(number) / "m.db", bank="notes", sync="normal") as memory:
            worlds.append(shown(memory, actions, secrets=number == 1))
    assert worlds[0] == worlds[1]


def shown(memory: Memory, actions: list[tuple[str, int]], secrets: bool) -> object:
    memory.retain("so that there is a bank")
    memory.put_hub("notes", public=True)
    mine: dict[int, str] = {}
    for step, (action, number) in enumerate(actions):
        if secrets:
            hidden = memory.create_doc(f"# Secret {step}\n\nzebra {word(number)} zebra\n", is_draft=True).id
            memory.create_doc("---\nprivate: true\n---\nzebra zebra\n")
            memory.retain(f"zebra {word(number)}")
            if step % 3 == 0:
                memory.set_access(hidden, is_draft=False, password="x")
        if action == "make" and number not in mine:
            mine[number] = memory.create_doc(f"# Open {number}\n\nzebra {word(number)}\n\n" + section(number, " zebra") * number).id
        elif action == "hub":
            memory.put_hub("notes", public=bool(number))
        elif action == "idle":
            memory.service.idle()
        elif number in mine:
            id = mine[number]
            if action == "delete":
                memory.delete_doc(mine.pop(number))
            elif action == "edit":
                memory.update_doc(id, append=f"zebra lion {step}")
            else:
                memory.set_access(id, is_draft=action == "draft")
    memory.put_hub("notes", public=True)
    found = []
    for query in ("zebra", word(1), "lion zebra", "secret"):
        with Public(memory.service, "notes") as opened:
            served, _ = memory.service.recalls.found(
                opened.reader, opened.bank, Ask(query=query, budget=1 << 20, k=50, explain=True), lambda rows: rows, PUBLIC
            )
            found.append([(one.unit.breadcrumb, one.content, one.score, one.relevance, one.explain) for one in served])
    return found


def test_the_index_of_what_is_public_survives_seals_restarts_and_reindexing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LIVE_UNITS", 20)
    monkeypatch.setattr(config, "IDLE_KEEP", 4)
    path = tmp_path / "m.db"

    def asked(memory: Memory, query: str) -> list[str]:
        with Public(memory.service, "notes") as found:
            served, _ = memory.service.recalls.found(
                found.reader, found.bank, Ask(query=query, budget=1 << 20, k=9), lambda rows: rows, PUBLIC
            )
            return [str(one.unit.breadcrumb) for one in served]  # type: ignore[attr-defined]

    with Memory(path, bank="notes", sync="normal") as memory:
        ids = [
            memory.create_doc(f"# Doc {number}\n\n" + "".join(section(number * 100 + part) for part in range(10))).id
            for number in range(12)
        ]
        memory.put_hub("notes", public=True)
        assert asked(memory, word(305)) == ["Doc 3 > Part 305"]
        for id in ids[::2]:
            memory.set_access(id, is_draft=True)
            assert asked(memory, word(305)) == ["Doc 3 > Part 305"]
        memory.service.idle()
        assert asked(memory, word(405)) == []
        assert asked(memory, word(505)) == ["Doc 5 > Part 505"]
    folder = tmp_path / "m.db.index" / "2-public"
    assert any(name.name.startswith("manifest") for name in folder.iterdir())
    with Memory(path, bank="notes", sync="normal") as memory:
        for id in ids[::2]:
            memory.set_access(id, is_draft=False)
        assert asked(memory, word(405)) == ["Doc 4 > Part 405"]
        assert memory.service.gauges()["index_faults"] == 0
    assert maintenance.check(str(path), lambda done, total: None) == []
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with Memory(path, bank="notes", sync="normal") as memory:
        assert asked(memory, word(405)) == ["Doc 4 > Part 405"]
    maintenance.reindex(str(path), None, lambda done, total: None)
    assert maintenance.check(str(path), lambda done, total: None) == []
    with Memory(path, bank="notes", sync="normal") as memory:
        memory.delete_bank("notes", confirm="notes")
        memory.service.idle()
    assert not folder.exists()


def test_check_finds_what_is_published_and_may_not_be_seen(library: Library, tmp_path: Path) -> None:
    library.memory.put_hub("notes", public=True)
    library.make("# A\n\nzebra\n")
    assert maintenance.check(str(tmp_path / "memory.db"), lambda done, total: None) == []
    library.memory.service.store.submit(lambda tx: tx.documents._execute("UPDATE document SET draft = 1"))
    findings = maintenance.check(str(tmp_path / "memory.db"), lambda done, total: None)
    assert [text.partition(" is published")[2] for text in findings] == [" and may not be seen"]
