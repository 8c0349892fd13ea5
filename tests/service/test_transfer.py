"""Export and import: what comes back is what was there."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest

from memory_wire import Memory
from memory_wire.errors import Invalid, StoreMissing, UnknownBank
from memory_wire.service import importing, maintenance, transfer


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


def fill(db: Path) -> None:
    with Memory(db) as store:
        store.retain("one\nline\u2028é 🚀", context="ctx", tags=["b", "a"], created_at="2020-02-02T02:02:02.222Z")
        store.retain("doc rev", document_id="d1", session="talk", speaker="Ann", role="user")
        store.retain("in between", session="talk")
        store.retain("doc rev two", document_id="d1")
        store.retain("gone", session="talk")
        store.forget(store.recall("gone")[0].id)
        store.retain("secret doc", document_id="d ghp_abcdefghijklmnop1234", tags=["ghp_abcdefghijklmnop1234"])
        store.put_config(b'{"a" : 1}')
        store.retain_batch([{"content": f"row {i}", "session": str(i % 3)} for i in range(900)], bank="big bank")
        store.retain("only here", bank="third")


def exported(db: Path, bank: str | None = None) -> list[dict[str, object]]:
    target = db.with_suffix(".jsonl")
    count = transfer.export(str(db), str(target), bank, quiet)
    lines = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
    assert count == sum("memory" in line for line in lines)
    assert target.stat().st_mode & 0o777 == 0o600 and not target.with_name(target.name + ".part").exists()
    return lines


def test_there_and_back(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "memory.db", tmp_path / "b" / "memory.db"
    fill(first)
    lines = exported(first)
    assert importing.import_(str(second), str(first.with_suffix(".jsonl")), quiet) == {"added": 905, "present": 0}
    assert exported(second) == lines
    with Memory(first) as one, Memory(second) as two:
        assert two.get_config() == b'{"a" : 1}'
        assert two.banks() == one.banks()
        for bank in ("default", "big bank", "third"):
            assert two.memories(bank=bank).items == one.memories(bank=bank).items
        for query in ("doc rev two", "one line", "between"):
            assert two.recall(query) == one.recall(query)
        assert [hit.id for hit in two.recall("row", bank="big bank")] == [hit.id for hit in one.recall("row", bank="big bank")]
        assert two.retain("row 7", bank="big bank", session="1").deduplicated  # the dedup keys came along
        kept = two.retain("doc rev three", document_id="d1")  # and the document ids
        assert two.recall("doc rev three")[0].session == "talk" and two.get(kept.id).content == "doc rev three"
        assert two.stats().memories == one.stats().memories
    assert maintenance.check(str(second), quiet) == []


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    fill(db)
    lines = exported(db)
    assert importing.import_(str(db), str(db.with_suffix(".jsonl")), quiet) == {"added": 0, "present": 905}
    assert exported(db) == lines


def test_what_redaction_made_longer_than_the_limits_comes_back(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "memory.db", tmp_path / "b" / "memory.db"
    keys = [f"ghp_{i:08d}" for i in range(200)]
    urls = "".join(f"a://b:{i % 10}@d " for i in range(100))
    with Memory(first) as store:
        store.retain(
            ("a@b.co " * 142_857)[:1_000_000],
            context=("a@b.co " * 142_857)[:1_000_000],
            tags=[" ".join(keys[:19]), urls[:256]],
            document_id=" ".join(keys[:78]),
            session=urls[:1024],
            speaker=" ".join(keys[78:150]),
        )
    lines = exported(first)
    assert len(str(lines[2]["content"])) > 1_000_000 and any(len(tag) > 256 for tag in lines[2]["tags"])  # type: ignore[attr-defined]
    assert all(len(str(lines[2][name])) > 1_024 for name in ("document_id", "session", "speaker"))
    assert importing.import_(str(second), str(first.with_suffix(".jsonl")), quiet) == {"added": 1, "present": 0}
    assert exported(second) == lines
    assert maintenance.check(str(second), quiet) == []


def test_one_bank(tmp_path: Path) -> None:
    fill(tmp_path / "memory.db")
    lines = exported(tmp_path / "memory.db", "third")
    assert [sorted(line) for line in lines] == [["format", "version"], ["bank", "project"], ["content", "created_at", "memory"]] or len(
        lines
    ) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format":"other","version":1}', "is no export"),
        ("{", "line 1"),
        ('{"bank":"x"}', "is no export"),
        ('{"format":"memory-wire","version":99}', "newer than this program"),
        ('{"format":"memory-wire","version":1}\n{"memory":"x","content":"y","created_at":"2020-01-01"}', "line 2"),
        ('{"format":"memory-wire","version":1}\n{"bank":" "}', "line 2: invalid bank id"),
        ('{"format":"memory-wire","version":1}\n{"bank":"b","config":"[]"}', "line 2: invalid bank config"),
        (
            '{"format":"memory-wire","version":1}\n{"bank":"b"}\n{"memory":"x","content":"y","created_at":"2020-01-01"}',
            "line 3: invalid memory",
        ),
        (
            '{"format":"memory-wire","version":1}\n{"bank":"b"}\n'
            '{"memory":"00000000-0000-4000-8000-000000000000","content":" ","created_at":"2020-01-01"}',
            "line 3: invalid content",
        ),
        ('{"format":"memory-wire","version":1}\n{"bank":"b","project":" "}', "line 2: invalid project"),
        ('{"format":"memory-wire","version":1}\n{"bank":"b","project":"a\\u0000"}', "line 2: invalid project"),
    ],
)
def test_what_is_no_export(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        importing.import_(str(tmp_path / "memory.db"), io.BytesIO(text.encode()), quiet)


@pytest.mark.parametrize(
    ("field", "value"),
    [("position", value) for value in (-1, 1 << 31, (1 << 32) - 1, 1 << 40, 1 << 63)] + [("kind", value) for value in (-1, 2, 3, 1 << 70)],
)
def test_numbers_that_no_store_has_are_refused(field: str, value: int, tmp_path: Path) -> None:
    line = {"memory": "00000000-0000-4000-8000-000000000000", "content": "y", "created_at": "2020-01-01", "session": "s", field: value}
    text = b'{"format":"memory-wire","version":1}\n{"bank":"b"}\n' + msgspec.json.encode(line)
    with pytest.raises(Invalid, match=f"line 3: invalid {field}"):
        importing.import_(str(tmp_path / "memory.db"), io.BytesIO(text), quiet)
    with Memory(tmp_path / "memory.db") as store:
        store.retain("still fine", bank="b", session="s")
        assert len(store.recall("still fine", bank="b")) == 1
    assert maintenance.check(str(tmp_path / "memory.db"), quiet) == []


def test_the_last_position_an_import_may_bring(tmp_path: Path) -> None:
    line = {"memory": "00000000-0000-4000-8000-000000000000", "content": "y", "created_at": "2020-01-01", "session": "s"}
    text = b'{"format":"memory-wire","version":1}\n{"bank":"b"}\n' + msgspec.json.encode({**line, "position": (1 << 31) - 1})
    importing.import_(str(tmp_path / "memory.db"), io.BytesIO(text), quiet)
    with Memory(tmp_path / "memory.db") as store:
        store.retain("after it", bank="b", session="s")
        assert len(store.recall("y after it", bank="b")) == 2
        assert store.service.gauges()["index_faults"] == 0


@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "memory.db-shm", "memory.db.index", "memory.db.index/x", "link", "hard"])
def test_an_export_never_takes_the_place_of_the_store(name: str, tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    fill(db)
    (tmp_path / "link").symlink_to("memory.db")
    (tmp_path / "hard").hardlink_to(db)
    with pytest.raises(Invalid, match="is part of the store"):
        transfer.export(str(db), str(tmp_path / name), None, quiet)
    with Memory(db, create=False) as store:
        assert store.stats(bank="big bank").memories == 900


def test_an_export_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    fill(db)
    for name in ("no/such/folder", ".", "memory.db/x"):
        with pytest.raises(Invalid, match="invalid file"):
            transfer.export(str(db), str(tmp_path / name), None, quiet)
    assert not list(tmp_path.parent.glob("*.part"))


def test_hand_written_lines_are_redacted(tmp_path: Path) -> None:
    text = (
        '{"format":"memory-wire","version":1}\n{"bank":"default"}\n'
        '{"memory":"00000000-0000-4000-8000-000000000000","content":"key ghp_abcdefghijklmnop1234","created_at":"2020-01-01"}\n'
    )
    importing.import_(str(tmp_path / "memory.db"), io.BytesIO(text.encode()), quiet)
    with Memory(tmp_path / "memory.db") as store:
        assert store.get("00000000-0000-4000-8000-000000000000").content == "key [REDACTED:github_token]"


def test_maintenance(tmp_path: Path) -> None:
    db, copy = tmp_path / "memory.db", tmp_path / "copy" / "memory.db"
    with pytest.raises(StoreMissing):
        maintenance.check(str(db), quiet)
    fill(db)
    assert maintenance.check(str(db), quiet) == []
    assert maintenance.reindex(str(db), None, quiet) == {"banks": 3, "memories": 905}
    assert maintenance.reindex(str(db), "third", quiet) == {"banks": 1, "memories": 1}
    with pytest.raises(UnknownBank):
        maintenance.reindex(str(db), "fourth", quiet)
    copy.parent.mkdir()
    assert maintenance.backup(str(db), str(copy), quiet)["bytes"] == copy.stat().st_size
    assert maintenance.check(str(db), quiet) == [] and maintenance.check(str(copy), quiet) == []
    with Memory(db) as one, Memory(copy) as two:
        assert one.recall("row 7", bank="big bank") == two.recall("row 7", bank="big bank") != []
