"""What holds of the chunks of any document.

MEMORY_WIRE_DOCUMENTS is how many documents each property draws.
"""

from __future__ import annotations

import itertools
import os
from unicodedata import category

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.hub.chunk import chunks
from memory_wire.hub.sections import normal, parse
from memory_wire.hub.split import LIMIT
from tests.hub.markdown import documents, long_documents

DOCUMENTS = int(os.environ.get("MEMORY_WIRE_DOCUMENTS", "100"))
every = st.one_of(documents, long_documents, st.text(max_size=60))


@settings(max_examples=DOCUMENTS)
@given(every)
def test_the_chunks_hold_every_line_once(text: str) -> None:
    parsed, found = parse(text), chunks(text, "Doc")
    spans = [(chunk.start, chunk.end) for chunk in found]
    assert spans == sorted(spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    lines = normal(text).split("\n")
    left: list[str] = []
    at = 0
    for start, end in [*spans, (len(parsed.text), len(parsed.text))]:
        left += parsed.text[at:start].split("\n")
        at = end
    # What no chunk holds is blank, front matter, or a heading that only has headings below it.
    unheld = [line for line in left if line.strip()]
    alone = [
        line
        for place, section in enumerate(parsed.sections[1:], 1)
        if place + 1 < len(parsed.sections) and parsed.sections[place + 1].level > section.level
        for line in lines[section.first - 1 : section.last]
        if not any(line.strip() for line in lines[section.body - 1 : section.last])
    ]
    front = [line for line in lines[: parsed.start] if line.strip()]
    assert unheld == front + [line for line in alone if line.strip()]


@settings(max_examples=DOCUMENTS)
@given(every)
def test_no_chunk_is_over_the_limit_unless_it_is_one_grapheme(text: str) -> None:
    for chunk in chunks(text, "Doc"):
        held = normal(text)[chunk.start : chunk.end]
        if len(chunk.text) > LIMIT:
            assert all(category(letter)[0] == "M" or letter in "\u200d" or ord(letter) > 0x1F1E5 for letter in held[1:])


@settings(max_examples=DOCUMENTS)
@given(every)
def test_chunking_is_a_function_of_the_text_without_its_line_ends(text: str) -> None:
    found = chunks(text, "Doc")
    assert chunks(text, "Doc") == found
    assert chunks(normal(text).replace("\n", "\r\n"), "Doc") == found


@settings(max_examples=DOCUMENTS)
@given(every)
def test_chunks_are_told_apart_by_hash_and_occurrence(text: str) -> None:
    found = chunks(text, "Doc")
    assert len({(chunk.hash, chunk.occurrence) for chunk in found}) == len(found)
    for chunk in found:
        assert chunk.text.strip()
        assert 1 <= chunk.part <= chunk.parts
