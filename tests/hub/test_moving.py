"""Banks with documents, bundles and hubs: exported and imported, copied, merged, renamed, deleted; nothing is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_wire import documents as d
from memory_wire.client import Memory
from memory_wire.errors import Invalid, UnknownBank, UnknownDocument, UnknownHub
from memory_wire.service import importing, maintenance, transfer
from memory_wire.store.bundles import Bundle
from tests.hub.library import guide, word

NASTY = "\ufeff---\r\ntags: [x]\r\n---\r\n# Nasty\r\n\r\n\u2028 text  \r\nno end"


def quiet(done: int, total: int) -> None:
    """Progress that nobody looks at."""


def filled(path: Path) -> tuple[Memory, list[str]]:
    """A bank with a public document of several versions, a gated one, a deleted one, a bundle and a hub."""
    memory = Memory(path, bank="notes", sync="normal")
    memory.retain("a memory beside them")
    one = memory.create_doc(NASTY, source="https://example.org").id
    memory.update_doc(one, append="more")
    two = memory.create_doc(guide(4), title="Given title").id
    memory.set_access(two, password="x", allowed_emails=["a@b.c"], expires_at="2999-01-01")
    three = memory.create_doc("# Deleted\n\nzebra\n").id
    memory.delete_doc(three)
    memory.put_hub("the-hub", display_name="Hub", description="About.", instructions="Be brief.", public=True)
    with memory.service.store.read() as reader:
        bank = reader.bank("default", "notes")
        rows = {row.public_id: row.id for row in reader.documents.all(bank, 0, 10)} if bank else {}
    assert bank is not None

    def bundled(tx):  # type: ignore[no-untyped-def]
        row = Bundle(0, "bundle1", "Bundle", "both", None, 0, None, None, None, None, 1, None, None, 5, 6)
        id = tx.bundles.add(bank, row)
        tx.bundles.add_member(id, 0, rows[two], "first")
        tx.bundles.add_member(id, 1, rows[one], None)

    memory.service.store.submit(bundled)
    return memory, [one, two, three]


def told(memory: Memory, bank: str) -> object:
    """Everything of a bank's library but ids and the bank's name."""
    docs = [*memory.docs(bank=bank).docs, *memory.docs(bank=bank, deleted=True).docs]
    found = []
    for row in docs:
        versions = memory.doc_versions(row.id).versions
        texts = [] if row.deleted_at else [memory.read_doc(row.id, version=one.version).markdown for one in versions]
        found.append((row.title, row.version, row.source, row.created_at, row.updated_at, row.deleted_at, row.gates, versions, texts))
    return found


def test_an_export_is_lossless_and_imported_twice_changes_nothing(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "a.db")
    with memory:
        before = told(memory, "notes")
    file = tmp_path / "out.jsonl"
    transfer.export(str(tmp_path / "a.db"), str(file), None, quiet)
    assert json.loads(file.read_text().split("\n")[0]) == {"format": "memory-wire", "version": 2}
    done = importing.import_(str(tmp_path / "b.db"), str(file), quiet)
    assert done == {"added": 1, "present": 0, "documents": 4}
    with Memory(tmp_path / "b.db", bank="notes") as copy:
        assert told(copy, "notes") == before
        assert [copy.read_doc(id).id for id in ids[:2]] == ids[:2]
        assert copy.hubs().hubs[0].visible == 1
        assert copy.search_docs(word(2)).results[0].document == ids[1]
        access = copy.set_access(ids[1])
        assert (access.has_password, access.allowed_emails, access.expires_at) == (True, ["a@b.c"], "2999-01-01T00:00:00.000Z")
        with copy.service.store.read() as reader:
            bank = reader.bank("default", "notes")
            assert bank is not None
            (bundle,) = reader.bundles.all(bank)
            assert (bundle.public_id, bundle.title, bundle.discoverable) == ("bundle1", "Bundle", 1)
            assert reader.bundles.members(bundle.id) == [(ids[1], "first"), (ids[0], None)]
    assert importing.import_(str(tmp_path / "b.db"), str(file), quiet) == {"added": 0, "present": 5}
    assert maintenance.check(str(tmp_path / "b.db"), quiet) == []
    again = tmp_path / "again.jsonl"
    transfer.export(str(tmp_path / "b.db"), str(again), "notes", quiet)
    ours = [line for line in file.read_text().split("\n") if '"bank":"default"' not in line]
    assert again.read_text().split("\n") == ours


def test_an_import_that_was_cut_off_is_gone_on_with(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "a.db")
    memory.close()
    file, half = tmp_path / "out.jsonl", tmp_path / "half.jsonl"
    transfer.export(str(tmp_path / "a.db"), str(file), "notes", quiet)
    lines = file.read_text().split("\n")
    cut = next(number for number, line in enumerate(lines) if '"version_of"' in line) + 1
    half.write_text("\n".join(lines[:cut]))
    with pytest.raises(Invalid, match=f"version 2 of {ids[0]} is missing"):
        importing.import_(str(tmp_path / "b.db"), str(half), quiet)
    with Memory(tmp_path / "b.db", bank="notes") as copy, pytest.raises(UnknownDocument):
        copy.read_doc(ids[0])
    assert importing.import_(str(tmp_path / "b.db"), str(file), quiet)["documents"] == 4
    with Memory(tmp_path / "b.db", bank="notes") as copy:
        assert copy.read_doc(ids[0], version=1).markdown == NASTY


def test_an_import_takes_no_slug_and_no_id_from_another_bank(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "a.db")
    memory.close()
    file = tmp_path / "out.jsonl"
    transfer.export(str(tmp_path / "a.db"), str(file), "notes", quiet)
    file.write_text(file.read_text().replace('"bank":"notes"', '"bank":"other"'))
    done = importing.import_(str(tmp_path / "a.db"), str(file), quiet)
    assert done == {"added": 1, "present": 0, "documents": 4, "slugs_taken": ["the-hub"]}
    with Memory(tmp_path / "a.db", bank="other") as memory:
        assert memory.hubs(bank="other").hubs == []
        assert {row.id for row in memory.docs().docs}.isdisjoint(ids)
        assert memory.read_doc(ids[0]).bank == "notes"
        assert told(memory, "other") == [
            (*row[:6], ["hub"] if row[6] == [] else row[6], *row[7:])
            for row in told(memory, "notes")  # type: ignore[attr-defined]
        ]


@pytest.mark.parametrize(
    "line", ['{"doc":"../x","title":"t","version":1,"created":1,"updated":1}', '{"hub":"A b","created":1}', '{"version_of":5}']
)
def test_lines_that_are_none_are_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"format":"memory-wire","version":2}\n{"bank":"b"}\n' + line + "\n")
    with pytest.raises(Invalid, match="line 3"):
        importing.import_(str(tmp_path / "b.db"), str(file), quiet)


def test_a_copy_has_documents_of_its_own(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "a.db")
    with memory:
        moved = memory.copy_bank("notes", "copy")
        assert (moved.memories, moved.documents) == (1, 3)
        copies = [*memory.docs(bank="copy").docs, *memory.docs(bank="copy", deleted=True).docs]
        assert {row.id for row in copies}.isdisjoint(ids) and len(copies) == 3
        assert memory.hubs(bank="copy").hubs == []
        (mine,) = [row.id for row in copies if row.title == "Given title"]
        assert [hit.document for hit in memory.search_docs(word(2), bank="copy").results] == [mine]
        memory.update_doc(mine, append="only here")
        assert memory.search_docs("only here", bank="notes").results == []
        with memory.service.store.read() as reader:
            bank = reader.bank("default", "copy")
            assert bank is not None
            (bundle,) = reader.bundles.all(bank)
            assert [note for _, note in reader.bundles.members(bundle.id)] == ["first", None]
    assert maintenance.check(str(tmp_path / "a.db"), quiet) == []


def test_a_merge_publishes_nothing_that_was_not_public(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "a.db")
    with memory:
        memory.create_doc("# Quiet\n\nzebra\n", bank="inbox")
        moved = memory.merge_bank("inbox", "notes")
        assert moved.documents == 1
        (row,) = [row for row in memory.docs().docs if row.title == "Quiet"]
        assert (row.gates, memory.read_doc(row.id).bank) == (["draft"], "notes")
        assert memory.get_hub("the-hub").visible == 1
        assert [hit.document for hit in memory.search_docs("zebra").results] == [row.id]
        moved = memory.merge_bank("notes", "elsewhere") if memory.retain("x", bank="elsewhere") else None
        assert moved is not None and moved.documents == 4
        with pytest.raises(UnknownHub):
            memory.get_hub("the-hub")
        assert memory.read_doc(ids[0]).bank == "elsewhere" and memory.read_doc(ids[0]).gates == ["hub"]
        memory.put_hub("the-hub", bank="elsewhere")
    assert maintenance.check(str(tmp_path / "a.db"), quiet) == []


def test_a_renamed_bank_keeps_everything_and_a_deleted_one_nothing(tmp_path: Path) -> None:
    memory, ids = filled(tmp_path / "a.db")
    with memory:
        before = told(memory, "notes")
        memory.rename_bank("notes", "renamed")
        assert told(memory, "renamed") == before
        assert memory.get_hub("the-hub").bank == "renamed"
        assert memory.search_docs(word(2), bank="renamed").results[0].document == ids[1]
        memory.delete_bank("renamed", confirm="renamed")
        with pytest.raises(UnknownDocument):
            memory.read_doc(ids[0])
        with pytest.raises(UnknownBank):
            memory.put_hub("the-hub", bank="renamed")
        memory.service.idle()
        with memory.service.store.read() as reader:
            for table in ("document", "version", "chunk", "bundle", "bundle_member", "hub", "published", "withdrawn"):
                assert reader.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
        memory.create_doc("# Again\n", bank="renamed")
        assert memory.put_hub("the-hub", bank="renamed").documents == 1
        assert isinstance(memory.docs(bank="renamed"), d.DocList)
