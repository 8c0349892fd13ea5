"""`memory.provider` in the settings of hermes: what goes in, that it comes out byte for byte, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from memory_wire.hosts.base import Refused, Trace
from memory_wire.hosts.hermes import SNIPPET, Provider

SLOT = Provider("/home/u/.hermes/config.yaml")
BELOW = st.sampled_from(
    [
        "",
        "  provider: honcho\n",
        "  provider: 'honcho'   # the old one\n",
        "  provider:\n",
        "  provider: \n",
        "  memory_enabled: true\n  provider: honcho\n  limit: 5\n",
        "    limit: 5\n    nested:\n      provider: other\n",
        "  # a comment\n\n  limit: 5\n",
        "  provider: ~\n",
    ]
)
AROUND = st.sampled_from(
    [
        "",
        "# settings of hermes\n",
        "model:\n  name: x\n  provider: y\n",
        "prompt: |\n  memory:\n    provider: not this\n\n",
        "list:\n- a\n- memory: 1\n",
        "text: 'provider: honcho'\n\n\n",
        "---\na: 1\n",
    ]
)


def read(text: str) -> dict[str, object]:
    found = YAML(typ="safe", pure=True).load(text)
    return found if found is not None else {}


@st.composite
def documents(draw: st.DrawFn) -> str:
    before, after = draw(AROUND), draw(AROUND.filter(lambda part: not part.startswith("---")))
    if before and before == after:
        after = ""
    memory = draw(st.sampled_from(["", "memory:\n", "memory:   # what is remembered\n"]))
    text = before + (memory + draw(BELOW) if memory else "") + after
    text = text if draw(st.booleans()) else text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents())
def test_what_goes_in_comes_out(text: str) -> None:
    trace = Trace(known=True)
    assert SLOT.look(text, trace) == "absent"
    put = SLOT.put(text, trace)
    assert SLOT.look(put, trace) == "same"
    before, after = read(text), read(put)
    memory = after.pop("memory")
    assert isinstance(memory, dict) and memory.pop("provider") == "memory-wire"
    had = before.pop("memory", None) or {}
    assert isinstance(had, dict)
    had.pop("provider", None)
    assert (after, memory) == (before, had)
    assert SLOT.take(put, trace) == text


def test_a_file_made_for_it_goes_again() -> None:
    trace = Trace(known=True)
    assert SLOT.put(None, trace) == SNIPPET
    assert SLOT.take(SNIPPET, trace) is None
    assert SLOT.take(SNIPPET, Trace()) is None


def test_without_a_record_the_line_goes() -> None:
    assert SLOT.take("a: 1\nmemory:\n  provider: memory-wire\n", Trace()) == "a: 1\n"
    assert SLOT.take("memory:\n  limit: 5\n  provider: memory-wire\nb: 2\n", Trace()) == "memory:\n  limit: 5\nb: 2\n"
    assert SLOT.take("memory:\n  provider: honcho\n", Trace()) == "memory:\n  provider: honcho\n"


def test_what_was_added_beside_it_since_stays() -> None:
    trace = Trace(known=True)
    put = SLOT.put("a: 1\n", trace)
    assert SLOT.take(put + "  limit: 5\n", trace) == "a: 1\nmemory:\n  limit: 5\n"


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n---\nb: 2\n",
        "memory:\n  provider: a\nmemory:\n  provider: b\n",
        "memory: {provider: a}\n",
        "memory: [a]\n",
        "memory: off\n",
        "provider: a\n",
        "memory:\n  provider: [a]\n",
        "memory:\n  provider: a\n  provider: b\n",
        "memory:\n  provider: &x a\nother: *x\n",
        "memory:\n  provider: |\n    a\n",
        "- a\n",
        "{memory: {provider: a}}\n",
        "memory: 'unclosed\n",
        "\tmemory: a\n",
        "plain text\n",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="left untouched") as refused:
        SLOT.put(text, Trace())
    assert refused.value.snippet == SNIPPET
