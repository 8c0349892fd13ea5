"""Whatever a bank's configuration holds, the bank stays usable: what can't be meant counts as absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire import types as t
from memory_wire.errors import StorageError
from memory_wire.ops import BY_NAME
from memory_wire.service import maintenance
from memory_wire.service.service import Service
from memory_wire.service.settings import DEFAULTS, read
from memory_wire.store.protocol import Tx

HUGE = 10**400
HOSTILE: list[dict[str, object]] = [
    {"retainTags": ["a\0b"]},
    {"retainTags": ["\0", "fine"]},
    {"retainTags": ["x" * 257]},
    {"retainTags": ["İ" * 256]},
    {"retainTags": [f"t{number}" for number in range(10_000)]},
    {"recallSynonyms": {"fox": {"terms": ["wolf\0hound"]}}},
    {"recallSynonyms": {"fox": {"terms": ["\0", '"', 'a"b', ""]}}},
    {"recallSynonyms": {"fox": {"terms": ["dog"], "weight": HUGE}}},
    {"recallSynonyms": {"fox": {"terms": ["dog"], "weight": -HUGE}}},
    {"recallSynonyms": {"fox": {"terms": [f"w{number}" for number in range(10_000)]}}},
    {"recallSynonyms": {"": {"terms": ["dog"]}, "\0": {"terms": ["x"]}, "fox dog": {"terms": ["x y"]}}},
    {"recallMaxTokens": HUGE},
    {"language": HUGE},
]


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


@pytest.mark.parametrize("fusion", ["default", "reference"])
def test_a_bank_outlives_any_configuration(fusion: str, tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", sync="normal") as memory:
        memory.retain("the first fox")
        for number, config in enumerate(HOSTILE):
            memory.put_config(json.dumps({"fusion": fusion, **config}).encode())
            found = memory.retain(f"fox number {number}")
            assert found.id in [hit.id for hit in memory.recall(f"fox number {number}", budget=10**9)]
            assert all(len(hit.tags) <= 20 for hit in memory.recall("fox", budget=10**9))
        assert memory.stats().memories == len(HOSTILE) + 1
    assert maintenance.check(str(tmp_path / "memory.db"), quiet) == []


def test_values_that_cannot_be_meant_count_as_absent() -> None:
    assert read(b'{"retainTags":["fine","a\\u0000b"]}') == DEFAULTS
    assert read(json.dumps({"recallSynonyms": {"fox": {"terms": ["dog"], "weight": HUGE}}}).encode()).synonyms == {"fox": (["dog"], 1.0)}
    assert read(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}") == DEFAULTS


def test_a_configuration_that_was_undone_is_forgotten(tmp_path: Path) -> None:
    """Its version is given to another one later."""
    here = t.Scope(bank="b")
    with Service(str(tmp_path / "memory.db"), sync="normal") as service:
        service.call(BY_NAME["retain"], here, t.Retain(content="one"))

        def undone(tx: Tx) -> None:
            bank = tx.bank(here.project, here.bank)
            assert bank is not None
            tx.set_config(bank, b'{"recallMaxTokens":0}')
            assert service.settings_of(bank, tx).budget == 0
            raise StorageError("the disk is full")

        with pytest.raises(StorageError):
            service.store.submit(undone)
        service.call(BY_NAME["put_config"], here, t.PutConfig(body=b'{"recallMaxTokens":7}'))
        with service.read() as reader:
            bank = reader.bank(here.project, here.bank)
            assert bank is not None and service.settings_of(bank, reader).budget == 7


def test_a_language_set_anew_is_no_finding(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with Memory(path, sync="normal") as memory:
        for start in (0, 1000):
            memory.retain_batch([{"content": f"memory {number} runs"} for number in range(start, start + 1000)])
        memory.put_config({"language": "none"})
    assert maintenance.check(path, quiet) == []
    with Memory(path) as memory:
        assert memory.recall("run") == [] and len(memory.recall("runs")) == 100
    assert maintenance.check(path, quiet) == []
