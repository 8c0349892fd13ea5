"""The installer's longer ways: back to an older version that is named, and from an address."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.wheels.newcomer import Newcomer


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    made = Newcomer(tmp_path_factory.mktemp("newcomer"))
    done = made.get("--no-connect", "--daemon", local_asset=made.folder("2.0"))
    assert done.returncode == 0, done.stdout + done.stderr
    yield made
    made.run("daemon", "stop")


def test_back_when_it_is_named(home: Newcomer) -> None:
    done = home.get("--no-connect", local_asset=home.folder("1.5"), version="1.5")
    assert done.returncode == 0 and "going back from memory-wire 2.0 to 1.5" in done.stdout
    assert home.version == home.served_by == "1.5"


def test_from_an_address(home: Newcomer) -> None:
    """Downloads what fits; the rest comes from the package index, which is a folder here."""
    folder = home.folder("3.0")
    sums = [path.read_text() for path in folder.glob("*.sha256")]
    (folder / "SHA256SUMS").write_text("".join(sums))

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """No word on standard error."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        home.pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(home.wheels)}
        done = home.get("--no-connect", repo=f"http://127.0.0.1:{server.server_port}")
        gone = home.get("--no-connect", repo=f"http://127.0.0.1:{server.server_port}/nowhere")
        server.shutdown()
    assert done.returncode == 0, done.stdout + done.stderr
    assert home.version == "3.0"
    assert gone.returncode == 1 and "no release at" in gone.stderr
