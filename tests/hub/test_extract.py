"""What is picked of a document, by where it stands."""

from __future__ import annotations

from hypothesis import given

from memory_wire.hub import extract as module
from memory_wire.hub.extract import extract
from memory_wire.hub.sections import parse
from tests.hub.markdown import long_documents

GUIDE = """---
title: Guide
---
# Guide

<!-- a note -->
```
code first
```

The engine **starts** in a second. It needs [no model](https://example.org). Really.

## Setup

- Install the package first.
- Then run it.

## Use

| a | b |
|---|---|

Short.

### Deeper

The longest section has the most to tell of all of them, says this sentence. And more follows here.
And more. And more.
"""


def test_a_guide() -> None:
    found = extract(parse(GUIDE))
    assert found.summary == "The engine starts in a second. It needs no model. Really."
    assert found.takeaways == [
        "Install the package first.",
        "The longest section has the most to tell of all of them, says this sentence.",
    ]
    assert (found.headings, found.more) == (["Setup", "Use"], False)


def test_bounds() -> None:
    assert (module.SUMMARY, module.TAKEAWAYS, module.HEADINGS) == (300, 5, 40)
    long = "# T\n\n" + "word " * 200 + ".\n\n" + "".join(f"## H{n}\n\nSentence number {n} tells something.\n\n" for n in range(60))
    found = extract(parse(long.rstrip()))
    assert len(found.summary) <= 300
    assert found.takeaways == [f"Sentence number {number} tells something." for number in range(5)]
    assert (len(found.headings), found.more) == (40, True)


def test_a_document_that_says_nothing() -> None:
    for text in ("", "\n", "# Only a title", "```\ncode\n```", "---\nx: y\n---\n"):
        found = extract(parse(text))
        assert (found.summary, found.takeaways, found.more) == ("", [], False)


@given(long_documents)
def test_it_is_a_function_of_the_text_and_bounded(text: str) -> None:
    found = extract(parse(text))
    assert found == extract(parse(text))
    assert len(found.summary) <= 300 and len(found.takeaways) <= 5 and len(found.headings) <= 40
    assert all(line == " ".join(line.split()) for line in (*found.takeaways, found.summary))
