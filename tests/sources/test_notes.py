"""Folders of Markdown notes: front matter, tags, links, dates and what is left out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.hub import front_matter
from tests.sources import exports
from tests.sources.test_formats import ignored, items, read, skipped


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import time

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_vault(tmp_path: Path) -> None:
    found = read(exports.vault(tmp_path), "notes")
    made = items(found)
    assert list(made) == ["Vault/Beans.md", "Vault/Coffee.md", "Vault/daily/2024-01-15.md"]
    coffee = made["Vault/Coffee.md"]
    assert (
        coffee.content.startswith("# Coffee Brewing\n\n## Observations\n- [method] Pour over") and "[[Beans|the beans]]" in coffee.content
    )
    assert coffee.created_at == "2025-04-05T04:07:08.000Z"
    assert coffee.tags == ["coffee", "slow food", "guide", "brewing"] and coffee.context == "import:notes links: Beans"
    beans = made["Vault/Beans.md"]
    assert beans.content == "# Beans\n\nWashed ones." and beans.tags == ["coffee", "origin/ethiopia"] and beans.created_at == "2023-11-02"
    daily = made["Vault/daily/2024-01-15.md"]
    assert (daily.created_at, daily.tags, daily.context) == ("2024-01-15", [], "import:notes links: Coffee, Beans")
    assert skipped(found) == {"empty.md": "no text", "bad.md": "not UTF-8 (byte 0)"}
    assert ignored(found) == {"attachments and other files": 1}


def test_a_note_without_a_date_has_its_files(tmp_path: Path) -> None:
    path = exports.write(tmp_path, b"just words", "one.md")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    [note] = items(read(path, "notes")).values()
    assert (note.document_id, note.created_at, note.content) == ("one.md", "2023-11-14T22:13:20.000Z", "# one\n\njust words")


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2025-07-01T12:00:00", "2025-07-01T10:00:00.000Z"),  # summer time
        ("2025-01-01T12:00", "2025-01-01T11:00:00.000Z"),
        ("2025-01-01 12:00:00+14:00", "2024-12-31T22:00:00.000Z"),
        ("2025-01-01", "2025-01-01"),
    ],
)
def test_a_date_without_a_zone_is_this_machines(date: str, expected: str, tmp_path: Path, zone: None) -> None:
    path = exports.write(tmp_path, f"---\ncreated: {date}\n---\nwords".encode(), "one.md")
    [note] = items(read(path, "notes")).values()
    assert note.created_at == expected


def test_an_archive_of_notes_is_the_folder(tmp_path: Path) -> None:
    data = {name: text if isinstance(text, bytes) else text.encode() for name, text in exports.VAULT.items()}
    path = exports.write(tmp_path, exports.zipped(data), "Vault.zip")
    folder = items(read(exports.vault(tmp_path), "notes"))
    archive = items(read(path, "notes"))
    assert {name: each.content for name, each in archive.items()} == {name: each.content for name, each in folder.items()}


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    root = exports.vault(tmp_path)
    exports.write(tmp_path, b"secret", "outside/secret.md")
    (root / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "more").symlink_to(tmp_path / "outside")
    assert not any("secret" in each.content for each in items(read(root, "notes")).values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b\n---\nx", {"a": "b"}),
        ("---\nA: 'b: c'  # why\n---\nx", {"a": "b: c"}),
        ("---\ntags: [a, \"b, c\", 'd']\n---\nx", {"tags": ["a", "b, c", "d"]}),
        ("---\ntags:\n- a\n- 'b'\n\n-\nx: y\n---\nx", {"tags": ["a", "b"], "x": "y"}),
        ("---\ntext: |\n  one\n  two\nb: null\n---\nx", {"text": "one two", "b": ""}),
        ("---\nlink: [[Note]]\nurl: http://x:8/y#z\n...\nx", {"link": "[[Note]]", "url": "http://x:8/y#z"}),
        ("---\nno end", {}),
        ("text\n---\na: b\n---", {}),
        ("---\n: x\n  - y\nplain\n---\n", {}),
    ],
)
def test_front_matter(text: str, expected: dict[str, object]) -> None:
    assert front_matter.split(text)[0] == expected


@given(st.text(alphabet="-: \n\t#|>[]'\"abc,", max_size=80))
def test_any_front_matter_is_read_and_the_text_below_kept(text: str) -> None:
    found, below = front_matter.split("---\n" + text + "\n---\nbelow")
    assert below.endswith("below")
    assert all(isinstance(name, str) and name for name in found)


@pytest.mark.parametrize(("size", "count"), [(4 * 1024 * 1024, 1), (4 * 1024 * 1024 + 1, 0)])
def test_a_note_is_at_most_so_large(size: int, count: int, tmp_path: Path) -> None:
    found = read(exports.write(tmp_path, b"x" * size, "one.md"), "notes")
    assert len(items(found)) == count and skipped(found) == ({} if count else {"one.md": "larger than 4,194,304 bytes"})
