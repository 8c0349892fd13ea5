"""What goes in comes out: units, dedup, documents, sessions, tags, deletion, configuration, banks."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.errors import Pruned, StorageError
from memory_wire.store import ids
from memory_wire.store.rows import CHUNK, RECORD, Existing, Found, Inserted, Removed, Tally
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx
from tests.store.make import T0, contents, digest, put, remove, retain, rows, the, unit


def test_a_unit_comes_back_whole(store: Store) -> None:
    new = unit("naïve 😀\u200b\ttext\r\n", context="why", tags=["b", "ä x", "a"], role=2, speaker="Ann", created=-5, stored=T0)

    def work(tx: Tx) -> Inserted:
        bank = the(tx)
        session = tx.session(bank, digest("s"), "s shown")
        return tx.insert(bank, new, session=session, position=tx.next_position(bank, session))

    assert store.submit(work) == Inserted(1, 0)
    (row,) = rows(store)
    assert (row.id, row.uid, row.content, row.context, row.tags) == (1, new.uid, new.content, "why", ["b", "ä x", "a"])
    assert (row.created, row.stored, row.session, row.position, row.role, row.speaker) == (-5, T0, "s shown", 0, 2, "Ann")
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        assert reader.by_uid(bank, new.uid) == row
        assert reader.units(bank, [1, 7, 1]) == {1: row}
        assert reader.found(bank, [7, 1]) == {1: Found(1, new.uid, new.content, -5, row.tags, "s shown", 0)}
        (indexed,) = reader.rows(bank, 0, None, 10)
        assert (indexed.session, indexed.position, indexed.flags, indexed.tags, indexed.header) == (0, 0, 2, row.tags, "")


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_text_keeps_its_bytes(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    with Store(str(tmp_path_factory.mktemp("db") / "memory.db"), create=True) as store:
        store.submit(put(unit(text, context=text, tags=[text, "t"], speaker=text)))
        (row,) = rows(store)
        assert (row.content, row.context, row.tags, row.speaker) == (text, text, [text, "t"], text)


def test_dedup_is_per_bank_and_takes_the_oldest(store: Store) -> None:
    first, _ = store.submit(retain(unit("same")))
    assert store.submit(retain(unit("same"))) == (first, True)
    assert store.submit(retain(unit("same"), "other")) == (first + 1, False)
    store.submit(put(unit("same"), document=(digest("doc"), "doc")))
    store.submit(remove(first))
    assert store.submit(retain(unit("same"))) == (first + 2, True)  # a document's row vouches too


def test_hashes_that_share_their_indexed_half_differ(store: Store) -> None:
    one, other = b"12345678" + b"a" * 8, b"12345678" + b"b" * 8
    store.submit(put(unit("one", hash=one)))
    assert store.submit(retain(unit("other", hash=other))) == (2, False)
    assert store.submit(retain(unit("again", hash=other))) == (2, True)


def test_records_never_vouch_and_are_deleted_softly(store: Store) -> None:
    def remember(tx: Tx) -> int:
        made = tx.insert(the(tx), unit("fact", kind=RECORD))
        tx._execute("INSERT INTO record (unit, bank) VALUES (?, ?)", (made.id, the(tx).id))
        return made.id

    record = store.submit(remember)
    memory, found = store.submit(retain(unit("fact")))
    assert not found and memory == record + 1
    assert contents(store) == ["fact", "fact"]
    assert store.submit(remove(record)) == Removed(1, 0, RECORD)
    assert store.submit(remove(record)) is None
    assert [row.id for row in rows(store)] == [memory]
    with store.read() as reader:
        assert reader.connection.execute("SELECT content FROM unit WHERE id = ?", (record,)).fetchone() == ("fact",)


def test_chunks_are_indexed_with_their_breadcrumb_and_never_listed(store: Store) -> None:
    def work(tx: Tx) -> None:
        bank = the(tx)
        made = tx.insert(bank, unit("body", kind=CHUNK, tags=["t"]))
        run = tx._execute
        run("INSERT INTO document (id, bank, public_id, title, version, created, updated) VALUES (1, ?, 'p', 'T', 1, 0, 0)", (bank.id,))
        run("INSERT INTO version (document, version, hash, at, markdown) VALUES (1, 1, ?, 0, ?)", (bytes(16), b"body"))
        run("INSERT INTO chunk (unit, document, version, ordinal, breadcrumb) VALUES (?, 1, 1, 0, 'T > Part')", (made.id,))

    store.submit(work)
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        assert reader.tally(bank) == Tally(0, 0, None, None)
        (row,) = reader.rows(bank, 0, None, 10)
        assert (row.header, row.flags, row.tags) == ("T > Part", 4, ["t"])
        assert list(reader.units(bank, [row.id])) == [row.id]
    assert rows(store) == []
    assert store.submit(remove(row.id)) == Removed(1, 0, CHUNK)


def test_document_ids(store: Store) -> None:
    key = digest("doc")

    def replace(new: str) -> object:
        def work(tx: Tx) -> object:
            bank = the(tx)
            old = tx.document(bank, key)
            session, position = (old.session, old.position) if old else (tx.session(bank, digest("s"), "s"), 4)
            assert session is not None and position is not None
            tx.claim_position(bank, session, position)
            if old:
                tx.delete(bank, old.id)
            tx.insert(bank, unit(new), session=session, position=position, document=(key, "doc"))
            return old

        return store.submit(work)

    assert replace("one") is None
    old = replace("two")
    assert isinstance(old, Existing) and (old.session, old.position, old.session_key) == (0, 4, digest("s"))
    assert contents(store) == ["two"]
    assert store.submit(lambda tx: tx.next_position(the(tx), 0)) == 5
    with pytest.raises(StorageError):  # the key is taken
        store.submit(put(unit("three"), document=(key, "doc")))
    assert contents(store) == ["two"]
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        (exported,) = reader.export(bank, 0, 10)
        assert (exported.document, exported.document_key, exported.session_key) == ("doc", key, digest("s"))
        assert exported.hash == digest("two")


def test_sessions_are_dense_per_bank(store: Store) -> None:
    def work(tx: Tx) -> list[int]:
        one, other = the(tx), the(tx, "other")
        return [
            tx.session(bank, digest(key), key) for bank, key in ((one, "a"), (one, "b"), (other, "b"), (one, "a"), (one, "c"), (other, "a"))
        ]

    assert store.submit(work) == [0, 1, 0, 0, 2, 1]
    assert store.submit(lambda tx: [tx.next_position(the(tx), 1) for _ in range(3)]) == [0, 1, 2]
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        assert (reader.n_sessions(bank), reader.session(bank, digest("c")), reader.session(bank, digest("d"))) == (3, 2, None)


def test_nothing_crosses_a_bank(store: Store) -> None:
    new = unit("private")
    made = store.submit(put(new))
    store.submit(put(unit("x"), "other"))
    assert store.submit(remove(made.id, "other")) is None
    assert store.submit(lambda tx: tx.find(the(tx, "other"), new.uid)) is None
    assert store.submit(lambda tx: tx.find(the(tx), new.uid)) == made.id
    with store.read() as reader:
        other = reader.bank("default", "other")
        assert other is not None
        assert reader.units(other, [made.id]) == {}
        assert reader.by_uid(other, new.uid) is None
        assert reader.identity(other, made.id) is None
        assert reader.bank("another project", "default") is None


def test_projects_have_banks_of_the_same_name(store: Store) -> None:
    def work(tx: Tx) -> tuple[int, int]:
        one, two = tx.bank("default", "default"), tx.bank("p", "default", create=True)
        assert one is not None and two is not None
        tx.insert(two, unit("theirs", created=T0 + 9))
        return one.id, two.id

    one, two = store.submit(work)
    assert one != two
    with store.read() as reader:
        assert [(b.project, b.name, b.memories, b.newest) for b in reader.banks()] == [
            ("default", "default", 0, None),
            ("p", "default", 1, T0 + 9),
        ]
        assert [b.id for b in reader.banks("p")] == [two]


def test_configuration_keeps_its_bytes(store: Store) -> None:
    body = b'{ "b":1,"a" : 2, "b": 3}\n'
    store.submit(lambda tx: tx.set_config(the(tx), body))
    assert store.submit(lambda tx: tx.config(the(tx))) == body
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        assert (reader.config(bank), bank.config_version) == (body, 1)


def test_pages_in_order_of_writing(store: Store) -> None:
    store.write([put(unit(f"m{n}", created=T0 - n)) for n in range(30)])
    store.submit(remove(11))
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        assert [row.content for row in reader.page(bank, 3, 9)] == ["m9", "m11", "m12"]
        assert reader.page(bank, 0) == [] == reader.page(bank, 5, 1 << 70)
        assert [row.unit.content for row in reader.export(bank, 9, 2)] == ["m9", "m11"]
        assert len(reader.units(bank, range(1, 1000))) == 29


def test_removals_and_identity(store: Store) -> None:
    news = [unit(f"m{n}") for n in range(6)]
    store.write([put(new) for new in news])
    for gone in (2, 6, 3, 5):
        store.submit(remove(gone))

    def see() -> tuple[object, ...]:
        with store.read() as reader:
            bank = reader.bank("default", "default")
            assert bank is not None
            identities = [reader.identity(bank, id) for id in range(1, 8)]
            return bank.newest, identities, reader.removed(bank, bank.pruned), reader.removal(bank, 2), bank.pruned

    uids = [new.uid for new in news]
    assert see() == (6, [*uids, None], ([(1, 2), (2, 6), (3, 3), (4, 5)], 4), uids[5], 0)
    assert store.submit(lambda tx: tx.prune(the(tx), 3, keep=[2])) == 1
    left = [uids[0], uids[1], uids[2], uids[3], uids[4], uids[5], None]
    assert see() == (6, left, ([(3, 3), (4, 5)], 4), None, 2)
    assert store.submit(lambda tx: tx.prune(the(tx), 4)) == 2
    left[1] = left[2] = None
    assert see() == (6, left, ([(4, 5)], 4), None, 3)
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        with pytest.raises(Pruned):
            reader.removed(bank, 2)
    assert store.submit(put(unit("next"))) == Inserted(7, 6)  # ids are never used again


def test_the_newest_is_known_in_an_emptied_bank(store: Store) -> None:
    new = unit("only")
    made = store.submit(put(new))
    store.submit(remove(made.id))
    store.idle()
    with store.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        assert (bank.newest, reader.identity(bank, 1), reader.synced(bank)) == (1, new.uid, 1)
        assert reader.tally(bank) == Tally(0, 0, None, None)


def test_delete_bank_frees_the_name_and_leaves_nothing(store: Store) -> None:
    def fill(tx: Tx) -> None:
        bank = the(tx, "b")
        session = tx.session(bank, digest("s"), "s")
        for n in range(50):
            tx.insert(bank, unit(f"m{n}", tags=["t"]), session=session, position=tx.next_position(bank, session))
        tx.insert(bank, unit("d"), document=(digest("d"), "d"))
        tx.delete(bank, bank.newest - 1)
        tx.set_config(bank, b"{}")

    store.submit(fill)
    first = store.submit(lambda tx: the(tx, "b").id)
    assert store.submit(lambda tx: tx.delete_bank(the(tx, "b"))) == 50
    with store.read() as reader:
        assert reader.bank("default", "b") is None
        assert [b.name for b in reader.banks()] == ["default"]
        for table in ("unit", "session", "tag", "removed", "document_key"):
            assert reader.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert store.submit(lambda tx: the(tx, "b").id) > first


def test_a_large_bank_is_emptied_in_slices(store: Store) -> None:
    def fill(tx: Tx) -> None:
        for n in range(5_000):
            tx.insert(the(tx, "b"), unit(f"m{n}", hash=digest("x")))

    store.submit(fill)
    assert store.submit(lambda tx: tx.delete_bank(the(tx, "b"))) == 5_000
    assert contents(store, "b") == []
    assert store.submit(put(unit("new"), "b")).id == 5_001
    slices = 0
    while store.purge(2_000):
        slices += 1
    assert slices == 3
    with store.read() as reader:
        assert reader.connection.execute("SELECT count(*), count(DISTINCT bank) FROM unit").fetchone() == (1, 1)
    assert contents(store, "b") == ["new"]


@given(raw=st.binary(min_size=16, max_size=16), text=st.text(max_size=40))
def test_uids_read_as_uuids(raw: bytes, text: str) -> None:
    assert ids.show(raw) == str(uuid.UUID(bytes=raw))
    assert ids.parse(ids.show(raw)) == ids.parse(ids.show(raw).upper()) == raw
    assert ids.parse(text) is None or str(uuid.UUID(text)) == text.lower()
    made = uuid.UUID(bytes=ids.new_uid())
    assert (made.version, made.variant) == (4, uuid.RFC_4122)
