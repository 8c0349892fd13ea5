"""The telling words of a long text, by the statistics of the bank."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_wire import config
from memory_wire.retrieve import keywords
from memory_wire.service.relevant import Search, leans, says_nothing
from memory_wire.types import Scope
from tests.inject.conftest import Desk

Telling = Callable[[str, int], list[str]]


@pytest.fixture
def telling(desk: Desk) -> Telling:
    for number in range(50):
        desk.retain(f"The harbour office notes berth {number}.")
    service = desk.memory.service

    def words(asked: str, limit: int) -> list[str]:
        with service.read() as reader:
            bank = reader.bank("default", "atlas")
            assert bank is not None
            return keywords.telling(Search(service, reader, bank, Scope(bank="atlas")).parts, asked, 1, limit)

    return words


def test_rare_words_in_their_order(telling: Telling) -> None:
    asked = "Could the harbour office tell us which gasket of the windlass in the harbour failed, and why the windlass failed?"
    assert telling(asked, 3) == ["gasket", "windlass", "failed"]
    assert telling(asked, 99)[:2] == ["harbour", "office"] and len(set(telling(asked, 99))) == len(telling(asked, 99))


def test_noise_and_single_letters_are_none(telling: Telling) -> None:
    assert telling("x 0x7ffe12345678 4f3c2a1b9d8e7f60 1783629047 the of gasket 2026", 99) == ["gasket", "2026"]
    assert telling("", 5) == [] and telling("gasket", 0) == []


def test_a_text_of_any_length_gives_few(telling: Telling) -> None:
    assert len(telling(" ".join(f"word{number}x" for number in range(20_000)), config.KEYWORDS)) == config.KEYWORDS


def test_prompts_that_say_nothing_or_little() -> None:
    assert all(map(says_nothing, ["", "…", "Continue", "ok, go on", "Yes please!", "weiter", "LGTM"]))
    assert not any(map(says_nothing, ["continue with the gasket", "why?", "harbour"]))
    assert all(leans(text, 1) for text in ["why that value?", "is there a test for it?", "and then?", "do it again for now"])
    assert not any(leans(text, 1) for text in ["what is the staging url", "which gasket failed?", "wake threshold"])
