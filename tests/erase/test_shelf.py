"""Erasing documents, bundles and uploaded sessions: no byte of them is left in the folder of the store, and nothing else is lost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from zlib import decompress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire import Memory
from memory_wire import sessions as s
from memory_wire.errors import Invalid, UnknownDocument, UnknownVersion
from memory_wire.service import maintenance, transfer
from tests.erase.test_erase import NEEDLE, holds


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "memory.db"


def quiet(done: int, total: int) -> None:
    """Progress that nobody looks at."""


def guide(word: str) -> str:
    sections = "".join(f"\n## Part {number}\n\nThe {word if number == 3 else 'cafeteria'} opens at {number}.\n" for number in range(5))
    return f"---\ntags: [{word}, food]\n---\n# About {word}\n{sections}"


def uploaded(memory: Memory, session: str, texts: list[str]) -> None:
    offset = 0
    for text in texts:
        lines = [s.SessionLine(role="user", text=text)]
        offset = memory.call("put_session", s.PutSession(id=session, host="host", offset=offset, upto=offset + 10, lines=lines)).offset


def lines_of(memory: Memory, session: str) -> list[str]:
    return [line.text for line in memory.session_lines(session).lines]


def packed(memory: Memory) -> str:
    """All that the pieces of uploaded sessions say, which a search for bytes can't see."""
    with memory.service.read() as reader:
        return "".join(decompress(body).decode() for (body,) in reader.connection.execute("SELECT body FROM upload_piece"))


def test_no_byte_of_a_purged_document_is_left(path: Path) -> None:
    with Memory(path) as memory:
        memory.put_hub("notes", public=True)
        kept, id = memory.create_doc(guide("weather"), is_draft=False).id, memory.create_doc(guide(NEEDLE), is_draft=False).id
        memory.update_doc(id, append=f"\n## More\n\n{NEEDLE}s everywhere.\n")
        memory.run_jobs()
    maintenance.reindex(str(path), None, quiet)
    assert holds(path.parent)
    with Memory(path) as memory:
        assert memory.delete_doc(id, purge=True).purged
        memory.run_jobs()
        assert holds(path.parent) == []
        with pytest.raises(UnknownDocument):
            memory.restore_doc(id)
        assert memory.search_docs("weather opens").results and memory.read_doc(kept).markdown == guide("weather")
        assert ("doc.purge", id) in {(event.action, event.target) for event in memory.audit().events}
    assert maintenance.check(str(path), quiet) == []


def test_a_purge_is_finished_when_the_store_is_closed(path: Path) -> None:
    with Memory(path) as memory:
        record, id = memory.remember(f"The {NEEDLE} deploys.").id, memory.create_doc(guide(NEEDLE)).id
    maintenance.reindex(str(path), None, quiet)
    with Memory(path) as memory:
        memory.forget_record(record, purge=True)
        memory.delete_doc(id, purge=True)
    assert holds(path.parent) == []
    with Memory(path) as memory:
        assert memory.jobs().jobs == []


def test_a_subject_in_documents_bundles_and_sessions(path: Path) -> None:
    with Memory(path) as memory:
        whole, tagged = memory.create_doc(f"# Notes\n\nOf the {NEEDLE}.").id, memory.create_doc(f"---\ntags: {NEEDLE}\n---\n# B\n\nb").id
        once = memory.create_doc(f"# Lists\n\nOf the {NEEDLE} too.").id
        memory.update_doc(once, replace="# Lists\n\nOf nothing.")
        gone = memory.create_doc(f"# Gone\n\n{NEEDLE}.").id
        memory.delete_doc(gone)
        clean = memory.create_doc("# Clean\n\nOf nothing either.").id
        named = memory.create_bundle(f"All about {NEEDLE}", [clean]).id
        noted = memory.create_bundle("Reading", [(once, f"{NEEDLE} first"), (clean, "next")]).id
        uploaded(memory, "talk", ["Good morning.", f"Did the {NEEDLE} land?", "It did."])
        uploaded(memory, "other", ["Of nothing."])
        tags = memory.erase(subject=NEEDLE, dry_run=True)
        assert [(item.id, item.why) for item in tags.erased] == [(tagged, "tags")]
        meant = memory.erase(subject=NEEDLE, content=True, dry_run=True)
        found = {(item.kind, item.id) for item in meant.erased}
        assert found == {
            *(("document", id) for id in (whole, tagged, gone)),
            ("version", once),
            ("bundle", named),
            ("annotation", noted),
            ("session", "talk"),
        }
        assert meant.kinds == {"document": 3, "version": 1, "bundle": 1, "annotation": 1, "session": 1} and meant.banks == ["default"]
        assert all(NEEDLE in str(item.text) or item.why == "tags" for item in meant.erased)
        done = memory.erase(subject=NEEDLE, content=True)
        assert done.count == 7 and NEEDLE not in str(done)
        assert holds(path.parent) == [] and NEEDLE not in packed(memory)
        assert memory.erase(subject=NEEDLE, content=True).count == 0
        assert memory.read_doc(once).markdown == "# Lists\n\nOf nothing." and memory.read_doc(clean).markdown
        with pytest.raises(UnknownVersion):
            memory.read_doc(once, version=1)
        assert [row.version for row in memory.doc_versions(once).versions] == [2]
        assert [(row.doc, row.annotation) for row in memory.get_bundle(noted).members] == [(once, None), (clean, "next")]
        assert lines_of(memory, "talk") == ["Good morning.", "[REDACTED:erased]", "It did."]
        assert lines_of(memory, "other") == ["Of nothing."]
    assert maintenance.check(str(path), quiet) == []


def test_what_a_model_made_of_it(path: Path) -> None:
    with Memory(path) as memory:
        stays, goes = memory.create_doc("# Clean\n\nOf nothing.").id, memory.create_doc(f"# {NEEDLE}\n\nIt landed.").id
        once = memory.create_doc(f"# Lists\n\nOf the {NEEDLE} too.").id
        memory.describe_doc(once, "m", summary="On lists of beasts.")
        memory.update_doc(once, replace="# Lists\n\nOf nothing.")
        memory.describe_doc(stays, "m", summary=f"Not of the {NEEDLE}.")
        said, made = memory.create_bundle("One", [stays]).id, memory.create_bundle("Two", [stays, goes]).id
        other = memory.create_bundle("Three", [stays]).id
        memory.describe_bundle(said, "m", summary=f"As the {NEEDLE} does.")
        memory.describe_bundle(made, "m", summary="A beast landed.")
        memory.describe_bundle(other, "m", summary="Of nothing.")
        found = {(item.kind, item.id) for item in memory.erase(subject=NEEDLE, content=True).erased}
        assert found == {("description", stays), ("document", goes), ("version", once), ("analysis", said)}
        with memory.service.read() as reader:
            kept = reader.connection.execute("SELECT public_id FROM bundle WHERE analysis IS NOT NULL").fetchall()
            assert kept == [(other,)]
            assert reader.connection.execute("SELECT count(*) FROM document WHERE derived IS NOT NULL").fetchone() == (0,)
    assert holds(path.parent) == []
    assert maintenance.check(str(path), quiet) == []


def test_by_id_and_by_source(path: Path) -> None:
    with Memory(path) as memory:
        first = memory.create_doc(f"# {NEEDLE}", source="docs/a.md").id
        second = memory.create_doc(f"# {NEEDLE} again").id
        record = memory.remember(f"{NEEDLE}.", source_id="docs/a.md").id
        bundle = memory.create_bundle(f"{NEEDLE} bundle", [second]).id
        assert [(item.kind, item.id) for item in memory.erase(source_id="docs/a.md").erased] == [("record", record), ("document", first)]
        assert [item.kind for item in memory.erase(id=bundle).erased] == ["bundle"]
        assert [item.kind for item in memory.erase(id=second).erased] == ["document"]
        assert memory.erase(id=second).count == 0
    assert holds(path.parent) == []


def test_an_uploaded_session_by_its_id(path: Path) -> None:
    with Memory(path) as memory:
        uploaded(memory, "one", [f"{NEEDLE} landed.", "Then it left."])
        uploaded(memory, "two", [f"{NEEDLE} stays."])
        assert memory.erase(id="one", dry_run=True).count == 1 and NEEDLE in lines_of(memory, "one")[0]
        [item] = memory.erase(id="one").erased
        assert (item.kind, item.id, item.why) == ("session", "one", "its id, 2 lines")
        assert set(lines_of(memory, "one")) == {"[REDACTED:erased]"} and packed(memory).count(NEEDLE) == 1
        assert memory.session("one").offset == 20, "or its uploader would send it all once more"
        assert memory.erase(id="one").count == 0 and memory.erase(id="none").count == 0


def test_every_bank_of_the_project(path: Path) -> None:
    with Memory(path) as memory:
        for bank in ("one", "two"):
            memory.retain(f"{NEEDLE} in {bank}.", bank=bank)
        assert memory.erase(subject=NEEDLE, content=True, bank="none").banks == []
        assert memory.erase(subject=NEEDLE, content=True, all_banks=True, dry_run=True).banks == ["default", "one", "two"]
        done = memory.erase(subject=NEEDLE, content=True, bank="one", all_banks=True)
        assert [item.bank for item in done.erased] == ["one", "two"]
    assert holds(path.parent) == []


def test_content_goes_with_a_subject(path: Path) -> None:
    with Memory(path) as memory, pytest.raises(Invalid, match="goes with a subject"):
        memory.erase(id="x", content=True)


def test_backups_and_exports_that_may_have_it(path: Path, tmp_path: Path) -> None:
    with Memory(path) as memory:
        memory.retain("Something else.", bank="other")
    maintenance.backup(str(path), str(tmp_path / "before.db"), quiet)
    with Memory(path) as memory:
        later = memory.service.now() + 1
        while memory.service.now() <= later:
            time.sleep(0.001)
        stored = memory.retain(f"{NEEDLE} landed.", created_at="2020-01-01T00:00:00Z").id
    for name, bank in (("all.jsonl", None), ("default.jsonl", "default"), ("other.jsonl", "other"), ("none.jsonl", "none")):
        transfer.export(str(path), str(tmp_path / name), bank, quiet)
    for name in ("copy.db", "lost.db"):
        maintenance.backup(str(path), str(tmp_path / name), quiet)
    (tmp_path / "lost.db").unlink()
    with Memory(path) as memory:
        assert {Path(row.path).name for row in memory.erase(id=stored, dry_run=True).backups} == {"all.jsonl", "default.jsonl", "copy.db"}
        memory.merge_bank("default", "other")
        named = memory.erase(id=stored, bank="other").backups
        assert {Path(row.path).name for row in named} == {"all.jsonl", "default.jsonl", "other.jsonl", "copy.db"}


texts = st.lists(st.tuples(st.sampled_from(["memory", "record", "doc", "line"]), st.booleans(), st.integers(0, 3)), min_size=1, max_size=8)


@settings(max_examples=12)
@given(texts)
def test_nothing_else_is_lost(tmp_path_factory: pytest.TempPathFactory, given_texts: list[tuple[str, bool, int]]) -> None:
    path = tmp_path_factory.mktemp("lost") / "memory.db"
    with Memory(path, sync="normal") as memory:
        kept: dict[str, str] = {}
        count, said = 0, []
        for number, (kind, meant, topic) in enumerate(given_texts):
            text = f"Note {number} about topic{topic}" + (f" and the {NEEDLE}." if meant else ".")
            if kind == "line":
                said.append(text)
                continue
            count += meant
            id = made(memory, kind, text)
            if not meant:
                kept[id] = text
        uploaded(memory, "talk", said)
        done = memory.erase(subject=NEEDLE, content=True)
        assert done.count == count + any(NEEDLE in text for text in said)
        assert holds(path.parent) == [] and NEEDLE not in packed(memory)
        assert {id: read(memory, id) for id in kept} == kept
        if said:
            assert lines_of(memory, "talk") == ["[REDACTED:erased]" if NEEDLE in text else text for text in said]
        hits = {hit.content for hit in memory.recall("note about topic0 topic1 topic2 topic3", k=50)}
        assert hits == set(kept.values())
    assert maintenance.check(str(path), quiet) == []


def made(memory: Memory, kind: str, text: str) -> str:
    makers: dict[str, Any] = {"memory": memory.retain, "record": memory.remember, "doc": memory.create_doc}
    id: str = makers[kind](text).id
    return id


def read(memory: Memory, id: str) -> str:
    return memory.read_doc(id).markdown or "" if len(id) == 17 else memory.get(id).content
