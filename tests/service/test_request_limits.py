"""The limits of requests, each at its last allowed value and one beyond."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import Invalid
from memory_wire.ops import BY_NAME
from memory_wire.service.service import Service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(str(tmp_path / "memory.db"), sync="normal") as made:
        yield made
        assert made.gauges()["index_faults"] == 0


def call(service: Service, name: str, request: t.Struct, bank: str = "b") -> object:
    return service.call(BY_NAME[name], t.Scope(bank=bank), request)


@pytest.mark.parametrize(
    ("field", "limit"),
    [
        ("content", config.CONTENT_CHARS),
        ("context", config.CONTEXT_CHARS),
        ("document_id", config.KEY_CHARS),
        ("session", config.KEY_CHARS),
        ("speaker", config.KEY_CHARS),
        ("role", config.KEY_CHARS),
    ],
)
def test_texts(service: Service, field: str, limit: int) -> None:
    call(service, "retain", t.Retain(**{"content": "x", field: "ü" * limit}))
    with pytest.raises(Invalid, match=f"^invalid {field}: must be at most {limit:,} characters$"):
        call(service, "retain", t.Retain(**{"content": "y", field: "ü" * (limit + 1)}))
    stats = call(service, "stats", t.Empty())
    assert isinstance(stats, t.Stats) and stats.memories == 1


def test_the_name_of_a_bank(service: Service) -> None:
    call(service, "retain", t.Retain(content="x"), "ü" * config.BANK_CHARS)
    with pytest.raises(Invalid, match=r"^invalid bank id$"):
        call(service, "retain", t.Retain(content="x"), "ü" * (config.BANK_CHARS + 1))


def test_tags(service: Service) -> None:
    """Too long a tag is refused, of too many the first are kept."""
    call(service, "retain", t.Retain(content="x", tags=["ü" * config.TAG_CHARS, *map(str, range(config.TAGS))]))
    with pytest.raises(Invalid, match=f"^invalid tags: must be at most {config.TAG_CHARS} characters$"):
        call(service, "retain", t.Retain(content="y", tags=["ü" * (config.TAG_CHARS + 1)]))
    found = call(service, "recall", t.Recall(query="x", format="full"))
    assert isinstance(found, t.Recalled)
    assert found.hits[0].tags == ["ü" * config.TAG_CHARS, *map(str, range(config.TAGS - 1))]


def test_the_bytes_of_a_configuration(service: Service) -> None:
    call(service, "retain", t.Retain(content="x"))
    body = b'{"a":"%b"}' % (b"x" * (config.CONFIG_BYTES - 8))
    assert call(service, "put_config", t.PutConfig(body=body)) == body
    with pytest.raises(Invalid, match=f"^invalid config: must be at most {config.CONFIG_BYTES:,} bytes$"):
        call(service, "put_config", t.PutConfig(body=body + b" "))
    assert call(service, "get_config", t.Empty()) == body


@pytest.mark.parametrize("beyond", [0, 1])
def test_what_a_reflection_shows(service: Service, beyond: int) -> None:
    room = config.REFLECT_BUDGET * config.CHARS_PER_TOKEN
    content = "postgres ".ljust(room + beyond, "x")
    call(service, "retain", t.Retain(content=content))
    answer = call(service, "reflect", t.Recall(query="postgres"))
    assert isinstance(answer, str)
    shown = answer.partition("]: ")[2]
    assert shown == (content[: room - len(config.TRUNCATED)] + config.TRUNCATED if beyond else content)
    assert len(shown) == room
