"""The schema itself: room for what comes, the public projection, and what a full bank weighs."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

from memory_wire.store.rows import CHUNK, Found, Unit
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx
from tests.store.make import T0, contents, put, the, unit

ROOM = (
    "account org_unit member membership project api_key bank session tag unit document_key removed record derived observation link"
    " idempotency audit job hub document version chunk bundle bundle_member"
).split()
GATES = {
    "draft": (0, 1),
    "deleted": (None, T0),
    "password": (None, b"digest"),
    "allowed": (None, '["a@b.c"]'),
    "expires": (None, 4_000_000_000_000, 1_000),
}
CLOSED = {"draft": 1, "deleted": T0, "password": b"digest", "allowed": '["a@b.c"]', "expires": 1_000}


def test_room_for_every_entity(store: Store) -> None:
    with store.read() as reader:
        tables = {name for (name,) in reader.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert set(ROOM) <= tables


def test_the_public_projection_opens_only_when_every_gate_is_open(store: Store) -> None:
    """All combinations of gates, of a document alone and in a bundle; the hub public and not."""
    gates = [dict(zip(GATES, values, strict=True)) for values in itertools.product(*GATES.values())]
    opened = [not any(gate[name] == CLOSED[name] for name in gate) for gate in gates]

    def fill(tx: Tx) -> None:
        for name, public in (("open", 1), ("shut", 0)):
            bank = the(tx, name)
            tx._execute("INSERT INTO hub (bank, slug, public, created) VALUES (?, ?, ?, 0)", (bank.id, name, public))
            for number, gate in enumerate(gates):
                common = (bank.id, f"{name}{number}", "T", *gate.values())
                columns = "bank, public_id, title, draft, deleted, password, allowed, expires, created, updated"
                made = tx._execute(f"INSERT INTO document ({columns}, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 2)", common).lastrowid
                tx._execute(f"INSERT INTO bundle ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)", common)
                for version in (1, 2):  # a chunk of an older version is never public
                    kept = (made, version, bytes(16), b"T")
                    tx._execute("INSERT INTO version (document, version, hash, at, markdown) VALUES (?, ?, ?, 0, ?)", kept)
                    chunk = tx.insert(bank, unit(f"{name}{number}v{version}", kind=CHUNK))
                    columns = "unit, document, version, ordinal, breadcrumb"
                    tx._execute(f"INSERT INTO chunk ({columns}) VALUES (?, ?, ?, 0, '')", (chunk.id, made, version))
            tx._execute(
                "INSERT INTO bundle_member (bundle, position, document)"
                " SELECT b.id, d.id, d.id FROM bundle b, document d WHERE b.bank = d.bank AND b.bank = ?",
                (bank.id,),
            )

    store.submit(fill)
    public = [f"open{number}" for number, is_open in enumerate(opened) if is_open]
    assert len(public) == 2  # no expiry, or one far away
    with store.read() as reader:
        run = reader.connection.execute
        assert [row[0] for row in run("SELECT public_id FROM public_document ORDER BY id")] == public
        assert [row[0] for row in run("SELECT content FROM public_chunk ORDER BY unit")] == [f"{name}v2" for name in public]
        assert [row[0] for row in run("SELECT public_id FROM public_bundle ORDER BY id")] == public
        assert run("SELECT count(*) FROM public_bundle_member").fetchone() == (len(public) ** 2,)
    assert store.submit(lambda tx: tx.delete_bank(the(tx, "open"))) == 0
    with store.read() as reader:
        assert reader.connection.execute("SELECT count(*) FROM public_document").fetchone() == (0,)
        assert reader.connection.execute("SELECT count(*) FROM document").fetchone() == (len(gates),)
        former = [
            row[0]
            for row in reader.connection.execute(
                "SELECT unit FROM chunk JOIN document d ON d.id = document WHERE chunk.version = 1 OR deleted"
            )
        ]
    store.submit(lambda tx: [tx.delete(the(tx, "shut"), id) for id in former])  # else the store is not as a save leaves one


def test_indexes_serve_the_queries(store: Store) -> None:
    """No query of the hot paths scans a table."""
    from memory_wire.store import banks, reader, tx

    queries = [tx._DUPLICATE, tx._FIND, tx._DOCUMENT, banks._BANK, banks._TAIL, reader._BY_UID, reader._PAGE, reader._ROWS, reader._EXPORT]
    queries += [reader._BY_IDS[Found, 10], reader._BY_IDS[Unit, 100]]
    queries += ["SELECT seq, unit FROM removed WHERE bank = ? AND seq > ? ORDER BY seq"]
    with store.read() as snapshot:
        for query in queries:
            plan = snapshot.connection.execute(f"EXPLAIN QUERY PLAN {query}", [1] * query.count("?")).fetchall()
            assert not [step for *_, step in plan if step.startswith("SCAN") or "TEMP B-TREE" in step], (query, plan)


def scale(i: int) -> str:
    return (
        f"auth uses jose middleware for jwt verification instance {i}",
        f"rate limiting via token bucket algorithm instance {i}",
        f"vector search uses pgvector hnsw index instance {i}",
        f"distractor note {i} about cafeteria menus and parking rotations",
    )[i % 4]


def test_ten_thousand_memories_stay_small(path: str) -> None:
    with Store(path, create=True) as store:
        store.open()
        store.checkpoint()
        empty = os.path.getsize(path)  # a page or more for each table and index, whatever they hold
        for start in range(0, 10_000, 500):
            store.write([put(unit(scale(i), context=f"session-{i // 8}", created=T0 + i * 1_500)) for i in range(start, start + 500)])
        store.checkpoint()
        assert os.path.getsize(path) - empty <= 1_780_000 and empty <= 400_000
        assert len(contents(store)) == 10_000


def test_deleted_text_is_gone_from_the_file(path: str) -> None:
    with Store(path, create=True) as store:
        store.submit(put(unit("the launch code is 0000-1111")))
        store.write([put(unit(f"m{n}")) for n in range(50)])
        store.submit(lambda tx: tx.delete(the(tx), 1))
    with open(path, "rb") as file:
        assert b"launch code" not in file.read()


def test_using_a_store_loads_nothing_heavy(path: str) -> None:
    program = f"""
import sys
import msgspec
import memory_wire.store.sqlite
assert "sqlite3" not in sys.modules and "_sqlite3" not in sys.modules
before = set(sys.modules)
from memory_wire.store.sqlite import Store
from memory_wire.store.rows import NewUnit
from memory_wire.store.ids import new_uid
with Store({path!r}, create=True) as store:
    store.submit(lambda tx: tx.insert(tx.bank("default", "default"), NewUnit(uid=new_uid(), hash=bytes(16), content="x", created=0)))
    with store.read() as reader:
        assert reader.count(reader.bank("default", "default")) == 1
store = Store({path!r})
store.open()
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    loaded = set(done.stdout.split())
    heavy = {"ssl", "logging", "inspect", "subprocess", "concurrent.futures", "dataclasses", "argparse", "pathlib", "tempfile", "hashlib"}
    assert not loaded & (heavy | {"uuid", "numpy", "traceback", "ctypes", "urllib.parse", "json", "threading", "contextlib"})
