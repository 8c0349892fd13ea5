"""Markdown as HTML: whatever it says, no script, no handler, nothing that is fetched, no address of another scheme."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.hub.sections import parse
from memory_wire.outside.markdown import render
from tests.public.reading import Read, foreign

FRAGMENTS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=//a.example>",
    "<a href='javascript:1'>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<javascript:1>)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:1)",
    "[x](file:///etc/passwd)",
    "![x](http://a.example/p.png)",
    "![x](//a.example/p)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "![x](data:image/png;base64,AAAA)",
    '![a](b "t\\" onerror=\\"x")',
    "[![i](u)](http://v)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    '<http://a.example/"onmouseover="x>',
    "<!-- c -->",
    "<!-- a --> b -->",
    "<?php x ?>",
    "<![CDATA[x]]>",
    "<!DOCTYPE html>",
    "</article></main>",
    "</code></pre>",
    '```"><script>\nx\n```',
    "~~~a' onclick='x\ny\n~~~",
    "# h <b>x</b>",
    "# a\n# a\n# a",
    "## <script>",
    "| a | b |\n|:-:|--:|\n| <i> | ![x](y) |",
    "> <div onclick=x>",
    "- <style>*{}</style>",
    "1. # in a list",
    "[a]<b](c)",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "\0",
    "\x7f\x85\u2028",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "`<script>`",
    '[x](http://a.example/?a=1&b="2")',
    "[x](/y 'a\"b')",
    "[[A title]]",
    "[[a|<b>]]",
    "[x](b%20c.md#h)",
    "[x](./no.md)",
    "[ [[A title]] ](/u)",
    "***",
    "---",
    "a\n===",
    "\\<script>",
    "[x](\\javascript:1)",
    "www.a.example",
    "\n\n",
    " ",
]
PIECES = st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=12), st.text("<>\"'&()[]!`#-|:/\\ \n\t=javscriptdonelx", max_size=16))


LEADS = {"w:A title": "/AAAAAAAAAAAAAAAAA", "r:b c.md": "/BBBBBBBBBBBBBBBBB"}


def html(text: str) -> str:
    found = parse(text)
    anchors = {section.first - 1 - found.start: section.anchor for section in found.sections if section.anchor}
    return str(render({"text": "\n".join(found.lines[found.start :]), "anchors": anchors, "lead": -1, "leads": LEADS})["html"])


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=10), st.sampled_from(["", "\n", "\n\n"]))
def test_nothing_runs_and_nothing_is_fetched(pieces: list[str], between: str) -> None:
    text = between.join(pieces).encode("utf-8", "replace").decode()
    read = Read(html(text))
    assert read.faults == []
    assert all(address.startswith("data:image/") and "svg" not in address for address in read.fetched)
    assert not [address for address in read.links if foreign(address)]
    sections = [section.anchor for section in parse(text).sections if section.anchor]
    assert read.ids == sections


@pytest.mark.parametrize("text", FRAGMENTS)
def test_each_of_them_alone(text: str) -> None:
    read = Read(html(text))
    assert read.faults == [] and not [address for address in read.links if foreign(address)]
    assert not {"script", "style", "iframe", "svg"} & {tag for tag, _ in read.elements}


def test_what_is_written_is_shown() -> None:
    text = "A <b>bold</b> claim, `x < y`, [a link](https://a.example/?q=1&r=2), ![a cat](http://a.example/c.png).\n"
    text += "\n<!-- hidden -->\n\n<div>raw</div>"
    found = html(text)
    assert "A &lt;b&gt;bold&lt;/b&gt; claim, <code>x &lt; y</code>" in found
    assert '<a href="https://a.example/?q=1&amp;r=2" rel="nofollow noopener noreferrer">a link</a>' in found
    assert '<a class="picture" href="http://a.example/c.png" rel="nofollow noopener noreferrer">a cat</a>' in found
    assert "hidden" not in found and '<pre class="raw" tabindex="0"><code>&lt;div&gt;raw&lt;/div&gt;</code></pre>' in found


def test_a_picture_in_the_text_is_shown_and_one_in_a_link_is_its_words() -> None:
    assert '<img src="data:image/png;base64,AAAA" alt="dot">' in html("![dot](data:image/png;base64,AAAA)")
    assert html("[![a *cat*](c.png)](/d)") == '<p><a href="/d"><em>a cat</em></a></p>\n'


def test_links_between_notes_lead_to_documents() -> None:
    assert html("[[A title]], [[A title#Part|the part]], [[Another]]") == (
        '<p><a href="/AAAAAAAAAAAAAAAAA">A title</a>, <a href="/AAAAAAAAAAAAAAAAA">the part</a>, [[Another]]</p>\n'
    )
    assert html("[x](b%20c.md#part) and [y](c.md)") == '<p><a href="/BBBBBBBBBBBBBBBBB#part">x</a> and <a>y</a></p>\n'
    assert html("`[[A title]]` [[[A title]]](/u)") == '<p><code>[[A title]]</code> <a href="/u">[[A title]]</a></p>\n'


def test_a_heading_that_only_repeats_the_title_is_left_out() -> None:
    assert str(render({"text": "# Guide\n\ntext\n", "anchors": {0: "guide"}, "lead": 0})["html"]) == "<p>text</p>\n"
    assert 'id="guide"' in str(render({"text": "# Guide\n\ntext\n", "anchors": {0: "guide"}, "lead": -1})["html"])
