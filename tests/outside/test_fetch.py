"""Where a request goes and where it never goes, and what is told of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from memory_wire.errors import OutsideFailed
from memory_wire.outside import Outside
from memory_wire.outside import fetch as fetching
from memory_wire.outside.fetch import is_inner
from memory_wire.outside.told import Told
from tests.outside.server import CERTIFICATE, Server

SECRET = "sk-very-secret"


def fetch(outside: Outside, url: str, **more: object) -> dict[str, object]:
    return outside.ask("fetch", {"url": url, "private": True, **more}, 10.0)


def echoed(answer: dict[str, object]) -> dict[str, object]:
    found: dict[str, object] = json.loads(bytes(answer["body"]))  # type: ignore[call-overload]
    return found


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    way = Outside()
    yield way
    way.close()


def test_the_request_arrives_as_it_was_given(outside: Outside, world: Server) -> None:
    answer = fetch(outside, f"{world.url}/echo?q=1", method="PUT", headers={"X-Key": SECRET}, body="ä".encode())
    said = echoed(answer)
    assert (said["method"], said["path"], said["body"]) == ("PUT", "/echo?q=1", "ä")
    assert said["headers"]["X-Key"] == SECRET and said["headers"]["User-Agent"] == "memory-wire"  # type: ignore[index]
    assert answer["status"] == 200 and answer["headers"]["content-type"] == "application/json"  # type: ignore[index]


@pytest.mark.parametrize("status", [204, 404, 500, 503])
def test_any_status_is_an_answer(outside: Outside, world: Server, status: int) -> None:
    assert fetch(outside, f"{world.url}/status/{status}")["status"] == status


def test_a_connection_is_used_again(outside: Outside) -> None:
    with Server() as world:
        for _ in range(3):
            fetch(outside, world.url)
        assert len(world.ports) == 1
        fetch(outside, f"{world.url}/farewell")
        world.wait_for_leaving()
        fetch(outside, world.url, method="POST")  # and not once its other end is gone
        assert len(world.ports) == 2


def test_a_kept_connection_to_a_private_address_is_none_for_others(outside: Outside, world: Server) -> None:
    fetch(outside, world.url)
    with pytest.raises(OutsideFailed, match="not an address of a public network"):
        fetch(outside, world.url, private=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost/", "http://10.0.0.1/", "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data",
        "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://0.0.0.0/", "http://2130706433/", "http://0x7f.1/",
        "http://[fe80::1]/", "http://[fd00::1]/", "http://100.64.0.1/", "http://224.0.0.1/",
    ],
)  # fmt: skip
def test_private_addresses_are_refused_in_every_spelling(outside: Outside, url: str) -> None:
    with pytest.raises(OutsideFailed, match=r"not an address of a public network|no such host"):
        fetch(outside, url, private=False)


@pytest.mark.parametrize(
    ("address", "inner"), [("8.8.8.8", False), ("2606:4700::1111", False), ("2002:7f00:1::", True), ("fe80::1%lo", True)]
)
def test_addresses_of_this_side(address: str, inner: bool) -> None:
    assert is_inner(address) is inner


@pytest.mark.parametrize(
    "url",
    ["ftp://host/", "file:///etc/passwd", "http://", "http://user:pass@host/", "http://host:0/", "http://host/a b", "http://hóst/", "x"],
)
def test_what_is_no_web_address(outside: Outside, url: str) -> None:
    with pytest.raises(OutsideFailed, match=r"^not an http or https URL$"):
        fetch(outside, url)


def test_redirects_are_followed_as_often_as_is_said(outside: Outside, world: Server) -> None:
    target = f"{world.url}/to/302/{world.url}/to/302//echo"
    assert fetch(outside, target)["status"] == 302
    assert echoed(fetch(outside, target, redirects=2, method="POST", body=b"x"))["method"] == "GET"
    with pytest.raises(OutsideFailed, match="too many redirects"):
        fetch(outside, target, redirects=1)
    kept = echoed(fetch(outside, f"{world.url}/to/307//echo", redirects=1, method="POST", body=b"x"))
    assert (kept["method"], kept["body"]) == ("POST", "x")


def test_a_secret_stays_with_its_origin(outside: Outside, world: Server) -> None:
    with Server() as other:
        fetch(outside, f"{world.url}/to/307/{other.url}/echo", redirects=1, headers={"Authorization": SECRET, "Accept": "text/html"})
        (_, _, headers, _) = other.asked[-1]
        assert "Authorization" not in headers and headers["Accept"] == "text/html"


@pytest.mark.parametrize("target", ["http://127.0.0.2/", "file:///etc/passwd", "http://user:pass@localhost/"])
@pytest.mark.parametrize("private", [False, True])
def test_a_redirect_leads_to_no_private_place(world: Server, target: str, private: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where a private address was allowed, as long as the URL led to a public one: that part is played by 127.0.0.1."""
    monkeypatch.setattr(fetching, "is_inner", "127.0.0.1".__ne__)
    with pytest.raises(Told, match=r"not an address of a public network|not an http or https URL"):
        fetching.fetch({"url": f"{world.url}/to/302/{target}", "private": private, "redirects": 3})


def test_no_more_than_the_cap_is_read(outside: Outside, world: Server) -> None:
    assert len(bytes(fetch(outside, f"{world.url}/bytes/1000", cap=1000)["body"])) == 1000  # type: ignore[call-overload]
    with pytest.raises(OutsideFailed, match="more than 999 bytes"):
        fetch(outside, f"{world.url}/bytes/1000", cap=999)


def test_errors_hold_nothing_of_the_request(outside: Outside, world: Server) -> None:
    for url, headers in [
        (f"{world.url}/nonsense?key={SECRET}", {}),
        (f"http://127.0.0.1:1/?key={SECRET}", {}),
        (world.url, {"X-Key": f"{SECRET}\r\nX-Other: 1"}),
        (f"http://nowhere.invalid/{SECRET}", {}),
    ]:
        with pytest.raises(OutsideFailed) as raised:
            fetch(outside, url, headers=headers)
        assert SECRET not in str(raised.value)


def test_https_checks_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(tls=True) as world:
        way = Outside()
        try:
            with pytest.raises(OutsideFailed, match=r"127\.0\.0\.1: its certificate is not valid"):
                fetch(way, world.url)
        finally:
            way.close()
        monkeypatch.setitem(os.environ, "SSL_CERT_FILE", str(CERTIFICATE))
        way = Outside()
        try:
            assert fetch(way, world.url)["status"] == 200
            assert fetch(way, world.url.replace("127.0.0.1", "localhost"))["status"] == 200
        finally:
            way.close()
