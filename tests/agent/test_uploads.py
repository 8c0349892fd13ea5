"""Uploads: every line once, whoever is killed; files that grow, are cut short or replaced; servers that have enough."""

from __future__ import annotations

import os
import socket
import threading

import pytest

from memory_wire import Client
from memory_wire.agent.remote import Remote
from memory_wire.agent.upload import Uploader
from tests.agent.conftest import Site, told, until
from tests.agent.test_consent import line


def texts(client: Client) -> list[list[str]]:
    """What was said in each uploaded session."""
    rows = client.sessions(limit=100).sessions
    return sorted([kept.text for kept in client.session_lines(row.id, limit=500).lines] for row in rows)


def test_killed_again_and_again_every_line_comes_once(site: Site) -> None:
    site.serve()
    site.consent()
    said = [f"Line {number} of this session." for number in range(240)]
    path = site.session()
    for turn in range(6):
        with path.open("a") as file:
            file.writelines(line(text) for text in said[turn * 40 : turn * 40 + 40])
        agent = site.agent(AGENT_PIECE_BYTES=1_000)
        told(agent)
        if turn % 2:
            site.kill()
            agent.process.kill()
            site.serve()
        else:
            agent.process.kill()
    for state in (site.data / "agent").glob("*-uploads.json"):
        state.unlink()  # the server knows all that counts
    last = site.agent()
    size = path.stat().st_size
    with site.client() as client:
        until(lambda: [row.offset for row in client.sessions().sessions] == [size])
        assert texts(client) == [said]
    assert told(last)["last_error"] is None


def test_a_file_that_is_cut_short_or_replaced(site: Site) -> None:
    site.serve()
    site.consent()
    agent = site.agent()
    path = site.session()
    with site.client() as client:
        path.write_text(line("First.") + line("Second.") + line("Third."))
        until(lambda: texts(client) == [["First.", "Second.", "Third."]])
        path.write_text(line("First.") + line("Other."))  # shorter, and begins as before
        until(lambda: ["First.", "Other."] in texts(client))
        path.write_text(line("A new beginning.") + line("And more.") * 3)
        until(lambda: len(texts(client)) == 3)
        until(lambda: ["A new beginning.", "And more.", "And more.", "And more."] in texts(client))
        assert ["First.", "Second.", "Third."] in texts(client)
        with path.open("a") as file:
            file.write(line("Still being written.").rstrip("\n"))
            file.flush()
            for _ in range(10):
                assert told(agent)["last_error"] is None
            assert not any("Still being written." in texts for texts in texts(client))
            file.write("\n")
        until(lambda: any(texts[-1] == "Still being written." for texts in texts(client)))


def test_another_has_uploaded_more_meanwhile(site: Site) -> None:
    site.serve()
    site.consent()
    agent = site.agent()
    path = site.session()
    with site.client() as client:
        path.write_text(line("First."))
        until(lambda: texts(client) == [["First."]])
        (row,) = client.sessions().sessions
        agent.process.kill()
        with path.open("a") as file:
            file.write(line("Second."))
        client.put_session(row.id, "claude-code", row.offset, path.stat().st_size, [])
        with path.open("a") as file:
            file.write(line("Third."))
        site.agent()
        until(lambda: texts(client) == [["First.", "Third."]])


def test_a_server_that_has_enough(site: Site) -> None:
    server = site.serve(SESSION_PROJECT_BYTES=40)
    site.consent()
    agent = site.agent()
    site.session().write_text(line("More than there is room for."))
    until(lambda: "may take 40 bytes" in str(told(agent)["last_error"]))
    assert told(agent)["bytes"] == 0 and server.process.poll() is None
    site.kill()
    site.serve()
    until(lambda: told(agent)["last_error"] is None)
    with site.client() as client:
        until(lambda: texts(client) == [["More than there is room for."]])


def test_what_leaves_this_machine_was_cleaned(site: Site) -> None:
    site.serve()
    site.consent()
    secret = "sk-ant-api03-" + "b" * 60
    site.session().write_text(line(f"My key is {secret}, see {site.home}/notes/private.md and https://example.org/a/b"))
    site.agent()
    with site.client() as client:
        until(lambda: texts(client))
        assert texts(client) == [["My key is [REDACTED:api_key], see [path] and https://example.org/a/b"]]
        (row,) = client.sessions().sessions
    assert row.host == "claude-code" and str(site.session().stem) not in row.id
    raw = b"".join(path.read_bytes() for path in site.store.iterdir() if path.name.startswith("memory.db") and path.is_file())
    assert os.fsencode(str(site.home)) not in raw and secret.encode() not in raw


@pytest.mark.parametrize("status", [429, 507])
def test_a_round_ends_where_the_server_has_enough(status: int, site: Site) -> None:
    body = b'{"error":{"code":"enough","message":"come back later"}}'
    answer = b"HTTP/1.1 %d No\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (
        status,
        len(body),
        body,
    )
    asked: list[bytes] = []
    for name in ("one", "two", "three"):
        site.session(name).write_text(line("Hello."))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def work() -> None:
            while True:
                try:
                    near = listener.accept()[0]
                except OSError:
                    return
                with near:
                    asked.append(near.recv(1 << 16))
                    near.sendall(answer)

        thread = threading.Thread(target=work)
        thread.start()
        site.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        site.consent()
        uploader = Uploader(Remote(site.url, {}, str(site.data)), str(site.home), {})
        assert [uploader.cycle(), uploader.cycle()] == [False, False]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert len(asked) == 2 and uploader.uploads.last_error == f"{site.url} answered {status}: come back later"
