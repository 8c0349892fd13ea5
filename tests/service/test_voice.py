"""Reading the speaker or role that a text itself names."""

from __future__ import annotations

import pytest

from memory_wire.service.voice import ASSISTANT, NONE, OTHER, USER, read, role_number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Caroline: I went to the group", ("Caroline", NONE)),
        ("Anne-Marie O'Neil: yes", ("Anne-Marie O'Neil", NONE)),
        ("Dr. Smith: take two", ("Dr. Smith", NONE)),
        ("王明: 你好", ("王明", NONE)),
        ("[user] what is this", (None, USER)),
        ("[Assistant] this is it", (None, ASSISTANT)),
        ("user: what is this", (None, USER)),
        ("system: be brief", (None, OTHER)),
        ("Caroline:no blank", (None, NONE)),
        ("note to self: buy milk", (None, NONE)),
        ("The four word name here: no", (None, NONE)),
        ("https://example.com: a page", (None, NONE)),
        ("12:30: lunch", (None, NONE)),
        ("[link] text", (None, NONE)),
        ("", (None, NONE)),
        (": x", (None, NONE)),
        ("Caroline: one\nand more of it", ("Caroline", NONE)),
        ("Caroline: one\nCaroline: two", ("Caroline", NONE)),
        ("Caroline: one\nMelanie: two", (None, NONE)),
        ("[user] one\n[assistant] two", (None, NONE)),
        ("A" * 41 + ": too long", (None, NONE)),
    ],
)
def test_read(text: str, found: tuple[str | None, int]) -> None:
    assert read(text) == found


def test_role_numbers() -> None:
    assert [role_number(role) for role in (None, "", "User", " assistant ", "tool", "narrator")] == [0, 0, 1, 2, 3, 3]
