"""Records in exports, and in banks that are copied or merged."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from memory_wire import types as t
from memory_wire.client import Memory
from memory_wire.errors import Invalid
from memory_wire.service import importing, transfer
from memory_wire.store.check import check

NOWHERE = "00000000-0000-4000-8000-00000000000%d"


def quiet(done: int, total: int) -> None:
    """No progress."""


def exported(memory: Memory) -> list[dict[str, Any]]:
    file = Path(memory.path).with_suffix(".jsonl")
    transfer.export(memory.path, str(file), None, quiet)
    return [json.loads(line) for line in file.read_text().splitlines()]


def imported(path: Path, lines: list[dict[str, Any]]) -> Memory:
    text = "\n".join(json.dumps(line) for line in lines)
    importing.import_(str(path), io.BytesIO(text.encode()), quiet)
    return Memory(path, sync="normal")


def fill(memory: Memory) -> dict[str, str]:
    """Records of every kind by name."""
    token = "ghp_" + "a1B2" * 9
    one = memory.remember(
        "Tuesday.", fact_key="Day", source="A guide", source_id="a.md", source_hash="aa", source_revision="r1", confidence=0.9
    )
    two = memory.remember("Friday.", fact_key=f"day {token}", source_id=f"b {token}", source_hash="bb", aliases=["kraken"], scope="ops")
    plain = memory.retain("A plain memory.", session="s")
    gone = memory.remember("Gone.")
    vanished = memory.retain("Vanished.")
    summary = memory.remember(
        "In short.", derived_from=[one.id, plain.id, gone.id, vanished.id], kind="summary", pinned=True, supersedes=two.id
    )
    top = memory.remember("In shorter.", derived_from=[summary.id])
    memory.forget_record(gone.id)
    memory.forget(vanished.id)
    memory.validate_memory("a.md", "cc")
    return {"one": one.id, "two": two.id, "summary": summary.id, "top": top.id}


def test_an_export_brings_everything_back(memory: Memory, tmp_path: Path) -> None:
    ids = fill(memory)
    memory.run_jobs()
    before = {name: memory.get_record(id) for name, id in ids.items()}
    with imported(tmp_path / "second.db", exported(memory)) as second:
        after = {name: second.get_record(id) for name, id in ids.items()}
        for name in ids:
            found, expected = after[name], before[name]
            found.inherited_from = [id for id in found.inherited_from if id in ids.values()]
            expected.inherited_from = [id for id in expected.inherited_from if id in ids.values()]
            assert found == expected
        assert after["one"].statuses == ["stale"] and after["summary"].statuses == ["stale"]
        assert [hit.id for hit in second.search("kraken").results] == [ids["two"]]
        assert second.validate_memory("a.md", "aa").fresh == [ids["one"]]
        assert {line["memory"] for line in exported(second) if "memory" in line} == {
            line["memory"] for line in exported(memory) if "memory" in line
        }
        assert [found for found in check(second.service.store) if found.level == "error"] == []


def test_an_import_leaves_alone_what_is_there_and_what_was_forgotten(memory: Memory) -> None:
    ids = fill(memory)
    lines = exported(memory)
    memory.forget_record(ids["one"])
    memory.close()
    with imported(Path(memory.path), lines) as again:
        assert ids["one"] not in [hit.id for hit in again.search("tuesday").results]
        assert again.stats().memories == 4


@pytest.mark.parametrize("length", [1, 2, 3, 40])
def test_a_cycle_is_refused_by_name(tmp_path: Path, length: int) -> None:
    ids = [f"00000000-0000-4000-8000-{number:012d}" for number in range(length)]
    lines: list[dict[str, Any]] = [{"format": "memory-wire", "version": 1}, {"bank": "b"}]
    for number, id in enumerate(ids):
        lines.append(
            {
                "memory": id,
                "content": f"Part {number}.",
                "created_at": "2026-01-01",
                "kind": 1,
                "record": {"derived_from": [ids[number - 1]]},
            }
        )
    with pytest.raises(Invalid, match="goes round: ") as refused:
        imported(tmp_path / "memory.db", lines)
    assert all(id in str(refused.value) for id in ids[:10])
    assert str(refused.value).startswith(f"invalid line {length + 2}: ")


def test_sources_may_come_later_or_never(tmp_path: Path) -> None:
    ids = [NOWHERE % number for number in range(3)]
    told = [{"derived_from": [ids[1], ids[2]]}, {}]
    lines: list[dict[str, Any]] = [{"format": "memory-wire", "version": 1}, {"bank": "default"}]
    lines += [
        {"memory": id, "content": f"Part {id[-1]}.", "created_at": "2026-01-01", "kind": 1, "record": record}
        for id, record in zip(ids, told, strict=False)
    ]
    with imported(tmp_path / "memory.db", lines) as memory:
        found = memory.get_record(ids[0])
        assert (found.derived_from, found.statuses, found.stale_reason) == ([ids[1]], ["stale"], t.StaleReason(reason="source_forgotten"))


@pytest.mark.parametrize(
    "record",
    [
        {"derived_from": ["x"]},
        {"derived_from": [NOWHERE % 1] * 51},
        {"confidence": 2},
        {"fact_key": "a", "fact": "zz"},
        {"visibility": "everybody"},
        {"source": "a\0b"},
    ],
)
def test_what_no_export_has_is_refused(tmp_path: Path, record: dict[str, Any]) -> None:
    line = {"memory": NOWHERE % 0, "content": "Part.", "created_at": "2026-01-01", "kind": 1, "record": record}
    with pytest.raises(Invalid, match=r"^invalid line 3: "):
        imported(tmp_path / "memory.db", [{"format": "memory-wire", "version": 1}, {"bank": "b"}, line])


@pytest.mark.parametrize("merging", [False, True])
def test_a_bank_of_records_is_copied_or_merged_whole(memory: Memory, merging: bool) -> None:
    ids = fill(memory)
    before = {memory.get_record(id).content: memory.get_record(id) for id in ids.values()}
    if merging:
        same = memory.retain("A plain memory.", session="s", bank="second")
        moved = memory.merge_bank("default", into="second")
        assert (moved.memories, moved.deduplicated) == (4, 1)
    else:
        memory.copy_bank("default", to="second")
    second = {hit.content: hit.id for hit in memory.memories(bank="second").items}
    for content, expected in before.items():
        found = memory.get_record(second[content], bank="second")
        assert (found.id == expected.id) is merging
        for field in (
            "statuses",
            "stale_reason",
            "fact_key",
            "source",
            "source_id",
            "source_hash",
            "confidence",
            "scope",
            "aliases",
            "pinned",
        ):
            assert getattr(found, field) == getattr(expected, field), field
        assert [memory.get(id, bank="second").content for id in found.derived_from] == {
            "In short.": ["Tuesday.", "A plain memory."],
            "In shorter.": ["In short."],
        }.get(content, [])
    summary = memory.get_record(second["In short."], bank="second")
    assert summary.supersedes == second["Friday."] and memory.get_record(second["Friday."], bank="second").superseded_by == summary.id
    if merging:
        assert same.id in summary.derived_from
    assert memory.validate_memory("a.md", "aa", bank="second").fresh == [second["Tuesday."]]
    assert [hit.id for hit in memory.search("kraken", bank="second").results] == [second["Friday."]]
    assert [found for found in check(memory.service.store) if found.level == "error"] == []
