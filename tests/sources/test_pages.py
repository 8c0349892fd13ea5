"""Files as documents: what each format becomes, what is said of those that can't be read, and that nothing is ever raised."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.sources.files import Source
from memory_wire.sources.items import Ignored, Skipped
from memory_wire.sources.pages import SUFFIXES, Held, Page, pages
from tests.sources import exports

HTML = b"""<!DOCTYPE html><html><head><title> The &amp; ferry </title><style>p{}</style></head><body><nav>menu</nav>
<article><h1>Times</h1><p>At <b>seven</b>, from <a href="https://example.org/p">Piraeus</a>.</p><script>alert(1)</script>
<pre><code># no heading
x = 1</code></pre><ul><li>one</li><li>two</li></ul><table><tr><th>day</th><th>boat</th></tr><tr><td>Mon</td><td>Blue</td></tr></table>
</article><footer>imprint</footer></body></html>"""
AS_MARKDOWN = (
    "# Times\n\nAt **seven**, from [Piraeus](https://example.org/p).\n\n```\n# no heading\nx = 1\n```\n\n- one\n- two\n\n"
    "| day | boat |\n| --- | --- |\n| Mon | Blue |\n"
)
VTT = """WEBVTT - talk

NOTE nothing

intro
00:00:01.000 --> 00:00:03.000 align:start
<v Ann Lee>Good &amp; <i>early</i>

00:03.500 --> 00:04.000
<v Ann Lee>boat.

00:01:05.000 --> 00:01:06.000
- Bob: Which one?
"""
SRT = "1\r\n00:00:01,000 --> 00:00:02,000\r\nfirst line\r\nsecond line\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nsecond line\r\n"
TALK = "Ann: When does it go?\nBob: At seven.\nAnn: And back?\nnot before\nBob (mate): At nine.\nAnn: Fine.\n"


def only(name: str, data: bytes, kind: str | None = None) -> Page:
    (found,) = pages(Held(name, data), kind)
    assert isinstance(found, Page), found
    return found


def why(name: str, data: bytes) -> str:
    (found,) = pages(Held(name, data))
    assert isinstance(found, Skipped), found
    return found.reason


def docx(*paragraphs: tuple[str, str]) -> bytes:
    """A Word document of (style, text)."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>' for style, text in paragraphs
    )  # fmt: skip
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    types = f'<Override PartName="/word/document.xml" ContentType="{kind}.document.main+xml"/>'
    made, heading = io.BytesIO(), '<w:name w:val="heading 1"/>'
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
        archive.writestr(
            "[Content_Types].xml", f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{types}</Types>'
        )
        archive.writestr(
            "word/styles.xml",
            f'<w:styles xmlns:w="{space}"><w:style w:type="paragraph" w:styleId="Heading1">{heading}</w:style></w:styles>',
        )
    return made.getvalue()


def pdf(*lines: str) -> bytes:
    """A PDF with a page for each text, lines apart by `|`."""
    texts = ["BT /F1 12 Tf 50 700 Td 14 TL " + " ".join(f"({part}) Tj T*" for part in line.split("|")) + " ET" for line in lines]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(texts)))
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(texts)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(texts):
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        parts.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {font} /Contents {5 + 2 * number} 0 R >>")
        parts.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    made, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    made += f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(parts) + 1} /Root 1 0 R >>\n"
    return (made + f"startxref\n{made.index('xref')}\n%%EOF\n").encode()


def test_markdown_and_text_stay_as_they_are() -> None:
    raw = "\ufeff# A\r\n\r\n  b  \n".encode()
    assert only("a.md", raw).markdown.encode() == raw
    assert only("notes.rst", b"Title\n=====\n\n.. note:: x\n").markdown == "Title\n=====\n\n.. note:: x\n"
    assert only("a.txt", "grüß".encode("utf-16")).markdown == "grüß"


def test_a_page_of_html() -> None:
    assert only("a.html", HTML) == Page("a.html", AS_MARKDOWN, "The & ferry")
    assert only("page.txt", HTML).markdown == AS_MARKDOWN


def test_a_word_document() -> None:
    raw = docx(("Heading1", "Plan"), ("", "first &amp; last"), ("", "second"))
    assert only("a.docx", raw).markdown == "# Plan\n\nfirst & last\n\nsecond\n"


def test_a_pdf() -> None:
    found = only("a.pdf", pdf("One har-|bour.|# no heading", "second page"))
    assert found.markdown == "## Page 1\n\nOne harbour.\n\\# no heading\n\n## Page 2\n\nsecond page\n"
    assert why("a.pdf", pdf("")) == "has no text, only pictures"


def test_subtitles() -> None:
    assert only("a.vtt", VTT.encode()).markdown == "[00:00:01] **Ann Lee:** Good & early boat.\n\n[00:01:05] **Bob:** Which one?\n"
    assert only("a.srt", SRT.encode()).markdown == "[00:00:01] first line second line\n"


def test_a_talk() -> None:
    said = (
        "**Ann:** When does it go?\n\n**Bob:** At seven.\n\n**Ann:** And back? not before\n\n**Bob (mate):** At nine.\n\n**Ann:** Fine.\n"
    )
    assert only("a.txt", TALK.encode()).markdown == said
    notes = "Shopping: milk\nremember: the keys\nwhatever else there is to say\nabout this: nothing\nreally\n"
    assert only("b.txt", notes.encode()).markdown == notes
    assert only("c.txt", b"[10:02] Ann: hm", "talk").markdown == "[10:02] **Ann:** hm\n"


def test_exports_of_chats() -> None:
    found = list(pages(Held("conversations.json", json.dumps(exports.CHATGPT).encode())))
    page = next(one for one in found if isinstance(one, Page))
    assert (page.name, page.title, page.own) == ("chatgpt/c-1", "Ferry to Naxos", True)
    assert page.markdown == (
        "# Ferry to Naxos\n\n## User\n\nwhich ferry goes to Naxos?\n\n## Assistant\n\nThe one at seven from Piraeus.\n\n"
        "## User\n\nis this the harbour?\n\n## Assistant\n\nYes, that is Piraeus.\n"
    )
    assert {one.kind for one in found if isinstance(one, Ignored)} >= {"attachments", "messages of other branches"}
    claude = pages(Held("c.json", json.dumps(exports.CLAUDE).encode()))
    assert next(one.name for one in claude if isinstance(one, Page)) == "claude/conv-1"
    assert list(pages(Held("package.json", b'{"name": "x"}'))) == [Ignored("other files")]


def test_a_transcript_of_a_host() -> None:
    lines = exports.lines(
        {"type": "user", "message": {"role": "user", "content": "why so slow?"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "The cache is cold."}]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Warm it."}]}},
    )
    found = only("s.jsonl", lines)
    assert (found.title, found.markdown) == (
        "why so slow?",
        "# why so slow?\n\n## User\n\nwhy so slow?\n\n## Assistant\n\nThe cache is cold.\n\nWarm it.\n",
    )
    assert list(pages(Held("rows.jsonl", b'{"a": 1}\n'))) == [Ignored("other files")]


def test_a_shared_chat_of_gemini() -> None:
    turn = [["c", "r"], None, [["which boat?"]], [[["rc", ["The **blue** one."]]]]]
    inner = json.dumps([[None, [turn], [None, "Boats"]]])
    raw = ")]}'\n\n120\n" + json.dumps([["wrb.fr", "ujx1Bf", inner, None]]) + "\n25\n" + json.dumps([["di", 12]]) + "\n"
    assert only("x", raw.encode(), "gemini").markdown == "# Boats\n\n## User\n\nwhich boat?\n\n## Assistant\n\nThe **blue** one.\n"
    (empty,) = pages(Held("x", b")]}'\n[[null]]"), "gemini")
    assert empty == Skipped("x", "no chat was answered")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"caf\xe9", "not UTF-8 (byte 3)"),
        ("a.md", b" \n", "no text"),
        ("a.txt", b"a\0b", "no text but bytes"),
        ("a.md", b"x" * (2 * 1024 * 1024 + 1), "larger than 2,097,152 bytes"),
        ("a.docx", b"PK no archive", "can't be read: File is not a zip file"),
        ("a.pdf", b"%PDF-1.7 broken", "damaged: PdfStreamError"),
        ("a.vtt", b"WEBVTT\n\n", "no text"),
    ],
)
def test_what_can_not_be_read_is_named(name: str, data: bytes, reason: str) -> None:
    assert why(name, data) == reason


def test_a_document_that_unpacks_to_too_much(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (80 * 1024 * 1024))
    assert why("a.docx", made.getvalue()) == "unpacks to too much for its size"


@pytest.mark.parametrize(
    ("module", "name", "data"), [("bs4", "a.html", HTML), ("mammoth", "a.docx", docx(("", "x"))), ("pypdf", "a.pdf", pdf("x"))]
)
def test_a_library_that_is_not_there(module: str, name: str, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert why(name, data) == f"needs {module}: pip install 'memory-wire[import]'"


def test_a_folder_goes_on_after_a_bad_file(tmp_path: Path) -> None:
    for name, data in {"a.pdf": b"%PDF-x", "b.md": b"# B", "c.html": HTML, "d.png": b"x"}.items():
        (tmp_path / name).write_bytes(data)
    found = [each for member in Source(str(tmp_path)).all for each in pages(member)]
    assert [type(each) for each in found] == [Skipped, Page, Page, Ignored]


@settings(max_examples=150)
@given(st.sampled_from([*SUFFIXES, ".bin"]), st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode)))
def test_nothing_is_raised_at_any_bytes(suffix: str, data: bytes) -> None:
    for head in (b"", b"%PDF-1.4\n", b"WEBVTT\n\n", b'{"mapping": ', b"<html>"):
        for found in pages(Held(f"x{suffix}", head + data)):
            if isinstance(found, Page):
                assert found.markdown.strip() and "\0" not in found.markdown
                found.markdown.encode()
