"""When a store opens, when it is made, and when it says no."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from memory_wire.errors import StorageError, StoreMissing, StoreRefused
from memory_wire.store import connect, migrate, mounts, place
from memory_wire.store.check import check
from memory_wire.store.sqlite import Store
from tests.store.make import contents, put, unit


def mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_new_store_is_private_and_holds_the_default_bank(path: str) -> None:
    previous = os.umask(0)
    try:
        with Store(path, create=True) as store:
            store.submit(put(unit("x")))
            assert [mode(path + end) for end in ("", "-wal", "-shm")] == [0o600] * 3
            assert mode(os.path.dirname(path)) == 0o700
            assert len(store.id) == 16 and len(store.secret) == 32
            assert (store.id, store.secret) == (store.id, store.secret)
            with store.read() as reader:
                assert [(bank.project, bank.name) for bank in reader.banks()] == [("default", "default")]
    finally:
        os.umask(previous)
    with Store(path) as again:
        assert (again.id, again.secret) == (store.id, store.secret)


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o755)
    Store(str(tmp_path / "memory.db"), create=True).close()
    assert mode(str(tmp_path)) == 0o755


def test_odd_paths(tmp_path: Path) -> None:
    for name in ("a b?c#d%41&mode=ro.db", "é😀.db", ":memory:"):
        path = str(tmp_path / name)
        with Store(path, create=True) as store:
            store.submit(put(unit("x")))
        assert os.path.getsize(path) > 0
        with Store(path) as store:
            assert contents(store) == ["x"]


def test_a_missing_store_is_made_only_for_those_who_write(path: str) -> None:
    assert place.absent(path)
    with pytest.raises(StoreMissing, match=f"^store missing: {path}$"):
        Store(path)
    assert not os.path.exists(os.path.dirname(path))


@pytest.mark.parametrize("left", ["-wal", ".index", "serve.json"])
def test_a_vanished_store_is_never_replaced(path: str, left: str) -> None:
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
    os.unlink(path)
    if left == "-wal":
        Path(path + left).touch()
    elif left == ".index":
        Path(path + left).mkdir()
    else:
        note = Path(path).with_name("serve.json")
        note.write_bytes(b"{ not json")
        assert place.absent(path)
        note.write_bytes(msgspec.json.encode({"db": os.path.join(os.path.dirname(path), "another.db")}))
        assert place.absent(path)
        note.write_bytes(msgspec.json.encode({"pid": 1, "db": path}))
    assert not place.absent(path)
    for create in (True, False):
        with pytest.raises(StoreMissing):
            Store(path, create=create)
    assert not os.path.exists(path)


def test_an_empty_file_is_filled(path: str) -> None:
    """What a creation leaves that was cut off before its first commit."""
    os.makedirs(os.path.dirname(path))
    Path(path).touch(mode=0o600)
    with pytest.raises(StoreMissing):
        Store(path)
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))


def test_a_store_that_vanishes_while_open_takes_no_writes(path: str) -> None:
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
        os.rename(path, path + ".away")
        with pytest.raises(StoreMissing):
            store.submit(put(unit("y")))
        with pytest.raises(StoreMissing):
            contents(store)
        os.rename(path + ".away", path)
        assert contents(store) == ["x"]
        assert store.submit(put(unit("z"))).id == 2


def test_a_store_that_is_replaced_while_open_is_opened_anew(path: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    with Store(other, create=True) as store:
        store.submit(put(unit("other")))
        other_id = store.id
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
        assert contents(store) == ["x"]
        for end in ("-wal", "-shm"):
            os.unlink(path + end)
        os.rename(other, path)
        store.submit(put(unit("y")))
        assert contents(store) == ["other", "y"]
        assert store.id == other_id
        assert check(store) == []


def test_other_databases_are_refused_untouched(path: str) -> None:
    os.makedirs(os.path.dirname(path))
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (a)")
    other.close()
    before = Path(path).read_bytes()
    store = Store(path, create=True)
    for call in (store.open, lambda: contents(store)):
        with pytest.raises(StoreRefused, match="another program"):
            call()
    store.close()
    assert Path(path).read_bytes() == before


def test_files_that_are_no_databases_are_refused(path: str) -> None:
    os.makedirs(os.path.dirname(path))
    Path(path).write_text("# notes\n" * 1000)
    with Store(path, create=True) as store, pytest.raises(StoreRefused, match="not a database"):
        store.open()
    assert Path(path).read_text() == "# notes\n" * 1000
    os.unlink(path)
    os.mkdir(path)
    with Store(path, create=True) as store, pytest.raises(StoreRefused):
        store.open()


def test_a_newer_store_is_refused(path: str) -> None:
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
        newer = sqlite3.connect(path, isolation_level=None)
        newer.execute(f"PRAGMA user_version = {migrate.VERSION + 1}")
        newer.close()
        for works in ([put(unit("y"))], [put(unit("y")), put(unit("z"))]):  # the store was open before it was upgraded
            results = store.write(works)
            assert [type(result) for result in results] == [StoreRefused] * len(works)
    with Store(path) as store:
        for call in (store.open, lambda: contents(store)):
            with pytest.raises(StoreRefused, match=f"format {migrate.VERSION + 1}, this program reads up to {migrate.VERSION}"):
                call()


def test_an_old_sqlite_is_refused() -> None:
    connect.require((3, 35, 0))
    with pytest.raises(StoreRefused, match=r"SQLite 3\.35\.0 or newer is needed, this Python has 3\.34\.1"):
        connect.require((3, 34, 1))


def test_a_folder_that_cant_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreRefused):
        Store(str(tmp_path / "file" / "memory.db"), create=True)


def test_two_processes_make_one_store(path: str) -> None:
    program = f"""
from memory_wire.store.sqlite import Store
from tests.store.make import put, unit
with Store({path!r}, create=True) as store:
    store.submit(put(unit("x")))
    print(store.id.hex())
"""
    children = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {child.communicate()[0] for child in children}
    assert [child.returncode for child in children] == [0] * 4
    assert len(answers) == 1
    with Store(path) as store:
        assert contents(store) == ["x"] * 4
        assert check(store) == []


def test_sync_is_full_unless_asked(path: str) -> None:
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
        assert store._writer is not None
        assert store._writer.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        with store.read() as reader:
            bank = reader.bank("default", "default")
            assert bank is not None and reader.synced(bank) == 1
    with Store(path, sync="normal") as lax, Store(path) as store:
        assert lax.submit(put(unit("y"))).id == 2
        assert lax._writer is not None
        assert lax._writer.execute("PRAGMA synchronous").fetchone() == (1,)
        for each in (lax, store):
            with each.read() as reader:
                bank = reader.bank("default", "default")
                assert bank is not None and reader.synced(bank) == 2
    with pytest.raises(ValueError, match="sync"):
        Store(path, sync="off")


def test_without_full_syncs_the_log_is_synced_before_it_counts(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second opener has full syncs, but the commits it sees may not have reached the disk."""
    synced: list[str] = []
    sync = os.fdatasync

    def noted(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", noted)
    with Store(path, create=True) as store:

        def ask() -> int:
            with store.read() as reader:
                bank = reader.bank("default", "default")
                assert bank is not None
                return reader.synced(bank)

        store.submit(put(unit("x")))
        assert (ask(), synced) == (1, [])
        with Store(path, sync="normal") as lax:
            lax.submit(put(unit("y")))
            assert (ask(), synced) == (2, [path + "-wal"])
            monkeypatch.setattr(os, "fdatasync", fail)
            with pytest.raises(StorageError):
                ask()


def test_idle_gives_connections_back(path: str) -> None:
    def open_files() -> list[str]:
        links = [os.readlink(f"/proc/self/fd/{entry}") for entry in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{entry}")]
        return [link for link in links if link.startswith(path)]

    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
        assert contents(store) == ["x"]
        assert open_files()
        store.idle()
        assert open_files() == []
        assert not os.path.exists(path + "-wal")
        with store.read() as reader:
            store.idle()
            assert reader.version[1] > 0
            assert open_files()
        assert contents(store) == ["x"]
        store.submit(put(unit("y")))
    assert open_files() == []


def test_a_damaged_database_is_an_error_not_a_crash(path: str) -> None:
    with Store(path, create=True) as store:
        store.write([put(unit(f"m{n}" * 50)) for n in range(400)])
    data = bytearray(Path(path).read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    Path(path).write_bytes(data)
    with Store(path) as store:
        with pytest.raises(StorageError):
            contents(store)
        with pytest.raises(StorageError):
            store.submit(put(unit("x")))


def as_nobody(call: Callable[[], None]) -> None:
    """Runs a call in a child without the rights of root, for whom nothing is read-only."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            call()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_read_only_folder_is_refused_and_a_read_only_file_takes_no_writes() -> None:
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "memory.db")
    try:
        with Store(path, create=True) as store:
            store.submit(put(unit("x")))
        os.chmod(path, 0o444)

        def read_only_folder() -> None:
            with Store(path) as store:
                for call in (lambda: contents(store), lambda: store.submit(put(unit("y")))):
                    with pytest.raises(StoreRefused, match="can't be written"):
                        call()
            with pytest.raises(StoreRefused, match="Permission denied"):
                Store(os.path.join(folder, "other.db"), create=True)

        def read_only_file() -> None:
            with Store(path) as store:
                assert contents(store) == ["x"]
                with pytest.raises(StorageError) as caught:
                    store.submit(put(unit("y")))
                assert "readonly" in caught.value.detail

        os.chmod(folder, 0o555)
        as_nobody(read_only_folder)
        os.chmod(folder, 0o777)
        as_nobody(read_only_file)
    finally:
        shutil.rmtree(folder)


MOUNTINFO = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /mnt/share rw,relatime shared:5 - nfs4 host:/share rw,vers=4.2
31 22 0:27 / /mnt/with\040blank rw,relatime - cifs //host/x rw
32 30 254:1 / /mnt/share/local rw,relatime - xfs /dev/vdb rw
33 22 0:30 / /mnt/ssh rw - fuse.sshfs host:/ rw
34 22 0:31 / /mnt/twice rw - nfs host:/ rw
35 34 0:32 / /mnt/twice rw - tmpfs none rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/x/memory.db", "ext4"),
        ("/mnt/share/memory.db", "nfs4"),
        ("/mnt/share", "nfs4"),
        ("/mnt/shared/memory.db", "ext4"),
        ("/mnt/share/local/memory.db", "xfs"),
        ("/mnt/with blank/a/memory.db", "cifs"),
        ("/mnt/ssh/memory.db", "fuse.sshfs"),
        ("/mnt/twice/memory.db", "tmpfs"),
    ],
)
def test_the_mount_of_a_path(path: str, kind: str) -> None:
    assert mounts.longest(path, mounts.linux_mounts(MOUNTINFO)) == [kind]


def test_the_mount_of_a_path_on_macos() -> None:
    listed = mounts.mac_mounts(
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "//u@host/my share on /Volumes/my share (smbfs, nodev, nosuid, mounted by u)\n"
    )
    assert "local" in (mounts.longest("/Users/u/memory.db", listed) or [])
    assert (mounts.longest("/Volumes/my share/memory.db", listed) or [])[0] == "smbfs"


def test_a_network_file_system_is_refused_unless_allowed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = mounts.longest(os.path.realpath(path), mounts.linux_mounts(Path("/proc/self/mountinfo").read_text()))
    assert here is not None and mounts.network_type(path) is None
    monkeypatch.setattr(mounts, "NETWORK", frozenset(here))  # as if the disk the tests run on were one
    with pytest.raises(StoreRefused, match=f"network file system \\({here[0]}\\)"):
        Store(path, create=True)
    Store(path, create=True, allow_network_fs=True).close()
