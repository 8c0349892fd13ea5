"""A process that saves a document is killed: what is found afterwards is one version's, whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from memory_wire.client import Memory
from memory_wire.service import maintenance
from tests.hub.library import guide

WRITER = """
import sys
from memory_wire.client import Memory
from tests.hub.library import guide
with Memory(sys.argv[1], bank="notes") as memory:
    id = memory.create_doc(guide(30)).id
    memory.put_hub("notes", public=True)
    print(id, flush=True)
    for number in range(10_000):
        memory.update_doc(id, replace=guide(30).replace("About", f"Round{number} about"))
"""
ROUNDS = 3


def test_a_kill_never_leaves_chunks_of_two_versions(tmp_path: Path) -> None:
    for number in range(ROUNDS):
        path = tmp_path / f"{number}.db"
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            id = writer.stdout.readline().strip()
            time.sleep(0.15 + 0.1 * number)
            writer.send_signal(signal.SIGKILL)
        with Memory(path, bank="notes") as memory:
            version = memory.read_doc(id).version
            mark = f"round{version - 2}" if version > 1 else "about"
            hits = memory.search_docs(mark, limit=50).results
            assert len(hits) == 30 and all(mark in hit.content.lower() for hit in hits)
            assert memory.search_docs(f"round{version - 3}", limit=50).results == []
            saved = memory.update_doc(id, replace=guide(30))
            assert (saved.version, saved.chunks.total) == (version + 1, 30)
        assert maintenance.check(str(path), lambda done, total: None) == []
